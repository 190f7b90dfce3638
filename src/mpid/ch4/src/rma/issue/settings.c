/* SPDX-License-Identifier: BSD-3-Clause */

/* Variables and info keys. */

#include "rma/issue/issue_internal.h"
#include "mpir_tvars.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_CH4_RMA_ISSUE
      category    : CH4
      type        : string
      default     : "hybrid"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        When one-sided operations are issued, unless the info key rma_issue of the window says it:
        hybrid - one short operation waits for the end of its epoch and is one message with it, more are issued early
        eager  - at once
        lazy   - at the end of the epoch

    - name        : MPIR_CVAR_CH4_RMA_ISSUE_OPS
      category    : CH4
      type        : int
      default     : 1
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Under hybrid, up to this many operations to a target wait for the end of the epoch. The info key rma_issue_ops of
        a window overrides it.

    - name        : MPIR_CVAR_CH4_RMA_ISSUE_BYTES
      category    : CH4
      type        : int
      default     : 4096
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Under hybrid, up to this many bytes of operations to a target wait for the end of the epoch. The info key
        rma_issue_bytes of a window overrides it.

    - name        : MPIR_CVAR_CH4_RMA_ISSUE_QUEUE
      category    : CH4
      type        : int
      default     : 16384
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        At most this many operations to a target wait, for whatever reason; the next one waits until some are issued.

    - name        : MPIR_CVAR_CH4_RMA_ISSUE_ADAPT
      category    : CH4
      type        : boolean
      default     : true
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Under hybrid, what the last epochs to a target had in them moves its thresholds.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

static rma_issue_settings_t defaults;

static bool parse_mode(const char *name, rma_issue_mode_t *mode)
{
    static const char *const names[] = {
        [RI_EAGER] = "eager", [RI_HYBRID] = "hybrid", [RI_LAZY] = "lazy"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(name, names[i])) {
            *mode = (rma_issue_mode_t) i;
            return true;
        }
    }
    return false;
}

static const char *mode_name(rma_issue_mode_t mode)
{
    return mode == RI_EAGER ? "eager" : mode == RI_LAZY ? "lazy" : "hybrid";
}

int MPIDIG_rma_settings_init(void)
{
    int mpi_errno = MPI_SUCCESS;
    const char *mode = MPIR_CVAR_CH4_RMA_ISSUE ? MPIR_CVAR_CH4_RMA_ISSUE : "hybrid";

    defaults = (rma_issue_settings_t){.ops = MPIR_CVAR_CH4_RMA_ISSUE_OPS,
                                      .bytes = MPIR_CVAR_CH4_RMA_ISSUE_BYTES,
                                      .queue = MPIR_CVAR_CH4_RMA_ISSUE_QUEUE,
                                      .adapt = MPIR_CVAR_CH4_RMA_ISSUE_ADAPT};
    if (!parse_mode(mode, &defaults.mode))
        mpi_errno = MPIR_Cvar_wrong_value("MPIR_CVAR_CH4_RMA_ISSUE", mode, "hybrid, eager, lazy");
    else if (MPIR_CVAR_CH4_RMA_ISSUE_OPS < 0)
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_CH4_RMA_ISSUE_OPS",
                                           MPIR_CVAR_CH4_RMA_ISSUE_OPS, "0 and more");
    else if (MPIR_CVAR_CH4_RMA_ISSUE_BYTES < 0)
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_CH4_RMA_ISSUE_BYTES",
                                           MPIR_CVAR_CH4_RMA_ISSUE_BYTES, "0 and more");
    else if (MPIR_CVAR_CH4_RMA_ISSUE_QUEUE < 1)
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_CH4_RMA_ISSUE_QUEUE",
                                           MPIR_CVAR_CH4_RMA_ISSUE_QUEUE, "1 and more");

    return mpi_errno;
}

MPIDIG_rma_issue_t *MPIDIG_rma_issue_make(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!issue) {
        issue = MPL_calloc(1, sizeof(*issue), MPL_MEM_RMA);
        if (issue)
            issue->settings = defaults;
        MPIDIG_WIN(win, issue) = issue;
    }
    return issue;
}

/* Loads and stores reach the memory of shared windows: MPI_Win_lock has to take their locks.  With
 * threads in several VCIs, each queue would need a lock.  Of dynamic windows a rank that is alone
 * shows which locks nobody grants. */
bool MPIDIG_rma_may_wait(const MPIR_Win *win)
{
#if MPICH_THREAD_GRANULARITY == MPICH_THREAD_GRANULARITY__VCI
    return false;
#endif
    if (win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC && !MPIR_Do_others_exist())
        return false;
    return win->create_flavor != MPI_WIN_FLAVOR_SHARED && !ENABLE_GPU;
}

MPIDIG_rma_issue_t *MPIDIG_rma_issue_of(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!MPIDIG_rma_may_wait(win) || (issue ? issue->settings.mode : defaults.mode) == RI_EAGER)
        return NULL;
    return issue ? issue : MPIDIG_rma_issue_make(win);
}

/* An invalid value is ignored, and so are other keys. */
int MPIDIG_rma_issue_set_info(MPIR_Win *win, const char *key, const char *value)
{
    MPIDIG_rma_issue_t *issue;
    rma_issue_mode_t mode;
    char *end;
    long number = strtol(value, &end, 10);
    bool is_number = end != value && *end == '\0' && number >= 0 && number <= INT_MAX;

    if (strncmp(key, "rma_issue", strlen("rma_issue")))
        return MPI_SUCCESS;
    issue = MPIDIG_rma_issue_make(win);
    if (!issue)
        return MPI_SUCCESS; /* a hint must not fail in one process alone */
    if (!strcmp(key, "rma_issue") && parse_mode(value, &mode))
        issue->settings.mode = mode;
    else if (!strcmp(key, "rma_issue_ops") && is_number)
        issue->settings.ops = (unsigned) number;
    else if (!strcmp(key, "rma_issue_bytes") && is_number)
        issue->settings.bytes = (size_t) number;
    return MPI_SUCCESS;
}

int MPIDIG_rma_issue_get_info(MPIR_Win *win, MPIR_Info *info)
{
    const MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    const rma_issue_settings_t *settings = issue ? &issue->settings : &defaults;
    char number[24];

    MPIR_TRY(MPIR_Info_set_impl(info, "rma_issue", mode_name(settings->mode)));
    snprintf(number, sizeof(number), "%u", settings->ops);
    MPIR_TRY(MPIR_Info_set_impl(info, "rma_issue_ops", number));
    snprintf(number, sizeof(number), "%zu", settings->bytes);
    return MPIR_Info_set_impl(info, "rma_issue_bytes", number);
}
