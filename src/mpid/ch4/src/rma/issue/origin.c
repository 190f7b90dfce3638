/* SPDX-License-Identifier: BSD-3-Clause */

/* Operations of the program while the window has an epoch in which operations may wait. */

#include "rma/issue/progress.h"

/* REQUIRES: may_open().  NULL without memory. */
static MPIDIG_rma_target_t *open_target(MPIR_Win *win, int rank)
{
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);

    if (target && target->issue.permission != RI_CLOSED)
        return target;
    target = MPIDIG_rma_target(win, rank);
    if (target) {
        target->lock_type = MPI_LOCK_SHARED;
        MPIDIG_rma_open(target, MPIDIG_rma_epoch(win)->permission(win));
    }
    return target;
}

/* An operation is native under a lock on another target only, and on the process itself under
 * lock_all. */
static bool may_open(MPIR_Win *win, int rank)
{
    const MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);

    return (target && target->issue.permission != RI_CLOSED) ||
           MPIDIG_rma_epoch(win)->covers(win, rank);
}

/* Issues the operation, which does not enter the queue. */
static int pass(MPIR_Win *win, MPIDIG_rma_target_t *target, const MPIDIG_rma_op_t *what)
{
    int mpi_errno;

    MPIR_rma_issue_issued(&target->issue);
    mpi_errno = MPIDIG_rma_issue_natively(win, target, what);
    /* the data of a long operation are transferred while the program computes */
    if (!mpi_errno && what->queue.bytes > MPIDIG_WIN(win, issue)->settings.bytes)
        mpi_errno = MPIDIG_rma_progress(win);
    return mpi_errno;
}

int MPIDIG_rma_issue(MPIR_Win *win, int rank, MPIDIG_rma_op_t *what)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target;
    MPIDIG_rma_op_t *op;

    if (!may_open(win, rank))
        return MPIDIG_rma_op_issue(win, rank, what);
    MPIDIG_RMA_OP_CHECK_SYNC(rank, win);
    MPIDIG_rma_op_measure(what);
    if (what->queue.bytes == 0)
        return MPIDIG_rma_op_issue(win, rank, what);
    target = open_target(win, rank);
    MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    if (MPIR_rma_issue_passes(&target->issue, &issue->settings, what->queue.wire) &&
        !(what->queue.bytes > target->issue.room && MPIDIG_rma_is_for_helper(win, target, what)))
        return pass(win, target, what);
    if (!MPIDIG_rma_epoch(win)->packs || !MPIDIG_rma_pack(win, target, what)) {
        op = MPIDIG_rma_op_keep(issue, what);
        MPIR_ERR_CHKANDJUMP(!op, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
        MPIR_rma_issue_add(&target->issue, &op->queue);
    }
    mpi_errno = MPIDIG_rma_epoch(win)->go_on(win, target);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* Waits until the queue is empty and the operations of all messages are done.  What was issued
 * natively may still be in flight. */
static int flush_messages(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int mpi_errno = MPIDIG_rma_reach(win, target, RI_FLUSH);

    while (!mpi_errno && target->carrying)
        mpi_errno = MPIDIG_rma_wait_for(win, target, MPIDIG_rma_epoch(win)->cause);
    return mpi_errno ? mpi_errno : MPIDIG_rma_failure(&target->failed);
}

/* ---- operations with a request ------------------------------------------------------------- */

/* For a native operation: waits for the permission, and until nothing waits in the queue. */
static int await_permission(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    MPIR_TRY(MPIDIG_rma_reach(win, target, RI_CLEAR));
    MPIR_rma_issue_issued(&target->issue);
    MPIDIG_WIN(win, issue)->counts.native++;

    return MPI_SUCCESS;
}

/* Sends the operation in the message that asks for the permission.  If that fails, the operation is
 * forgotten: its buffers are the program's again. */
static int ask_with(MPIR_Win *win, MPIDIG_rma_target_t *target, const MPIDIG_rma_op_t *what)
{
    int mpi_errno = MPI_SUCCESS;
    const rma_issue_target_t before = target->issue;
    MPIDIG_rma_op_t *op = MPIDIG_rma_op_keep(MPIDIG_WIN(win, issue), what);
    rma_issue_what_t next;

    MPIR_ERR_CHKANDSTMT(!op, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    MPIR_rma_issue_add(&target->issue, &op->queue);
    mpi_errno = MPIDIG_rma_advance(win, target, RI_FLUSH, &next);
    if (mpi_errno) {
        target->issue = before;
        if (before.tail)
            before.tail->next = NULL;
        MPIDIG_rma_op_drop(MPIDIG_WIN(win, issue), op);
    }

    return mpi_errno;
}

/* The first operation of an epoch would wait for the answer that brings the permission.  If it is
 * short, it travels with the question and is done when the answer comes, one round trip earlier. */
int MPIDIG_rma_issue_with_request(MPIR_Win *win, int rank, MPIDIG_rma_op_t *what, bool *is_done)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target;

    *is_done = false;
    if (!may_open(win, rank) || !MPIDIG_rma_epoch(win)->has_requests)
        return MPI_SUCCESS;
    MPIDIG_RMA_OP_CHECK_SYNC(rank, win);
    target = open_target(win, rank);
    MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    MPIDIG_rma_op_measure(what);
    if (!MPIR_rma_issue_asks_with(&target->issue, &what->queue))
        return await_permission(win, target);
    mpi_errno = ask_with(win, target, what);
    MPIR_ERR_CHECK(mpi_errno);
    *is_done = true;
    mpi_errno = flush_messages(win, target);

fn_exit:
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

void MPIDIG_rma_issue_went_out(MPIR_Win *win, int rank)
{
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);

    if (target)
        MPIR_rma_issue_went_out(&target->issue);
}

/* ---- flushes ------------------------------------------------------------------------------- */

/* Operations that return nothing are complete here when their message has gone out. */
static int flush_locally(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int mpi_errno = MPIDIG_rma_reach(win, target, RI_FLUSH);

    while (!mpi_errno && target->results)
        mpi_errno = MPIDIG_rma_wait_for(win, target, MPIDIG_rma_epoch(win)->cause);
    return mpi_errno ? mpi_errno : MPIDIG_rma_failure(&target->failed);
}

static int flush_each(MPIR_Win *win, int rank,
                      int (*flush)(MPIR_Win *win, MPIDIG_rma_target_t *target))
{
    MPIDIG_rma_target_t *target, *next_target;
    int mpi_errno = MPI_SUCCESS, lost = MPI_SUCCESS;

    /* in another epoch the call would wait for the end of the epoch */
    MPIDIG_EPOCH_CHECK_PASSIVE(win, mpi_errno, return mpi_errno);
    if (rank != MPI_ANY_SOURCE) {
        target = MPIDIG_rma_target_find(win, rank);
        return target ? flush(win, target) : MPI_SUCCESS;
    }
    mpi_errno = MPIDIG_rma_advance_all(win, RI_FLUSH);
    MPIR_ERR_CHKRETURN(mpi_errno);
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target)
    {
        mpi_errno = flush(win, target);
        if (mpi_errno && target->is_lost) { /* the others go on */
            lost = mpi_errno;
            mpi_errno = MPI_SUCCESS;
        }
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    return lost;
}

int MPIDIG_rma_issue_flush_local(MPIR_Win *win, int rank)
{
    return flush_each(win, rank, flush_locally);
}

/* What targets have told of native operations meanwhile. */
static int native_failure(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;

    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        if (!mpi_errno)
            mpi_errno = MPIDIG_rma_failure(&target->failed);
    }
    return mpi_errno;
}

/* A target was flushed, and the module learns from that. */
static int flushed(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    MPIR_rma_issue_flushed(&target->issue, &MPIDIG_WIN(win, issue)->settings);
    if (MPIR_rma_issue_goes_alone(&target->issue)) {
        MPIDIG_WIN(win, alone) = &target->issue;
        MPIDIG_WIN(win, alone_rank) = target->rank;
    }
    return MPIDIG_rma_failure(&target->failed);
}

int MPIDIG_rma_issue_flush(MPIR_Win *win, int rank)
{
    MPIDIG_rma_target_t *target;
    int mpi_errno = flush_each(win, rank, flush_messages);

    if (rank == MPI_ANY_SOURCE) {
        int error = MPIDIG_rma_settle_all(win);

        mpi_errno = mpi_errno ? mpi_errno : error;
        return mpi_errno ? mpi_errno : native_failure(win);
    }
    if (mpi_errno)
        return mpi_errno;
    target = MPIDIG_rma_target_find(win, rank);
    if (target && MPIR_rma_issue_has_native(&target->issue))
        mpi_errno = MPIDIG_rma_settle(win, target);
    return mpi_errno || !target ? mpi_errno : flushed(win, target);
}

/* Few enough for a program that sleeps between them, and enough for random updates to share
 * messages while each of their flushes has a target of its own. */
enum { REPEATS = 8 };

int MPIDIG_rma_issue_others(MPIR_Win *win)
{
    int mpi_errno;

    if (++MPIDIG_WIN(win, issue)->repeats % REPEATS)
        return MPI_SUCCESS;
    mpi_errno = MPIDIG_rma_advance_all(win, RI_FLUSH);
    return mpi_errno ? mpi_errno : MPIDIG_rma_progress(win);
}

int MPIDIG_rma_flushed_alone(MPIR_Win *win, int rank, uint64_t issued, int mpi_errno)
{
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);

    MPIDIG_WIN(win, issue)->counts.native++;
    if (mpi_errno)
        return mpi_errno;
    MPIR_rma_issue_settled(&target->issue, issued);
    return flushed(win, target);
}
