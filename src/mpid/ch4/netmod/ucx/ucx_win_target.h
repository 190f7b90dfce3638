/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UCX_WIN_TARGET_H_INCLUDED
#define UCX_WIN_TARGET_H_INCLUDED

/*
 * Targets of a window's operations, as far as this process has any.
 *
 * Nothing is exchanged when a window is made.  The first operation on a target asks it for the
 * address and the key of its memory, and goes as an active message; so do those that follow, until
 * the answer is there. From then on UCX does them by itself. A target whose memory UCX cannot reach
 * is never asked again.
 */

#include "ucx_impl.h"
#include "rma/range.h"

/* For UCX's handlers of the two messages. All processes register them at the same point of
 * MPI_Init. */
void MPIDI_UCX_win_target_init(void);

/* Registers the process' memory, which is allocated when `length` has no address. */
int MPIDI_UCX_win_expose(MPIR_Win *win, size_t length, void **base);
/* Until all answers have come. Before the processes of the window agree to free it. */
int MPIDI_UCX_win_await_keys(MPIR_Win *win);
void MPIDI_UCX_win_forget(MPIR_Win *win);
/* Windows that were not freed keep UCX's memory.  When nobody can reach it any more. */
void MPIDI_UCX_win_forget_all(void);
/* A process of the world has died, and has no endpoint any more: no window reaches its memory. */
#ifdef MPIR_WITHOUT_SURVIVE
#define MPIDI_UCX_win_lose_process(process)
#else
void MPIDI_UCX_win_lose_process(uint32_t process);
#endif

/* All operations that UCX does on the window, or on one target, are complete, here and there.
 * REQUIRES: the lock of the window's VCI, which opens meanwhile. */
int MPIDI_UCX_win_flush_targets(MPIR_Win *win);
int MPIDI_UCX_win_flush_target(MPIR_Win *win, MPIDI_UCX_win_target_t *target);

/* Asks for the key of a target that is new; returns it, or NULL without memory. */
MPIDI_UCX_win_target_t *MPIDI_UCX_win_target_ask(MPIR_Win *win, int rank);

MPL_STATIC_INLINE_PREFIX MPIDI_UCX_win_target_t *MPIDI_UCX_win_target_find(MPIR_Win *win, int rank)
{
    MPIDI_UCX_win_target_t *target = MPIDI_UCX_WIN(win).last;

    if (target && target->rank == rank)
        return target;
    HASH_FIND(hash_handle, MPIDI_UCX_WIN(win).targets, &rank, sizeof(int), target);
    if (target)
        MPIDI_UCX_WIN(win).last = target;
    return target;
}

/* Whether UCX does an operation on this target. */
MPL_STATIC_INLINE_PREFIX bool MPIDI_UCX_win_is_reachable(MPIR_Win *win, int rank)
{
    MPIDI_UCX_win_target_t *target;

    if (!MPIDI_UCX_WIN(win).is_exposed)
        return false;
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(MPIDI_UCX_get_win_vni(win)).lock);
    target = MPIDI_UCX_win_target_find(win, rank);
    if (!target && rank != win->comm_ptr->rank)
        target = MPIDI_UCX_win_target_ask(win, rank);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(MPIDI_UCX_get_win_vni(win)).lock);
    return target && target->rkey;
}

/* REQUIRES: MPIDI_UCX_win_is_reachable(), or the process itself. */
MPL_STATIC_INLINE_PREFIX int MPIDI_UCX_win_check_range(MPIR_Win *win, int rank, MPI_Aint disp,
                                                       MPI_Aint count, MPI_Datatype type)
{
    const MPIDI_UCX_win_target_t *target;

    if (rank == win->comm_ptr->rank)
        return MPIDIG_rma_check_own_range(win, disp, count, type);
    target = MPIDI_UCX_win_target_find(win, rank);
    return MPIDIG_rma_check_range(rank, target->size, target->disp, disp, count, type);
}

/* An operation on the target is not complete at least there.  FLUSH_LOCAL, of one that is not
 * complete here, stays when others follow that are. */
MPL_STATIC_INLINE_PREFIX void MPIDI_UCX_win_mark(MPIR_Win *win, MPIDI_UCX_win_target_t *target,
                                                 MPIDI_UCX_win_sync_flag_t flag)
{
    if (target->need_sync == MPIDI_UCX_WIN_SYNC_UNSET)
        DL_APPEND(MPIDI_UCX_WIN(win).unflushed, target);
    if (target->need_sync != MPIDI_UCX_WIN_SYNC_FLUSH_LOCAL)
        target->need_sync = flag;
    MPIDI_UCX_WIN(win).marks++;
}

MPL_STATIC_INLINE_PREFIX void MPIDI_UCX_win_unmark(MPIR_Win *win, MPIDI_UCX_win_target_t *target)
{
    if (target->need_sync == MPIDI_UCX_WIN_SYNC_UNSET)
        return; /* another thread has flushed, too */
    target->need_sync = MPIDI_UCX_WIN_SYNC_UNSET;
    DL_DELETE(MPIDI_UCX_WIN(win).unflushed, target);
}

#endif /* UCX_WIN_TARGET_H_INCLUDED */
