/* SPDX-License-Identifier: BSD-3-Clause */

/* What one-sided communication did, for tools and the report. */

#include "rma/issue/issue_internal.h"
#include "mpir_ctxid_site.h"
#include "mpir_report.h"
#include "mpir_tvars.h"

bool MPIDIG_rma_is_timed;

static const struct variable {
    const char *name;
    size_t place; /* in MPIDIG_rma_counts_t */
    const char *text;
} variables[] = {
    {"rma_messages", offsetof(MPIDIG_rma_counts_t, messages), "messages sent to targets"},
    {"rma_packed", offsetof(MPIDIG_rma_counts_t, packed), "operations in these messages"},
    {"rma_native", offsetof(MPIDIG_rma_counts_t, native), "operations issued natively, each alone"},
    {"rma_exchanges", offsetof(MPIDIG_rma_counts_t, exchanges), "fences that exchanged numbers"},
    {"rma_early_exchanges", offsetof(MPIDIG_rma_counts_t, early),
     "exchanges that this process entered before its fence, to issue natively"},
    {"rma_barriers", offsetof(MPIDIG_rma_counts_t, barriers), "fences that ended by a barrier"},
    {"rma_habits", offsetof(MPIDIG_rma_counts_t, habits),
     "times earlier epochs changed when operations to a target go out"},
    {"rma_lock_ns", offsetof(MPIDIG_rma_counts_t, waited[MPIDIG_RMA_WAIT_LOCK]),
     "nanoseconds waited for locks, and for answers at their end and in flushes"},
    {"rma_post_ns", offsetof(MPIDIG_rma_counts_t, waited[MPIDIG_RMA_WAIT_POST]),
     "nanoseconds waited for posts, and for answers at the end of the epoch"},
    {"rma_fence_ns", offsetof(MPIDIG_rma_counts_t, waited[MPIDIG_RMA_WAIT_FENCE]),
     "nanoseconds waited in fences"},
    {"rma_room_ns", offsetof(MPIDIG_rma_counts_t, waited[MPIDIG_RMA_WAIT_ROOM]),
     "nanoseconds that operations waited for room in the queue"}};

enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

static unsigned long long value_of(const struct variable *variable,
                                   const MPIDIG_rma_counts_t *counts)
{
    return *(const uint64_t *) ((const char *) counts + variable->place);
}

/* The handle of a window, which may be freed by now: then the window has none. */
static const MPIDIG_rma_issue_t *issue_of(const MPI_Win *handle)
{
    MPIR_Win *win = NULL;

    if (handle && HANDLE_GET_MPI_KIND(*handle) == MPIR_WIN &&
        HANDLE_GET_KIND(*handle) != HANDLE_KIND_INVALID)
        MPIR_Win_get_ptr(*handle, win);
    return win ? MPIDIG_WIN(win, issue) : NULL;
}

static void read_variable(void *address, void *obj_handle, int count MPL_UNUSED, void *buffer)
{
    const MPIDIG_rma_issue_t *issue = issue_of(obj_handle);

    *(unsigned long long *) buffer = issue ? value_of(address, &issue->counts) : 0;
}

/* MPI_T asks when a tool gets a handle. */
static void count_variable(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int *count)
{
    MPIDIG_rma_is_timed = true;
    *count = 1;
}

void MPIDIG_rma_counts_init(void)
{
    for (int i = 0; i < VARIABLES; i++)
        MPIR_Pvar_register_bound(MPI_T_BIND_MPI_WIN, variables[i].name, (void *) &variables[i],
                                 read_variable, count_variable, "CH4_RMA", variables[i].text);
    if (MPIR_Map_report_is_on())
        MPIDIG_rma_is_timed = true;
}

static const char *name_of(int i) { return variables[i].name; }

void MPIDIG_rma_counts_report(MPIR_Win *win, const MPIDIG_rma_counts_t *counts)
{
    unsigned long long values[VARIABLES];

    if (!MPIR_Map_report_is_on())
        return;
    for (int i = 0; i < VARIABLES; i++)
        values[i] = value_of(&variables[i], counts);
    MPIR_Map_report_window(win->name, MPIR_Ctxid_site(win->comm_ptr), VARIABLES, name_of, values);
}
