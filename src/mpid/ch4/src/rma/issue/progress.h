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

#endif /* RMA_ISSUE_PROGRESS_H_INCLUDED */
