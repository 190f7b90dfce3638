/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Active messages whose operation leaves the window.  The target does not perform it, and tells the
 * origin before it answers.  The call that completes the operation at the origin returns the
 * error.
 */
#ifndef RMA_ISSUE_OUTSIDE_H_INCLUDED
#define RMA_ISSUE_OUTSIDE_H_INCLUDED

/* At the target.  A put, once its request has its type: its data are dropped. */
void MPIDIG_rma_check_put(MPIR_Win *win, MPIR_Request *rreq);
/* A get: false, and it answers without data. */
bool MPIDIG_rma_check_get(MPIR_Win *win, MPIR_Request *rreq);
/* An accumulate: false, and it does nothing. */
bool MPIDIG_rma_check_acc(MPIR_Win *win, MPIR_Request *rreq);
/* A compare_and_swap. */
bool MPIDIG_rma_check_swap(MPIR_Win *win, MPIR_Request *rreq);

/* At the origin, behind a native call that completes operations on the rank, or on all with
 * MPI_ANY_SOURCE: the call's own error, or the first error that a target has told. */
int MPIDIG_rma_told_outside(MPIR_Win *win, int rank, int mpi_errno);

MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_outside(MPIR_Win *win, int rank, int mpi_errno)
{
    return unlikely(MPIDIG_WIN(win, outside)) ? MPIDIG_rma_told_outside(win, rank, mpi_errno)
                                              : mpi_errno;
}

#endif /* RMA_ISSUE_OUTSIDE_H_INCLUDED */
