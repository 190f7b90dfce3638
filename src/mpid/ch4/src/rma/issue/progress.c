/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/progress.h"

/* Progress of all kinds: others may wait for this process's nonblocking collectives before they
 * answer. */
int MPIDIG_rma_progress(MPIR_Win *win MPL_UNUSED)
{
    int mpi_errno = MPID_Progress_test(NULL);

    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return mpi_errno;
}

int MPIDIG_rma_progress_timed(MPIR_Win *win, MPIDIG_rma_wait_t cause)
{
    MPL_time_t begin, end;
    double seconds;
    int mpi_errno;

    MPL_wtime(&begin);
    mpi_errno = MPIDIG_rma_progress(win);
    MPL_wtime(&end);
    MPL_wtime_diff(&begin, &end, &seconds);
    MPIDIG_WIN(win, issue)->counts.waited[cause] += (uint64_t) (seconds * 1e9);
    return mpi_errno;
}
