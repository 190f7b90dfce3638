/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_report.h"
#include "mpir_tvars.h"
#include "aggr_shared.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

categories :
    - name        : AGGR
      description : cvars that control collectives by aggregates

cvars:
    - name        : MPIR_CVAR_AGGR
      category    : AGGR
      type        : boolean
      default     : true
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Small collectives of processes that share a node go through cache lines which they share.
        The same in all processes. For one collective, its MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM
        chooses another way.

    - name        : MPIR_CVAR_AGGR_MAX_BYTES
      category    : AGGR
      type        : int
      default     : 4096
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Largest payload of a process, in bytes, that goes this way; of a scatter, an allgather or
        an alltoall what a process sends or gets in all. The same in all processes.

    - name        : MPIR_CVAR_AGGR_LONG_BYTES
      category    : AGGR
      type        : int
      default     : 1073741824
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Largest payload, counted as for MPIR_CVAR_AGGR_MAX_BYTES, that goes through desks: 128 KB
        of shared memory for each process. 0 means none. The same in all processes.

    - name        : MPIR_CVAR_AGGR_LEND_BYTES
      category    : AGGR
      type        : int
      default     : 16384
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Of a payload that is too long for lines, parts of at least so many bytes are read where
        they lie, if the kernel allows it, and do not go through desks. 0: none. The same in all
        processes.

    - name        : MPIR_CVAR_AGGR_ARENA_MB
      category    : AGGR
      type        : int
      default     : 64
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Most shared memory of a node for aggregates, in megabytes; it is taken as communicators
        need it, at their first small collective. Those that find no room use the other
        algorithms. 0 means none.

    - name        : MPIR_CVAR_AGGR_FAN
      category    : AGGR
      type        : int
      default     : 0
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Up to so many processes of a node read each other's lines; more do it in groups of at most
        so many. 0: 16, and on a node with more processes than cores all of them. That of a
        communicator's first process counts.

    - name        : MPIR_CVAR_AGGR_DIRECT
      category    : AGGR
      type        : int
      default     : 16
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_READONLY
      description : >-
        Up to so many processes that share no node do a barrier, or a small allreduce, by a
        message from each to each, which is one step of waiting. 0 means none; 16 is the most. The
        same in all processes.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

static void read_arena(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                       void *buffer)
{
    *(unsigned long long *) buffer = MPIR_Aggr_arena_used();
}

static void read_direct(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                        void *buffer)
{
    *(unsigned long long *) buffer = MPL_atomic_relaxed_load_uint64(&MPIR_Aggr_counts.direct);
}

static void register_variables(void)
{
    static const struct {
        const char *name, *text;
        unsigned long long *count;
    } counters[] = {
        {"aggr_calls", "collectives done by aggregates", &MPIR_Aggr_counts.calls},
        {"aggr_bytes", "bytes that this process put into them", &MPIR_Aggr_counts.bytes},
        {"aggr_refused", "communicators without aggregates on this node",
         &MPIR_Aggr_counts.refused},
    };

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, counters[i].name, counters[i].count, NULL,
                           "AGGR", counters[i].text);
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "aggr_direct", NULL, read_direct, "AGGR",
                       "collectives done by a message from each to each");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "aggr_arena_bytes", NULL, read_arena, "AGGR",
                       "shared memory of the node that is handed out");
}

static int close_arena(void *unused MPL_UNUSED)
{
    MPIR_Aggr_on = MPIR_Aggr_between_nodes = false;
    MPIR_Aggr_direct_most = 0;
    MPIR_Aggr_board_close();
    MPIR_Aggr_arena_close();
    MPIR_Aggr_scratch_free();
    return MPI_SUCCESS;
}

/* Who has tuned the algorithms has said what he wants. */
static bool has_tuning_file(void)
{
    return *MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE ||
           *MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE;
}

struct MPIR_Aggr MPIR_Aggr_never = {.agreed = true};

void MPIR_Aggr_decline(MPIR_Comm *comm) { comm->aggr = &MPIR_Aggr_never; }

void MPIR_Aggr_meet(void)
{
    MPIR_Aggr_on = MPIR_Aggr_on && MPIR_Aggr_board_open();
    MPIR_Aggr_say_terms();
    MPIR_Aggr_say_place();
}

int MPIR_Aggr_init(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_Map_report_phase("device");
    register_variables();
    if (MPIR_CVAR_AGGR_MAX_BYTES < 60 || MPIR_CVAR_AGGR_MAX_BYTES > 1 << 24) {
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_AGGR_MAX_BYTES", MPIR_CVAR_AGGR_MAX_BYTES,
                                           "60 to 16777216");
        goto fn_exit;
    }
    if (MPIR_CVAR_AGGR_LONG_BYTES < 0 || MPIR_CVAR_AGGR_LONG_BYTES > 1 << 30) {
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_AGGR_LONG_BYTES", MPIR_CVAR_AGGR_LONG_BYTES,
                                           "0 to 1073741824");
        goto fn_exit;
    }
    if (MPIR_CVAR_AGGR_LEND_BYTES < 0) {
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_AGGR_LEND_BYTES", MPIR_CVAR_AGGR_LEND_BYTES,
                                           "0 or more");
        goto fn_exit;
    }
    if (MPIR_CVAR_AGGR_FAN < 0 || MPIR_CVAR_AGGR_FAN == 1) {
        mpi_errno =
            MPIR_Cvar_wrong_number("MPIR_CVAR_AGGR_FAN", MPIR_CVAR_AGGR_FAN, "0, or 2 and more");
        goto fn_exit;
    }
    if (MPIR_CVAR_AGGR_ARENA_MB < 0 || MPIR_CVAR_AGGR_ARENA_MB > 1 << 20) {
        mpi_errno = MPIR_Cvar_wrong_number("MPIR_CVAR_AGGR_ARENA_MB", MPIR_CVAR_AGGR_ARENA_MB,
                                           "0 to 1048576");
        goto fn_exit;
    }
    if (MPIR_CVAR_AGGR_DIRECT < 0 || MPIR_CVAR_AGGR_DIRECT > MPIR_AGGR_DIRECT_MOST) {
        mpi_errno =
            MPIR_Cvar_wrong_number("MPIR_CVAR_AGGR_DIRECT", MPIR_CVAR_AGGR_DIRECT, "0 to 16");
        goto fn_exit;
    }
    MPIR_Aggr_settings =
        (MPIR_Aggr_settings_t){.max_bytes = (size_t) MPIR_CVAR_AGGR_MAX_BYTES,
                               .long_bytes = (size_t) MPIR_CVAR_AGGR_LONG_BYTES,
                               .lend_bytes = (size_t) MPIR_CVAR_AGGR_LEND_BYTES,
                               .arena_bytes = (size_t) MPIR_CVAR_AGGR_ARENA_MB << 20,
                               .fan = MPIR_CVAR_AGGR_FAN};
    MPIR_Aggr_on = MPIR_CVAR_AGGR && MPIR_CVAR_AGGR_ARENA_MB > 0 && !ENABLE_GPU &&
                   !has_tuning_file() && MPIR_Do_others_exist();
    MPIR_Aggr_between_nodes = !ENABLE_GPU && MPIR_Do_others_exist();
    MPIR_Aggr_direct_most =
        MPIR_Aggr_between_nodes && !has_tuning_file() ? MPIR_CVAR_AGGR_DIRECT : 0;
    /* when the communicators are gone */
    MPIR_Add_finalize(close_arena, NULL, 0);

fn_exit:
    return mpi_errno;
}
