/* SPDX-License-Identifier: BSD-3-Clause */

/* The end of an epoch at its targets. */

#include "rma/issue/progress.h"

int MPIDIG_rma_await_answers(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int mpi_errno = MPI_SUCCESS;

    while (!mpi_errno && target->carrying)
        mpi_errno = MPIDIG_rma_wait_for(win, target, MPIDIG_rma_epoch(win)->cause);
    return mpi_errno;
}

int MPIDIG_rma_issue_await_releases(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;

    if (!MPIDIG_WIN(win, issue))
        return MPI_SUCCESS;
    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        while (!mpi_errno && target->unanswered && !MPIDIG_deaths_are_in_win(win))
            mpi_errno = MPIDIG_rma_progress(win);
    }
    return mpi_errno;
}

int MPIDIG_rma_settle_all(MPIR_Win *win)
{
    int mpi_errno;

    mpi_errno = MPIDI_NM_rma_win_cmpl_hook(win);
    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        int error = MPI_SUCCESS;

        if (MPIR_rma_issue_has_native(&target->issue))
            error = MPIDIG_rma_settle(win, target);
        mpi_errno = mpi_errno ? mpi_errno : error;
    }

    return mpi_errno;
}

/* The error of a target, which ends the call, unless the target is lost: then the others go on. */
static int note_lost(MPIR_Win *win, const MPIDIG_rma_target_t *target, int error)
{
    if (!target->is_lost)
        return error;
    MPIDIG_rma_note_failure(&MPIDIG_WIN(win, issue)->failed, error);
    return MPI_SUCCESS;
}

int MPIDIG_rma_end_all(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    rma_issue_what_t left;
    bool waits, settles;
    MPL_time_t begin;

    MPL_wtime(&begin);
    do {
        waits = settles = false;
        MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
        {
            mpi_errno = note_lost(win, target, MPIDIG_rma_advance(win, target, RI_END, &left));
            MPIR_ERR_CHKRETURN(mpi_errno);
            waits |= left == RI_WAIT && !target->is_lost;
            settles |= left == RI_SETTLE && !target->is_lost;
        }
        if (waits)
            mpi_errno = MPIDIG_rma_wait(win, MPIDIG_rma_epoch(win)->cause);
        else if (settles)
            mpi_errno = MPIDIG_rma_settle_all(win);
        MPIR_ERR_CHKRETURN(mpi_errno);
    } while (waits || settles);
    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        mpi_errno = note_lost(win, target, MPIDIG_rma_await_answers(win, target));
        MPIR_ERR_CHKRETURN(mpi_errno);
        if (target->is_lost)
            continue;
        if (MPIR_rma_issue_is_long(&target->issue))
            MPIDIG_rma_waited_since(target, &begin);
        MPIDIG_rma_close(win, target);
        if (target->failed)
            MPIDIG_WIN(win, issue)->failed = MPIDIG_rma_failure(&target->failed);
    }

    return mpi_errno;
}
