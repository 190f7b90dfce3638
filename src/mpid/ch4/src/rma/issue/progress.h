/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress while a process waits in a one-sided call. */
#ifndef RMA_ISSUE_PROGRESS_H_INCLUDED
#define RMA_ISSUE_PROGRESS_H_INCLUDED

#include "rma/issue/issue_internal.h"

int MPIDIG_rma_progress(MPIR_Win *win);
int MPIDIG_rma_progress_timed(MPIR_Win *win, MPIDIG_rma_wait_t cause);

/* Takes the time if the program reads it by MPI_T. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_wait(MPIR_Win *win, MPIDIG_rma_wait_t cause)
{
    return MPIDIG_rma_is_timed ? MPIDIG_rma_progress_timed(win, cause) : MPIDIG_rma_progress(win);
}

/* For the target to answer. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_wait_for(MPIR_Win *win, MPIDIG_rma_target_t *target,
                                                 MPIDIG_rma_wait_t cause)
{
    int mpi_errno = MPIDIG_rma_wait(win, cause);

    return MPIDIG_deaths_are_in_win(win) && MPIDIG_rma_lose_dead(win, target)
               ? MPIDIG_deaths_of_win(win, mpi_errno)
               : mpi_errno;
}

#endif /* RMA_ISSUE_PROGRESS_H_INCLUDED */
