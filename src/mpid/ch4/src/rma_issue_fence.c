/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue_impl.h"

/*
 * Lazy: operations wait for the fence that ends their epoch.  One reduce-scatter tells each process how many others have operations
 * for it, and nobody is in an earlier epoch any more: the operations follow, a message to each target, and no barrier.  A
 * process whose operations no message holds enters it as soon as it knows, so that they flow during the epoch; it tells all
 * others, and then all end the epoch with a barrier (Zhao, section 3.1.1).  After a barrier nothing has to be agreed on for
 * operations to go out at once, so the next epochs are eager, for all alike: more of them each time.
 *
 * Hybrid: a fence is the eager way's barrier, which costs no more than a reduce-scatter, and less where processes share a node.
 * Nobody agrees on anything: after the barrier an operation may go out at once, and short ones wait until they fill a message or
 * the next fence comes.
 */

enum {
    BARRIER_SHIFT = 32,         /* of a sum: processes that need the barrier, above those that have operations for me */
    EAGER_LEAST = 4,            /* epochs */
    EAGER_MOST = 64
};

/* Stores to a peer do not wait: it has to be in the epoch. */
static bool waits(MPIR_Win * win)
{
    return MPIDIG_WIN(win, issue)->settings.mode == RI_LAZY && !MPIDIG_WIN(win, shared);
}

/* Once for each window: whether all its processes wait.  One without memory for that does not. */
static int agree(MPIR_Win * win)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_make(win);
    int mpi_errno, mine = issue && waits(win), all = 0;

    mpi_errno = MPIR_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, win->comm_ptr, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIDIG_WIN(win, fences) = all ? MPIDIG_RMA_FENCES_WAIT : MPIDIG_RMA_FENCES_EAGER;
    if (issue)
        issue->fence.eager_next = EAGER_LEAST;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static bool one_message_each(const MPIDIG_rma_issue_t * issue)
{
    const MPIDIG_rma_target_t *target;

    for (target = issue->targets; target; target = target->hash_handle.next) {
        if (target->issue.permission != RI_CLOSED && !rma_issue_fits(&target->issue))
            return false;
    }
    return true;
}

/* Starts the reduce-scatter. */
static int enter(MPIR_Win * win, bool barrier)
{
    int mpi_errno, size = win->comm_ptr->local_size;
    MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;
    MPIDIG_rma_target_t *target, *next_target;

    fence->sent = MPL_calloc(size, sizeof(uint64_t), MPL_MEM_RMA);
    MPIR_ERR_CHKANDJUMP(!fence->sent, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    for (int i = 0; barrier && i < size; i++)
        fence->sent[i] = UINT64_C(1) << BARRIER_SHIFT;
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
        if (!barrier && target->issue.permission != RI_CLOSED)
            fence->sent[target->rank] = 1;
    }
    mpi_errno = MPIR_Ireduce_scatter_block(fence->sent, &fence->sum, 1, MPI_UINT64_T, MPI_SUM,
                                           win->comm_ptr, &fence->request);
    MPIR_ERR_CHECK(mpi_errno);
    fence->entered = true;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* If the reduce-scatter is over: then all processes are in this epoch, or at its end. */
static int look(MPIR_Win * win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;
    MPIDIG_rma_target_t *target, *next_target;

    if (!fence->request || !MPIR_Request_is_complete(fence->request))
        return MPI_SUCCESS;
    mpi_errno = fence->request->status.MPI_ERROR;
    MPIR_Request_free(fence->request);
    fence->request = NULL;
    MPL_free(fence->sent);
    fence->sent = NULL;
    fence->permitted = true;
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
        if (target->issue.permission == RI_ASKED)
            rma_issue_granted(&target->issue);
    }
    return mpi_errno;
}

/* Never waits for others, who may wait for what this process does next. */
int MPIDIG_rma_fence_go_on(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    int mpi_errno = MPI_SUCCESS;

    if (!issue->fence.entered && !rma_issue_fits(&target->issue))
        mpi_errno = enter(win, true);
    MPIR_ERR_CHECK(mpi_errno);
    if (issue->fence.request) {
        mpi_errno = MPIDIG_rma_progress(win);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = look(win);
        MPIR_ERR_CHECK(mpi_errno);
    }
    if (issue->fence.permitted)
        mpi_errno = MPIDIG_rma_reach(win, target, RI_FLUSH);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int wait_for_all(MPIR_Win * win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!issue->fence.entered)
        mpi_errno = enter(win, !one_message_each(issue));
    while (!mpi_errno && !issue->fence.permitted) {
        mpi_errno = MPIDIG_rma_progress(win);
        if (!mpi_errno)
            mpi_errno = look(win);
    }
    return mpi_errno;
}

static void reset(MPIDIG_rma_issue_t * issue)
{
    issue->fence.entered = issue->fence.permitted = false;
    issue->fence.sum = 0;
}

/* All processes need no barrier. */
static int end_by_messages(MPIR_Win * win)
{
    int mpi_errno;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    mpi_errno = MPIDIG_rma_end_all(win);
    while (!mpi_errno && issue->fence.arrived < (uint32_t) issue->fence.sum)
        mpi_errno = MPIDIG_rma_progress(win);
    issue->fence.arrived = 0;
    return mpi_errno;
}

/* Without an end; the barrier is the eager way's. */
static int issue_all(MPIR_Win * win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target, *next_target;

    mpi_errno = MPIDIG_rma_advance_all(win, RI_FLUSH);
    MPIR_ERR_CHECK(mpi_errno);
    HASH_ITER(hash_handle, issue->targets, target, next_target) {
        if (target->issue.permission == RI_CLOSED)
            continue;
        mpi_errno = MPIDIG_rma_drain(win, target);
        MPIR_ERR_CHECK(mpi_errno);
        rma_issue_close(&target->issue);
        if (target->failed)
            issue->failed = MPIDIG_rma_failure(&target->failed);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The epoch that ends has operations that wait.  Answers in *done whether no barrier is needed. */
static int end_lazy_epoch(MPIR_Win * win, bool * done)
{
    int mpi_errno;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_fence_t *fence = &issue->fence;

    mpi_errno = wait_for_all(win);
    MPIR_ERR_CHECK(mpi_errno);
    *done = fence->sum >> BARRIER_SHIFT == 0;
    mpi_errno = *done ? end_by_messages(win) : issue_all(win);
    MPIR_ERR_CHECK(mpi_errno);
    if (!*done && issue->settings.adapt) {
        fence->eager_epochs = fence->eager_next;
        fence->eager_next = MPL_MIN(2 * fence->eager_next, EAGER_MOST);
    } else if (*done && fence->eager_next > EAGER_LEAST) {
        fence->eager_next /= 2;
    }
    reset(issue);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* The next epoch: after a barrier it may be eager.  All processes come to the same. */
static void begin_epoch(MPIR_Win * win, bool after_barrier, int assert)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_fence_t *fence = &issue->fence;
    bool was_lazy = fence->lazy;

    fence->lazy = !(assert & MPI_MODE_NOSUCCEED);
    if (fence->lazy && after_barrier && fence->eager_epochs > 0) {
        fence->eager_epochs--;
        fence->lazy = false;
    }
    issue->open += fence->lazy - was_lazy;
}

/* Messages of this epoch that puts were: the barrier that follows may not go their way, and overtake them. */
static int await_puts(MPIR_Win * win)
{
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
    MPIDIU_PROGRESS_WHILE(MPIR_cc_get(MPIDIG_WIN(win, remote_cmpl_cnts)) != 0, vci);

  fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* What waited is done at its targets before the barrier, which comes after this. */
static int fence_of_hybrid(MPIR_Win * win, int assert)
{
    MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;
    int mpi_errno = fence->lazy ? issue_all(win) : MPI_SUCCESS;

    if (!mpi_errno)
        begin_epoch(win, true, assert);
    fence->permitted = fence->lazy;
    return mpi_errno;
}

/* An operation failed at its target: all processes come to the barrier before that is told. */
static int eager_fence_and_failure(MPIR_Win * win, int assert)
{
    int mpi_errno = MPIDI_NM_mpi_win_fence(assert, win);

    return mpi_errno ? mpi_errno : MPIDIG_rma_failure(&MPIDIG_WIN(win, issue)->failed);
}

bool MPIDIG_rma_fence(MPIR_Win * win, int *mpi_errno_ptr, int assert)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue;
    bool done = false;

    if (!MPIDIG_rma_may_wait(win))
        goto fn_eager;
    MPIDIG_FENCE_EPOCH_CHECK(win, mpi_errno, goto fn_fail);
    if (MPIDIG_WIN(win, fences) == MPIDIG_RMA_FENCES_UNKNOWN)
        mpi_errno = agree(win);
    MPIR_ERR_CHECK(mpi_errno);
    issue = MPIDIG_WIN(win, issue);
    if (issue && issue->settings.mode == RI_HYBRID) {
        mpi_errno = fence_of_hybrid(win, assert);
        MPIR_ERR_CHECK(mpi_errno);
        goto fn_eager;
    }
    if (MPIDIG_WIN(win, fences) != MPIDIG_RMA_FENCES_WAIT)
        goto fn_eager;
    if (issue->fence.lazy)
        mpi_errno = assert & MPI_MODE_NOPRECEDE ? (done = true, MPI_SUCCESS) : end_lazy_epoch(win, &done);
    else
        done = assert & MPI_MODE_NOPRECEDE && issue->fence.eager_epochs == 0;
    MPIR_ERR_CHECK(mpi_errno);
    begin_epoch(win, !done, assert);
    if (!done)
        goto fn_eager;
    MPIDIG_EPOCH_FENCE_EVENT(win, assert);
    mpi_errno = MPIDIG_rma_failure(&issue->failed);

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
  fn_eager:
    mpi_errno = await_puts(win);
    MPIR_ERR_CHECK(mpi_errno);
    issue = MPIDIG_WIN(win, issue);
    if (!issue || !issue->failed)
        return false;
    mpi_errno = eager_fence_and_failure(win, assert);
    goto fn_exit;
}
