/* SPDX-License-Identifier: BSD-3-Clause */

/* Messages to targets. */

#include "rma/issue/issue_internal.h"

/* What leaves the queue is an operation, or several that were packed. */

static char *operation_append(char *end, const rma_issue_op_t *first)
{
    return first->packed ? MPIDIG_rma_pack_copy(end, (const MPIDIG_rma_pack_t *) first)
                         : MPIDIG_rma_op_pack(end, (const MPIDIG_rma_op_t *) first);
}

static bool has_result(const rma_issue_op_t *first)
{
    return !first->packed && MPIDIG_rma_op_has_result((const MPIDIG_rma_op_t *) first);
}

static void drop(MPIDIG_rma_issue_t *issue, rma_issue_op_t *first)
{
    if (first->packed)
        MPIDIG_rma_pack_drop(issue, (MPIDIG_rma_pack_t *) first);
    else
        MPIDIG_rma_op_drop(issue, (MPIDIG_rma_op_t *) first);
}

static void await_result(MPIDIG_rma_target_t *target, MPIDIG_rma_op_t *op)
{
    op->next_result = NULL;
    *target->last_result = op;
    target->last_result = &op->next_result;
}

/* The target performs the message.  It answers, unless it has nothing to report. */
static int send_bytes(MPIR_Win *win, MPIDIG_rma_target_t *target,
                      const MPIDIG_rma_message_t *message, bool answered)
{
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);
    bool carries = message->flags & MPIDIG_RMA_CARRIES;

    /* counted before: the process's own answer arrives inside the call */
    target->unanswered += answered;
    target->carrying += answered && carries;
    CH4_CALL(am_send_hdr(target->rank, win->comm_ptr, MPIDIG_rma_request_id, message,
                         message->bytes, vci, vci),
             MPIDI_rank_is_local(target->rank, win->comm_ptr), mpi_errno);
    if (mpi_errno) {
        target->unanswered -= answered;
        target->carrying -= answered && carries;
    }
    return mpi_errno;
}

/* A process that is still in a fence which this process has left answers after that fence. */
static unsigned flags_of_request(MPIR_Win *win, const MPIDIG_rma_target_t *target)
{
    unsigned flags = target->lock_type == MPI_LOCK_SHARED ? MPIDIG_RMA_SHARED_LOCK : 0;

    return flags | (MPIDIG_WIN(win, issue)->fence.phase.exchanges ? MPIDIG_RMA_NUMBERED : 0);
}

/* If it fails, everything is as before. */
int MPIDIG_rma_send_message(MPIR_Win *win, MPIDIG_rma_target_t *target,
                            const rma_issue_step_t *step)
{
    int mpi_errno = MPI_SUCCESS;
    union {
        MPIDIG_rma_message_t header;
        char bytes[MPIDIG_RMA_MESSAGE_MAX];
    } message;
    char *end = message.bytes + sizeof(message.header);
    unsigned flags = step->flags, num_done = 0, left = step->ops;
    bool has_results = false;
    const rma_issue_target_t before = target->issue;
    MPIDIG_rma_op_t **last_result = target->last_result;
    rma_issue_op_t *done[MPIDIG_RMA_MESSAGE_MAX / sizeof(rma_issue_narrow_t)];

    while (left > 0) {
        rma_issue_op_t *first = MPIR_rma_issue_take(&target->issue);

        end = operation_append(end, first);
        left -= MPIR_rma_issue_num_ops(first);
        if (has_result(first)) {
            await_result(target, (MPIDIG_rma_op_t *) first);
            has_results = true;
        } else {
            done[num_done++] = first;
        }
    }
    if (step->ops)
        flags |= MPIDIG_RMA_CARRIES;
    if (flags & RI_ASK)
        flags |= flags_of_request(win, target);
    message.header = (MPIDIG_rma_message_t){.win = MPIDIG_rma_number(win),
                                            .origin_rank = win->comm_ptr->rank,
                                            .epoch = MPIDIG_WIN(win, issue)->fence.phase.epoch,
                                            .flags = (uint16_t) flags,
                                            .bytes = (uint16_t) (end - message.bytes)};
    mpi_errno =
        send_bytes(win, target, &message.header, MPIDIG_rma_is_answered(flags, has_results));
    MPIR_ERR_CHECK(mpi_errno);
    target->counted += (flags & MPIDIG_RMA_COUNTED) != 0;
    MPIDIG_WIN(win, issue)->counts.messages++;
    MPIDIG_WIN(win, issue)->counts.packed += step->ops;
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
