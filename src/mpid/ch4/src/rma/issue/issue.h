/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * When one-sided operations on processes that are no peers (rma/peers/peers.h) are issued.
 *
 * The module src/mpid/common/rma_issue decides.  Here are the operations, the messages and the
 * epochs, each file calling only those below it:
 *
 *     init.c              handlers; the end of a window
 *     origin.c            operations of the program
 *     lock_epoch.c        lock, lock_all
 *     pscw.c              start, complete
 *     fence.c             fences
 *     exchange.c          what the processes of a fence exchange
 *     end.c               the end of an epoch at its targets
 *     answer.c            answers of targets
 *     engine.c            steps of a target towards a goal; knows epochs only by MPIDIG_rma_epoch_t
 *     message.c           messages to targets
 *     issue_operation.c   an operation: kept, packed, issued natively
 *     targets.c           what is known of targets
 *     settings.c          variables and info keys
 *     counts.c            what was done, for tools and the report
 *
 *     outside.c           active messages whose operation leaves the window
 *     early.c             at the target: messages that came before their epoch
 *     perform.c           at the target: what a message makes it do
 */
#ifndef RMA_ISSUE_ISSUE_H_INCLUDED
#define RMA_ISSUE_ISSUE_H_INCLUDED

#include "rma/issue/outside.h"
#include "rma/operation.h"

struct MPIDIG_rma_issue;
struct MPIDIG_rma_target;

/* What the processes of a window have agreed on: MPIDIG_WIN(win, fences). */
enum { MPIDIG_RMA_FENCES_UNKNOWN, MPIDIG_RMA_FENCES_EAGER, MPIDIG_RMA_FENCES_WAIT };

/* Is the window in an epoch in which operations may wait? */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_rma_waits(const MPIR_Win *win)
{
    return MPIDIG_WIN(win, waiting_epochs) != 0;
}

/* The operation waits, or is issued.  REQUIRES: MPIDIG_rma_waits(). */
int MPIDIG_rma_issue(MPIR_Win *win, int rank, MPIDIG_rma_op_t *what);

/* Before an operation with a request.  Either the operation was short and the first of its epoch,
 * and is done, or it is the caller's to issue natively: the permission is there, and nothing waits
 * in the queue.  An error may also be that of an earlier operation on the target. */
int MPIDIG_rma_issue_with_request(MPIR_Win *win, int rank, MPIDIG_rma_op_t *what, bool *is_done);

/* After the native operation that follows. */
void MPIDIG_rma_issue_went_out(MPIR_Win *win, int rank);
/* Before a native flush: of one target, or of all with MPI_ANY_SOURCE.  After a flush that is not
 * local, short operations travel in messages again. */
int MPIDIG_rma_issue_flush(MPIR_Win *win, int rank);
int MPIDIG_rma_issue_flush_local(MPIR_Win *win, int rank);
/* Behind a flush of one target, and MPI_Win_sync: a program that repeats these may wait for what
 * another process does when it sees an operation.  So operations on other targets do not wait for
 * ever.  REQUIRES: MPIDIG_rma_waits(). */
int MPIDIG_rma_issue_others(MPIR_Win *win);

/* Open locks of which no other process knows.  A thread that takes several locks takes them in its
 * program's order: programs rely on that to avoid deadlocks.  So it takes these before the next
 * lock.  Answers in *nested, unless it is NULL, whether the thread has an open lock. */
extern struct MPIDIG_rma_target *MPIDIG_rma_open_locks;
int MPIDIG_rma_take_noted_locks(bool *nested);
/* The window, which has a dead member, is freed. */
void MPIDIG_rma_abandon_locks(MPIR_Win *win);

/* A target whose flushes follow one operation each: MPIDIG_WIN(win, alone); NULL before there is
 * one.  Its operations of at most MPIDIG_RMA_ALONE_MAX elements and its flushes take the native
 * way.  These functions note what that changes. */
enum { MPIDIG_RMA_ALONE_MAX = 256 };

/* The target, if the operation takes it: MPIDIG_rma_went_alone() follows behind the operation. */
MPL_STATIC_INLINE_PREFIX struct rma_issue_target *
MPIDIG_rma_goes_alone(MPIR_Win *win, int rank, MPI_Aint count, MPI_Datatype type)
{
    struct rma_issue_target *alone = MPIDIG_WIN(win, alone);

    if (!alone || MPIDIG_WIN(win, alone_rank) != rank || !MPIR_rma_issue_goes_alone(alone) ||
        count > MPIDIG_RMA_ALONE_MAX || !HANDLE_IS_BUILTIN(type))
        return NULL;
    MPIR_rma_issue_issued(alone);
    return alone;
}

/* NULL: it was an operation that no queue is for. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_went_alone(struct rma_issue_target *alone, int mpi_errno)
{
    if (alone)
        MPIR_rma_issue_went_out(alone);
    return mpi_errno;
}

/* Is the native flush of the rank all that is left to do?  MPIDIG_rma_flushed_alone() follows
 * behind it, with the number of native steps from before it. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_rma_flushes_alone(MPIR_Win *win, int rank, uint64_t *issued)
{
    struct rma_issue_target *alone = MPIDIG_WIN(win, alone);

    if (!alone || MPIDIG_WIN(win, alone_rank) != rank || !MPIR_rma_issue_went_alone(alone))
        return false;
    *issued = alone->issued;
    return true;
}

/* The flush's error, or that of the operation. */
int MPIDIG_rma_flushed_alone(MPIR_Win *win, int rank, uint64_t issued, int mpi_errno);

/* Epochs.  Each call takes the native way where no operation may wait. */
int MPIDIG_rma_issue_lock(MPIR_Win *win, int type, int rank, int assert);
int MPIDIG_rma_issue_unlock(MPIR_Win *win, int rank);
int MPIDIG_rma_issue_lock_all(MPIR_Win *win, int assert);
int MPIDIG_rma_issue_unlock_all(MPIR_Win *win);
int MPIDIG_rma_issue_start(MPIR_Win *win, MPIR_Group *group, int assert);
int MPIDIG_rma_issue_complete(MPIR_Win *win);
int MPIDIG_rma_issue_fence(MPIR_Win *win, int assert);

/* The first error of an operation on this process in the exposure epoch that has ended.  It is
 * forgotten. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_exposure_failure(MPIR_Win *win)
{
    int failed = MPIDIG_WIN(win, exposure_failed);

    MPIDIG_WIN(win, exposure_failed) = MPI_SUCCESS;
    return failed;
}

/* The network begins to complete what was issued natively to the rank, and nobody waits for that.
 * NULL: it cannot. */
extern void (*MPIDIG_rma_flush_early)(MPIR_Win *win, int rank);

/* The rank has posted: progress issues the operations that wait for that. */
void MPIDIG_rma_posted(MPIR_Win *win, int rank);

/* Before the window is freed.  No message of this process is under way to its targets any more. */
int MPIDIG_rma_issue_await_releases(MPIR_Win *win);

int MPIDIG_rma_issue_init(void);
void MPIDIG_rma_issue_free(MPIR_Win *win);
/* An info key of a new window.  Keys of other modules are ignored. */
int MPIDIG_rma_issue_set_info(MPIR_Win *win, const char *key, const char *value);
int MPIDIG_rma_issue_get_info(MPIR_Win *win, MPIR_Info *info);

#endif /* RMA_ISSUE_ISSUE_H_INCLUDED */
