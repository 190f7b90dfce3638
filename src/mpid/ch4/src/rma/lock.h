/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The lock of this process's window memory (src/mpid/common/rma_lock), on behalf of processes that
 * are no peers.  They ask by active message; this process takes the lock and releases it for them.
 *
 * REQUIRES, for all functions: the lock of the window's VCI is held.
 */
#ifndef RMA_WINDOW_LOCK_H_INCLUDED
#define RMA_WINDOW_LOCK_H_INCLUDED

#include "rma/deferred.h"
#include "rma/peers/peers.h"

MPL_STATIC_INLINE_PREFIX rma_lock_t *MPIDIG_win_lock_own(MPIR_Win *win)
{
    MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);

    return shared ? &shared->own->control->lock : &MPIDIG_WIN(win, sync).own_lock;
}

/* Called when a process is granted the lock; it may release the lock at once. */
typedef int (*MPIDIG_win_lock_granted_fn)(MPIR_Win *win, int rank, void *arg);

/* Without waiting: succeeds only if no other process holds or requests the lock. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_win_lock_try(MPIR_Win *win, int lock_type)
{
    return MPIR_rma_lock_try(MPIDIG_win_lock_own(win), lock_type == MPI_LOCK_EXCLUSIVE);
}

/* `granted` is called here, or by progress when the lock is free. */
int MPIDIG_win_lock_ask(MPIR_Win *win, int rank, int lock_type, MPIDIG_win_lock_granted_fn granted,
                        void *arg);
/* Releases the lock, and grants it to the next of the requests that wait in this process. */
int MPIDIG_win_lock_release(MPIR_Win *win);

/* Those requests. */
extern MPIDI_deferred_kind_t MPIDIG_win_lock_requests;

#endif /* RMA_WINDOW_LOCK_H_INCLUDED */
