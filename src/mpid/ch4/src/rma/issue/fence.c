/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/progress.h"

/*
 * Fences by exchange.  Operations go out as messages, at the latest at the fence.  One exchange of
 * all processes tells each process how many messages were sent to it in this epoch (Zhao, section
 * 3.1.1; there the messages follow the exchange).  A process leaves the fence when these have
 * arrived.  By then all processes have entered the fence, but others may still wait in it.  So a
 * message of the next epoch carries the epoch's number, and waits at a target that is behind.  A
 * request for a lock does the same, because messages of others may be in flight to its target.
 *
 * Native operations cannot wait at the target: rma_issue_phase.h says when they may go out.  A
 * process that needs them earlier enters the exchange of the epoch at once, and never blocks in an
 * operation.  After the exchange they go out, and a barrier ends the fence for all.
 *
 * Other fences are a flush and a barrier: in windows with peers, whose memory is reached without a
 * message, and for some time after native operations.
 */

enum {
    /* messages to a process that may not have entered the fence before */
    EARLY_MOST = 64,
    /* processes: each sends a number for every other; a barrier does not */
    EXCHANGE_MOST = 8192
};

/* Stores to a peer cannot wait, so the peer has to be in the epoch.  A process without others
 * receives no numbers. */
static bool waits(MPIR_Win *win)
{
    const MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    return MPIDIG_WIN(win, issue)->settings.mode != RI_EAGER &&
           (!shared || shared->num_peers == 1) && win->comm_ptr->local_size <= EXCHANGE_MOST &&
           MPIR_Do_others_exist();
}

/* Once for each window: do all its processes let operations wait?  A process without memory does
 * not. */
static int agree(MPIR_Win *win)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_make(win);
    int mine = issue && waits(win), all = 0;

    MPIR_TRY(MPIR_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, win->comm_ptr, &errflag));
    MPIDIG_WIN(win, fences) = all ? MPIDIG_RMA_FENCES_WAIT : MPIDIG_RMA_FENCES_EAGER;
    if (issue)
        MPIR_rma_issue_phase_init(&issue->fence.phase, all);

    return MPI_SUCCESS;
}

/* The exchange is over.  If a process announced native operations, all processes are at the end of
 * this epoch or in it, and no message of an earlier epoch is in flight: native operations may go
 * out. */
static void entered_by_all(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!(issue->fence.exchange->sums.flags & RF_BARRIER))
        return;
    MPIDIG_RMA_EACH_TARGET(issue, target)
    {
        if (target->issue.permission == RI_MESSAGES) {
            MPIR_rma_issue_granted(&target->issue);
            MPIDIG_rma_ready(target);
        }
    }
}

/* Enters the exchange that ends this epoch. */
static int enter(MPIR_Win *win, unsigned flags)
{
    int mpi_errno = MPI_SUCCESS, size = win->comm_ptr->local_size, me = win->comm_ptr->rank;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_exchange_t *exchange = MPIDIG_rma_exchange_new(win);

    MPIR_ERR_CHKANDSTMT(!exchange, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    MPIDIG_RMA_EACH_TARGET(issue, target)
    {
        if (target->counted)
            flags |= RF_MESSAGES;
        exchange->sums.sums[(target->rank - me + size) % size] = target->counted;
        target->counted = 0;
    }
    exchange->sums.flags = flags;
    issue->fence.exchange = exchange;
    issue->counts.exchanges++;
    MPIDIG_rma_exchange_start(exchange, entered_by_all);

    return mpi_errno;
}

/* Must an operation wait for more than this epoch allows?  A process that is far behind has to keep
 * the messages, so it receives few. */
static bool needs_more(MPIDIG_rma_issue_t *issue, MPIDIG_rma_target_t *target,
                       rma_issue_what_t next)
{
    if (issue->fence.phase.entered_by_all || target->counted < EARLY_MOST)
        return next == RI_WAIT;
    return issue->settings.mode == RI_LAZY ? target->issue.waiting > issue->settings.queue
                                           : !MPIR_rma_issue_fits(&target->issue);
}

/* Never waits for other processes, which may wait for this one. */
static int go_on_by_messages(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    unsigned waiting = target->issue.waiting;
    rma_issue_what_t next = RI_DONE;

    if (issue->fence.phase.entered_by_all || target->counted < EARLY_MOST)
        MPIR_TRY(MPIDIG_rma_advance(win, target, RI_GATHER, &next));
    /* if there is no memory now, the next operation or the fence enters */
    if (!issue->fence.exchange && needs_more(issue, target, next) &&
        enter(win, RF_BARRIER) == MPI_SUCCESS)
        issue->counts.early++;
    return issue->fence.exchange || target->issue.waiting < waiting ? MPIDIG_rma_progress(win)
                                                                    : MPI_SUCCESS;
}

static bool covers_all(MPIR_Win *win MPL_UNUSED, int rank MPL_UNUSED) { return true; }

/* After an exchange in which a process announced native operations, native operations may go out.
 */
static rma_issue_permission_t permission(const MPIR_Win *win)
{
    const MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;
    const MPIDIG_rma_exchange_t *exchange = fence->exchange;

    if (exchange && MPIDIG_rma_exchange_is_over(exchange) && exchange->sums.flags & RF_BARRIER)
        return RI_GRANTED;
    return MPIR_rma_issue_phase_permission(&fence->phase);
}

/* Is this the epoch's exchange still to come? */
static bool is_before_exchange(const MPIDIG_rma_fence_t *fence)
{
    return !fence->exchange && !MPIR_rma_issue_phase_is_barrier(&fence->phase);
}

/* Native operations before a fence that exchanges make the next fences barriers. */
static int go_on(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    if (target->issue.permission == RI_MESSAGES)
        return go_on_by_messages(win, target);
    return MPIDIG_rma_go_on(
        win, target, is_before_exchange(&MPIDIG_WIN(win, issue)->fence) ? RI_GATHER : RI_GO_ON);
}

/* Before the exchange that ends the epoch, messages are counted; later ones are answered. */
static unsigned flags(MPIR_Win *win, const MPIDIG_rma_target_t *target)
{
    return (is_before_exchange(&MPIDIG_WIN(win, issue)->fence) ? MPIDIG_RMA_COUNTED : 0) |
           (target->issue.permission == RI_MESSAGES ? MPIDIG_RMA_NUMBERED : 0);
}

static const MPIDIG_rma_epoch_t between_fences = {.covers = covers_all,
                                                  .permission = permission,
                                                  .go_on = go_on,
                                                  .flags = flags,
                                                  .has_requests = false,
                                                  .packs = true,
                                                  .cause = MPIDIG_RMA_WAIT_FENCE};

/* ---- at the fence -------------------------------------------------------------------------- */

/* A fence goes on after an error, because other processes depend on this one.  It returns the error
 * at its end, even one that does not concern it.  False: a member has died, and it waits no more.
 */
static bool progress(MPIR_Win *win)
{
    MPIDIG_rma_note_failure(&MPIDIG_WIN(win, issue)->failed,
                            MPIDIG_rma_wait(win, MPIDIG_RMA_WAIT_FENCE));
    return !MPIDIG_deaths_are_in_win(win);
}

/* Waits until all native operations are done at their targets. */
static int settle(MPIR_Win *win)
{
    MPIR_TRY(MPIDI_NM_rma_win_cmpl_hook(win));
#ifndef MPIDI_CH4_DIRECT_NETMOD
    MPIR_TRY(MPIDI_SHM_rma_win_cmpl_hook(win));
#endif
    while ((MPIR_cc_get(MPIDIG_WIN(win, local_cmpl_cnts)) ||
            MPIR_cc_get(MPIDIG_WIN(win, remote_cmpl_cnts)) ||
            MPIR_cc_get(MPIDIG_WIN(win, remote_acc_cmpl_cnts))) &&
           (progress(win) || !MPIDIG_win_waits_in_vain(win))) {
    }
    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        MPIR_rma_issue_settled(&target->issue, target->issue.issued);
    }

    return MPI_SUCCESS;
}

/* Issues the operations that may go out.  Answers in *left whether others remain. */
static int hand_over(MPIR_Win *win, bool *left)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    rma_issue_what_t next;

    *left = false;
    MPIDIG_RMA_EACH_TARGET(issue, target)
    {
        MPIR_TRY(MPIDIG_rma_advance(win, target, RI_FENCE, &next));
        *left |= next == RI_WAIT;
        issue->fence.native |= MPIR_rma_issue_has_native(&target->issue);
    }
    return issue->fence.native ? settle(win) : MPI_SUCCESS;
}

/* Issues all operations.  No message ends the epoch, because a barrier follows. */
static int issue_all(MPIR_Win *win)
{
    MPIR_TRY(MPIDIG_rma_advance_all(win, RI_FLUSH));
    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        if (target->issue.permission != RI_CLOSED)
            MPIR_TRY(MPIDIG_rma_reach(win, target, RI_FLUSH));
    }

    return MPI_SUCCESS;
}

/* Waits for the answers to this process's messages, and for the messages that others counted. */
static void await_messages(MPIR_Win *win, uint32_t count)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    while (issue->fence.arrived < count && progress(win)) {
    }
    issue->fence.arrived -= count;
    MPIDIG_RMA_EACH_TARGET(issue, target)
    {
        while (target->unanswered && progress(win)) {
        }
    }
}

/* Closes all targets.  All errors that this fence returns are known. */
static void close_all(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    MPIDIG_RMA_EACH_TARGET(issue, target)
    {
        if (target->issue.permission != RI_CLOSED)
            MPIDIG_rma_close(win, target);
        MPIDIG_rma_note_failure(&issue->failed, MPIDIG_rma_failure(&target->failed));
    }
    issue->fence.told = MPIDIG_rma_failure(&issue->failed);
    issue->failed = MPIDIG_rma_failure(&issue->fence.failed_early);
}

/* Waits for the exchange.  Returns the error that ended it, if any. */
static int await_exchange(MPIR_Win *win)
{
    MPIDIG_rma_exchange_t *exchange = MPIDIG_WIN(win, issue)->fence.exchange;

    while (!MPIDIG_rma_exchange_is_over(exchange) && progress(win)) {
    }
    return MPIDIG_deaths_of_win(win, exchange->mpi_errno);
}

/* Answers in *barrier whether a barrier has to follow.  If the call fails for lack of memory, the
 * program may repeat it. */
static int by_exchange(MPIR_Win *win, bool *barrier)
{
    MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;
    unsigned flags;
    bool left = false;

    if (!fence->exchange) {
        MPIR_TRY(hand_over(win, &left));
        MPIR_TRY(enter(win, (left ? RF_BARRIER : 0) | (fence->native ? RF_NATIVE : 0)));
    }
    MPIR_TRY(await_exchange(win));
    flags = fence->exchange->sums.flags;
    if (flags & RF_BARRIER)
        MPIR_TRY(issue_all(win));
    await_messages(win, fence->exchange->sums.sums[0]);
    close_all(win);
    *barrier = MPIR_rma_issue_phase_passed_exchange(&fence->phase, flags);
    MPIDIG_rma_exchange_free(fence->exchange);
    fence->exchange = NULL;
    fence->native = false;

    return MPI_SUCCESS;
}

/* All operations are done at their targets when the barrier begins, which follows. */
static int by_barrier(MPIR_Win *win)
{
    MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;

    MPIR_TRY(issue_all(win));
    await_messages(win, 0);
    close_all(win);
    MPIR_rma_issue_phase_passed_barrier(&fence->phase);

    return MPI_SUCCESS;
}

/* Waits for puts that were active messages.  The barrier that follows may take another way, and
 * overtake them. */
static int await_puts(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);

    if (MPIR_cc_get(MPIDIG_WIN(win, remote_cmpl_cnts)) == 0)
        return MPI_SUCCESS;
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
    MPIDIU_PROGRESS_WHILE_ANSWERED(
        MPIR_cc_get(MPIDIG_WIN(win, remote_cmpl_cnts)) != 0 && !MPIDIG_win_waits_in_vain(win), vci);

fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int timed_fence(MPIR_Win *win, int assert)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    bool is_timed = issue && MPIDIG_rma_is_timed;
    MPL_time_t begin, end;
    double seconds;
    int mpi_errno;

    if (is_timed)
        MPL_wtime(&begin);
    mpi_errno = MPIDI_NM_mpi_win_fence(assert, win);
    if (issue)
        issue->counts.barriers++;
    if (is_timed) {
        MPL_wtime(&end);
        MPL_wtime_diff(&begin, &end, &seconds);
        issue->counts.waited[MPIDIG_RMA_WAIT_FENCE] += (uint64_t) (seconds * 1e9);
    }
    return mpi_errno;
}

/* If an operation failed at its target, all processes pass the barrier before the fence returns the
 * error. */
static int native_fence(MPIR_Win *win, int assert)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    /* fence after fence is no long wait, though none of them completes a request */
    MPIR_Yield_wait_begins();
    if (win->comm_ptr->local_size == 1) /* a barrier of one makes no progress */
        MPIR_TRY(MPIDIG_rma_progress(win));
    MPIR_TRY(await_puts(win));
    MPIR_TRY(timed_fence(win, assert));
    return issue ? MPIDIG_rma_failure(&issue->fence.told) : MPI_SUCCESS;
}

/* Do operations between the fences of this window wait?  With peers only, none does. */
static bool wait_between(const MPIR_Win *win)
{
    const MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    const MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    return MPIDIG_WIN(win, fences) == MPIDIG_RMA_FENCES_WAIT ||
           (issue && issue->settings.mode != RI_EAGER && !(shared && shared->is_whole));
}

/* Ends the epoch and begins the next one.  Answers in *barrier whether the native fence, with its
 * barrier, has to follow. */
static int turn_epoch(MPIR_Win *win, int assert, bool *barrier)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_fence_t *fence = &issue->fence;
    bool waited = fence->epoch != NULL;

    *barrier = MPIR_rma_issue_phase_is_barrier(&fence->phase);
    if (*barrier)
        mpi_errno = by_barrier(win);
    else if (assert & MPI_MODE_NOPRECEDE)
        MPIR_rma_issue_phase_passed_nothing(&fence->phase);
    else
        mpi_errno = by_exchange(win, barrier);
    MPIR_ERR_CHKRETURN(mpi_errno);
    fence->epoch = assert &MPI_MODE_NOSUCCEED ? NULL : &between_fences;
    MPIDIG_WIN(win, waiting_epochs) += (fence->epoch != NULL) - waited;
    MPIDIG_rma_accept_early(win);

    return mpi_errno;
}

int MPIDIG_rma_issue_fence(MPIR_Win *win, int assert)
{
    int mpi_errno = MPI_SUCCESS;
    bool barrier = true;

    if (!MPIDIG_rma_may_wait(win))
        return native_fence(win, assert);
    MPIDIG_FENCE_EPOCH_CHECK(win, mpi_errno, goto fn_fail);
    if (MPIDIG_WIN(win, fences) == MPIDIG_RMA_FENCES_UNKNOWN)
        mpi_errno = agree(win);
    MPIR_ERR_CHECK(mpi_errno);
    if (wait_between(win))
        mpi_errno = turn_epoch(win, assert, &barrier);
    MPIR_ERR_CHECK(mpi_errno);
    if (barrier)
        return native_fence(win, assert);
    MPIDIG_EPOCH_FENCE_EVENT(win, assert);
    mpi_errno = MPIDIG_rma_failure(&MPIDIG_WIN(win, issue)->fence.told);

fn_exit:
    return mpi_errno;
fn_fail:
    /* the program may use the buffers again */
    if (MPIDIG_deaths_are_in_win(win) && MPIDIG_WIN(win, issue))
        (void) MPIDIG_rma_settle_all(win);
    goto fn_exit;
}
