/* SPDX-License-Identifier: BSD-3-Clause */

/* The end of an epoch at its targets. */

#include "rma/issue/progress.h"

int MPIDIG_rma_await_answers(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int mpi_errno = MPI_SUCCESS;

    while (!mpi_errno && target->unanswered)
        mpi_errno = MPIDIG_rma_wait(win, MPIDIG_rma_epoch(win)->cause);
    return mpi_errno;
}

int MPIDIG_rma_settle_all(MPIR_Win *win)
{
    int mpi_errno;
    MPIDIG_rma_target_t *target, *next_target;

    mpi_errno = MPIDI_NM_rma_win_cmpl_hook(win);
    MPIR_ERR_CHKRETURN(mpi_errno);
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target)
    {
        if (MPIR_rma_issue_has_native(&target->issue))
            mpi_errno = MPIDIG_rma_settle(win, target);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }

    return mpi_errno;
}

int MPIDIG_rma_end_all(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target, *next_target;
    rma_issue_what_t left;
    bool waits, settles;
    MPL_time_t begin;

    MPL_wtime(&begin);
    do {
        waits = settles = false;
        HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target)
        {
            mpi_errno = MPIDIG_rma_advance(win, target, RI_END, &left);
            MPIR_ERR_CHKRETURN(mpi_errno);
            waits |= left == RI_WAIT;
            settles |= left == RI_SETTLE;
        }
        if (waits)
            mpi_errno = MPIDIG_rma_wait(win, MPIDIG_rma_epoch(win)->cause);
        else if (settles)
            mpi_errno = MPIDIG_rma_settle_all(win);
        MPIR_ERR_CHKRETURN(mpi_errno);
    } while (waits || settles);
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target)
    {
        mpi_errno = MPIDIG_rma_await_answers(win, target);
        MPIR_ERR_CHKRETURN(mpi_errno);
        if (MPIR_rma_issue_is_long(&target->issue))
            MPIDIG_rma_waited_since(target, &begin);
        MPIDIG_rma_close(win, target);
        if (target->failed)
            MPIDIG_WIN(win, issue)->failed = MPIDIG_rma_failure(&target->failed);
    }

    return mpi_errno;
}
