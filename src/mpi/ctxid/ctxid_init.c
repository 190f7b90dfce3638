/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"
#include "ctxid_holders.h"
#include "ctxid_holders_report.h"
#include "ctxid_spare.h"
#include "ctxid_store.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

categories :
    - name        : CTXID
      description : cvars that control the context ids of communicators

cvars:
    - name        : MPIR_CVAR_CTXID_TABLE
      category    : CTXID
      type        : string
      default     : "array"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        What holds a process's context ids:
        array  - an array up to the highest one
        rbtree - a red-black tree of those in use
        radix  - four levels of 256, freed when empty

    - name        : MPIR_CVAR_CTXID_LIMIT
      category    : CTXID
      type        : int
      default     : 0
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        Number of context ids, at least 8, those of the predefined communicators included. 0 means
        as many as there are, 262144. Smaller values are for tests of what happens at the limit.

    - name        : MPIR_CVAR_CTXID_BLOCK
      category    : CTXID
      type        : int
      default     : 16
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_ALL_EQ
      description : >-
        The most context ids on which one duplicate of a communicator agrees, from 1 to 256. Later
        duplicates take them without a message. The first agreements are on 1 id and on 4. 1: on one
        id each.

    - name        : MPIR_CVAR_CTXID_REPORT_LEAKS
      category    : CTXID
      type        : boolean
      default     : false
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        If true, every process names at finalize the communicators that were never freed.

    - name        : MPIR_CVAR_CTXID_REPORT_SIGNAL
      category    : CTXID
      type        : string
      default     : "none"
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        After this signal a process writes to standard error which lines of the program hold most
        context ids, when it next makes or frees a communicator:
        none - there is no such signal
        usr1 - SIGUSR1
        usr2 - SIGUSR2

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

#define MOST_IDS (1 << MPIR_CONTEXT_PREFIX_WIDTH)
#define LEAST_LIMIT 8
#ifdef MPID_NEEDS_ICOMM_WORLD
#define PREDEFINED 3
#else
#define PREDEFINED 2
#endif

static int read_table(cid_kind *kind)
{
    const char *value = MPIR_CVAR_CTXID_TABLE;

    *kind = CID_ARRAY;
    if (!value || MPIR_cid_kind_from_name(value, kind) == CID_OK)
        return MPI_SUCCESS;
    return MPIR_Cvar_wrong_value("MPIR_CVAR_CTXID_TABLE", value, "array, rbtree or radix");
}

static int read_limit(uint32_t *limit)
{
    int value = MPIR_CVAR_CTXID_LIMIT;
    char accepted[64];

    *limit = (value == 0) ? MOST_IDS : (uint32_t) value;
    if (value == 0 || (value >= LEAST_LIMIT && value <= MOST_IDS))
        return MPI_SUCCESS;
    snprintf(accepted, sizeof(accepted), "0 or numbers from %d to %d", LEAST_LIMIT, MOST_IDS);
    return MPIR_Cvar_wrong_number("MPIR_CVAR_CTXID_LIMIT", value, accepted);
}

static int check_block(void)
{
    int value = MPIR_CVAR_CTXID_BLOCK;

    if (value >= 1 && value <= CTXID_MOST_BLOCK)
        return MPI_SUCCESS;
    return MPIR_Cvar_wrong_number("MPIR_CVAR_CTXID_BLOCK", value, "1 to 256");
}

/* ---- MPI_T ----------------------------------------------------------------------------------- */

static const struct variable {
    const char *name, *text;
    size_t place; /* in ctxid_figures_t */
    bool counts;
} variables[] = {
    {"ctxid_used", "context ids in use", offsetof(ctxid_figures_t, used), false},
    {"ctxid_reserved", "context ids set aside for the next children of some communicator",
     offsetof(ctxid_figures_t, reserved), false},
    {"ctxid_silent", "duplicates that took a context id which was set aside, without a message",
     offsetof(ctxid_figures_t, silent), true},
    {"ctxid_highest", "highest context id in use and one more", offsetof(ctxid_figures_t, end),
     false},
    {"ctxid_table_allocated", "elements allocated in the table of context ids",
     offsetof(ctxid_figures_t, allocated), false},
    {"ctxid_table_bytes", "bytes of the table of context ids", offsetof(ctxid_figures_t, bytes),
     false}};

static void read_variable(void *address, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                          void *buffer)
{
    const struct variable *variable = address;
    ctxid_figures_t figures;

    MPIR_ctxid_get_figures(MPIR_ctxid_own_store(), &figures);
    memcpy(buffer, (char *) &figures + variable->place, sizeof(uint64_t));
}

static void register_variables(void)
{
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        MPIR_Pvar_register(variables[i].counts ? MPI_T_PVAR_CLASS_COUNTER : MPI_T_PVAR_CLASS_LEVEL,
                           variables[i].name, (void *) &variables[i], read_variable, "CTXID",
                           variables[i].text);
}

/* ---- finalize -------------------------------------------------------------------------------- */

static void report_leak(uint32_t prefix, MPIR_Comm *comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";

    if (prefix < PREDEFINED || (comm == NULL && MPIR_Others->holds_all_ids))
        return;
    if (comm != NULL)
        MPIR_Comm_get_name_impl(comm, name, &(int){0});
    fprintf(stderr, "rank %d: communicator never freed: context id %u%s%s%s\n", MPIR_Process.rank,
            (unsigned) prefix, name[0] ? ", \"" : "", name, name[0] ? "\"" : "");
}

static int report_leaks(void *unused MPL_UNUSED)
{
    if (MPIR_CVAR_CTXID_REPORT_LEAKS)
        MPIR_ctxid_visit(MPIR_ctxid_own_store(), report_leak);
    return MPI_SUCCESS;
}

static int close_store(void *unused MPL_UNUSED)
{
    MPIR_ctxid_close(MPIR_ctxid_own_store());
    MPIR_ctxid_holders_close();
    MPIR_ctxid_spare_trim(); /* those of communicators that were never freed */
    return MPI_SUCCESS;
}

int MPIR_Ctxid_init(void)
{
    int mpi_errno = MPI_SUCCESS;
    cid_kind kind;
    uint32_t limit;

    mpi_errno = read_table(&kind);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = read_limit(&limit);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = check_block();
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_ctxid_open(MPIR_ctxid_own_store(), kind, limit, PREDEFINED);
    MPIR_ERR_CHKANDSTMT(mpi_errno, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    /* before the predefined communicators are freed, and after */
    MPIR_Add_finalize(report_leaks, NULL, MPIR_FINALIZE_CALLBACK_PRIO + 1);
    MPIR_Add_finalize(close_store, NULL, MPIR_FINALIZE_CALLBACK_PRIO - 1);
    register_variables();
    mpi_errno = MPIR_ctxid_holders_init();

    return mpi_errno;
}
