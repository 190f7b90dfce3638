/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The way of a one-sided call.  This is the one place that decides:
 *
 *     peer     loads and stores, if the target's memory is mapped: rma/peers/peers.h
 *     issue    the operation may wait until it pays to send it: rma/issue/issue.h
 *     alone    a flush has followed each of the latest operations: natively, noted in issue.h
 *     native   at once, by the network module
 *
 * ch4_rma.h includes this file behind its native functions, and calls one function of it for each
 * call of MPI's.
 */
#ifndef RMA_ROUTE_H_INCLUDED
#define RMA_ROUTE_H_INCLUDED

#include "deaths.h"
#include "rma/issue/issue.h"
#include "rma/peers/peers.h"

/* ---- operations ------------------------------------------------------------------------------ */

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_put(const void *origin, MPI_Aint origin_count,
                                              MPI_Datatype origin_type, int rank, MPI_Aint disp,
                                              MPI_Aint count, MPI_Datatype type, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_put(win, peer, origin, origin_count, origin_type, rank, disp,
                                     count, type);
    if (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type))) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_PUT, MPI_REPLACE, origin, origin_count, origin_type, NULL, 0,
                          MPI_DATATYPE_NULL, disp, count, type);
        return MPIDIG_rma_issue(win, rank, &what);
    }
    mpi_errno = MPIDI_put(origin, origin_count, origin_type, rank, disp, count, type, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_get(void *origin, MPI_Aint origin_count,
                                              MPI_Datatype origin_type, int rank, MPI_Aint disp,
                                              MPI_Aint count, MPI_Datatype type, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_get(win, peer, origin, origin_count, origin_type, rank, disp,
                                     count, type);
    if (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type))) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_GET, MPI_NO_OP, NULL, 0, MPI_DATATYPE_NULL,
                                             origin, origin_count, origin_type, disp, count, type);
        return MPIDIG_rma_issue(win, rank, &what);
    }
    mpi_errno = MPIDI_get(origin, origin_count, origin_type, rank, disp, count, type, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_accumulate(const void *origin, MPI_Aint origin_count,
                                                     MPI_Datatype origin_type, int rank,
                                                     MPI_Aint disp, MPI_Aint count,
                                                     MPI_Datatype type, MPI_Op op, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_accumulate(win, peer, origin, origin_count, origin_type, rank,
                                            disp, count, type, op);
    if (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type))) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_ACC, op, origin, origin_count, origin_type,
                                             NULL, 0, MPI_DATATYPE_NULL, disp, count, type);
        return MPIDIG_rma_issue(win, rank, &what);
    }
    mpi_errno =
        MPIDI_accumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int
MPIDIG_route_get_accumulate(const void *origin, MPI_Aint origin_count, MPI_Datatype origin_type,
                            void *result, MPI_Aint result_count, MPI_Datatype result_type, int rank,
                            MPI_Aint disp, MPI_Aint count, MPI_Datatype type, MPI_Op op,
                            MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_get_accumulate(win, peer, origin, origin_count, origin_type,
                                                result, result_count, result_type, rank, disp,
                                                count, type, op);
    if (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type))) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_GET_ACC, op, origin, origin_count, origin_type, result,
                          result_count, result_type, disp, count, type);
        return MPIDIG_rma_issue(win, rank, &what);
    }
    mpi_errno = MPIDI_get_accumulate(origin, origin_count, origin_type, result, result_count,
                                     result_type, rank, disp, count, type, op, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_fetch_and_op(const void *origin, void *result,
                                                       MPI_Datatype type, int rank, MPI_Aint disp,
                                                       MPI_Op op, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_get_accumulate(win, peer, origin, 1, type, result, 1, type, rank,
                                                disp, 1, type, op);
    if (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, 1, type))) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_FOP, op, origin, 1, type, result, 1, type, disp, 1, type);
        return MPIDIG_rma_issue(win, rank, &what);
    }
    mpi_errno = MPIDI_fetch_and_op(origin, result, type, rank, disp, op, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_compare_and_swap(const void *origin, const void *compare,
                                                           void *result, MPI_Datatype type,
                                                           int rank, MPI_Aint disp, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_compare_and_swap(win, peer, origin, compare, result, type, rank,
                                                  disp);
    if (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, 1, type))) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_CAS, MPI_REPLACE, origin, 1, type, result,
                                             1, type, disp, 1, type);
        what.compare = compare;
        return MPIDIG_rma_issue(win, rank, &what);
    }
    mpi_errno = MPIDI_compare_and_swap(origin, compare, result, type, rank, disp, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

/* With a request. */

/* A native operation with a request has gone out, or failed with the error. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_went_out(int mpi_errno, int rank, MPIR_Win *win,
                                                   MPIR_Request **request)
{
    if (MPIDIG_rma_waits(win))
        MPIDIG_rma_issue_went_out(win, rank);
    if (!mpi_errno && !MPIR_Request_is_complete(*request))
        MPIDIG_deaths_stand_in(win, rank, request);
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_rput(const void *origin, MPI_Aint origin_count,
                                               MPI_Datatype origin_type, int rank, MPI_Aint disp,
                                               MPI_Aint count, MPI_Datatype type, MPIR_Win *win,
                                               MPIR_Request **request)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (peer) {
        mpi_errno = MPIDIG_rma_shared_put(win, peer, origin, origin_count, origin_type, rank, disp,
                                          count, type);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_PUT, MPI_REPLACE, origin, origin_count, origin_type, NULL, 0,
                          MPI_DATATYPE_NULL, disp, count, type);
        mpi_errno = MPIDIG_rma_issue_with_request(win, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return MPIDIG_rma_shared_request(mpi_errno, request);
    mpi_errno =
        MPIDI_rput(origin, origin_count, origin_type, rank, disp, count, type, win, request);
    return MPIDIG_route_went_out(mpi_errno, rank, win, request);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_rget(void *origin, MPI_Aint origin_count,
                                               MPI_Datatype origin_type, int rank, MPI_Aint disp,
                                               MPI_Aint count, MPI_Datatype type, MPIR_Win *win,
                                               MPIR_Request **request)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (peer) {
        mpi_errno = MPIDIG_rma_shared_get(win, peer, origin, origin_count, origin_type, rank, disp,
                                          count, type);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_GET, MPI_NO_OP, NULL, 0, MPI_DATATYPE_NULL,
                                             origin, origin_count, origin_type, disp, count, type);
        mpi_errno = MPIDIG_rma_issue_with_request(win, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return MPIDIG_rma_shared_request(mpi_errno, request);
    mpi_errno =
        MPIDI_rget(origin, origin_count, origin_type, rank, disp, count, type, win, request);
    return MPIDIG_route_went_out(mpi_errno, rank, win, request);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_raccumulate(const void *origin, MPI_Aint origin_count,
                                                      MPI_Datatype origin_type, int rank,
                                                      MPI_Aint disp, MPI_Aint count,
                                                      MPI_Datatype type, MPI_Op op, MPIR_Win *win,
                                                      MPIR_Request **request)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (peer) {
        mpi_errno = MPIDIG_rma_shared_accumulate(win, peer, origin, origin_count, origin_type, rank,
                                                 disp, count, type, op);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_ACC, op, origin, origin_count, origin_type,
                                             NULL, 0, MPI_DATATYPE_NULL, disp, count, type);
        mpi_errno = MPIDIG_rma_issue_with_request(win, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return MPIDIG_rma_shared_request(mpi_errno, request);
    mpi_errno = MPIDI_raccumulate(origin, origin_count, origin_type, rank, disp, count, type, op,
                                  win, request);
    return MPIDIG_route_went_out(mpi_errno, rank, win, request);
}

MPL_STATIC_INLINE_PREFIX int
MPIDIG_route_rget_accumulate(const void *origin, MPI_Aint origin_count, MPI_Datatype origin_type,
                             void *result, MPI_Aint result_count, MPI_Datatype result_type,
                             int rank, MPI_Aint disp, MPI_Aint count, MPI_Datatype type, MPI_Op op,
                             MPIR_Win *win, MPIR_Request **request)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (peer) {
        mpi_errno = MPIDIG_rma_shared_get_accumulate(win, peer, origin, origin_count, origin_type,
                                                     result, result_count, result_type, rank, disp,
                                                     count, type, op);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_GET_ACC, op, origin, origin_count, origin_type, result,
                          result_count, result_type, disp, count, type);
        mpi_errno = MPIDIG_rma_issue_with_request(win, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return MPIDIG_rma_shared_request(mpi_errno, request);
    mpi_errno = MPIDI_rget_accumulate(origin, origin_count, origin_type, result, result_count,
                                      result_type, rank, disp, count, type, op, win, request);
    return MPIDIG_route_went_out(mpi_errno, rank, win, request);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

/* Before another lock of the thread. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_earlier_locks(void)
{
    return MPIDIG_rma_open_locks ? MPIDIG_rma_take_noted_locks(NULL) : MPI_SUCCESS;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_lock(int type, int rank, int assert, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno = MPIDIG_route_earlier_locks();

    if (mpi_errno)
        return mpi_errno;
    return peer ? MPIDIG_rma_shared_lock(win, peer, type, assert)
                : MPIDIG_rma_issue_lock(win, type, rank, assert);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_unlock(int rank, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);

    return peer ? MPIDIG_rma_shared_unlock(win, peer)
                : MPIDIG_rma_outside(win, rank, MPIDIG_rma_issue_unlock(win, rank));
}

/* These two concern peers and others. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_lock_all(int assert, MPIR_Win *win)
{
    int mpi_errno = MPIDIG_route_earlier_locks();

    if (!mpi_errno)
        mpi_errno = MPIDIG_rma_shared_lock_all(win, assert);
    if (mpi_errno)
        return mpi_errno;
    mpi_errno = MPIDIG_rma_issue_lock_all(win, assert);
    if (unlikely(mpi_errno))
        MPIDIG_rma_shared_unlock_all(win);
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_unlock_all(MPIR_Win *win)
{
    bool was_open = MPIDIG_WIN(win, sync).access_epoch_type == MPIDIG_EPOTYPE_LOCK_ALL;
    int mpi_errno = MPIDIG_rma_issue_unlock_all(win);

    /* the epoch may end although an operation failed */
    if (was_open && MPIDIG_WIN(win, sync).access_epoch_type != MPIDIG_EPOTYPE_LOCK_ALL)
        MPIDIG_rma_shared_unlock_all(win);
    return MPIDIG_rma_outside(win, MPI_ANY_SOURCE, mpi_errno);
}

/* What waits for the rank, or for all with MPI_ANY_SOURCE, before a native flush. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_waiting(int rank, MPIR_Win *win)
{
    return MPIDIG_rma_waits(win) ? MPIDIG_rma_issue_flush(win, rank) : MPI_SUCCESS;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_waiting_locally(int rank, MPIR_Win *win)
{
    return MPIDIG_rma_waits(win) ? MPIDIG_rma_issue_flush_local(win, rank) : MPI_SUCCESS;
}

/* Behind a call that others may repeat until they see another process's operation. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_others(MPIR_Win *win, int mpi_errno)
{
    return mpi_errno || !MPIDIG_rma_waits(win) ? mpi_errno : MPIDIG_rma_issue_others(win);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_one(int rank, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    uint64_t issued;
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_flush(win, peer);
    if (MPIDIG_rma_waits(win) && MPIDIG_rma_flushes_alone(win, rank, &issued)) {
        mpi_errno = MPIDI_NM_mpi_win_flush(rank, win, NULL);
        mpi_errno = MPIDIG_rma_flushed_alone(win, rank, issued, mpi_errno);
        return MPIDIG_rma_outside(win, rank, mpi_errno);
    }
    mpi_errno = MPIDIG_route_waiting(rank, win);
    if (!mpi_errno)
        mpi_errno = MPIDI_NM_mpi_win_flush(rank, win, NULL);
    return MPIDIG_rma_outside(win, rank, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush(int rank, MPIR_Win *win)
{
    return MPIDIG_route_others(win, MPIDIG_route_flush_one(rank, win));
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_one_locally(int rank, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno;

    if (peer)
        return MPIDIG_rma_shared_flush(win, peer);
    mpi_errno = MPIDIG_route_waiting_locally(rank, win);
    return mpi_errno ? mpi_errno : MPIDI_NM_mpi_win_flush_local(rank, win, NULL);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_local(int rank, MPIR_Win *win)
{
    return MPIDIG_route_others(win, MPIDIG_route_flush_one_locally(rank, win));
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_sync(MPIR_Win *win)
{
    return MPIDIG_route_others(win, MPIDI_NM_mpi_win_sync(win));
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_all(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_route_waiting(MPI_ANY_SOURCE, win);

    if (!mpi_errno)
        mpi_errno = MPIDI_NM_mpi_win_flush_all(win);
    return MPIDIG_rma_outside(win, MPI_ANY_SOURCE, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_local_all(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_route_waiting_locally(MPI_ANY_SOURCE, win);

    return mpi_errno ? mpi_errno : MPIDI_NM_mpi_win_flush_local_all(win);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_start(MPIR_Group *group, int assert, MPIR_Win *win)
{
    return MPIDIG_rma_issue_start(win, group, assert);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_complete(MPIR_Win *win)
{
    return MPIDIG_rma_outside(win, MPI_ANY_SOURCE, MPIDIG_rma_issue_complete(win));
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_fence(int assert, MPIR_Win *win)
{
    return MPIDIG_rma_outside(win, MPI_ANY_SOURCE, MPIDIG_rma_issue_fence(win, assert));
}

#endif /* RMA_ROUTE_H_INCLUDED */
