/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One-sided communication between the processes of a node.
 *
 * All processes of a node map the memory of MPI_Win_allocate and MPI_Win_allocate_shared: they are
 * each other's peers in the window, and each one is its own.  Operations on a peer are loads and
 * stores, complete when the call returns.  Accumulates hold the peer's guard, as the handlers of
 * active messages from other nodes do.  All operations on a peer go this way, so they keep the
 * program's order.
 *
 * If all processes of a window of MPI_Win_create or MPI_Win_create_dynamic are on one node, they
 * are peers, too.  Their memory is not mapped: the kernel copies (direct.h).
 *
 * Windows with the info key disable_shm_accumulate=true have no peers, nor do allocated windows
 * with alloc_shm=false, nor programs with MPIR_CVAR_CH4_RMA_SHARED=0.
 *
 * A peer's post and completion are counters in shared memory, not messages.
 *
 *     window.c           creation and freeing
 *     direct.c           operations on memory that is not mapped
 *     epoch.c            locks, posts and completions
 *     peer_operation.c   operations on mapped memory
 */
#ifndef RMA_PEERS_H_INCLUDED
#define RMA_PEERS_H_INCLUDED

#include "mpir_deaths.h"
#include "rma_lock.h"

/* What a process shares with its peers: two cache lines.  Each accumulate uses the guard; those who
 * wait for the lock, or for the ends of epochs, poll the other line meanwhile. */
typedef struct {
    rma_lock_t lock;
    uint32_t completed; /* access epochs of peers that have ended */
    char rest[64 - sizeof(rma_lock_t) - sizeof(uint32_t)];
    uint32_t guard;
    char rest_of_guard[64 - sizeof(uint32_t)];
} MPIDIG_rma_control_t;

typedef struct {
    char *base;
    MPI_Aint size, disp_unit;
    MPIDIG_rma_control_t *control;
    enum { MPIDIG_RMA_PEER_NONE, MPIDIG_RMA_PEER_LOCKED, MPIDIG_RMA_PEER_NOCHECK } epoch;
    uint32_t used; /* posts of the peer for which an access epoch has begun */
    /* where the memory is not mapped: */
    struct MPIDIG_rma_door *door; /* NULL: it is */
    struct MPIDIG_rma_batch *batch;
} MPIDIG_rma_peer_t;

typedef struct MPIDIG_rma_shared {
    int num_peers;
    bool is_whole;  /* all processes of the window are peers */
    bool is_mapped; /* the controls are shared memory */
    MPIDIG_rma_control_t *controls;
    uint64_t block;          /* of the node's arena, with the controls; 0: they have a segment */
    uint32_t *posts;         /* of peer j to peer i at  i * num_peers + j; NULL: by messages */
    uint32_t completes_used; /* of own->control->completed, in exposure epochs that are over */
    MPIDIG_rma_peer_t *own;
    struct MPIDIG_rma_door *doors; /* NULL: the memory is mapped */
    struct MPIDIG_rma_batch *waiting, *last_waiting;
    bool has_messages; /* native operations on peers may be in flight */
    MPIDIG_rma_peer_t peer[];
} MPIDIG_rma_shared_t;

/* Collective over the window, once it has its memory.  A window without peers is no error. */
int MPIDIG_rma_shared_init(MPIR_Win *win);
int MPIDIG_rma_shared_free(MPIR_Win *win);

/* The peer of this rank of the window, or NULL. */
MPL_STATIC_INLINE_PREFIX MPIDIG_rma_peer_t *MPIDIG_rma_peer(MPIR_Win *win, int rank)
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

/* Epochs.  MPI_Win_lock_all and MPI_Win_unlock_all concern peers and others: these functions do the
 * peers' part.  The first operation on a peer takes its lock.  The process's own lock is taken at
 * once, and so are all locks of a shared window, whose memory the program reaches without a call.
 */
int MPIDIG_rma_shared_lock(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int lock_type, int assert);
int MPIDIG_rma_shared_unlock(MPIR_Win *win, MPIDIG_rma_peer_t *peer);
int MPIDIG_rma_shared_lock_all(MPIR_Win *win, int assert);
void MPIDIG_rma_shared_unlock_all(MPIR_Win *win);
int MPIDIG_rma_shared_flush(MPIR_Win *win, MPIDIG_rma_peer_t *peer);
int MPIDIG_rma_shared_flush_local(MPIR_Win *win, MPIDIG_rma_peer_t *peer);

/* Are all processes of the window peers, of which none may die alone?  Then these functions do all
 * of MPI_Win_lock_all and so on. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_rma_has_peers_only(const MPIR_Win *win)
{
    const MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    return shared && shared->is_whole && !MPIR_Deaths_watched;
}
int MPIDIG_rma_peers_lock_all(MPIR_Win *win, int assert);
int MPIDIG_rma_peers_unlock_all(MPIR_Win *win);
int MPIDIG_rma_peers_flush_all(MPIR_Win *win);

/* Exposes this process's memory to the process of this rank, or ends an access epoch to it.  False:
 * that takes a message. */
bool MPIDIG_rma_shared_post(MPIR_Win *win, int rank);
bool MPIDIG_rma_shared_complete(MPIR_Win *win, int rank);

/* Are the posts of the process of this rank counters?  Then: has one come that is not used yet; and
 * uses it. */
bool MPIDIG_rma_shared_counts(MPIR_Win *win, int rank);
bool MPIDIG_rma_shared_has_post(MPIR_Win *win, int rank);
void MPIDIG_rma_shared_use_post(MPIR_Win *win, int rank);
/* Access epochs to this process that have ended in its exposure epoch; and the end of that. */
int MPIDIG_rma_shared_completes(MPIR_Win *win, int messages);
MPL_STATIC_INLINE_PREFIX bool MPIDIG_rma_has_all_completes(MPIR_Win *win)
{
    return MPIDIG_rma_shared_completes(win, (int) MPIDIG_WIN(win, sync).sc.count) ==
           MPIDIG_WIN(win, sync).pw.group->size;
}
void MPIDIG_rma_shared_use_completes(MPIR_Win *win, int members, int messages);

/* Looks for what a peer writes soon, before the network is polled. */
#define MPIDIG_RMA_LOOK(win, condition) \
    do { \
        bool looks_ = MPIDIG_WIN(win, shared) && !MPIR_Yield_on; \
        for (int look_ = 0; looks_ && look_ < 100 && !(condition); look_++) { \
        } \
    } while (0)

/* Is it time that a call which does not wait polls the network?  Always in a window without
 * peers. */
bool MPIDIG_rma_polls(const MPIR_Win *win);

/* Before an operation on a peer: an error if no epoch allows it. */
int MPIDIG_rma_shared_access(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int rank);

/* Operations.  REQUIRES, except in epochs of locks: the peer's exposure epoch has begun.
 * A get_accumulate whose result type is MPI_DATATYPE_NULL returns no result. */
int MPIDIG_rma_shared_put(MPIR_Win *win, MPIDIG_rma_peer_t *peer, const void *origin,
                          MPI_Aint origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp,
                          MPI_Aint count, MPI_Datatype type);
int MPIDIG_rma_shared_get(MPIR_Win *win, MPIDIG_rma_peer_t *peer, void *origin,
                          MPI_Aint origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp,
                          MPI_Aint count, MPI_Datatype type);
int MPIDIG_rma_shared_accumulate(MPIR_Win *win, MPIDIG_rma_peer_t *peer, const void *origin,
                                 MPI_Aint origin_count, MPI_Datatype origin_type, int rank,
                                 MPI_Aint disp, MPI_Aint count, MPI_Datatype type, MPI_Op op);
int MPIDIG_rma_shared_get_accumulate(MPIR_Win *win, MPIDIG_rma_peer_t *peer, const void *origin,
                                     MPI_Aint origin_count, MPI_Datatype origin_type, void *result,
                                     MPI_Aint result_count, MPI_Datatype result_type, int rank,
                                     MPI_Aint disp, MPI_Aint count, MPI_Datatype type, MPI_Op op);
int MPIDIG_rma_shared_compare_and_swap(MPIR_Win *win, MPIDIG_rma_peer_t *peer, const void *origin,
                                       const void *compare, void *result, MPI_Datatype type,
                                       int rank, MPI_Aint disp);
/* The request of an operation that is done. */
int MPIDIG_rma_shared_request(int mpi_errno, MPIR_Request **request);

/* Around each accumulate that the process performs on its own memory for others. */
MPL_STATIC_INLINE_PREFIX void MPIDIG_rma_guard_enter(MPIR_Win *win)
{
    if (MPIDIG_WIN(win, shared))
        MPIR_rma_lock_guard_enter(&MPIDIG_WIN(win, shared)->own->control->guard);
}

MPL_STATIC_INLINE_PREFIX void MPIDIG_rma_guard_leave(MPIR_Win *win)
{
    if (MPIDIG_WIN(win, shared))
        MPIR_rma_lock_guard_leave(&MPIDIG_WIN(win, shared)->own->control->guard);
}

#endif /* RMA_PEERS_H_INCLUDED */
