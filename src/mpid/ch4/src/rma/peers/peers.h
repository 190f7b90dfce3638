/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One-sided communication between the processes of a node, and the lock of a window's own memory.
 *
 * Peers.  The memory that MPI_Win_allocate and MPI_Win_allocate_shared give is mapped by all processes of the node: they are
 * each other's peers in the window, and each one its own.  Operations on a peer are loads and stores, done when the call
 * returns; accumulates hold the peer's guard, as the handlers of active messages from other nodes do.  All operations on a
 * peer go this way, so that their order is that of the program.  There are none in windows of MPI_Win_create and
 * MPI_Win_create_dynamic, with alloc_shm = false or disable_shm_accumulate = true, and with MPIR_CVAR_CH4_RMA_SHARED = 0.
 *
 * Locks.  Each process of a window has a lock (src/mpid/common/rma_lock).  Peers take it themselves; that of a process that
 * is no peer is asked for by active message, and taken and given back by its owner.
 *
 *     window.c            setting up and freeing
 *     epoch.c             epochs of locks
 *     operation.c          operations
 *     ../lock.c            locks for other processes
 */
#ifndef RMA_PEERS_H_INCLUDED
#define RMA_PEERS_H_INCLUDED

#include "rma_lock.h"

/* A process' part of what peers share: a cache line. */
typedef struct {
    rma_lock_t lock;
    uint32_t guard;
    char rest[64 - sizeof(rma_lock_t) - sizeof(uint32_t)];
} MPIDIG_rma_control_t;

typedef struct {
    char *base;
    MPI_Aint size, disp_unit;
    MPIDIG_rma_control_t *control;
    enum { MPIDIG_RMA_PEER_NONE, MPIDIG_RMA_PEER_LOCKED, MPIDIG_RMA_PEER_NOCHECK } epoch;
} MPIDIG_rma_peer_t;

typedef struct MPIDIG_rma_shared {
    int num_peers;
    bool is_whole;              /* all processes of the window are peers */
    bool is_mapped;             /* the controls are shared memory */
    MPIDIG_rma_control_t *controls;
    MPIDIG_rma_peer_t *own;
    MPIDIG_rma_peer_t peer[];
} MPIDIG_rma_shared_t;

/* Collective over the window, when it has its memory: not an error without peers. */
int MPIDIG_rma_shared_init(MPIR_Win * win);
int MPIDIG_rma_shared_free(MPIR_Win * win);

/* The peer of this rank of the window, or NULL. */
MPL_STATIC_INLINE_PREFIX MPIDIG_rma_peer_t *MPIDIG_rma_peer(MPIR_Win * win, int rank)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (!shared)
        return NULL;
    if (shared->is_whole)
        return &shared->peer[rank];
    if (rank == win->comm_ptr->rank)
        return shared->own;
    if (shared->num_peers == 1)
        return NULL;
    rank = MPIR_Get_intranode_rank(win->comm_ptr, rank);
    return rank >= 0 ? &shared->peer[rank] : NULL;
}

/* Epochs.  MPI_Win_lock_all and MPI_Win_unlock_all concern peers and others: these calls do the peers' part.  A peer's lock
 * is taken at the first operation on him; that of the process itself, and those of a shared window, whose memory the
 * program reaches without a call, at once. */
int MPIDIG_rma_shared_lock(MPIR_Win * win, MPIDIG_rma_peer_t * peer, int lock_type, int assert);
int MPIDIG_rma_shared_unlock(MPIR_Win * win, MPIDIG_rma_peer_t * peer);
int MPIDIG_rma_shared_lock_all(MPIR_Win * win, int assert);
void MPIDIG_rma_shared_unlock_all(MPIR_Win * win);
int MPIDIG_rma_shared_flush(MPIR_Win * win, MPIDIG_rma_peer_t * peer);

/* Before an operation on a peer: is there an epoch for it? */
int MPIDIG_rma_shared_access(MPIR_Win * win, MPIDIG_rma_peer_t * peer, int rank);

/* Operations. REQUIRES, but for epochs of locks: the peer's exposure epoch has begun.
 * A get_accumulate with MPI_DATATYPE_NULL for the result gets nothing. */
int MPIDIG_rma_shared_put(MPIR_Win * win, MPIDIG_rma_peer_t * peer, const void *origin,
                          MPI_Aint origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp,
                          MPI_Aint count, MPI_Datatype type);
int MPIDIG_rma_shared_get(MPIR_Win * win, MPIDIG_rma_peer_t * peer, void *origin,
                          MPI_Aint origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp,
                          MPI_Aint count, MPI_Datatype type);
int MPIDIG_rma_shared_accumulate(MPIR_Win * win, MPIDIG_rma_peer_t * peer, const void *origin,
                                 MPI_Aint origin_count, MPI_Datatype origin_type, int rank,
                                 MPI_Aint disp, MPI_Aint count, MPI_Datatype type, MPI_Op op);
int MPIDIG_rma_shared_get_accumulate(MPIR_Win * win, MPIDIG_rma_peer_t * peer, const void *origin,
                                     MPI_Aint origin_count, MPI_Datatype origin_type, void *result,
                                     MPI_Aint result_count, MPI_Datatype result_type, int rank,
                                     MPI_Aint disp, MPI_Aint count, MPI_Datatype type, MPI_Op op);
int MPIDIG_rma_shared_compare_and_swap(MPIR_Win * win, MPIDIG_rma_peer_t * peer, const void *origin,
                                       const void *compare, void *result, MPI_Datatype type,
                                       int rank, MPI_Aint disp);
/* The request of an operation that is done. */
int MPIDIG_rma_shared_request(int mpi_errno, MPIR_Request ** request);

/* Around each accumulate that the process does to its own memory for others. */
MPL_STATIC_INLINE_PREFIX void MPIDIG_rma_guard_enter(MPIR_Win * win)
{
    if (MPIDIG_WIN(win, shared))
        rma_lock_guard_enter(&MPIDIG_WIN(win, shared)->own->control->guard);
}

MPL_STATIC_INLINE_PREFIX void MPIDIG_rma_guard_leave(MPIR_Win * win)
{
    if (MPIDIG_WIN(win, shared))
        rma_lock_guard_leave(&MPIDIG_WIN(win, shared)->own->control->guard);
}

/* The lock of this process' memory, for others.
 * REQUIRES: the lock of the window's VCI is held. */
MPL_STATIC_INLINE_PREFIX rma_lock_t *MPIDIG_win_lock_own(MPIR_Win * win)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);
    return shared ? &shared->own->control->lock : &MPIDIG_WIN(win, sync).own_lock;
}

/* What is done when a process is granted the lock, which it may give back at once. */
typedef int (*MPIDIG_win_lock_granted_fn) (MPIR_Win * win, int rank, void *arg);

/* At once, if nobody has it or waits for it. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_win_lock_try(MPIR_Win * win, int lock_type)
{
    return rma_lock_try(MPIDIG_win_lock_own(win), lock_type == MPI_LOCK_EXCLUSIVE);
}

/* `granted` is called here, or by progress when the lock is free. */
int MPIDIG_win_lock_ask(MPIR_Win * win, int rank, int lock_type, MPIDIG_win_lock_granted_fn granted,
                        void *arg);
/* Returns the lock, and grants it to who is next of those that asked this process. */
int MPIDIG_win_lock_release(MPIR_Win * win);

/* What progress does after the network's own: it handles active messages that were kept (am_later.h), issues operations whose
 * permission has come, and grants locks to requests that wait in this process. */
extern MPL_atomic_int_t MPIDIG_rma_todo;
int MPIDIG_rma_do_todo(int vci);

MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_poll(int vci)
{
    return MPL_atomic_relaxed_load_int(&MPIDIG_rma_todo) ? MPIDIG_rma_do_todo(vci) : MPI_SUCCESS;
}

#endif /* RMA_PEERS_H_INCLUDED */
