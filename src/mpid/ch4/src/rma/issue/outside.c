/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/issue_internal.h"
#include "rma/range.h"

typedef struct {
    uint64_t win_id;
    int rank; /* who tells it */
} notice_t;

int MPIDIG_rma_outside_id;

/* ---- at the target ------------------------------------------------------------------------- */

static void tell(MPIR_Win *win, MPIR_Request *rreq)
{
    int mpi_errno = MPI_SUCCESS, vci = MPIDI_WIN(win, am_vci);
    int origin = MPIDIG_REQUEST(rreq, u.target.origin_rank);
    const notice_t notice = {.win_id = MPIDIG_WIN(win, win_id), .rank = win->comm_ptr->rank};

    CH4_CALL(am_send_hdr_reply(win->comm_ptr, origin, MPIDIG_rma_outside_id, &notice,
                               sizeof(notice), vci, vci),
             MPIDI_rank_is_local(origin, win->comm_ptr), mpi_errno);
    /* the handler's answer fails for the same reason, and reports it */
    (void) mpi_errno;
}

static bool target_check(MPIR_Win *win, MPIR_Request *rreq, const void *address, MPI_Aint count,
                         MPI_Datatype type)
{
    if (likely(MPIDIG_rma_is_inside(win, address, count, type)))
        return true;
    tell(win, rreq);
    return false;
}

void MPIDIG_rma_check_put(MPIR_Win *win, MPIR_Request *rreq)
{
    if (!target_check(win, rreq, MPIDIG_REQUEST(rreq, buffer), MPIDIG_REQUEST(rreq, count),
                      MPIDIG_REQUEST(rreq, datatype)))
        MPIDIG_recv_init(1, MPIDIG_recv_in_data_sz(rreq), NULL, 0, rreq);
}

bool MPIDIG_rma_check_get(MPIR_Win *win, MPIR_Request *rreq)
{
    if (target_check(win, rreq, MPIDIG_REQUEST(rreq, buffer), MPIDIG_REQUEST(rreq, count),
                     MPIDIG_REQUEST(rreq, datatype)))
        return true;
    MPIDIG_REQUEST(rreq, count) = 0;
    return false;
}

bool MPIDIG_rma_check_acc(MPIR_Win *win, MPIR_Request *rreq)
{
    if (target_check(win, rreq, MPIDIG_REQUEST(rreq, req->areq.target_addr),
                     MPIDIG_REQUEST(rreq, req->areq.target_count),
                     MPIDIG_REQUEST(rreq, req->areq.target_datatype)))
        return true;
    MPIDIG_REQUEST(rreq, req->areq.op) = MPI_NO_OP;
    return false;
}

bool MPIDIG_rma_check_swap(MPIR_Win *win, MPIR_Request *rreq)
{
    return target_check(win, rreq, MPIDIG_REQUEST(rreq, buffer), 1, MPIDIG_REQUEST(rreq, datatype));
}

/* ---- at the origin ------------------------------------------------------------------------- */

/* In an epoch in which operations may wait, the target's state keeps the error.  Otherwise the
 * window does, the first one. */
int MPIDIG_rma_outside_cb(void *am_hdr, void *data MPL_UNUSED, MPI_Aint in_data_sz MPL_UNUSED,
                          uint32_t attr, MPIR_Request **req)
{
    const notice_t *notice = am_hdr;
    MPIR_Win *win = (MPIR_Win *) MPIDIU_map_lookup(MPIDI_global.win_map, notice->win_id);
    MPIDIG_rma_target_t *target =
        MPIDIG_WIN(win, issue) ? MPIDIG_rma_target_find(win, notice->rank) : NULL;
    int failed =
        MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                             MPI_ERR_RMA_RANGE, "**rmarange", "**rmarange %d", notice->rank);

    if (target && target->issue.permission != RI_CLOSED) {
        MPIDIG_rma_note_failure(&target->failed, failed);
    } else if (!MPIDIG_WIN(win, outside)) {
        MPIDIG_WIN(win, outside) = failed;
        MPIDIG_WIN(win, outside_rank) = notice->rank;
    }
    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    return MPI_SUCCESS;
}

int MPIDIG_rma_told_outside(MPIR_Win *win, int rank, int mpi_errno)
{
    if (mpi_errno || (rank != MPI_ANY_SOURCE && rank != MPIDIG_WIN(win, outside_rank)))
        return mpi_errno;
    return MPIDIG_rma_failure(&MPIDIG_WIN(win, outside));
}
