/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CH4_DEATHS_H_INCLUDED
#define CH4_DEATHS_H_INCLUDED

#include "mpir_deaths.h"

/*
 * What follows from a death (mpir_deaths.h), when the progress engine learns of it:
 *
 *   requests        sends to the dead process and receives from it end with MPIX_ERR_PROC_FAILED
 *   communicators   with the dead process: their collectives end with this error, now and later;
 *                   a receive from any source is pending until the program acknowledges the death
 *   later calls     sends to it and receives from it end at once; a message of it that has arrived
 *                   is received
 *
 *   windows         with the dead process: what waits for it, or for what other members do, ends
 *                   with the error.  Answers of living members are waited for.  Its memory is not
 *                   reached by the network any more.
 *
 * The processes may be of other worlds, if the same mpiexec has started them.  When this process
 * meets one, it looks for it in the list.
 *
 *   partitioned     requests with the dead process end with the error, now and when they are
 *                   started
 *
 * While deaths are watched each request of CH4 notes its peer.
 */

/* Outside all VCI locks. */
void MPIDIG_deaths_learn(void);

/* `peer` of a request: the process's index and 1; 0 for any source. */
#define MPIDIG_DEATHS_COLLECTIVE UINT32_C(0x80000000)
#define MPIDIG_DEATHS_NOBODY UINT32_C(0x7fffffff)

void MPIDIG_deaths_note_peer(MPIR_Request *req, MPIR_Comm *comm, int rank, int context_offset);
/* True: the other process is dead, and *req has ended with the error, or there is no memory. */
bool MPIDIG_deaths_refuse_send(MPIR_Comm *comm, int rank, MPIR_Request **req, int *mpi_errno);

MPL_STATIC_INLINE_PREFIX void MPIDIG_deaths_note(MPIR_Request *req, MPIR_Comm *comm, int rank,
                                                 int context_offset)
{
    if (unlikely(MPIR_Deaths_watched))
        MPIDIG_deaths_note_peer(req, comm, rank, context_offset);
}

/* The same for a send that the network refuses: it may know of the death before this process is
 * told.  Returns the error that remains. */
int MPIDIG_deaths_failed_send(int error, MPIR_Comm *comm, MPIR_Request **req);

MPL_STATIC_INLINE_PREFIX int MPIDIG_deaths_of_send(int error, MPIR_Comm *comm, MPIR_Request **req)
{
    return likely(error == MPI_SUCCESS) || !MPIR_Deaths_watched
               ? error
               : MPIDIG_deaths_failed_send(error, comm, req);
}

/* Is it of a collective operation? */
bool MPIDIG_deaths_is_collective(const MPIR_Request *req);

#ifndef MPIR_WITHOUT_SURVIVE
/* A message that was found by a probe. */
MPL_STATIC_INLINE_PREFIX void MPIDIG_deaths_note_matched(MPIR_Request *message)
{
    if (unlikely(MPIR_Deaths_watched))
        MPIDI_REQUEST(message, peer) = MPIDIG_DEATHS_NOBODY;
}
#endif

MPL_STATIC_INLINE_PREFIX bool MPIDIG_deaths_refuse(MPIR_Comm *comm, int rank, MPIR_Request **req,
                                                   int *mpi_errno)
{
    return unlikely(MPIR_Deaths_seen > 0) && MPIDIG_deaths_refuse_send(comm, rank, req, mpi_errno);
}

/* At the end of MPI_Init.  An error where the netmod cannot do what follows from a death. */
int MPIDIG_deaths_begin(void);

/* What the netmod has of a process ends.  NULL: nothing does. */
extern void (*MPIDIG_deaths_forget_peer)(uint32_t index);
/* The index of a process of another world, or CMAP_NONE: not known yet.  Under
 * MPIDIU_THREAD_DYNPROC_MUTEX.  NULL: there is no other world. */
extern uint32_t (*MPIDIG_deaths_find_stranger)(uint64_t job, uint32_t rank);
/* From now on the process has this index.  True: it has died.  Under the same mutex. */
bool MPIDIG_deaths_stranger_enters(uint64_t job, uint32_t rank, uint32_t index);
/* The same of the short messages of a process of the world. */
extern void (*MPIDIG_deaths_end_lines)(int rank);
/* When MPI_Init ends.  NULL: nothing does. */
extern int (*MPIDIG_deaths_meet_peers)(void);
/* The error of what the network has not done, for its other side has ended. */
void MPIDIG_deaths_end_with_error(MPIR_Request *req);
/* Set while this process cancels a receive.  What the network cancels by itself has lost its other
 * side: also a receive that it ends in the call that begins it. */
extern __thread bool MPIDIG_deaths_cancels;

/* Is a member of the communicator dead, as far as this process has seen? */
bool MPIDIG_deaths_is_dead(MPIR_Comm *comm, int rank);
/* The error of a probe that has found nothing. */
int MPIDIG_deaths_probe(MPIR_Comm *comm, int rank);

MPL_STATIC_INLINE_PREFIX int MPIDIG_deaths_of_probe(MPIR_Comm *comm, int rank)
{
    return unlikely(MPIR_Deaths_seen > 0) ? MPIDIG_deaths_probe(comm, rank) : MPI_SUCCESS;
}

/* MPIX_Comm_failure_ack, _failure_get_acked */
int MPIDIG_deaths_ack(MPIR_Comm *comm);
int MPIDIG_deaths_get_acked(MPIR_Comm *comm, MPIR_Group **failed);

/* A new communicator may have dead members. */
void MPIDIG_deaths_committed(MPIR_Comm *comm);
/* Has the program acknowledged all deaths of members?  If not, receives from any source wait. */
bool MPIDIG_deaths_are_acked(MPIR_Comm *comm);

/* ---- partitioned requests ---- */

#ifdef MPIR_WITHOUT_SURVIVE
#define MPIDIG_deaths_end_part(part) (void) (part)
#else

/* The other process has died, or the communicator is revoked: if it is active it ends with that
 * error.  On a revoked communicator a message that is under way comes to its end. */
void MPIDIG_deaths_end_part(MPIR_Request *part);
/* MPI_SUCCESS: the request goes on. */
int MPIDIG_deaths_class_of_part(const MPIR_Request *part);
/* A message names a request: has that one ended, with an error? */
bool MPIDIG_deaths_drops_part(const MPIR_Request *part, MPIR_Request_kind_t kind);

/* It is started.  True: it has ended. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_deaths_refuse_part(MPIR_Request *part)
{
    if (likely(!part->comm->ended) || MPIDIG_deaths_class_of_part(part) == MPI_SUCCESS)
        return false;
    part->status.MPI_ERROR = MPIDIG_deaths_class_of_part(part);
    MPIR_cc_set(part->cc_ptr, 0);
    MPIR_Part_request_activate(part);
    return true;
}

#endif

/* ---- windows ---- */

#ifdef MPIR_WITHOUT_SURVIVE
#define MPIDIG_deaths_are_in_win(win) false
#define MPIDIG_deaths_are_of_target(win, rank) false
#define MPIDIG_deaths_of_win(win, error) (error)
#define MPIDIG_deaths_of_target(win, rank, error) (error)
#define MPIDIG_deaths_of_reply(error) (error)
#define MPIDIG_deaths_stand_in(win, rank, request) (void) (request)
#define MPIDIG_deaths_is_dead(comm, rank) false
#define MPIDIG_win_waits_in_vain(win) false
#else

/* The error of a call that waits, where a member has died. */
int MPIDIG_deaths_end_wait(const MPIR_Win *win);

/* Has the window a dead member?  Then nobody waits for what other members do: they may have left
 * for the same reason. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_deaths_are_in_win(const MPIR_Win *win)
{
    return unlikely(win->comm_ptr->ended);
}

/* Has this member died?  Living ones still answer, also in MPI_Finalize. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_deaths_are_of_target(const MPIR_Win *win, int rank)
{
    return MPIDIG_deaths_are_in_win(win) && MPIDIG_deaths_is_dead(win->comm_ptr, rank);
}

/* The error of a wait for other members, or for one. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_deaths_of_win(const MPIR_Win *win, int error)
{
    return MPIDIG_deaths_are_in_win(win) ? MPIDIG_deaths_end_wait(win) : error;
}

MPL_STATIC_INLINE_PREFIX int MPIDIG_deaths_of_target(const MPIR_Win *win, int rank, int error)
{
    return MPIDIG_deaths_are_of_target(win, rank) ? MPIDIG_deaths_end_wait(win) : error;
}

/* An operation on the member has this request.  Where deaths are watched the program gets another
 * one, which ends with the error if the member dies: the answer that completes the first one does
 * not come then.  Without memory it keeps the first one. */
void MPIDIG_deaths_make_stand_in(MPIR_Win *win, int rank, MPIR_Request **request);

MPL_STATIC_INLINE_PREFIX void MPIDIG_deaths_stand_in(MPIR_Win *win, int rank,
                                                     MPIR_Request **request)
{
    if (unlikely(MPIR_Deaths_watched))
        MPIDIG_deaths_make_stand_in(win, rank, request);
}

/* Who cannot be answered may have died before this process is told.  For lack of memory the living
 * cannot be answered either, and would wait. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_deaths_of_reply(int error)
{
    return likely(error == MPI_SUCCESS) || !MPIR_Deaths_watched ||
                   MPIR_ERR_GET_CLASS(error) == MPI_ERR_NO_MEM
               ? error
               : MPI_SUCCESS;
}

#endif

#endif /* CH4_DEATHS_H_INCLUDED */
