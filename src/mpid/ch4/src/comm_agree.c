/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidch4r.h"
#include "comm_agree.h"
#include "deaths.h"
#include "mpir_ctxid_group.h"
#include "objects.h"

/*
 * The agreements of communicators, by active messages.  A member that has the result and returns
 * still answers others, in the progress engine.  So the last agreement of a communicator stays
 * until the next one, or MPI's end, and the communicator with it (MPIR_Comm_keep_revoked).
 *
 * A message may come before this process calls, or before it has the communicator.
 */

/* Children of a member.  Where cores are shared a level of the tree takes a turn of the cores. */
enum { DEGREE = 8 };

typedef struct {
    uint64_t context_id; /* the receiver's */
    uint32_t number;     /* of the communicator's agreements */
    uint32_t bytes;      /* of the value, with its sets */
    int64_t from;
    agree_value_t value; /* the last field */
} message_t;

typedef struct MPIDIG_agreement {
    MPIR_Comm *comm;
    uint32_t number;
    agree_t *agree;
    struct MPIDIG_agreement *next;
} agreement_t;

/* A message for a communicator that is not there yet. */
typedef struct early {
    struct early *next;
    size_t bytes;
    message_t message; /* the last field: its sets follow */
} early_t;

static agreement_t *all;
static early_t *first_early, **last_early = &first_early;

/* Room for the largest message. */
typedef union {
    message_t message;
    char bytes[sizeof(message_t) + 2 * (MPIDIG_AGREE_MOST / 64) * sizeof(uint64_t)];
} message_room_t;

/* ---- members ---- */

static bool is_inter(const MPIR_Comm *comm) { return comm->comm_kind == MPIR_COMM_KIND__INTERCOMM; }

int MPIDIG_agree_members(const MPIR_Comm *comm)
{
    return comm->local_size + (is_inter(comm) ? comm->remote_size : 0);
}

int MPIDIG_agree_local(const MPIR_Comm *comm, int rank)
{
    return rank + (is_inter(comm) && !comm->is_low_group ? comm->remote_size : 0);
}

int MPIDIG_agree_remote(const MPIR_Comm *comm, int rank)
{
    return rank + (comm->is_low_group ? comm->local_size : 0);
}

/* The communicator in which the member has *rank. */
static MPIR_Comm *comm_with(MPIR_Comm *comm, int member, int *rank)
{
    *rank = member;
    if (!is_inter(comm))
        return comm;
    *rank = member - MPIDIG_agree_remote(comm, 0);
    if (*rank >= 0 && *rank < comm->remote_size)
        return comm;
    *rank = member - MPIDIG_agree_local(comm, 0);
    return comm->local_comm;
}

static bool is_dead(MPIR_Comm *comm, int member)
{
    int rank;
    MPIR_Comm *its_comm = comm_with(comm, member, &rank);

    return MPIDIG_deaths_is_dead(its_comm, rank);
}

/* The member with this number in the list of the dead, or -1. */
static int dead_member(const MPIR_Comm *comm, uint32_t number)
{
    uint32_t rank = MPIR_Deaths_rank_in(MPIR_Comm_map(comm, MPIR_MAP_LOCAL), number);

    if (rank != CMAP_NONE)
        return MPIDIG_agree_local(comm, (int) rank);
    if (is_inter(comm))
        rank = MPIR_Deaths_rank_in(MPIR_Comm_map(comm, MPIR_MAP_REMOTE), number);
    return rank != CMAP_NONE ? MPIDIG_agree_remote(comm, (int) rank) : -1;
}

/* ---- messages ---- */

static bool send_value(void *context, int member, const agree_value_t *value)
{
    agreement_t *agreement = context;
    MPIR_Comm *comm = agreement->comm, *its_comm;
    const uint32_t bytes = MPIR_agree_value_bytes(MPIDIG_agree_members(comm));
    message_room_t room;
    int mpi_errno, rank;

    its_comm = comm_with(comm, member, &rank);
    if (MPIDIG_deaths_is_dead(its_comm, rank))
        return true;
    room.message.context_id = its_comm == comm ? comm->context_id : comm->recvcontext_id;
    room.message.number = agreement->number;
    room.message.bytes = bytes;
    room.message.from = MPIDIG_agree_local(comm, comm->rank);
    memcpy(&room.message.value, value, bytes);
    mpi_errno = MPIDI_NM_am_send_hdr(rank, its_comm, MPIDIG_COMM_AGREE, &room,
                                     offsetof(message_t, value) + bytes, 0, 0);
    /* the network may know of a death before this process is told of it */
    return MPIR_ERR_GET_CLASS(mpi_errno) != MPI_ERR_NO_MEM;
}

/* ---- agreements ---- */

static void tell_of_dead(agreement_t *agreement)
{
    for (uint32_t i = 0; i < MPIR_Deaths_seen; i++) {
        int member = dead_member(agreement->comm, i);
        if (member >= 0)
            MPIR_agree_death(agreement->agree, member);
    }
}

static agreement_t *find(const MPIR_Comm *comm, uint32_t number)
{
    agreement_t *agreement = all;

    while (agreement && (agreement->comm != comm || agreement->number != number))
        agreement = agreement->next;
    return agreement;
}

static agreement_t *make(MPIR_Comm *comm, uint32_t number)
{
    agreement_t *agreement = MPL_malloc(sizeof(*agreement), MPL_MEM_COMM);
    const agree_calls_t calls = {send_value, MPIR_Ctxid_fold_group, agreement};

    if (!agreement)
        return NULL;
    if (is_inter(comm) && !comm->local_comm && MPII_Setup_intercomm_localcomm(comm) != MPI_SUCCESS)
        agreement->agree = NULL;
    else
        agreement->agree = MPIR_agree_create(MPIDIG_agree_members(comm),
                                             MPIDIG_agree_local(comm, comm->rank), DEGREE, &calls);
    if (!agreement->agree) {
        MPL_free(agreement);
        return NULL;
    }
    agreement->comm = comm;
    agreement->number = number;
    agreement->next = all;
    all = agreement;
    tell_of_dead(agreement);
    return agreement;
}

static agreement_t *find_or_make(MPIR_Comm *comm, uint32_t number)
{
    agreement_t *agreement = find(comm, number);

    return agreement ? agreement : make(comm, number);
}

/* Those of the communicator before this one. */
static void forget_below(const MPIR_Comm *comm, uint64_t number)
{
    for (agreement_t **at = &all; *at;) {
        agreement_t *agreement = *at;
        if (agreement->comm != comm || agreement->number >= number) {
            at = &agreement->next;
            continue;
        }
        *at = agreement->next;
        MPIR_agree_free(agreement->agree);
        MPL_free(agreement);
    }
}

static int no_memory(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SET(mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    return mpi_errno;
}

/* A member that is one agreement behind gets the old result. */
static int deliver(MPIR_Comm *comm, const message_t *message)
{
    agreement_t *agreement = message->number < MPIDI_COMM(comm, agreements)
                                 ? find(comm, message->number)
                                 : find_or_make(comm, message->number);

    if (agreement)
        MPIR_agree_message(agreement->agree, (int) message->from, &message->value);
    return agreement || message->number < MPIDI_COMM(comm, agreements) ? MPI_SUCCESS : no_memory();
}

/* ---- communicators ---- */

typedef struct {
    uint64_t context_id;
    MPIR_Comm *found;
} search_t;

static bool is_found(void *object, void *context)
{
    MPIR_Comm *comm = object;
    search_t *search = context;

    if (MPIR_Object_get_ref(comm) <= 0 || !comm->map ||
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE ||
        comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS ||
        comm->recvcontext_id != search->context_id)
        return false;
    search->found = comm;
    return true;
}

static int keep(const void *message, size_t bytes)
{
    early_t *early = MPL_malloc(offsetof(early_t, message) + bytes, MPL_MEM_COMM);

    if (!early)
        return no_memory();
    early->next = NULL;
    early->bytes = bytes;
    memcpy(&early->message, message, bytes);
    *last_early = early;
    last_early = &early->next;
    return MPI_SUCCESS;
}

/* In the order in which they have come. */
static int take_early(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    early_t *early = first_early, *next;

    first_early = NULL;
    last_early = &first_early;
    for (; early; early = next) {
        int one = early->message.context_id == comm->recvcontext_id
                      ? deliver(comm, &early->message)
                      : keep(&early->message, early->bytes);
        next = early->next;
        MPL_free(early);
        mpi_errno = mpi_errno ? mpi_errno : one;
    }
    return mpi_errno;
}

int MPIDIG_agree_committed(MPIR_Comm *comm)
{
    search_t search = {comm->recvcontext_id, NULL};

    MPIDI_COMM(comm, agreements) = 0;
    return likely(!first_early) || !is_found(comm, &search) ? MPI_SUCCESS : take_early(comm);
}

void MPIDIG_agree_freed(const MPIR_Comm *comm) { forget_below(comm, UINT64_MAX); }

static int on_message(void *am_hdr, void *data MPL_UNUSED, MPI_Aint data_sz MPL_UNUSED,
                      uint32_t attr, MPIR_Request **req)
{
    message_room_t room;
    search_t search;
    size_t bytes;

    memcpy(&room, am_hdr, offsetof(message_t, value));
    search = (search_t){room.message.context_id, NULL};
    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    MPIDIG_visit_comms(is_found, &search);
    bytes = offsetof(message_t, value) + (size_t) room.message.bytes;
    memcpy(&room, am_hdr, bytes);
    return search.found ? deliver(search.found, &room.message) : keep(&room, bytes);
}

void MPIDIG_agree_death(uint32_t number)
{
    for (agreement_t *agreement = all; agreement; agreement = agreement->next) {
        int member = dead_member(agreement->comm, number);
        if (member >= 0)
            MPIR_agree_death(agreement->agree, member);
    }
}

/* ---- the call ---- */

/* The result says who is dead; news of that are on their way here, too. */
static bool knows_dead(MPIR_Comm *comm, agree_value_t *result)
{
    for (int member = 0; member < MPIDIG_agree_members(comm); member++) {
        if (MPIR_agree_has(MPIR_agree_dead(result), member) && !is_dead(comm, member))
            return false;
    }
    return true;
}

static void get_acked(MPIR_Comm *comm, uint64_t *acked)
{
    memset(acked, 0, (size_t) MPIR_agree_words(MPIDIG_agree_members(comm)) * sizeof(uint64_t));
    for (uint32_t i = 0; i < MPIDI_COMM(comm, deaths_acked); i++) {
        int member = dead_member(comm, i);
        if (member >= 0)
            MPIR_agree_put(acked, member);
    }
}

int MPIDIG_agree_begin(MPIR_Comm *comm, uint32_t flag, const uint64_t offer[2],
                       agreement_t **agreement)
{
    int mpi_errno = MPI_SUCCESS;
    uint64_t acked[MPIDIG_AGREE_MOST / 64];

    MPIR_ERR_CHKANDJUMP1(MPIDIG_agree_members(comm) > MPIDIG_AGREE_MOST, mpi_errno, MPI_ERR_OTHER,
                         "**agree_size", "**agree_size %d", MPIDIG_AGREE_MOST);
    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    *agreement = find_or_make(comm, MPIDI_COMM(comm, agreements));
    if (*agreement) {
        MPIDI_COMM(comm, agreements)++;
        comm->is_asked = 1;
        get_acked(comm, acked);
        MPIR_agree_contribute((*agreement)->agree, flag, offer, acked);
    } else {
        mpi_errno = no_memory();
    }
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);

fn_fail:
    return mpi_errno;
}

int MPIDIG_agree_test(agreement_t *agreement, agree_value_t **result)
{
    int mpi_errno = MPI_SUCCESS;
    agree_value_t *found;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    found = MPIR_agree_result(agreement->agree);
    /* all members have the results of earlier ones: each has contributed to this one */
    if (found && knows_dead(agreement->comm, found))
        forget_below(agreement->comm, agreement->number);
    else
        found = NULL;
    if (!found && MPIR_agree_has_failed(agreement->agree))
        mpi_errno = no_memory();
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    *result = found;
    return mpi_errno;
}

int MPIDIG_agree(MPIR_Comm *comm, uint32_t flag, const uint64_t offer[2], agree_value_t **result)
{
    agreement_t *agreement;
    int mpi_errno = MPIDIG_agree_begin(comm, flag, offer, &agreement);

    *result = NULL;
    while (mpi_errno == MPI_SUCCESS) {
        mpi_errno = MPIDIG_agree_test(agreement, result);
        if (mpi_errno != MPI_SUCCESS || *result)
            break;
        mpi_errno = MPID_Progress_test(NULL);
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
    return mpi_errno;
}

/* ---- begin and end of MPI ---- */

void MPIDIG_agree_init(void) { MPIDIG_am_reg_cb(MPIDIG_COMM_AGREE, NULL, on_message); }

void MPIDIG_agree_finalize(void)
{
    while (all) {
        agreement_t *agreement = all;
        all = agreement->next;
        MPIR_agree_free(agreement->agree);
        MPL_free(agreement);
    }
    while (first_early) {
        early_t *early = first_early;
        first_early = early->next;
        MPL_free(early);
    }
    last_early = &first_early;
}
