/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The way of a one-sided call.  This is the one place that decides:
 *
 *     peer     loads and stores, if the target's memory is mapped: rma/peers/peers.h
 *     direct   copies by the kernel, if the target is another peer: rma/peers/direct.h
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
#include "rma/peers/direct.h"
#include "rma/peers/peers.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* Is the target's memory mapped? */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_route_is_mapped(const MPIDIG_rma_peer_t *peer)
{
    return peer && !peer->door;
}

/* The operation waits, or is issued; or it is the caller's to issue natively, and *is_done is
 * false.  REQUIRES: the peer's memory is not mapped, or the target is no peer and operations may
 * wait. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_queue(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int rank,
                                                MPIDIG_rma_op_t *what, bool *is_done)
{
    if (peer)
        return MPIDIG_rma_direct(win, peer, rank, what, is_done);
    *is_done = true;
    return MPIDIG_rma_issue(win, rank, what);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_put(const void *origin, MPI_Aint origin_count,
                                              MPI_Datatype origin_type, int rank, MPI_Aint disp,
                                              MPI_Aint count, MPI_Datatype type, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIDIG_route_is_mapped(peer))
        return MPIDIG_rma_shared_put(win, peer, origin, origin_count, origin_type, rank, disp,
                                     count, type);
    if (peer ||
        (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type)))) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_PUT, MPI_REPLACE, origin, origin_count, origin_type, NULL, 0,
                          MPI_DATATYPE_NULL, disp, count, type);
        mpi_errno = MPIDIG_route_queue(win, peer, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return mpi_errno;
    mpi_errno = MPIDI_put(origin, origin_count, origin_type, rank, disp, count, type, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_get(void *origin, MPI_Aint origin_count,
                                              MPI_Datatype origin_type, int rank, MPI_Aint disp,
                                              MPI_Aint count, MPI_Datatype type, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIDIG_route_is_mapped(peer))
        return MPIDIG_rma_shared_get(win, peer, origin, origin_count, origin_type, rank, disp,
                                     count, type);
    if (peer ||
        (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type)))) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_GET, MPI_NO_OP, NULL, 0, MPI_DATATYPE_NULL,
                                             origin, origin_count, origin_type, disp, count, type);
        mpi_errno = MPIDIG_route_queue(win, peer, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return mpi_errno;
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
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIDIG_route_is_mapped(peer))
        return MPIDIG_rma_shared_accumulate(win, peer, origin, origin_count, origin_type, rank,
                                            disp, count, type, op);
    if (peer ||
        (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type)))) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_ACC, op, origin, origin_count, origin_type,
                                             NULL, 0, MPI_DATATYPE_NULL, disp, count, type);
        mpi_errno = MPIDIG_route_queue(win, peer, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return mpi_errno;
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
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIDIG_route_is_mapped(peer))
        return MPIDIG_rma_shared_get_accumulate(win, peer, origin, origin_count, origin_type,
                                                result, result_count, result_type, rank, disp,
                                                count, type, op);
    if (peer ||
        (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, count, type)))) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_GET_ACC, op, origin, origin_count, origin_type, result,
                          result_count, result_type, disp, count, type);
        mpi_errno = MPIDIG_route_queue(win, peer, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return mpi_errno;
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
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIDIG_route_is_mapped(peer))
        return MPIDIG_rma_shared_get_accumulate(win, peer, origin, 1, type, result, 1, type, rank,
                                                disp, 1, type, op);
    if (peer || (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, 1, type)))) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_FOP, op, origin, 1, type, result, 1, type, disp, 1, type);
        mpi_errno = MPIDIG_route_queue(win, peer, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return mpi_errno;
    mpi_errno = MPIDI_fetch_and_op(origin, result, type, rank, disp, op, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_compare_and_swap(const void *origin, const void *compare,
                                                           void *result, MPI_Datatype type,
                                                           int rank, MPI_Aint disp, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    struct rma_issue_target *alone = NULL;
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIDIG_route_is_mapped(peer))
        return MPIDIG_rma_shared_compare_and_swap(win, peer, origin, compare, result, type, rank,
                                                  disp);
    if (peer || (MPIDIG_rma_waits(win) && !(alone = MPIDIG_rma_goes_alone(win, rank, 1, type)))) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_CAS, MPI_REPLACE, origin, 1, type, result,
                                             1, type, disp, 1, type);
        what.compare = compare;
        mpi_errno = MPIDIG_route_queue(win, peer, rank, &what, &is_done);
    }
    if (mpi_errno || is_done)
        return mpi_errno;
    mpi_errno = MPIDI_compare_and_swap(origin, compare, result, type, rank, disp, win);
    return MPIDIG_rma_went_alone(alone, mpi_errno);
}

/* With a request. */

/* The same as MPIDIG_route_queue(); what is done is complete. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_queue_with_request(MPIR_Win *win, MPIDIG_rma_peer_t *peer,
                                                             int rank, MPIDIG_rma_op_t *what,
                                                             bool *is_done)
{
    int mpi_errno;

    if (!peer)
        return MPIDIG_rma_issue_with_request(win, rank, what, is_done);
    mpi_errno = MPIDIG_rma_direct(win, peer, rank, what, is_done);
    return mpi_errno || !*is_done ? mpi_errno : MPIDIG_rma_direct_run(win);
}

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

    if (MPIDIG_route_is_mapped(peer)) {
        mpi_errno = MPIDIG_rma_shared_put(win, peer, origin, origin_count, origin_type, rank, disp,
                                          count, type);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (peer || MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_PUT, MPI_REPLACE, origin, origin_count, origin_type, NULL, 0,
                          MPI_DATATYPE_NULL, disp, count, type);
        mpi_errno = MPIDIG_route_queue_with_request(win, peer, rank, &what, &is_done);
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

    if (MPIDIG_route_is_mapped(peer)) {
        mpi_errno = MPIDIG_rma_shared_get(win, peer, origin, origin_count, origin_type, rank, disp,
                                          count, type);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (peer || MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_GET, MPI_NO_OP, NULL, 0, MPI_DATATYPE_NULL,
                                             origin, origin_count, origin_type, disp, count, type);
        mpi_errno = MPIDIG_route_queue_with_request(win, peer, rank, &what, &is_done);
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

    if (MPIDIG_route_is_mapped(peer)) {
        mpi_errno = MPIDIG_rma_shared_accumulate(win, peer, origin, origin_count, origin_type, rank,
                                                 disp, count, type, op);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (peer || MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what = MPIDIG_rma_op(MPIDIG_RMA_ACC, op, origin, origin_count, origin_type,
                                             NULL, 0, MPI_DATATYPE_NULL, disp, count, type);
        mpi_errno = MPIDIG_route_queue_with_request(win, peer, rank, &what, &is_done);
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

    if (MPIDIG_route_is_mapped(peer)) {
        mpi_errno = MPIDIG_rma_shared_get_accumulate(win, peer, origin, origin_count, origin_type,
                                                     result, result_count, result_type, rank, disp,
                                                     count, type, op);
        return MPIDIG_rma_shared_request(mpi_errno, request);
    }
    if (peer || MPIDIG_rma_waits(win)) {
        MPIDIG_rma_op_t what =
            MPIDIG_rma_op(MPIDIG_RMA_GET_ACC, op, origin, origin_count, origin_type, result,
                          result_count, result_type, disp, count, type);
        mpi_errno = MPIDIG_route_queue_with_request(win, peer, rank, &what, &is_done);
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

/* The epoch ends although an operation has failed. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_unlock(int rank, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    MPIR_Err_keep_first(&mpi_errno,
                        peer ? MPIDIG_rma_shared_unlock(win, peer)
                             : MPIDIG_rma_outside(win, rank, MPIDIG_rma_issue_unlock(win, rank)));
    return mpi_errno;
}

/* These two concern peers and others. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_lock_all(int assert, MPIR_Win *win)
{
    int mpi_errno = MPIDIG_route_earlier_locks();

    if (!mpi_errno && MPIDIG_rma_has_peers_only(win))
        return MPIDIG_rma_peers_lock_all(win, assert);
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
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    if (MPIDIG_rma_has_peers_only(win)) {
        MPIR_Err_keep_first(&mpi_errno, MPIDIG_rma_peers_unlock_all(win));
        return mpi_errno;
    }
    MPIR_Err_keep_first(&mpi_errno, MPIDIG_rma_issue_unlock_all(win));
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

/* A program that repeats a flush may wait for what another process does when it sees an operation:
 * the operations on all peers are performed. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_peer(MPIR_Win *win, MPIDIG_rma_peer_t *peer)
{
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    MPIR_Err_keep_first(&mpi_errno, MPIDIG_rma_shared_flush(win, peer));
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_one(int rank, MPIR_Win *win)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);
    uint64_t issued;
    int mpi_errno;

    if (peer)
        return MPIDIG_route_flush_peer(win, peer);
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

    if (peer) {
        mpi_errno = MPIDIG_rma_direct_settle(win);
        MPIR_Err_keep_first(&mpi_errno, MPIDIG_rma_shared_flush_local(win, peer));
        return mpi_errno;
    }
    mpi_errno = MPIDIG_route_waiting_locally(rank, win);
    return mpi_errno ? mpi_errno : MPIDI_NM_mpi_win_flush_local(rank, win, NULL);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_local(int rank, MPIR_Win *win)
{
    return MPIDIG_route_others(win, MPIDIG_route_flush_one_locally(rank, win));
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_sync(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    MPIR_Err_keep_first(&mpi_errno, MPIDI_NM_mpi_win_sync(win));
    return MPIDIG_route_others(win, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_all(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    if (!mpi_errno && MPIDIG_rma_has_peers_only(win))
        return MPIDIG_rma_peers_flush_all(win);
    if (!mpi_errno)
        mpi_errno = MPIDIG_route_waiting(MPI_ANY_SOURCE, win);
    if (!mpi_errno)
        mpi_errno = MPIDI_NM_mpi_win_flush_all(win);
    return MPIDIG_rma_outside(win, MPI_ANY_SOURCE, mpi_errno);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_flush_local_all(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    if (!mpi_errno && MPIDIG_rma_has_peers_only(win))
        return MPIDIG_rma_peers_flush_all(win);
    if (!mpi_errno)
        mpi_errno = MPIDIG_route_waiting_locally(MPI_ANY_SOURCE, win);
    return mpi_errno ? mpi_errno : MPIDI_NM_mpi_win_flush_local_all(win);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_start(MPIR_Group *group, int assert, MPIR_Win *win)
{
    return MPIDIG_rma_issue_start(win, group, assert);
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_complete(MPIR_Win *win)
{
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    MPIR_Err_keep_first(&mpi_errno,
                        MPIDIG_rma_outside(win, MPI_ANY_SOURCE, MPIDIG_rma_issue_complete(win)));
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_route_fence(int assert, MPIR_Win *win)
{
    int mpi_errno = MPIDIG_rma_direct_settle(win);

    MPIR_Err_keep_first(
        &mpi_errno, MPIDIG_rma_outside(win, MPI_ANY_SOURCE, MPIDIG_rma_issue_fence(win, assert)));
    return mpi_errno;
}

#endif /* RMA_ROUTE_H_INCLUDED */
