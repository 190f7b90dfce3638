/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/internal.h"

/* What CH4 knows of an epoch stays true: errors of other calls, flushes and completion counters go by it. */
static void note_epoch(MPIR_Win * win, int rank, bool begins)
{
    MPIDIG_win_target_t *known = MPIDIG_win_target_get(win, rank);

    known->sync.lock.locked = begins;
    known->sync.access_epoch_type = begins ? MPIDIG_EPOTYPE_LOCK : MPIDIG_EPOTYPE_NONE;
    MPIDIG_WIN(win, sync).lock.count += begins ? 1 : -1;
    if (begins)
        MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_LOCK;
    else if (MPIDIG_WIN(win, sync).lock.count == 0)
        MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
    if (!begins && MPIR_CVAR_CH4_RMA_MEM_EFFICIENT)
        MPIDIG_win_target_delete(win, known);
}

/* Open epochs of MPI_Win_lock in this process, the latest first. */
MPIDIG_rma_target_t *MPIDIG_rma_locks;

/* The latest of the calling thread, or NULL. */
static MPIDIG_rma_target_t *latest_lock(void)
{
    MPIDIG_rma_target_t *target;
    MPL_thread_id_t self;
    int mine = 0;

    MPL_thread_self(&self);
    DL_FOREACH(MPIDIG_rma_locks, target) {
        MPL_thread_same(&target->locked_by, &self, &mine);
        if (mine)
            break;
    }
    return target;
}

/* A thread that takes several locks takes them in its program's order, on which programs rely that must not block each other:
 * what is only noted becomes real before the next, as those before it are.  Answers in *nested whether the thread has one. */
int MPIDIG_rma_make_real(bool * nested)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target;
    rma_issue_what_t left = RI_DONE;

    /* another thread may give the lock back meanwhile, and free its window */
    while (!mpi_errno && (target = latest_lock()) != NULL && target->issue.permission != RI_HELD) {
        mpi_errno = MPIDIG_rma_advance(target->win, target, RI_CLEAR, &left);
        if (mpi_errno || left != RI_WAIT)
            break;
        mpi_errno = MPIDIG_rma_progress(target->win);
    }
    if (nested)
        *nested = latest_lock() != NULL;
    return mpi_errno;
}

static void end_lock(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    rma_issue_close(&target->issue);
    DL_DELETE(MPIDIG_rma_locks, target);
    MPIDIG_WIN(win, issue)->open--;
    note_epoch(win, target->rank, false);
}

/* Nobody else has the lock, says the program; but messages may be on the way to a target that is still in a fence. */
static bool is_free_of_locks(const MPIDIG_rma_issue_t * issue, int assert)
{
    return assert & MPI_MODE_NOCHECK && (issue->fence.phase.clear || !issue->fence.phase.exchanges);
}

/* A lock of the process' own memory protects its loads and stores, so it is real at once.  Where it is not free, the request waits
 * in line: that is the eager way. */
static bool lock_own(MPIR_Win * win, int *mpi_errno_ptr, int type)
{
    int mpi_errno = MPI_SUCCESS, self = win->comm_ptr->rank;

    MPIDIG_LOCK_EPOCH_CHECK_NONE(win, self, mpi_errno, goto fn_fail);
    if (!MPIDIG_win_lock_try(win, type))
        return false;
    MPIDIG_WIN(win, issue)->self_held = true;
    note_epoch(win, self, true);

  fn_fail:
    *mpi_errno_ptr = mpi_errno;
    return true;
}

/* Operations of the process on itself may be messages, too. */
static int unlock_own(MPIR_Win * win)
{
    int mpi_errno = MPIDIG_mpi_win_flush(win->comm_ptr->rank, win);

    MPIR_ERR_CHECK(mpi_errno);
    MPIDIG_WIN(win, issue)->self_held = false;
    note_epoch(win, win->comm_ptr->rank, false);
    mpi_errno = MPIDIG_win_lock_release(win);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

bool MPIDIG_rma_lock(MPIR_Win * win, int *mpi_errno_ptr, int type, int rank, int assert)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_of(win);
    MPIDIG_rma_target_t *target;
    bool nested = false;

    if (!issue || is_free_of_locks(issue, assert))
        return false;
    if (rank == win->comm_ptr->rank)
        return !(assert & MPI_MODE_NOCHECK) && lock_own(win, mpi_errno_ptr, type);
    mpi_errno = MPIDIG_rma_make_real(&nested);
    MPIR_ERR_CHECK(mpi_errno);
    MPIDIG_LOCK_EPOCH_CHECK_NONE(win, rank, mpi_errno, goto fn_fail);
    target = MPIDIG_rma_target(win, rank);
    MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    target->lock_type = type;
    rma_issue_open(&target->issue, RI_NOTED);
    MPL_thread_self(&target->locked_by);
    DL_PREPEND(MPIDIG_rma_locks, target);
    issue->open++;
    note_epoch(win, rank, true);
    if (nested)
        mpi_errno = MPIDIG_rma_reach(win, target, RI_CLEAR);
    if (mpi_errno)
        end_lock(win, target);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}

static int answered(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    int mpi_errno = MPI_SUCCESS;

    while (!mpi_errno && target->unanswered)
        mpi_errno = MPIDIG_rma_progress(win);
    return mpi_errno;
}

bool MPIDIG_rma_unlock(MPIR_Win * win, int *mpi_errno_ptr, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target = issue ? MPIDIG_rma_target_find(win, rank) : NULL;
    MPL_time_t begin;
    bool is_long;

    if (issue && issue->self_held && !issue->all && rank == win->comm_ptr->rank) {
        *mpi_errno_ptr = unlock_own(win);
        return true;
    }
    if (!target || target->issue.permission == RI_CLOSED)
        return false;
    MPIDIG_ACCESS_EPOCH_CHECK(win, MPIDIG_EPOTYPE_LOCK, mpi_errno, goto fn_fail);
    is_long = rma_issue_is_long(&target->issue);
    if (is_long)
        MPL_wtime(&begin);
    mpi_errno = MPIDIG_rma_reach(win, target, RI_END);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = answered(win, target);
    MPIR_ERR_CHECK(mpi_errno);
    if (is_long)
        MPIDIG_rma_waited_since(target, &begin);
    end_lock(win, target);
    mpi_errno = MPIDIG_rma_failure(&target->failed);

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}

/* Other processes' locks are asked for when the process uses them; see MPIDIG_rma_lock for its own. */
bool MPIDIG_rma_lock_all(MPIR_Win * win, int *mpi_errno_ptr, int assert)
{
    int mpi_errno = MPI_SUCCESS, self = win->comm_ptr->rank;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_of(win);
    MPIDIG_rma_target_t *target;

    if (!issue || is_free_of_locks(issue, assert))
        return false;
    MPIDIG_ACCESS_EPOCH_CHECK_NONE(win, mpi_errno, goto fn_fail);
    issue->self_held = !MPIDIG_rma_peer(win, self) && MPIDIG_win_lock_try(win, MPI_LOCK_SHARED);
    if (!issue->self_held && !MPIDIG_rma_peer(win, self)) {
        target = MPIDIG_rma_target(win, self);
        MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
        target->lock_type = MPI_LOCK_SHARED;
        rma_issue_open(&target->issue, RI_NOTED);
        mpi_errno = MPIDIG_rma_reach(win, target, RI_CLEAR);
        MPIR_ERR_CHECK(mpi_errno);
    }
    issue->all = true;
    issue->open++;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_LOCK_ALL;

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}

/* What is native is done at all targets. */
static int settle_all(MPIR_Win * win)
{
    int mpi_errno;
    MPIDIG_rma_target_t *target, *next_target;

    mpi_errno = MPIDI_NM_rma_win_cmpl_hook(win);
    MPIR_ERR_CHECK(mpi_errno);
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
        mpi_errno = MPIDIG_rma_settle(win, target);
        MPIR_ERR_CHECK(mpi_errno);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIDIG_rma_end_all(MPIR_Win * win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target, *next_target;
    rma_issue_what_t left;
    bool waits, settles;
    MPL_time_t begin;

    MPL_wtime(&begin);
    do {
        waits = settles = false;
        HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
            mpi_errno = MPIDIG_rma_advance(win, target, RI_END, &left);
            MPIR_ERR_CHECK(mpi_errno);
            waits |= left == RI_WAIT;
            settles |= left == RI_SETTLE;
        }
        if (waits)
            mpi_errno = MPIDIG_rma_progress(win);
        else if (settles)
            mpi_errno = settle_all(win);
        MPIR_ERR_CHECK(mpi_errno);
    } while (waits || settles);
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
        mpi_errno = answered(win, target);
        MPIR_ERR_CHECK(mpi_errno);
        if (rma_issue_is_long(&target->issue))
            MPIDIG_rma_waited_since(target, &begin);
        rma_issue_close(&target->issue);
        if (target->failed)
            MPIDIG_WIN(win, issue)->failed = MPIDIG_rma_failure(&target->failed);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

bool MPIDIG_rma_unlock_all(MPIR_Win * win, int *mpi_errno_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!issue || !issue->all)
        return false;
    MPIDIG_ACCESS_EPOCH_CHECK(win, MPIDIG_EPOTYPE_LOCK_ALL, mpi_errno, goto fn_fail);
    mpi_errno = MPIDIG_rma_end_all(win);
    MPIR_ERR_CHECK(mpi_errno);
    /* operations to targets that never waited here, such as the process itself */
    mpi_errno = MPIDIG_mpi_win_flush_all(win);
    MPIR_ERR_CHECK(mpi_errno);
    if (issue->self_held) {
        mpi_errno = MPIDIG_win_lock_release(win);
        MPIR_ERR_CHECK(mpi_errno);
    }
    issue->all = issue->self_held = false;
    issue->open--;
    if (MPIR_CVAR_CH4_RMA_MEM_EFFICIENT)
        MPIDIG_win_target_cleanall(win);
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
    mpi_errno = MPIDIG_rma_failure(&issue->failed);

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}
