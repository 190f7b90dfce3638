/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidch4r.h"
#include "deaths.h"
#include "objects.h"
#include "mpir_duplicate.h"
#include "mpir_revoke.h"

/*
 * MPIX_Comm_revoke.  The communicator is marked, and the MPI layer refuses later calls by the check
 * that it has anyway.  Receives that are pending end with MPIX_ERR_REVOKED, those of collectives
 * included; sends end as their messages are dropped (comm_revoke_drop.c).
 *
 * Members tell each other by active messages.  In a small intracommunicator the caller tells all
 * others, also those behind a member that has freed the communicator.  If it dies, it may have told
 * some alone, and these then tell all others.  In a larger one each member, when it learns of it,
 * tells those at distances that are powers of two: all learn of it in a logarithm of steps.  For a
 * dead one all those do so who know of its death.  Between groups the caller tells the other group,
 * whose members tell the caller's.
 *
 * A notice may mean duplicates with several ids in a row (mpir_duplicate.h).
 */

/* In a larger group nobody tells all. */
enum { MOST_TOLD = 256 };

typedef struct {
    uint64_t context_id; /* the receiver's */
    uint64_t own_id;     /* the sender's; the same in an intracommunicator */
    uint64_t sender;     /* digest_of */
    int rank;            /* the sender's, in its group */
    uint32_t ids;        /* in a row */
    bool is_forwarded;
} revoke_hdr_t;

static bool is_inter(const MPIR_Comm *comm) { return comm->comm_kind == MPIR_COMM_KIND__INTERCOMM; }

MPIR_Errhandler *MPIR_Comm_file_handler;

/* ---- receives ---- */

/* The netmod's half of a receive from any process ends with the other half. */
static bool is_half(MPIR_Request *rreq MPL_UNUSED)
{
#ifndef MPIDI_CH4_DIRECT_NETMOD
    return !MPIDI_REQUEST(rreq, is_local) && MPIDI_REQUEST_ANYSOURCE_PARTNER(rreq);
#else
    return false;
#endif
}

/* One that is matched already ends as it would have.  Where a member has died, receives of messages
 * between two processes go on. */
static bool end_receive(void *object, void *context)
{
    MPIR_Request *rreq = object;
    MPIR_Comm *comm = context;

    if (MPIR_Object_get_ref(rreq) <= 0 || rreq->comm != comm)
        return false;
    if (comm->revoked && MPIR_Request_is_partitioned(rreq))
        MPIDIG_deaths_end_part(rreq);
    if ((MPIR_Deaths_watched && !comm->revoked && !MPIDIG_deaths_is_collective(rreq)) ||
        rreq->kind != MPIR_REQUEST_KIND__RECV || MPIR_Request_is_complete(rreq) || is_half(rreq))
        return false;
    MPIR_Request_add_ref(rreq);
    /* nothing is chained to what an earlier receive left */
    rreq->status.MPI_ERROR = MPIR_Comm_end_class(comm);
    MPID_Cancel_recv(rreq);
    if (MPIR_STATUS_GET_CANCEL_BIT(rreq->status))
        MPIR_STATUS_SET_CANCEL_BIT(rreq->status, FALSE);
    MPIR_Request_free(rreq);
    return false;
}

static void end_receives(MPIR_Comm *comm) { MPIDIG_visit_requests(end_receive, comm); }

/* ---- the mark ---- */

static void mark(MPIR_Comm *comm, bool is_revoked)
{
    comm->ended = 1;
    comm->revoked |= is_revoked;
    MPIR_Aggr_revoke(comm);
    if (comm->call_group)
        comm->call_ended |= is_revoked;
    if (comm->call_group ? comm->call_ended : !comm->repairing || !is_revoked)
        end_receives(comm);
    MPIDIG_comm_revoked_begin(comm);
}

static void mark_parts(MPIR_Comm *comm, bool is_revoked)
{
    if (comm->node_comm)
        mark(comm->node_comm, is_revoked);
    if (comm->node_roots_comm)
        mark(comm->node_roots_comm, is_revoked);
}

/* Another member may have sent a long message on one.  Without memory for them, that message
 * stays. */
static void mark_late_parts(MPIR_Comm *comm)
{
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    if (MPIR_Comm_need_own_node_comms(comm) == MPI_SUCCESS)
        mark_parts(comm, comm->revoked);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
}

static void mark_with_parts(MPIR_Comm *comm, bool is_revoked)
{
    mark(comm, is_revoked);
    mark_parts(comm, is_revoked);
}

static void mark_all(MPIR_Comm *comm, bool is_revoked)
{
    mark_with_parts(comm, is_revoked);
    MPIR_Ctxid_end_duplicates(comm);
    if (is_inter(comm) && (comm->local_comm || MPII_Setup_intercomm_localcomm(comm) == MPI_SUCCESS))
        mark_with_parts(comm->local_comm, is_revoked);
}

int MPIR_Comm_repair_begins(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    if (is_inter(comm)) {
        mpi_errno = comm->local_comm ? MPI_SUCCESS : MPII_Setup_intercomm_localcomm(comm);
        if (mpi_errno == MPI_SUCCESS)
            comm->local_comm->repairing++;
    }
    comm->repairing += mpi_errno == MPI_SUCCESS;
    return mpi_errno;
}

static void end_repair(MPIR_Comm *comm)
{
    if (--comm->repairing == 0 && comm->ended)
        end_receives(comm);
}

void MPIR_Comm_repair_ends(MPIR_Comm *comm)
{
    if (is_inter(comm))
        end_repair(comm->local_comm);
    end_repair(comm);
}

/* ---- messages ---- */

/* Of the process with this index, the same in all worlds.  0: not known. */
static uint64_t digest_of(uint32_t index)
{
    int avtid, lpid;

    MPIDIU_index_to_pid(index, &avtid, &lpid);
    return MPIDIU_process_digest ? MPIDIU_process_digest(avtid, lpid) : 0;
}

static int tell_of(MPIR_Comm *comm, revoke_hdr_t hdr, int rank)
{
    int mpi_errno;

    if (MPIR_Deaths_seen > 0 && MPIDIG_deaths_is_dead(comm, rank))
        return MPI_SUCCESS;
    hdr.rank = comm->rank;
    hdr.sender = digest_of((uint32_t) MPIR_Process.rank);
    mpi_errno = MPIDI_NM_am_send_hdr(rank, comm, MPIDIG_COMM_REVOKE, &hdr, sizeof(hdr), 0, 0);
    /* the network may know of a death before this process is told of it: the others are told */
    return MPIR_Deaths_watched && MPIR_ERR_GET_CLASS(mpi_errno) != MPI_ERR_NO_MEM ? MPI_SUCCESS
                                                                                  : mpi_errno;
}

static bool tells_all(const MPIR_Comm *comm) { return comm->local_size <= MOST_TOLD; }

static int tell_from(MPIR_Comm *comm, revoke_hdr_t hdr, int rank)
{
    int mpi_errno = MPI_SUCCESS;

    for (long long distance = 1; distance < comm->local_size && mpi_errno == MPI_SUCCESS;
         distance += tells_all(comm) ? 1 : distance) {
        int to = (int) ((rank + distance) % comm->local_size);
        if (to != comm->rank)
            mpi_errno = tell_of(comm, hdr, to);
    }
    return mpi_errno;
}

static int tell_group(MPIR_Comm *comm, MPIR_Context_id_t id, uint32_t ids)
{
    const revoke_hdr_t hdr = {.context_id = id, .own_id = id, .ids = ids, .is_forwarded = true};
    int mpi_errno = tell_from(comm, hdr, comm->rank);

    for (uint32_t i = 0; i < MPIR_Deaths_seen && !tells_all(comm) && mpi_errno == MPI_SUCCESS;
         i++) {
        uint32_t rank = MPIR_Deaths_rank_in(MPIR_Comm_map(comm, MPIR_MAP_LOCAL), i);
        if (rank != CMAP_NONE)
            mpi_errno = tell_from(comm, hdr, (int) rank);
    }
    return mpi_errno;
}

/* `teller`: the rank of who has told this process; -1: nobody. */
static void note_teller(MPIR_Comm *comm MPL_UNUSED, int teller MPL_UNUSED)
{
#ifndef MPIR_WITHOUT_SURVIVE
    MPIDI_COMM(comm, told_by) = teller + 1;
#endif
}

static bool is_teller_dead(MPIR_Comm *comm MPL_UNUSED)
{
#ifdef MPIR_WITHOUT_SURVIVE
    return false;
#else
    const int teller = MPIDI_COMM(comm, told_by) - 1;

    return MPIR_Deaths_seen > 0 && teller >= 0 && MPIDIG_deaths_is_dead(comm, teller);
#endif
}

/* All of the other group, or as a member of it the part of the caller's group that falls to this
 * process. */
static int tell_other_group(MPIR_Comm *comm, bool is_forwarded)
{
    int mpi_errno = MPI_SUCCESS;
    int first = is_forwarded ? comm->rank : 0, step = is_forwarded ? comm->local_size : 1;
    revoke_hdr_t hdr = {.context_id = comm->context_id,
                        .own_id = comm->recvcontext_id,
                        .ids = 1,
                        .is_forwarded = is_forwarded};

    for (long long rank = first; rank < comm->remote_size && mpi_errno == MPI_SUCCESS; rank += step)
        mpi_errno = tell_of(comm, hdr, (int) rank);
    return mpi_errno;
}

/* The others are told before what takes longer here. */
static int revoke_once(MPIR_Comm *comm, int teller)
{
    int mpi_errno = MPI_SUCCESS;

    if (comm->revoked)
        return MPI_SUCCESS;
    if (is_inter(comm)) {
        mark_all(comm, true);
        return tell_other_group(comm, teller >= 0);
    }
    comm->ended = comm->revoked = 1; /* a message that waits makes progress */
    note_teller(comm, teller);
    if (teller < 0 || !tells_all(comm) || is_teller_dead(comm))
        mpi_errno = tell_group(comm, comm->context_id, 1);
    mark_all(comm, true);
    return mpi_errno;
}

/* What the dead have not told. */
static void tell_for_dead(MPIR_Comm *comm)
{
    if (tells_all(comm)) {
        if (!is_teller_dead(comm))
            return;
        note_teller(comm, -1);
    }
    (void) tell_group(comm, comm->context_id, 1);
}

static bool is_of_file(const MPIR_Comm *comm)
{
    return MPIR_Comm_file_handler && comm->errhandler == MPIR_Comm_file_handler;
}

void MPIDIG_comm_died(MPIR_Comm *comm)
{
    if (!comm->ended)
        mark_all(comm, is_of_file(comm));
    else if (comm->call_group && comm->call_ended)
        end_receives(comm);
    if (comm->revoked && !is_inter(comm))
        tell_for_dead(comm);
}

static int revoke_here(MPIR_Comm *comm)
{
    int mpi_errno;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    mpi_errno = revoke_once(comm, -1);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
}

/* With progress, so that also the notices of duplicates are on their way when the call returns. */
int MPID_Comm_revoke(MPIR_Comm *comm, int is_remote MPL_UNUSED)
{
    int mpi_errno = revoke_here(comm);

    return mpi_errno == MPI_SUCCESS ? MPID_Progress_test(NULL) : mpi_errno;
}

static void revoke_duplicate(MPIR_Comm *made)
{
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    if (!made->revoked)
        mark_all(made, true);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
}

static void tell_of_duplicates(MPIR_Comm *parent, MPIR_Context_id_t first, uint32_t n)
{
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    (void) tell_group(parent, first, n);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
}

/* Between groups what was forwarded has come to its end. */
static int learn(MPIR_Comm *comm, const revoke_hdr_t *hdr)
{
    if (is_inter(comm) && hdr->is_forwarded && !comm->revoked)
        mark_all(comm, true);
    return revoke_once(comm, hdr->rank);
}

/* ---- who is told before the communicator is there, or after it was freed ---- */

typedef struct early {
    revoke_hdr_t hdr;
    struct early *next;
} early_t;

static early_t *early;

static int keep(const revoke_hdr_t *hdr)
{
    int mpi_errno = MPI_SUCCESS;
    early_t *kept = MPL_malloc(sizeof(*kept), MPL_MEM_COMM);

    MPIR_ERR_CHKANDJUMP(!kept, mpi_errno, MPI_ERR_OTHER, "**nomem");
    kept->hdr = *hdr;
    kept->next = early;
    early = kept;

fn_fail:
    return mpi_errno;
}

/* Does the notice mean this communicator?  The receiver may have freed the one that is meant, and
 * may use its id again.  The sender keeps its own id, so no other communicator with the sender
 * has it: the member of that rank must be the sender. */
static bool is_meant(void *object, void *context)
{
    MPIR_Comm *comm = object;
    const revoke_hdr_t *hdr = context;
    const cmap_t *map;
    uint64_t member;

    if (MPIR_Object_get_ref(comm) <= 0 || comm->recvcontext_id != hdr->context_id ||
        comm->context_id != hdr->own_id || hdr->rank >= comm->remote_size)
        return false;
    map = MPIR_Comm_map(comm, MPIR_MAP_REMOTE);
    if (!map)
        return false;
    member = digest_of(MPIR_cmap_select(map, (uint32_t) hdr->rank));
    return member == 0 || member == hdr->sender;
}

typedef struct {
    revoke_hdr_t *hdr;
    MPIR_Comm *found;
} search_t;

static bool is_found(void *object, void *context)
{
    search_t *search = context;

    if (!is_meant(object, search->hdr))
        return false;
    search->found = object;
    return true;
}

static MPIR_Comm *find_comm(revoke_hdr_t *hdr)
{
    search_t search = {hdr, NULL};

    MPIDIG_visit_comms(is_found, &search);
    return search.found;
}

/* As soon as another communicator has the number, the one that was meant is gone. */
static int take_early(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    for (early_t **at = &early; *at;) {
        early_t *kept = *at;
        if (kept->hdr.context_id != comm->recvcontext_id) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        if (is_meant(comm, &kept->hdr) && mpi_errno == MPI_SUCCESS)
            mpi_errno = learn(comm, &kept->hdr);
        MPL_free(kept);
    }
    return mpi_errno;
}

static __attribute__((noinline)) int take_early_locked(MPIR_Comm *comm)
{
    int mpi_errno;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    mpi_errno = take_early(comm);
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
}

int MPIDIG_comm_revoke_committed(MPIR_Comm *comm)
{
    note_teller(comm, -1);
    return likely(!early) ? MPI_SUCCESS : take_early_locked(comm);
}

void MPIDIG_comm_revoke_finalize(void)
{
    MPIR_Comm_kept_free();
    MPIDIG_comm_revoked_finalize();
    while (early) {
        early_t *kept = early;
        early = kept->next;
        MPL_free(kept);
    }
}

static int on_revoked(void *am_hdr, void *data MPL_UNUSED, MPI_Aint data_sz MPL_UNUSED,
                      uint32_t attr, MPIR_Request **req)
{
    int mpi_errno = MPI_SUCCESS;
    revoke_hdr_t hdr;

    memcpy(&hdr, am_hdr, sizeof(hdr));
    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    for (; hdr.ids > 0 && mpi_errno == MPI_SUCCESS; hdr.ids--) {
        MPIR_Comm *comm = find_comm(&hdr);

        mpi_errno = comm ? learn(comm, &hdr) : keep(&hdr);
        hdr.context_id += 1 << MPIR_CONTEXT_PREFIX_SHIFT;
        hdr.own_id += 1 << MPIR_CONTEXT_PREFIX_SHIFT;
    }
    return mpi_errno;
}

void MPIDIG_comm_revoke_init(void)
{
    MPIDIG_am_reg_cb(MPIDIG_COMM_REVOKE, NULL, on_revoked);
    MPIDIG_comm_mark_late_parts = mark_late_parts;
    MPIR_Comm_revoke_duplicate = revoke_duplicate;
    MPIR_Comm_tell_of_duplicates = tell_of_duplicates;
    MPIR_Comm_revoke_parent = revoke_here;
}
