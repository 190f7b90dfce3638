/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "solo_scenario.h"
#include "solo_world.h"
#include <time.h>

/* Set by mpirank1: scenarios, one a line. */
#define SCENARIO "MPIRANK1_SCENARIO"

/* If a wait finds nothing for so long, it will not end.  With threads, another thread may yet
 * send to this process. */
#define HOPELESS_SECONDS 1.0
#define HOPELESS_SECONDS_WITH_THREADS 10.0
/* A process that looks less often also does other things than wait. */
#define PAUSE_SECONDS 0.002

bool MPIR_Solo_on;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* A wait has found nothing once more. */
static void count_idle(bool is_first)
{
    static double waited, last_look;
    double now = seconds();
    char text[160];

    if (is_first)
        waited = 0;
    else if (now - last_look < PAUSE_SECONDS)
        waited += now - last_look;
    last_look = now;
    if (waited < (MPIR_ThreadInfo.isThreaded ? HOPELESS_SECONDS_WITH_THREADS : HOPELESS_SECONDS))
        return;
    snprintf(
        text, sizeof(text),
        "Rank %d waits for ranks that do not exist: a world of %d is run by this process alone",
        MPIR_Process.rank, MPIR_Process.size);
    MPID_Abort(MPIR_Process.comm_world, MPI_ERR_OTHER, 1, text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int count(int n MPL_UNUSED) { return 1; }

static int first(void) { return MPIR_Process.rank; }

static int local_rank(void) { return 0; }

static int solo_check(int rank)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SETANDSTMT2(mpi_errno, MPI_ERR_OTHER, ;
                         , "**solo_rank", "**solo_rank %d %d", rank, MPIR_Process.rank);
    return mpi_errno;
}

bool MPIR_Solo_refuses(MPIR_Comm *comm, const char *collective, int *mpi_errno)
{
    if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM && comm->local_size == 1)
        return false;
    MPIR_ERR_SETANDSTMT3(*mpi_errno, MPI_ERR_OTHER, ;, "**solo_collective",
                                                     "**solo_collective %s %d %d", collective,
                                                     comm->local_size, MPIR_Process.rank);
    return true;
}

const MPIR_Others_t MPIR_Others_missing = {.count = count,
                                           .first = first,
                                           .local_rank = local_rank,
                                           .check = solo_check,
                                           .refuses = MPIR_Solo_refuses,
                                           .holds_all_ids = true,
                                           .get_rows = MPIR_Solo_get_rows,
                                           .foresee = MPIR_Solo_foresee,
                                           .swap_blocks = MPIR_Solo_swap_blocks,
                                           .remote_group = MPIR_Solo_remote_group};

/* ---- start ----------------------------------------------------------------------------------- */

int MPIR_Solo_init(void)
{
    /* by the name of the job: jobs that the program starts would inherit a variable of the
     * environment */
    MPIR_Solo_on = MPIR_Process.size > 1 && strcmp(MPIR_pmi_job_id(), SOLO_JOB) == 0;
    MPIR_Others = MPIR_Solo_on ? &MPIR_Others_missing : &MPIR_Others_exist;
    if (MPIR_Solo_on) {
        MPIR_Yield_alone = count_idle;
        MPIR_Solo_take_scenarios(getenv(SCENARIO));
        MPIR_Solo_supply_init();
        MPIR_Solo_blocks_init();
    }
    return MPI_SUCCESS;
}

/* ---- messages -------------------------------------------------------------------------------- */

int MPIR_Solo_test_source(const MPIR_Comm *comm, int rank)
{
    int process;

    if (!MPIR_Solo_on || rank < 0)
        return MPI_SUCCESS;
    process = (int) MPIR_cmap_select(MPIR_Map_load(&comm->map), (uint32_t) rank);
    /* processes beyond the world are of other jobs that are connected with this one */
    if (process >= MPIR_Process.size || process == MPIR_Process.rank)
        return MPI_SUCCESS;
    return solo_check(process);
}
