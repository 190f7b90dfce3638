/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/internal.h"

/* Of all kinds: others may wait for this process' nonblocking collectives before they come to what it waits for. */
int MPIDIG_rma_progress(MPIR_Win * win)
{
    int mpi_errno = MPID_Progress_test(NULL);

    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return mpi_errno;
}

/* ---- an operation that waits --------------------------------------------------------------------------------------- */

static void hold_type(MPI_Datatype type)
{
    if (type != MPI_DATATYPE_NULL)
        MPIR_Datatype_add_ref_if_not_builtin(type);
}

static void release_type(MPI_Datatype type)
{
    if (type != MPI_DATATYPE_NULL)
        MPIR_Datatype_release_if_not_builtin(type);
}

static MPIDIG_rma_op_t *keep(MPIDIG_rma_issue_t * issue, const MPIDIG_rma_op_t * what)
{
    MPIDIG_rma_op_t *op = issue->free_ops;

    if (op)
        issue->free_ops = (MPIDIG_rma_op_t *) op->queue.next;
    else
        op = MPL_malloc(sizeof(*op), MPL_MEM_RMA);
    if (!op)
        return NULL;
    *op = *what;
    hold_type(op->origin_type);
    hold_type(op->result_type);
    hold_type(op->type);
    return op;
}

static void drop(MPIDIG_rma_issue_t * issue, MPIDIG_rma_op_t * op)
{
    release_type(op->origin_type);
    release_type(op->result_type);
    release_type(op->type);
    op->queue.next = (rma_issue_op_t *) issue->free_ops;
    issue->free_ops = op;
}

/* With OFI, accumulates of this process may be atomics of the network, with which those of a message's handler do not mix. */
static bool accumulates_travel(void)
{
#ifdef HAVE_CH4_NETMOD_OFI
    return false;
#else
    return true;
#endif
}

static bool is_plain(int count, MPI_Datatype type, size_t bytes)
{
    return HANDLE_IS_BUILTIN(type) && MPIDIG_rma_size(count, type) == bytes;
}

/* Of a builtin type, in one piece, and the same at both ends.  The operation of a pair type is native. */
static bool travels(const MPIDIG_rma_op_t * op)
{
    bool plain_origin = is_plain(op->origin_count, op->origin_type, op->queue.bytes);
    bool plain_result = is_plain(op->result_count, op->result_type, op->queue.bytes);

    if (!HANDLE_IS_BUILTIN(op->type) || !HANDLE_IS_BUILTIN(op->op))
        return false;
    switch (op->kind) {
        case MPIDIG_RMA_PUT:
            return plain_origin;
        case MPIDIG_RMA_GET:
            return plain_result;
        case MPIDIG_RMA_ACC:
            return accumulates_travel() && plain_origin && op->origin_type == op->type;
        case MPIDIG_RMA_CAS:
            return accumulates_travel();
        default:
            return accumulates_travel() && plain_result &&
                (op->op == MPI_NO_OP || (plain_origin && op->origin_type == op->type));
    }
}

static bool sends_data(const MPIDIG_rma_op_t * op)
{
    return op->kind != MPIDIG_RMA_GET && op->op != MPI_NO_OP;
}

static bool wants_result(const MPIDIG_rma_op_t * op)
{
    return op->kind != MPIDIG_RMA_PUT && op->kind != MPIDIG_RMA_ACC;
}

static rma_issue_record_t record_of(const MPIDIG_rma_op_t * op)
{
    return (rma_issue_record_t) {
        .disp = op->disp,.count = (uint32_t) op->count,.type = MPIDIG_RMA_INDEX(op->type),
        .op = (uint8_t) MPIDIG_RMA_INDEX(op->op),.kind = op->kind
    };
}

static void measure(MPIDIG_rma_op_t * op)
{
    size_t bytes = MPIDIG_rma_size(op->count, op->type);
    rma_issue_record_t record;

    op->queue = (rma_issue_op_t) {.bytes = bytes };
    if (!travels(op))
        return;
    record = record_of(op);
    op->queue.wire = rma_issue_record_size(&record);
    if (sends_data(op))
        op->queue.wire += MPIDIG_rma_padded(bytes);
    if (op->kind == MPIDIG_RMA_CAS)
        op->queue.wire += MPIDIG_rma_padded(bytes);
    if (wants_result(op))
        op->queue.answer = MPIDIG_rma_padded(bytes);
}

/* ---- messages ------------------------------------------------------------------------------------------------------ */

static char *append(char *end, const void *data, size_t bytes)
{
    memcpy(end, data, bytes);
    return end + MPIDIG_rma_padded(bytes);
}

static char *pack(char *end, const MPIDIG_rma_op_t * op)
{
    rma_issue_record_t record = record_of(op);

    end = rma_issue_record_write(end, &record);
    if (sends_data(op))
        end = append(end, op->origin, op->queue.bytes);
    if (op->kind == MPIDIG_RMA_CAS)
        end = append(end, op->compare, op->queue.bytes);
    return end;
}

static void await_result(MPIDIG_rma_target_t * target, MPIDIG_rma_op_t * op)
{
    op->next_result = NULL;
    *target->last_result = op;
    target->last_result = &op->next_result;
}

/* The target does what the message says and answers it, unless there is nothing to tell. */
static int send_bytes(MPIR_Win * win, MPIDIG_rma_target_t * target, const MPIDIG_rma_message_t * message, bool answered)
{
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);
    bool carries = message->flags & MPIDIG_RMA_CARRIES;

    /* before: the answer of the process itself is there when the message is sent */
    target->unanswered += answered;
    target->carrying += answered && carries;
    CH4_CALL(am_send_hdr(target->rank, win->comm_ptr, MPIDIG_rma_request_id, message, message->bytes, vci, vci),
             MPIDI_rank_is_local(target->rank, win->comm_ptr), mpi_errno);
    if (mpi_errno) {
        target->unanswered -= answered;
        target->carrying -= answered && carries;
    }
    return mpi_errno;
}

/* Before the exchange that ends an epoch of fences its messages are counted; later ones are answered. */
static unsigned flags_of_epoch(MPIR_Win * win, const MPIDIG_rma_target_t * target)
{
    const MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    unsigned flags = 0;

    if (issue->pscw)
        return MPIDIG_RMA_PSCW;
    if (!MPIDIG_rma_in_fence(win))
        return 0;
    if (!rma_issue_phase_is_barrier(&issue->fence.phase) && !issue->fence.exchange)
        flags |= MPIDIG_RMA_COUNTED;
    if (target->issue.permission == RI_MESSAGES)
        flags |= MPIDIG_RMA_NUMBERED;
    return flags;
}

/* Who is still in a fence that this process has left answers behind it. */
static unsigned flags_of_request(MPIR_Win * win, const MPIDIG_rma_target_t * target)
{
    unsigned flags = target->lock_type == MPI_LOCK_SHARED ? MPIDIG_RMA_SHARED_LOCK : 0;

    return flags | (MPIDIG_WIN(win, issue)->fence.phase.exchanges ? MPIDIG_RMA_NUMBERED : 0);
}

/* When it fails, everything is as before. */
static int send_message(MPIR_Win * win, MPIDIG_rma_target_t * target, const rma_issue_step_t * step)
{
    int mpi_errno = MPI_SUCCESS;
    union {
        MPIDIG_rma_message_t header;
        char bytes[MPIDIG_RMA_MESSAGE_MAX];
    } message;
    char *end = message.bytes + sizeof(message.header);
    unsigned flags = step->flags | flags_of_epoch(win, target), num_done = 0;
    const rma_issue_target_t before = target->issue;
    MPIDIG_rma_op_t **last_result = target->last_result;
    MPIDIG_rma_op_t *done[MPIDIG_RMA_MESSAGE_MAX / sizeof(rma_issue_narrow_t)];

    for (unsigned i = 0; i < step->ops; i++) {
        MPIDIG_rma_op_t *op = (MPIDIG_rma_op_t *) rma_issue_take(&target->issue);

        end = pack(end, op);
        if (wants_result(op))
            await_result(target, op);
        else
            done[num_done++] = op;
    }
    if (step->ops)
        flags |= MPIDIG_RMA_CARRIES;
    if (flags & RI_ASK)
        flags |= flags_of_request(win, target);
    message.header = (MPIDIG_rma_message_t) {
        .win = MPIDIG_rma_number(win),.origin_rank = win->comm_ptr->rank,.epoch = MPIDIG_WIN(win, issue)->fence.phase.epoch,
        .flags = (uint16_t) flags,.bytes = (uint16_t) (end - message.bytes)
    };
    mpi_errno = send_bytes(win, target, &message.header, MPIDIG_rma_is_answered(flags, num_done < step->ops));
    MPIR_ERR_CHECK(mpi_errno);
    target->counted += (flags & MPIDIG_RMA_COUNTED) != 0;
    while (num_done > 0)
        drop(MPIDIG_WIN(win, issue), done[--num_done]);

  fn_exit:
    return mpi_errno;
  fn_fail:
    target->issue = before;
    target->last_result = last_result;
    *last_result = NULL;
    goto fn_exit;
}

int MPIDIG_rma_answer_cb(void *am_hdr, void *data, MPI_Aint in_data_sz, uint32_t attr,
                         MPIR_Request ** req)
{
    const MPIDIG_rma_answer_t *answer = am_hdr;
    const char *next = (const char *) (answer + 1);
    MPIR_Win *win = MPIDIG_rma_win(answer->win);
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, answer->target_rank);

    for (uint32_t i = 0; i < answer->results; i++) {
        MPIDIG_rma_op_t *op = target->results;

        target->results = op->next_result;
        memcpy(op->result, next, op->queue.bytes);
        next += MPIDIG_rma_padded(op->queue.bytes);
        drop(MPIDIG_WIN(win, issue), op);
    }
    if (!target->results)
        target->last_result = &target->results;
    if (answer->flags & MPIDIG_RMA_OUTSIDE)
        MPIDIG_rma_note_failure(&target->failed,
                                MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__,
                                                     __LINE__, MPI_ERR_RMA_RANGE, "**rmarange",
                                                     "**rmarange %d", target->rank));
    target->unanswered--;
    target->carrying -= (answer->flags & MPIDIG_RMA_CARRIES) != 0;
    if (answer->flags & RI_ASK && !(answer->flags & RI_END_EPOCH)) {
        rma_issue_granted(&target->issue);
        MPIDIG_rma_ready(target);
    }
    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    return MPI_SUCCESS;
}

/* ---- steps --------------------------------------------------------------------------------------------------------- */

static int issue_op(MPIR_Win * win, int rank, const MPIDIG_rma_op_t * op)
{
    int mpi_errno = MPI_SUCCESS;

    switch (op->kind) {
        case MPIDIG_RMA_PUT:
            mpi_errno = MPIDI_put(op->origin, op->origin_count, op->origin_type, rank, op->disp,
                                  op->count, op->type, win);
            break;
        case MPIDIG_RMA_GET:
            mpi_errno = MPIDI_get(op->result, op->result_count, op->result_type, rank, op->disp,
                                  op->count, op->type, win);
            break;
        case MPIDIG_RMA_ACC:
            mpi_errno = MPIDI_accumulate(op->origin, op->origin_count, op->origin_type, rank,
                                         op->disp, op->count, op->type, op->op, win);
            break;
        case MPIDIG_RMA_GET_ACC:
            mpi_errno = MPIDI_get_accumulate(op->origin, op->origin_count, op->origin_type,
                                             op->result, op->result_count, op->result_type, rank,
                                             op->disp, op->count, op->type, op->op, win);
            break;
        case MPIDIG_RMA_FOP:
            mpi_errno = MPIDI_fetch_and_op(op->origin, op->result, op->type, rank, op->disp,
                                           op->op, win);
            break;
        case MPIDIG_RMA_CAS:
            mpi_errno = MPIDI_compare_and_swap(op->origin, op->compare, op->result, op->type, rank,
                                               op->disp, win);
            break;
    }
    return mpi_errno;
}

static int issue_native(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    MPIDIG_rma_op_t *op = (MPIDIG_rma_op_t *) rma_issue_take(&target->issue);
    int mpi_errno;

    target->is_busy = true;
    mpi_errno = issue_op(win, target->rank, op);
    target->is_busy = false;
    drop(MPIDIG_WIN(win, issue), op);
    return mpi_errno;
}

/* Who issues natively may have to wait, and lets others in.  An operation that another thread's progress has taken out of the queue
 * is not issued before that thread has come back. */
int MPIDIG_rma_advance(MPIR_Win * win, MPIDIG_rma_target_t * target, rma_issue_goal_t goal,
                       rma_issue_what_t * next)
{
    int mpi_errno = MPI_SUCCESS;

    if (target->is_busy) {
        *next = RI_WAIT;
        return MPI_SUCCESS;
    }
    while (!mpi_errno) {
        rma_issue_step_t step;
        rma_issue_permission_t permission;

        if (target->issue.permission == RI_ASKED && MPIDIG_WIN(win, issue)->pscw)
            MPIDIG_rma_take_post(win, target);
        permission = target->issue.permission;
        step = rma_issue_next(&target->issue, &MPIDIG_WIN(win, issue)->settings, goal);
        *next = step.what;
        if (step.what == RI_SEND)
            mpi_errno = send_message(win, target, &step);
        else if (step.what == RI_ISSUE)
            MPIDIG_rma_note_failure(&target->failed, issue_native(win, target));
        else
            break;
        if (mpi_errno)
            target->issue.permission = permission;
    }
    /* the operation waits on: the call that needs it done tries again */
    if (mpi_errno && (goal == RI_GO_ON || goal == RI_GATHER)) {
        *next = RI_DONE;
        mpi_errno = MPI_SUCCESS;
    }
    return mpi_errno;
}

int MPIDIG_rma_settle(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    int mpi_errno;
    MPIDIG_win_target_t *counts;

    mpi_errno = MPIDI_NM_rma_target_cmpl_hook(target->rank, win);
    MPIR_ERR_CHECK(mpi_errno);
#ifndef MPIDI_CH4_DIRECT_NETMOD
    mpi_errno = MPIDI_SHM_rma_target_cmpl_hook(target->rank, win);
    MPIR_ERR_CHECK(mpi_errno);
#endif
    counts = MPIDIG_win_target_find(win, target->rank);
    while (counts && (MPIR_cc_get(counts->remote_cmpl_cnts) || MPIR_cc_get(counts->local_cmpl_cnts) ||
                      MPIR_cc_get(counts->remote_acc_cmpl_cnts))) {
        mpi_errno = MPIDIG_rma_progress(win);
        MPIR_ERR_CHECK(mpi_errno);
    }
    rma_issue_settled(&target->issue);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIDIG_rma_reach(MPIR_Win * win, MPIDIG_rma_target_t * target, rma_issue_goal_t goal)
{
    int mpi_errno;
    rma_issue_what_t next;

    for (;;) {
        mpi_errno = MPIDIG_rma_advance(win, target, goal, &next);
        if (mpi_errno || next == RI_DONE)
            return mpi_errno;
        mpi_errno = next == RI_SETTLE ? MPIDIG_rma_settle(win, target) : MPIDIG_rma_progress(win);
        if (mpi_errno)
            return mpi_errno;
    }
}

/* ---- progress ------------------------------------------------------------------------------------------------------ */

/* Targets whose permission has come: what waits for them goes out from progress, not inside the handler that brought it. */
static MPIDIG_rma_target_t *ready;

void MPIDIG_rma_ready(MPIDIG_rma_target_t * target)
{
    if (target->is_ready || target->issue.waiting == 0)
        return;
    target->is_ready = true;
    target->next_ready = ready;
    ready = target;
    MPL_atomic_fetch_add_int(&MPIDIG_rma_todo, 1);
}

void MPIDIG_rma_not_ready(MPIDIG_rma_target_t * target)
{
    MPIDIG_rma_target_t **at = &ready;

    if (!target->is_ready)
        return;
    while (*at != target)
        at = &(*at)->next_ready;
    *at = target->next_ready;
    target->is_ready = false;
    MPL_atomic_fetch_sub_int(&MPIDIG_rma_todo, 1);
}

void MPIDIG_rma_issue_ready(void)
{
    MPIDIG_rma_exchanges_go_on();
    while (ready) {
        MPIDIG_rma_target_t *target = ready;
        rma_issue_what_t left;

        MPIDIG_rma_not_ready(target);
        MPIDIG_rma_advance(target->win, target, RI_GO_ON, &left);
    }
}

void MPIDIG_rma_posted(MPIR_Win * win, int rank)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target = issue && issue->pscw ? MPIDIG_rma_target_find(win, rank) : NULL;

    if (target && target->issue.permission == RI_ASKED)
        MPIDIG_rma_ready(target);
}

/* ---- operations ---------------------------------------------------------------------------------------------------- */

/* In an epoch of fences natively goes what is behind an exchange, too, if somebody wants that. */
static rma_issue_permission_t permission_in_fence(const MPIDIG_rma_fence_t * fence)
{
    const MPIDIG_rma_exchange_t *exchange = fence->exchange;

    if (exchange && MPIDIG_rma_exchange_is_over(exchange) && exchange->sums.flags & RF_BARRIER)
        return RI_HELD;
    return rma_issue_phase_permission(&fence->phase);
}

/* REQUIRES: may_open().  NULL without memory. */
static MPIDIG_rma_target_t *open_target(MPIR_Win * win, int rank)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);

    if (target && target->issue.permission != RI_CLOSED)
        return target;
    target = MPIDIG_rma_target(win, rank);
    if (target) {
        target->lock_type = MPI_LOCK_SHARED;
        rma_issue_open(&target->issue, issue->all ? RI_NOTED : issue->pscw ? RI_ASKED :
                       permission_in_fence(&issue->fence));
    }
    return target;
}

/* Under a single lock to another target, or its own under lock_all, an operation goes out at once. */
static bool may_open(MPIR_Win * win, int rank)
{
    const MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    const MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, rank);

    return (target && target->issue.permission != RI_CLOSED) || issue->pscw ||
        (issue->fence.holds && MPIDIG_rma_in_fence(win)) ||
        (issue->all && !(issue->self_held && rank == win->comm_ptr->rank));
}

/* Before a fence that exchanges what is native makes the next ones barriers. */
static rma_issue_goal_t goal_of_more(MPIR_Win * win)
{
    const MPIDIG_rma_fence_t *fence = &MPIDIG_WIN(win, issue)->fence;
    bool exchanges = MPIDIG_rma_in_fence(win) && !fence->exchange && !rma_issue_phase_is_barrier(&fence->phase);

    return exchanges ? RI_GATHER : RI_GO_ON;
}

/* An operation was queued.  What is on its way needs progress, but not what only waits. */
static int go_on(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned waiting = target->issue.waiting;
    bool is_long = rma_issue_is_long(&target->issue);
    MPL_time_t begin;

    if (is_long)
        MPL_wtime(&begin);
    if (target->issue.permission == RI_ASKED)
        mpi_errno = MPIDIG_rma_progress(win);
    if (!mpi_errno)
        mpi_errno = MPIDIG_rma_reach(win, target, goal_of_more(win));
    if (!mpi_errno && target->issue.waiting < waiting)
        mpi_errno = MPIDIG_rma_progress(win);
    if (is_long)
        MPIDIG_rma_waited_since(target, &begin);
    return mpi_errno;
}

static bool hold(MPIR_Win * win, int *mpi_errno_ptr, int rank, MPIDIG_rma_op_t * what)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target;
    MPIDIG_rma_op_t *op;

    if (!may_open(win, rank))
        return false;
    MPIDIG_RMA_OP_CHECK_SYNC(rank, win);
    measure(what);
    if (what->queue.bytes == 0)
        return false;
    target = open_target(win, rank);
    MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    if (rma_issue_passes(&target->issue, &issue->settings, what->queue.wire)) {
        rma_issue_issued(&target->issue);
        if (what->queue.bytes <= issue->settings.bytes)
            return false;
        mpi_errno = issue_op(win, rank, what);
        MPIR_ERR_CHECK(mpi_errno);
        /* so that its data flow while the user computes */
        mpi_errno = MPIDIG_rma_progress(win);
        goto fn_exit;
    }
    op = keep(issue, what);
    MPIR_ERR_CHKANDJUMP(!op, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    rma_issue_add(&target->issue, &op->queue);
    mpi_errno = target->issue.permission == RI_MESSAGES ? MPIDIG_rma_fence_go_on(win, target) : go_on(win, target);

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}

bool MPIDIG_rma_hold_put(MPIR_Win * win, int *mpi_errno, const void *origin, int origin_count,
                         MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                         MPI_Datatype type)
{
    MPIDIG_rma_op_t op = {
        .kind = MPIDIG_RMA_PUT,.op = MPI_REPLACE,.origin = origin,.origin_count = origin_count,
        .origin_type = origin_type,.result_type = MPI_DATATYPE_NULL,.disp = disp,.count = count,
        .type = type
    };

    return hold(win, mpi_errno, rank, &op);
}

bool MPIDIG_rma_hold_get(MPIR_Win * win, int *mpi_errno, void *origin, int origin_count,
                         MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                         MPI_Datatype type)
{
    MPIDIG_rma_op_t op = {
        .kind = MPIDIG_RMA_GET,.op = MPI_NO_OP,.origin_type = MPI_DATATYPE_NULL,.result = origin,
        .result_count = origin_count,.result_type = origin_type,.disp = disp,.count = count,
        .type = type
    };

    return hold(win, mpi_errno, rank, &op);
}

bool MPIDIG_rma_hold_acc(MPIR_Win * win, int *mpi_errno, const void *origin, int origin_count,
                         MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                         MPI_Datatype type, MPI_Op acc_op)
{
    MPIDIG_rma_op_t op = {
        .kind = MPIDIG_RMA_ACC,.op = acc_op,.origin = origin,.origin_count = origin_count,
        .origin_type = origin_type,.result_type = MPI_DATATYPE_NULL,.disp = disp,.count = count,
        .type = type
    };

    return hold(win, mpi_errno, rank, &op);
}

bool MPIDIG_rma_hold_get_acc(MPIR_Win * win, int *mpi_errno, const void *origin, int origin_count,
                             MPI_Datatype origin_type, void *result, int result_count,
                             MPI_Datatype result_type, int rank, MPI_Aint disp, int count,
                             MPI_Datatype type, MPI_Op acc_op)
{
    MPIDIG_rma_op_t op = {
        .kind = MPIDIG_RMA_GET_ACC,.op = acc_op,.origin = origin,.origin_count = origin_count,
        .origin_type = origin_type,.result = result,
        .result_count = result_count,.result_type = result_type,.disp = disp,.count = count,
        .type = type
    };

    return hold(win, mpi_errno, rank, &op);
}

bool MPIDIG_rma_hold_fop(MPIR_Win * win, int *mpi_errno, const void *origin, void *result,
                         MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op acc_op)
{
    MPIDIG_rma_op_t op = {
        .kind = MPIDIG_RMA_FOP,.op = acc_op,.origin = origin,.origin_count = 1,.origin_type = type,
        .result = result,.result_count = 1,.result_type = type,.disp = disp,.count = 1,.type = type
    };

    return hold(win, mpi_errno, rank, &op);
}

bool MPIDIG_rma_hold_cas(MPIR_Win * win, int *mpi_errno, const void *origin, const void *compare,
                         void *result, MPI_Datatype type, int rank, MPI_Aint disp)
{
    MPIDIG_rma_op_t op = {
        .kind = MPIDIG_RMA_CAS,.op = MPI_REPLACE,.origin = origin,.origin_count = 1,
        .origin_type = type,.compare = compare,.result = result,.result_count = 1,
        .result_type = type,.disp = disp,.count = 1,.type = type
    };

    return hold(win, mpi_errno, rank, &op);
}

int MPIDIG_rma_clear(MPIR_Win * win, int rank)
{
    MPIDIG_rma_target_t *target;
    int mpi_errno = MPI_SUCCESS;

    if (!may_open(win, rank) || MPIDIG_rma_in_fence(win))
        return MPI_SUCCESS;     /* there are no requests in epochs of fences */
    MPIDIG_RMA_OP_CHECK_SYNC(rank, win);
    target = open_target(win, rank);
    MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = MPIDIG_rma_reach(win, target, RI_CLEAR);
    MPIR_ERR_CHECK(mpi_errno);
    rma_issue_issued(&target->issue);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIDIG_rma_advance_all(MPIR_Win * win, rma_issue_goal_t goal)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_target_t *target, *next_target;
    rma_issue_what_t left;

    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
        if (!mpi_errno)
            mpi_errno = MPIDIG_rma_advance(win, target, goal, &left);
    }
    return mpi_errno;
}

/* Nothing waits any more, and what messages took along is done. */
static int drain(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    int mpi_errno = MPIDIG_rma_reach(win, target, RI_FLUSH);

    while (!mpi_errno && target->carrying)
        mpi_errno = MPIDIG_rma_progress(win);
    return mpi_errno;
}

static int flush_target(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    int mpi_errno = drain(win, target);

    return mpi_errno ? mpi_errno : MPIDIG_rma_failure(&target->failed);
}

int MPIDIG_rma_flush(MPIR_Win * win, int rank)
{
    MPIDIG_rma_target_t *target, *next_target;
    int mpi_errno = MPI_SUCCESS;

    /* in another epoch it would wait for what only the epoch's end brings */
    MPIDIG_EPOCH_CHECK_PASSIVE(win, mpi_errno, goto fn_fail);
    if (rank != MPI_ANY_SOURCE) {
        target = MPIDIG_rma_target_find(win, rank);
        return target ? flush_target(win, target) : MPI_SUCCESS;
    }
    mpi_errno = MPIDIG_rma_advance_all(win, RI_FLUSH);
    MPIR_ERR_CHECK(mpi_errno);
    HASH_ITER(hash_handle, MPIDIG_WIN(win, issue)->targets, target, next_target) {
        mpi_errno = flush_target(win, target);
        MPIR_ERR_CHECK(mpi_errno);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
