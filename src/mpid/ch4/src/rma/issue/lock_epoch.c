/* SPDX-License-Identifier: BSD-3-Clause */

/* Epochs of MPI_Win_lock and MPI_Win_lock_all. */

#include "rma/issue/progress.h"

static bool all_locks_cover(MPIR_Win *win, int rank)
{
    return !(MPIDIG_WIN(win, issue)->own_locked && rank == win->comm_ptr->rank);
}

static const MPIDIG_rma_epoch_t all_locks = {.covers = all_locks_cover,
                                             .permission = MPIDIG_rma_is_noted,
                                             .go_on = MPIDIG_rma_just_go_on,
                                             .flags = MPIDIG_rma_no_flags,
                                             .has_requests = true,
                                             .cause = MPIDIG_RMA_WAIT_LOCK};

/* CH4's record of the epoch stays right: error checks of other calls, flushes and completion
 * counters read it. */
static void note_epoch(MPIR_Win *win, int rank, bool begins)
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
MPIDIG_rma_target_t *MPIDIG_rma_open_locks;

/* The latest of the calling thread, or NULL. */
static MPIDIG_rma_target_t *latest_lock(void)
{
    MPIDIG_rma_target_t *target;
    MPL_thread_id_t self;
    int mine = 0;

    MPL_thread_self(&self);
    DL_FOREACH(MPIDIG_rma_open_locks, target)
    {
        MPL_thread_same(&target->locked_by, &self, &mine);
        if (mine && !target->is_lost)
            break;
    }
    return target;
}

/* See issue.h. */
int MPIDIG_rma_take_noted_locks(bool *nested)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target;
    rma_issue_what_t left = RI_DONE;

    /* meanwhile another thread may release the lock and free its window */
    while (!mpi_errno && (target = latest_lock()) != NULL &&
           target->issue.permission != RI_GRANTED) {
        mpi_errno = MPIDIG_rma_advance(target->win, target, RI_CLEAR, &left);
        if (target->is_lost) { /* an error of its own window */
            mpi_errno = MPI_SUCCESS;
            continue;
        }
        if (mpi_errno || left != RI_WAIT)
            break;
        mpi_errno = MPIDIG_rma_wait(target->win, MPIDIG_RMA_WAIT_LOCK);
    }
    if (nested)
        *nested = latest_lock() != NULL;
    return mpi_errno;
}

static void end_lock(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    MPIDIG_rma_close(win, target);
    DL_DELETE(MPIDIG_rma_open_locks, target);
    MPIDIG_WIN(win, waiting_epochs)--;
    note_epoch(win, target->rank, false);
}

void MPIDIG_rma_abandon_locks(MPIR_Win *win)
{
    MPIDIG_rma_target_t *target, *next_target;

    DL_FOREACH_SAFE(MPIDIG_rma_open_locks, target, next_target)
    {
        if (target->win == win)
            DL_DELETE(MPIDIG_rma_open_locks, target);
    }
}

/* The program says that no other process holds the lock.  But messages may be in flight to a target
 * that is still in a fence. */
static bool is_free_of_locks(const MPIDIG_rma_issue_t *issue, int assert)
{
    return assert &MPI_MODE_NOCHECK && (issue->fence.phase.clear || !issue->fence.phase.exchanges);
}

/* The lock of the process's own memory protects its loads and stores, so it is taken at once.  If
 * another process holds it, the native way queues the request. */
static int lock_own(MPIR_Win *win, int type, int assert)
{
    int mpi_errno = MPI_SUCCESS, self = win->comm_ptr->rank;

    MPIDIG_LOCK_EPOCH_CHECK_NONE(win, self, mpi_errno, return mpi_errno);
    if (!MPIDIG_win_lock_try(win, type))
        return MPIDI_NM_mpi_win_lock(type, self, assert, win, NULL);
    MPIDIG_WIN(win, issue)->own_locked = true;
    note_epoch(win, self, true);

    return mpi_errno;
}

/* Operations of the process on itself may be messages as well. */
static int unlock_own(MPIR_Win *win)
{
    MPIR_TRY(MPIDIG_mpi_win_flush(win->comm_ptr->rank, win));
    MPIDIG_WIN(win, issue)->own_locked = false;
    note_epoch(win, win->comm_ptr->rank, false);
    return MPIDIG_win_lock_release(win);
}

static int lock_target(MPIR_Win *win, int type, int rank)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target;
    bool nested = false;

    mpi_errno = MPIDIG_rma_take_noted_locks(&nested);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIDIG_LOCK_EPOCH_CHECK_NONE(win, rank, mpi_errno, return mpi_errno);
    target = MPIDIG_rma_target(win, rank);
    MPIR_ERR_CHKANDSTMT(!target, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    target->lock_type = type;
    MPIDIG_rma_open(target, RI_NOTED);
    MPL_thread_self(&target->locked_by);
    DL_PREPEND(MPIDIG_rma_open_locks, target);
    MPIDIG_WIN(win, waiting_epochs)++;
    note_epoch(win, rank, true);
    if (nested)
        mpi_errno = MPIDIG_rma_reach(win, target, RI_CLEAR);
    if (mpi_errno)
        end_lock(win, target);
    MPIR_ERR_CHKRETURN(mpi_errno);

    return mpi_errno;
}

int MPIDIG_rma_issue_lock(MPIR_Win *win, int type, int rank, int assert)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_of(win);
    bool is_own = rank == win->comm_ptr->rank;

    if (!issue || is_free_of_locks(issue, assert) || (is_own && assert &MPI_MODE_NOCHECK))
        return MPIDI_NM_mpi_win_lock(type, rank, assert, win, NULL);
    return is_own ? lock_own(win, type, assert) : lock_target(win, type, rank);
}

static int unlock_target(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int mpi_errno = MPI_SUCCESS;
    MPL_time_t begin;
    bool is_long;

    MPIDIG_ACCESS_EPOCH_CHECK(win, MPIDIG_EPOTYPE_LOCK, mpi_errno, return mpi_errno);
    is_long = MPIR_rma_issue_is_long(&target->issue);
    if (is_long)
        MPL_wtime(&begin);
    MPIR_TRY(MPIDIG_rma_reach(win, target, RI_END));
    MPIR_TRY(MPIDIG_rma_await_answers(win, target));
    if (is_long)
        MPIDIG_rma_waited_since(target, &begin);
    end_lock(win, target);
    return MPIDIG_rma_failure(&target->failed);
}

int MPIDIG_rma_issue_unlock(MPIR_Win *win, int rank)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target = issue ? MPIDIG_rma_target_find(win, rank) : NULL;

    if (issue && issue->own_locked && issue->epoch != &all_locks && rank == win->comm_ptr->rank)
        return unlock_own(win);
    if (!target || target->issue.permission == RI_CLOSED)
        return MPIDI_NM_mpi_win_unlock(rank, win, NULL);
    return unlock_target(win, target);
}

/* ---- lock_all ------------------------------------------------------------------------------ */

static void begin_all(MPIR_Win *win)
{
    MPIDIG_WIN(win, issue)->epoch = &all_locks;
    MPIDIG_WIN(win, waiting_epochs)++;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_LOCK_ALL;
}

static void end_all(MPIR_Win *win)
{
    MPIDIG_WIN(win, issue)->epoch = NULL;
    MPIDIG_WIN(win, issue)->own_locked = false;
    MPIDIG_WIN(win, waiting_epochs)--;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
}

/* At once, or by a message if another process holds the lock. */
static int lock_own_shared(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS, self = win->comm_ptr->rank;
    MPIDIG_rma_target_t *target;

    if (MPIDIG_rma_peer(win, self))
        return MPI_SUCCESS;
    MPIDIG_WIN(win, issue)->own_locked = MPIDIG_win_lock_try(win, MPI_LOCK_SHARED);
    if (MPIDIG_WIN(win, issue)->own_locked)
        return MPI_SUCCESS;
    target = MPIDIG_rma_target(win, self);
    MPIR_ERR_CHKANDSTMT(!target, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    target->lock_type = MPI_LOCK_SHARED;
    MPIDIG_rma_open(target, RI_NOTED);
    mpi_errno = MPIDIG_rma_reach(win, target, RI_CLEAR);
    if (mpi_errno && target->issue.permission == RI_NOTED) /* nothing is under way */
        MPIDIG_rma_close(win, target);
    return mpi_errno;
}

/* The process takes its own lock now, and asks for another process's lock at the first operation on
 * it.  The message that asks belongs to this epoch, not to fences before it. */
int MPIDIG_rma_issue_lock_all(MPIR_Win *win, int assert)
{
    int mpi_errno = MPI_SUCCESS, before = MPIDIG_WIN(win, sync).access_epoch_type;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_of(win);

    if (!issue || is_free_of_locks(issue, assert))
        return MPIDI_NM_mpi_win_lock_all(assert, win);
    MPIDIG_ACCESS_EPOCH_CHECK_NONE(win, mpi_errno, return mpi_errno);
    begin_all(win);
    mpi_errno = lock_own_shared(win);
    if (mpi_errno) {
        end_all(win);
        MPIDIG_WIN(win, sync).access_epoch_type = before;
    }

    return mpi_errno;
}

int MPIDIG_rma_issue_unlock_all(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!issue || issue->epoch != &all_locks)
        return MPIDI_NM_mpi_win_unlock_all(win);
    MPIDIG_ACCESS_EPOCH_CHECK(win, MPIDIG_EPOTYPE_LOCK_ALL, mpi_errno, return mpi_errno);
    mpi_errno = MPIDIG_rma_end_all(win);
    MPIR_ERR_CHKRETURN(mpi_errno);
    /* operations that never waited here, such as those on the process itself */
    mpi_errno = MPIDIG_mpi_win_flush_all(win);
    if (MPIDIG_deaths_are_in_win(win)) {
        MPIDIG_rma_note_failure(&issue->failed, mpi_errno);
        mpi_errno = MPI_SUCCESS;
    }
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (issue->own_locked) {
        mpi_errno = MPIDIG_win_lock_release(win);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    end_all(win);
    if (MPIR_CVAR_CH4_RMA_MEM_EFFICIENT)
        MPIDIG_win_target_cleanall(win);
    return MPIDIG_rma_failure(&issue->failed);
}
