/* SPDX-License-Identifier: BSD-3-Clause */

/* The steps of a target towards a goal, which the module rma_issue decides. */

#include "rma/issue/progress.h"

/* Only a helper needs to know. */
static bool is_timed(const MPIDIG_rma_target_t *target, const MPIDIG_rma_op_t *op)
{
    return op->queue.bytes > target->issue.room && MPIDIG_rma_op_sends(op) &&
           MPIDIG_rma_has_helper();
}

int MPIDIG_rma_issue_natively(MPIR_Win *win, MPIDIG_rma_target_t *target, const MPIDIG_rma_op_t *op)
{
    bool timed = is_timed(target, op);
    MPL_time_t begin, end;
    double seconds;
    int mpi_errno;

    MPIDIG_WIN(win, issue)->counts.native++;
    if (timed)
        MPL_wtime(&begin);
    mpi_errno = MPIDIG_rma_op_issue(win, target->rank, op);
    if (timed) {
        MPL_wtime(&end);
        MPL_wtime_diff(&begin, &end, &seconds);
        MPIR_rma_issue_took(&target->issue, op->queue.bytes, seconds);
    }
    MPIR_rma_issue_went_out(&target->issue);
    return mpi_errno;
}

static int issue_first(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    MPIDIG_rma_op_t *op = (MPIDIG_rma_op_t *) MPIR_rma_issue_take(&target->issue);
    int mpi_errno;

    target->is_busy = true;
    mpi_errno = MPIDIG_rma_issue_natively(win, target, op);
    target->is_busy = target->is_lost;
    MPIDIG_rma_op_drop(MPIDIG_WIN(win, issue), op);
    return mpi_errno;
}

/* A permission that was asked for may have come without an answer. */
static void target_look(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    const MPIDIG_rma_epoch_t *epoch = MPIDIG_rma_epoch(win);

    if (epoch->look)
        epoch->look(win, target);
}

/* Living members still perform what they have permitted, and answer.  But the permission may be the
 * dead one's to give or to give back. */
bool MPIDIG_rma_lose_dead(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    bool is_permitted = MPIDIG_rma_epoch(win)->cause == MPIDIG_RMA_WAIT_LOCK &&
                        target->issue.permission == RI_GRANTED;

    if (is_permitted && !MPIDIG_deaths_are_of_target(win, target->rank))
        return false;
    target->is_lost = target->is_busy = true;
    MPIDIG_rma_not_ready(target);
    return true;
}

/* The next step is a wait. */
static int before_wait(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    return MPIDIG_deaths_are_in_win(win) && MPIDIG_rma_lose_dead(win, target)
               ? MPIDIG_deaths_of_win(win, MPI_SUCCESS)
               : MPI_SUCCESS;
}

/* A thread that issues natively may have to wait, and lets other threads in.  While it does, no
 * other thread issues an operation to the target, so that the order stays. */
int MPIDIG_rma_advance(MPIR_Win *win, MPIDIG_rma_target_t *target, rma_issue_goal_t goal,
                       rma_issue_what_t *next)
{
    int mpi_errno = MPI_SUCCESS;

    if (target->is_busy) {
        *next = RI_WAIT;
        return before_wait(win, target);
    }
    while (!mpi_errno) {
        rma_issue_step_t step;
        rma_issue_permission_t permission;

        if (target->issue.permission == RI_ASKED)
            target_look(win, target);
        permission = target->issue.permission;
        step = MPIR_rma_issue_next(&target->issue, &MPIDIG_WIN(win, issue)->settings, goal);
        *next = step.what;
        if (step.what == RI_SEND) {
            step.flags |= MPIDIG_rma_epoch(win)->flags(win, target);
            mpi_errno = MPIDIG_rma_send_message(win, target, &step);
        } else if (step.what == RI_ISSUE) {
            MPIDIG_rma_note_failure(&target->failed, issue_first(win, target));
        } else {
            break;
        }
        if (mpi_errno)
            target->issue.permission = permission;
    }
    /* the operation stays in the queue: the call that needs it complete tries again */
    if (mpi_errno && (goal == RI_GO_ON || goal == RI_GATHER)) {
        *next = RI_DONE;
        mpi_errno = MPI_SUCCESS;
    }
    if (!mpi_errno && *next == RI_WAIT)
        mpi_errno = before_wait(win, target);
    return mpi_errno;
}

int MPIDIG_rma_settle(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int mpi_errno;
    const uint64_t issued = target->issue.issued;
    MPIDIG_win_target_t *counts;

    mpi_errno = MPIDI_NM_rma_target_cmpl_hook(target->rank, win);
    MPIR_ERR_CHKRETURN(mpi_errno);
#ifndef MPIDI_CH4_DIRECT_NETMOD
    mpi_errno = MPIDI_SHM_rma_target_cmpl_hook(target->rank, win);
    MPIR_ERR_CHKRETURN(mpi_errno);
#endif
    counts = MPIDIG_win_target_find(win, target->rank);
    while (counts &&
           (MPIR_cc_get(counts->remote_cmpl_cnts) || MPIR_cc_get(counts->local_cmpl_cnts) ||
            MPIR_cc_get(counts->remote_acc_cmpl_cnts))) {
        mpi_errno = MPIDIG_rma_wait(win, MPIDIG_rma_epoch(win)->cause);
        mpi_errno = MPIDIG_deaths_of_target(win, target->rank, mpi_errno);
        MPIR_ERR_CHKRETURN(mpi_errno);
    }
    MPIR_rma_issue_settled(&target->issue, issued);

    return mpi_errno;
}

/* Why an operation or the end of its epoch waits. */
static MPIDIG_rma_wait_t cause_of(MPIR_Win *win, const MPIDIG_rma_target_t *target,
                                  rma_issue_goal_t goal)
{
    bool is_full = target->issue.waiting > MPIDIG_WIN(win, issue)->settings.queue;

    return is_full && (goal == RI_GO_ON || goal == RI_GATHER) ? MPIDIG_RMA_WAIT_ROOM
                                                              : MPIDIG_rma_epoch(win)->cause;
}

int MPIDIG_rma_reach(MPIR_Win *win, MPIDIG_rma_target_t *target, rma_issue_goal_t goal)
{
    int mpi_errno;
    rma_issue_what_t next;

    for (;;) {
        mpi_errno = MPIDIG_rma_advance(win, target, goal, &next);
        if (mpi_errno || next == RI_DONE)
            return mpi_errno;
        mpi_errno = next == RI_SETTLE ? MPIDIG_rma_settle(win, target)
                                      : MPIDIG_rma_wait(win, cause_of(win, target, goal));
        if (mpi_errno)
            return mpi_errno;
    }
}

int MPIDIG_rma_advance_all(MPIR_Win *win, rma_issue_goal_t goal)
{
    int mpi_errno = MPI_SUCCESS;
    rma_issue_what_t left;

    MPIDIG_RMA_EACH_TARGET(MPIDIG_WIN(win, issue), target)
    {
        if (!mpi_errno && !target->is_lost)
            mpi_errno = MPIDIG_rma_advance(win, target, goal, &left);
    }
    return mpi_errno;
}

bool MPIDIG_rma_is_for_helper(MPIR_Win *win, const MPIDIG_rma_target_t *target,
                              const MPIDIG_rma_op_t *op)
{
    return MPIDIG_rma_op_sends(op) && MPIDIG_rma_has_helper() &&
           MPIR_rma_issue_leaves(&target->issue, &MPIDIG_WIN(win, issue)->settings,
                                 op->queue.bytes);
}

/* Is the last operation of the queue for a helper, or behind one that is? */
static bool is_last_for_helper(MPIR_Win *win, const MPIDIG_rma_target_t *target)
{
    const rma_issue_op_t *last = target->issue.tail;

    if (target->is_ready && target->issue.waiting <= MPIDIG_WIN(win, issue)->settings.queue)
        return MPIDIG_rma_has_helper();
    return last && !last->packed &&
           MPIDIG_rma_is_for_helper(win, target, (const MPIDIG_rma_op_t *) last);
}

/* True: the permission is there, and the helper issues the queue. */
static bool leave_to_helper(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    if (target->issue.permission == RI_ASKED)
        target_look(win, target);
    if (target->issue.permission != RI_GRANTED || target->is_lost)
        return false;
    MPIDIG_rma_ready(target);
    MPIDIG_rma_leave_work();
    return true;
}

/* An operation was queued.  Progress is needed for messages in flight, not for operations that only
 * wait.  What is for the helper must not go out in this call. */
int MPIDIG_rma_go_on(MPIR_Win *win, MPIDIG_rma_target_t *target, rma_issue_goal_t goal)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned waiting = target->issue.waiting;
    bool is_long = MPIR_rma_issue_is_long(&target->issue);
    bool is_for_helper = is_long && is_last_for_helper(win, target);
    MPL_time_t begin;

    if (is_for_helper && leave_to_helper(win, target))
        return MPI_SUCCESS;
    if (is_long)
        MPL_wtime(&begin);
    if (target->issue.permission == RI_ASKED && !is_for_helper)
        mpi_errno = MPIDIG_rma_progress(win);
    if (!mpi_errno)
        mpi_errno = MPIDIG_rma_reach(win, target, goal);
    if (!mpi_errno && target->issue.waiting < waiting)
        mpi_errno = MPIDIG_rma_progress(win);
    if (is_long)
        MPIDIG_rma_waited_since(target, &begin);
    return mpi_errno;
}

/* From which number on a habit counts: rma_issue.h. */
static int direction(int habit) { return (habit >= RI_HABIT) - (habit <= -RI_HABIT); }

void MPIDIG_rma_close(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    int before = direction(target->issue.habit);

    MPIR_rma_issue_close(&target->issue);
    MPIDIG_WIN(win, issue)->counts.habits += direction(target->issue.habit) != before;
}

/* ---- progress ---------------------------------------------------------------------------- */

void (*MPIDIG_rma_flush_early)(MPIR_Win *win, int rank);

/* While the program computes. */
static void complete_early(MPIDIG_rma_target_t *target)
{
    if (MPIDIG_rma_flush_early && MPIR_rma_issue_has_native(&target->issue) &&
        MPIDIG_rma_is_helper())
        MPIDIG_rma_flush_early(target->win, target->rank);
}

/* Progress issues the operations that waited for a permission; the handler that brought the
 * permission does not. */
static int go_out(MPIDI_deferred_job_t *job)
{
    MPIDIG_rma_target_t *target = (MPIDIG_rma_target_t *) job;
    rma_issue_what_t left;
    int mpi_errno;

    target->is_ready = false;
    if (target->is_lost)
        return MPI_SUCCESS;
    mpi_errno = MPIDIG_rma_advance(target->win, target, RI_GO_ON, &left);
    if (!mpi_errno)
        complete_early(target);
    return mpi_errno;
}

MPIDI_deferred_kind_t MPIDIG_rma_ready_targets = {
    .perform = go_out, .is_common = true, .nests = true};

void MPIDIG_rma_ready(MPIDIG_rma_target_t *target)
{
    if (target->is_ready || target->issue.waiting == 0)
        return;
    target->is_ready = true;
    MPIDI_deferred_add(&MPIDIG_rma_ready_targets, 0, &target->job);
}

void MPIDIG_rma_not_ready(MPIDIG_rma_target_t *target)
{
    if (!target->is_ready)
        return;
    target->is_ready = false;
    MPIDI_deferred_remove(&MPIDIG_rma_ready_targets, 0, &target->job);
}

/* ---- the epoch --------------------------------------------------------------------------- */

rma_issue_permission_t MPIDIG_rma_is_noted(const MPIR_Win *win MPL_UNUSED) { return RI_NOTED; }

int MPIDIG_rma_just_go_on(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    return MPIDIG_rma_go_on(win, target, RI_GO_ON);
}

unsigned MPIDIG_rma_no_flags(MPIR_Win *win MPL_UNUSED, const MPIDIG_rma_target_t *target MPL_UNUSED)
{
    return 0;
}

/* Locks on single targets: MPI_Win_lock has opened these. */
static bool covers_no_other(MPIR_Win *win MPL_UNUSED, int rank MPL_UNUSED) { return false; }

static const MPIDIG_rma_epoch_t single_locks = {.covers = covers_no_other,
                                                .permission = MPIDIG_rma_is_noted,
                                                .go_on = MPIDIG_rma_just_go_on,
                                                .flags = MPIDIG_rma_no_flags,
                                                .has_requests = true,
                                                .cause = MPIDIG_RMA_WAIT_LOCK};

/* Is the window in an epoch of fences? */
static bool is_in_fences(MPIR_Win *win)
{
    int type = MPIDIG_WIN(win, sync).access_epoch_type;

#ifdef HAVE_ERROR_CHECKING
    return type == MPIDIG_EPOTYPE_FENCE || type == MPIDIG_EPOTYPE_REFENCE;
#else
    return type == MPIDIG_EPOTYPE_NONE; /* then CH4 does not record these two */
#endif
}

const MPIDIG_rma_epoch_t *MPIDIG_rma_epoch(MPIR_Win *win)
{
    const MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (issue->fence.epoch && is_in_fences(win))
        return issue->fence.epoch;
    return issue->epoch ? issue->epoch : &single_locks;
}
