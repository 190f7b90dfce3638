/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/issue_internal.h"
#include "rma/issue/abandon.h"
#include "rma/peers/direct.h"

int MPIDIG_rma_request_id, MPIDIG_rma_answer_id;

int MPIDIG_rma_issue_init(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_TRY(MPIDIG_rma_settings_init());
    MPIDIG_rma_counts_init();
    MPIDIG_rma_direct_init();
    MPIDI_deferred_register(MPIDI_DEFERRED_EXCHANGES, &MPIDIG_rma_exchanges);
    MPIDI_deferred_register(MPIDI_DEFERRED_TARGETS, &MPIDIG_rma_ready_targets);
    MPIDI_deferred_register(MPIDI_DEFERRED_LOCKS, &MPIDIG_win_lock_requests);
    MPIDIG_rma_request_id = MPIDIG_am_reg_cb_dynamic(NULL, MPIDIG_rma_request_cb);
    MPIDIG_rma_answer_id = MPIDIG_am_reg_cb_dynamic(NULL, MPIDIG_rma_answer_cb);
    MPIDIG_rma_outside_id = MPIDIG_am_reg_cb_dynamic(NULL, MPIDIG_rma_outside_cb);
    MPIR_ERR_CHKANDSTMT(MPIDIG_rma_outside_id < 0, mpi_errno, MPI_ERR_INTERN, return mpi_errno,
                        "**intern");

    return mpi_errno;
}

void MPIDIG_rma_issue_free(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    if (!issue)
        return;
    MPIDIG_rma_counts_report(win, &issue->counts);
    MPIDIG_RMA_EACH_TARGET(issue, target)
    {
        HASH_DELETE(hash_handle, issue->targets, target);
        MPIDIG_rma_not_ready(target);
        MPL_free(target);
    }
    while (issue->free_ops) {
        MPIDIG_rma_op_t *op = issue->free_ops;

        issue->free_ops = (MPIDIG_rma_op_t *) op->queue.next;
        MPL_free(op);
    }
    MPIDIG_rma_pack_free_all(issue);
    MPIDIG_rma_exchange_free(issue->fence.exchange);
    MPIDIG_rma_forget_early(issue);
    MPL_free(issue);
    MPIDIG_WIN(win, issue) = NULL;
}

/* Others that live may still access the window: they are not asked.  So its memory stays.  What
 * they do there by messages, which may be the program's memory, does nothing: no operation is
 * inside a window of 0 bytes. */
void MPIDIG_win_abandon(MPIR_Win *win)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);

    MPIDIG_rma_abandon_locks(win);
    if (issue) {
        MPIDIG_RMA_EACH_TARGET(issue, target)
        {
            target->is_lost = target->is_busy = true;
            MPIDIG_rma_not_ready(target);
        }
        MPIDIG_rma_exchange_free(issue->fence.exchange);
        issue->fence.exchange = NULL;
    }
    if (win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC)
        win->create_flavor = MPI_WIN_FLAVOR_CREATE;
    win->size = 0;
}
