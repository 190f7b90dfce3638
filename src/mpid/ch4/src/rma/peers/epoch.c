/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidig_win.h"
#include "deaths.h"
#include "rma/deferred.h"
#include "rma/peers/peers.h"

/* A process whose calls never wait still answers others: one call in this many polls. */
#define CALLS_BETWEEN_POLLS 32

/* Polls of a lock before the first poll of the network, unless cores are oversubscribed. */
#define LOOKS_BEFORE_POLLS 100

static inline bool progress_is_due(const MPIR_Win *win)
{
    static unsigned calls; /* threads may lose counts, which does no harm */
    unsigned call = __atomic_load_n(&calls, __ATOMIC_RELAXED) + 1;

    __atomic_store_n(&calls, call, __ATOMIC_RELAXED);
    return !MPIDIG_WIN(win, shared) || call % CALLS_BETWEEN_POLLS == 0 ||
           MPIDI_deferred_is_pending();
}

bool MPIDIG_rma_polls(const MPIR_Win *win) { return progress_is_due(win); }

/* Without a peer's rank in the window: its place among them is known. */
static bool is_dead(MPIR_Win *win, const MPIDIG_rma_peer_t *peer)
{
    const MPIR_Comm *node = win->comm_ptr->node_comm;

    return MPIDIG_deaths_are_in_win(win) && node &&
           MPIDIG_deaths_is_dead((MPIR_Comm *) node, (int) (peer - MPIDIG_WIN(win, shared)->peer));
}

static int progress(MPIR_Win *win)
{
    int mpi_errno, vci = MPIDI_WIN(win, am_vci);

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
    mpi_errno = MPIDI_progress_test_vci(vci);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return mpi_errno;
}

/* A peer's memory is there when it is dead, and calls that do not poll do not learn of that. */
static inline int progress_at_times(MPIR_Win *win, const MPIDIG_rma_peer_t *peer)
{
    int mpi_errno;

    if (likely(!progress_is_due(win)))
        return MPI_SUCCESS;
    mpi_errno = progress(win);
    if (mpi_errno == MPI_SUCCESS && is_dead(win, peer))
        mpi_errno = MPIDIG_deaths_of_win(win, MPI_SUCCESS);
    return mpi_errno;
}

static int lock_wait_for(MPIR_Win *win, rma_lock_t *lock, bool exclusive)
{
    int mpi_errno = MPI_SUCCESS;
    int vci = MPIDI_WIN(win, am_vci);
    rma_lock_request_t request;

    if (MPIR_rma_lock_ask(lock, exclusive, &request))
        return MPI_SUCCESS;
    for (int i = 0; i < LOOKS_BEFORE_POLLS && !MPIR_Yield_on; i++) {
        if (MPIR_rma_lock_poll(lock, &request))
            return MPI_SUCCESS;
    }
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vci).lock);
    MPIDIU_PROGRESS_WHILE(!MPIR_rma_lock_poll(lock, &request), vci);

fn_exit:
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vci).lock);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

static int wrong_epoch(void)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                MPI_ERR_RMA_SYNC, "**rmasync", 0);
}

static bool may_begin_lock(const MPIR_Win *win, const MPIDIG_rma_peer_t *peer)
{
    switch (MPIDIG_WIN(win, sync).access_epoch_type) {
        case MPIDIG_EPOTYPE_NONE:
        case MPIDIG_EPOTYPE_REFENCE: return true;
        case MPIDIG_EPOTYPE_LOCK: return peer && peer->epoch == MPIDIG_RMA_PEER_NONE;
        default: return false;
    }
}

int MPIDIG_rma_shared_lock(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int lock_type, int assert)
{
    if (!may_begin_lock(win, peer))
        return wrong_epoch();
    if (!(assert &MPI_MODE_NOCHECK))
        MPIR_TRY(lock_wait_for(win, &peer->control->lock, lock_type == MPI_LOCK_EXCLUSIVE));
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(MPIDI_WIN(win, am_vci)).lock);
    peer->epoch = assert &MPI_MODE_NOCHECK ? MPIDIG_RMA_PEER_NOCHECK : MPIDIG_RMA_PEER_LOCKED;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_LOCK;
    MPIDIG_WIN(win, sync).lock.count++;
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(MPIDI_WIN(win, am_vci)).lock);

    return MPI_SUCCESS;
}

/* What is stored in a peer's memory is there for all when the call returns that completes it.
 * Two processes that each store, complete and then load what the other one stores must not both
 * read the old value: only a sequentially consistent fence keeps a store before a later load. */
static void complete_stores(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static void release(MPIDIG_rma_peer_t *peer)
{
    if (peer->epoch == MPIDIG_RMA_PEER_LOCKED)
        MPIR_rma_lock_release(&peer->control->lock);
    else
        complete_stores();
    peer->epoch = MPIDIG_RMA_PEER_NONE;
}

int MPIDIG_rma_shared_unlock(MPIR_Win *win, MPIDIG_rma_peer_t *peer)
{
    if (MPIDIG_WIN(win, sync).access_epoch_type != MPIDIG_EPOTYPE_LOCK ||
        peer->epoch == MPIDIG_RMA_PEER_NONE)
        return wrong_epoch();
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(MPIDI_WIN(win, am_vci)).lock);
    release(peer);
    if (--MPIDIG_WIN(win, sync).lock.count == 0)
        MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(MPIDI_WIN(win, am_vci)).lock);
    return progress_at_times(win, peer);
}

static int lock_peer_of_all(MPIR_Win *win, MPIDIG_rma_peer_t *peer)
{
    if (!(MPIDIG_WIN(win, sync).assert_mode & MPI_MODE_NOCHECK)) {
        MPIR_TRY(lock_wait_for(win, &peer->control->lock, false));
        MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(MPIDI_WIN(win, am_vci)).lock);
        /* another thread may have taken the lock while this one waited */
        if (peer->epoch == MPIDIG_RMA_PEER_LOCKED)
            MPIR_rma_lock_release(&peer->control->lock);
        peer->epoch = MPIDIG_RMA_PEER_LOCKED;
        MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(MPIDI_WIN(win, am_vci)).lock);
    }

    return MPI_SUCCESS;
}

int MPIDIG_rma_shared_lock_all(MPIR_Win *win, int assert)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (!shared || assert & MPI_MODE_NOCHECK)
        return MPI_SUCCESS;
    if (!may_begin_lock(win, NULL))
        return wrong_epoch();
    for (int i = 0; i < shared->num_peers; i++) {
        if (&shared->peer[i] == shared->own || win->create_flavor == MPI_WIN_FLAVOR_SHARED)
            mpi_errno = lock_peer_of_all(win, &shared->peer[i]);
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    return mpi_errno;
fn_fail:
    MPIDIG_rma_shared_unlock_all(win);
    goto fn_exit;
}

/* To release a lock completes all stores.  Without MPI_MODE_NOCHECK there is one of each peer that
 * was accessed. */
void MPIDIG_rma_shared_unlock_all(MPIR_Win *win)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    for (int i = 0; shared && i < shared->num_peers; i++) {
        if (shared->peer[i].epoch != MPIDIG_RMA_PEER_NONE)
            release(&shared->peer[i]);
    }
    if (shared && MPIDIG_WIN(win, sync).assert_mode & MPI_MODE_NOCHECK)
        complete_stores();
}

static bool may_flush(const MPIR_Win *win, const MPIDIG_rma_peer_t *peer)
{
    int epoch = MPIDIG_WIN(win, sync).access_epoch_type;

    return epoch == MPIDIG_EPOTYPE_LOCK_ALL ||
           (epoch == MPIDIG_EPOTYPE_LOCK && peer->epoch != MPIDIG_RMA_PEER_NONE);
}

int MPIDIG_rma_shared_flush(MPIR_Win *win, MPIDIG_rma_peer_t *peer)
{
    if (!may_flush(win, peer))
        return wrong_epoch();
    complete_stores();
    return progress_at_times(win, peer);
}

int MPIDIG_rma_shared_flush_local(MPIR_Win *win, MPIDIG_rma_peer_t *peer)
{
    return may_flush(win, peer) ? progress_at_times(win, peer) : wrong_epoch();
}

int MPIDIG_rma_peers_lock_all(MPIR_Win *win, int assert)
{
    if (!may_begin_lock(win, NULL))
        return wrong_epoch();
    MPIR_TRY(MPIDIG_rma_shared_lock_all(win, assert));
    if (assert & MPI_MODE_NOCHECK)
        MPIDIG_WIN(win, sync).assert_mode |= MPI_MODE_NOCHECK;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_LOCK_ALL;
    return MPI_SUCCESS;
}

int MPIDIG_rma_peers_unlock_all(MPIR_Win *win)
{
    if (MPIDIG_WIN(win, sync).access_epoch_type != MPIDIG_EPOTYPE_LOCK_ALL)
        return wrong_epoch();
    MPIDIG_rma_shared_unlock_all(win);
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
    MPIDIG_WIN(win, sync).assert_mode = 0;
    return progress_is_due(win) ? progress(win) : MPI_SUCCESS;
}

int MPIDIG_rma_peers_flush_all(MPIR_Win *win)
{
    int epoch = MPIDIG_WIN(win, sync).access_epoch_type;

    if (epoch != MPIDIG_EPOTYPE_LOCK && epoch != MPIDIG_EPOTYPE_LOCK_ALL)
        return wrong_epoch();
    complete_stores();
    return progress_is_due(win) ? progress(win) : MPI_SUCCESS;
}

static uint32_t *posts_to(MPIR_Win *win, const MPIDIG_rma_peer_t *to, const MPIDIG_rma_peer_t *from)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    return &shared->posts[(to - shared->peer) * shared->num_peers + (from - shared->peer)];
}

/* The peer of this rank, if its posts and ours are counters. */
static MPIDIG_rma_peer_t *counting_peer(MPIR_Win *win, int rank)
{
    MPIDIG_rma_peer_t *peer = MPIDIG_rma_peer(win, rank);

    return peer && MPIDIG_WIN(win, shared)->posts ? peer : NULL;
}

/* Release and acquire: who sees the counter sees the stores before it. */
static void count(uint32_t *counter) { __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL); }

bool MPIDIG_rma_shared_post(MPIR_Win *win, int rank)
{
    MPIDIG_rma_peer_t *peer = counting_peer(win, rank);

    if (peer)
        count(posts_to(win, peer, MPIDIG_WIN(win, shared)->own));
    return peer != NULL;
}

bool MPIDIG_rma_shared_complete(MPIR_Win *win, int rank)
{
    MPIDIG_rma_peer_t *peer = counting_peer(win, rank);

    if (peer)
        count(&peer->control->completed);
    return peer != NULL;
}

bool MPIDIG_rma_shared_counts(MPIR_Win *win, int rank) { return counting_peer(win, rank) != NULL; }

bool MPIDIG_rma_shared_has_post(MPIR_Win *win, int rank)
{
    const MPIDIG_rma_peer_t *peer = counting_peer(win, rank);

    return __atomic_load_n(posts_to(win, MPIDIG_WIN(win, shared)->own, peer), __ATOMIC_ACQUIRE) !=
           peer->used;
}

void MPIDIG_rma_shared_use_post(MPIR_Win *win, int rank) { counting_peer(win, rank)->used++; }

int MPIDIG_rma_shared_completes(MPIR_Win *win, int messages)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    if (!shared || !shared->posts)
        return messages;
    return messages + (int) (__atomic_load_n(&shared->own->control->completed, __ATOMIC_ACQUIRE) -
                             shared->completes_used);
}

void MPIDIG_rma_shared_use_completes(MPIR_Win *win, int members, int messages)
{
    if (MPIDIG_WIN(win, shared))
        MPIDIG_WIN(win, shared)->completes_used += (uint32_t) (members - messages);
}

int MPIDIG_rma_shared_access(MPIR_Win *win, MPIDIG_rma_peer_t *peer, int rank)
{
    int mpi_errno = MPI_SUCCESS;

    if (peer->epoch != MPIDIG_RMA_PEER_NONE)
        return MPI_SUCCESS;
    switch (MPIDIG_WIN(win, sync).access_epoch_type) {
        case MPIDIG_EPOTYPE_LOCK_ALL: return lock_peer_of_all(win, peer);
        case MPIDIG_EPOTYPE_START:
            if (!MPIDIU_valid_group_rank(win->comm_ptr, rank, MPIDIG_WIN(win, sync).sc.group))
                mpi_errno = wrong_epoch();
            break;
        case MPIDIG_EPOTYPE_REFENCE: MPIDIG_EPOCH_OP_REFENCE(win); break;
        case MPIDIG_EPOTYPE_FENCE: break;
        default: mpi_errno = wrong_epoch(); break;
    }
    return mpi_errno;
}
