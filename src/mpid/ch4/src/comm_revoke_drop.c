/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4_impl.h"
#include "mpir_deaths.h"
#include "mpir_revoke.h"

/*
 * Messages on a revoked communicator.  A long message, or one of a synchronous send, waits at its
 * sender for a receive, and on a revoked communicator there is none any more.  So each member
 * receives these messages and drops them until MPI ends: at the revocation, and from time to time
 * as a progress hook.  A receive of 0 bytes ends the send.
 *
 * The messages of MPIX_Comm_agree and MPIX_Comm_shrink have tags of their own, and stay.
 */

typedef struct watched {
    MPIR_Comm *comm;
    bool has_parts; /* or will have none */
    struct watched *next;
} watched_t;

/* A pass looks at a few communicators, in turn: a wait does not get slower with their number. */
enum { PASS_EVERY = 100, OF_A_PASS = 32, NBC_TAGS = 64 };
/* parts of a communicator's context, the same for both kinds of communicators */
enum { POINT_TO_POINT = MPIR_CONTEXT_INTRA_PT2PT, COLLECTIVES = MPIR_CONTEXT_INTRA_COLL };

static watched_t *all_watched, *next_watched;
static unsigned without_parts; /* of them */
void (*MPIDIG_comm_mark_late_parts)(MPIR_Comm *comm);
static MPL_atomic_int_t in_use = MPL_ATOMIC_INT_T_INITIALIZER(0);
static int hook_id = -1;

/* Acquire on entering and release on leaving: the list is of one thread at a time. */
static bool try_enter(void) { return MPL_atomic_cas_int(&in_use, 0, 1) == 0; }

static void drop_leave(void) { MPL_atomic_release_store_int(&in_use, 0); }

/* Returns true when there was one. */
static bool drop_one(MPIR_Comm *comm, int tag, int context_offset)
{
    MPIR_Request *message = NULL, *rreq = NULL;
    MPI_Status status;
    int found = 0;

    if (MPIDI_improbe(MPI_ANY_SOURCE, tag, comm, context_offset, NULL, &found, &message, &status) !=
            MPI_SUCCESS ||
        !found)
        return false;
    if (MPID_Imrecv(NULL, 0, MPI_BYTE, message, &rreq) == MPI_SUCCESS)
        MPIR_Request_free(rreq);
    return true;
}

static void drop_all(MPIR_Comm *comm, int tag, int context_offset)
{
    while (drop_one(comm, tag, context_offset))
        ;
}

static bool is_there_any(MPIR_Comm *comm, int context_offset)
{
    MPI_Status status;
    int found = 0;

    return MPIDI_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, context_offset, NULL, &found, &status) ==
               MPI_SUCCESS &&
           found;
}

/* The tags of nonblocking collectives lie near that of the next one. */
static void drop_of_collectives(MPIR_Comm *comm)
{
    int first = MPL_MAX(MPIR_FIRST_NBC_TAG, comm->next_sched_tag - NBC_TAGS),
        last = comm->next_sched_tag + NBC_TAGS;

    for (int tag = MPIR_BARRIER_TAG; tag < MPIR_SHRINK_TAG; tag++)
        drop_all(comm, tag, COLLECTIVES);
    for (int tag = first; tag < last; tag++)
        drop_all(comm, tag, COLLECTIVES);
}

/* Where a member has died, messages between two processes stay. */
static void drop(MPIR_Comm *comm)
{
    if (comm->revoked)
        drop_all(comm, MPI_ANY_TAG, POINT_TO_POINT);
    if (is_there_any(comm, COLLECTIVES))
        drop_of_collectives(comm);
}

/* A communicator's parts by nodes, which this process has not needed, are watched, too.  Making
 * them takes longer than all else, so who learns of a revocation does not wait for it. */
static MPIR_Comm *next_without_parts(void)
{
    watched_t *at = all_watched;

    if (without_parts == 0)
        return NULL;
    while (at->has_parts)
        at = at->next;
    at->has_parts = true;
    without_parts--;
    return at->comm;
}

static int pass(int *made_progress)
{
    MPIR_Comm *comm;
    static unsigned calls; /* threads may lose counts, which does no harm */
    unsigned call = __atomic_load_n(&calls, __ATOMIC_RELAXED) + 1;

    *made_progress = FALSE;
    __atomic_store_n(&calls, call, __ATOMIC_RELAXED);
    if (call % PASS_EVERY != 0 || !try_enter())
        return MPI_SUCCESS;
    for (int i = 0; i < OF_A_PASS; i++) {
        watched_t *at = next_watched ? next_watched : all_watched;

        if (!at || (i > 0 && at == all_watched))
            break;
        next_watched = at->next;
        drop(at->comm);
    }
    comm = next_without_parts();
    drop_leave();
    if (comm)
        MPIDIG_comm_mark_late_parts(comm);
    return MPI_SUCCESS;
}

static bool has_hook(void)
{
    if (hook_id < 0 && MPIR_Progress_hook_register(pass, &hook_id) != MPI_SUCCESS)
        hook_id = -1;
    return hook_id >= 0;
}

static bool has_all_parts(MPIR_Comm *comm)
{
    return comm->hierarchy_kind != MPIR_COMM_HIERARCHY_KIND__PARENT ||
           MPL_atomic_acquire_load_int(&comm->node_comms_made) != MPIR_NODE_COMMS_NONE;
}

static bool is_watched(const MPIR_Comm *comm)
{
    const watched_t *at = all_watched;

    while (at && at->comm != comm)
        at = at->next;
    return at != NULL;
}

/* Without memory for it, or on the communicator of one process, what is there now is dropped,
 * and nothing later. */
void MPIDIG_comm_revoked_begin(MPIR_Comm *comm)
{
    watched_t *watched = NULL;

    if (MPIDI_is_self_comm(comm))
        return;
    while (!try_enter())
        MPL_sched_yield();
    if (has_hook() && !is_watched(comm))
        watched = MPL_malloc(sizeof(*watched), MPL_MEM_COMM);
    drop(comm);
    if (watched) {
        *watched = (watched_t){comm, has_all_parts(comm), all_watched};
        __atomic_store_n(&all_watched, watched, __ATOMIC_RELAXED);
        without_parts += !watched->has_parts;
        MPIR_Progress_hook_activate(hook_id);
    }
    drop_leave();
}

void MPIR_Comm_revoked_end(MPIR_Comm *comm)
{
    while (!try_enter())
        MPL_sched_yield();
    for (watched_t **at = &all_watched; *at; at = &(*at)->next) {
        watched_t *watched = *at;
        if (watched->comm == comm) {
            __atomic_store_n(at, watched->next, __ATOMIC_RELAXED);
            if (next_watched == watched)
                next_watched = watched->next;
            without_parts -= !watched->has_parts;
            MPL_free(watched);
            break;
        }
    }
    if (!all_watched && hook_id >= 0)
        MPIR_Progress_hook_deactivate(hook_id);
    drop_leave();
}

void MPIDIG_comm_revoked_progress(void)
{
    /* without the lock: whether there is any, and nothing of it */
    if (__atomic_load_n(&all_watched, __ATOMIC_RELAXED) || MPIR_Deaths_watched)
        (void) MPID_Progress_test(NULL);
}

void MPIDIG_comm_revoked_finalize(void)
{
    if (hook_id >= 0)
        MPIR_Progress_hook_deregister(hook_id);
    hook_id = -1;
}
