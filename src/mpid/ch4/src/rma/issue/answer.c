/* SPDX-License-Identifier: BSD-3-Clause */

/* Answers of targets. */

#include "rma/issue/issue_internal.h"

int MPIDIG_rma_answer_cb(void *am_hdr, void *data MPL_UNUSED, MPI_Aint in_data_sz MPL_UNUSED,
                         uint32_t attr, MPIR_Request **req)
{
    const MPIDIG_rma_answer_t *answer = am_hdr;
    const char *next = (const char *) (answer + 1);
    MPIR_Win *win = MPIDIG_rma_win(answer->win);
    MPIDIG_rma_target_t *target = MPIDIG_rma_target_find(win, answer->target_rank);

    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    if (target->is_lost || (MPIDIG_deaths_are_in_win(win) && MPIDIG_rma_lose_dead(win, target)))
        return MPI_SUCCESS;
    for (uint32_t i = 0; i < answer->results; i++) {
        MPIDIG_rma_op_t *op = target->results;

        target->results = op->next_result;
        memcpy(op->result, next, op->queue.bytes);
        next += MPIDIG_rma_padded(op->queue.bytes);
        MPIDIG_rma_op_drop(MPIDIG_WIN(win, issue), op);
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
        MPIR_rma_issue_granted(&target->issue);
        MPIDIG_rma_ready(target);
    }
    return MPI_SUCCESS;
}
