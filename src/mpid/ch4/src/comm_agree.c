/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "mpidch4r.h"
#include "comm_agree.h"
#include "agree_lines.h"
#include "agree_parts.h"
#include "deaths.h"
#include "mpir_ctxid_group.h"
#include "mpir_others.h"
#include "objects.h"
#include "../../../mpi/aggr/shared/aggr_shared.h"

/*
 * The agreements of communicators.  Few members of one node share memory for them from the second
 * one on, or a later one (agree_lines.h).  Others agree by active messages, and so do all before
 * that.
 *
 * By messages, a member that has the result and returns still answers others, in the progress
 * engine.  So the last agreement of a communicator stays until the next one, or MPI's end, and the
 * communicator with it (MPIR_Comm_keep_revoked).
 *
 * A message may come before this process calls, or before it has the communicator.
 * A value with many dead goes in several messages, one after the other (agree_parts.h).
 */

enum {
    /* Children of a member.  Where cores are shared a level takes a turn of the cores. */
    DEGREE = 8,
    MESSAGE_MOST = 4080, /* bytes: it may go by cache lines (ucx_lines.c) */
    DEATHS_AT_ONCE = 256
};

/* The part of a value follows it. */
typedef struct {
    uint64_t context_id; /* the receiver's */
    uint32_t number;     /* of the communicator's agreements */
    int32_t from;
    uint32_t bytes;  /* of the whole value */
    uint32_t offset; /* of the part */
} message_t;

typedef union {
    message_t message;
    char bytes[MESSAGE_MOST];
} message_room_t;

typedef struct MPIDIG_agreement {
    MPIR_Comm *comm;
    uint32_t number;
    agree_t *agree;
    void *lines; /* shared memory; NULL: the members send messages */
    agree_parts_t parts;
    struct MPIDIG_agreement *next;
} agreement_t;

/* A message for a communicator that is not there yet. */
typedef struct early {
    struct early *next;
    message_t message; /* the last field */
} early_t;

static agreement_t *all;
static early_t *first_early, **last_early = &first_early;

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

/* Members among those from `first` to below `end` in the list; `runs` has room for so many. */
static agree_set_t find_dead(const MPIR_Comm *comm, uint32_t first, uint32_t end, agree_run_t *runs)
{
    uint32_t n = 0;

    for (uint32_t number = first; number < end; number++) {
        int member = dead_member(comm, number);
        if (member >= 0)
            runs[n++] = (agree_run_t){(uint32_t) member, 1};
    }
    return (agree_set_t){runs, MPIR_agree_set_order(runs, n)};
}

/* ---- messages ---- */

static size_t part_bytes(const message_t *message)
{
    const size_t most = (size_t) MPL_MIN(MESSAGE_MOST, MPIDI_NM_am_hdr_max_sz()) - sizeof(*message);

    return MPL_MIN(message->bytes - message->offset, most);
}

static bool send_value(void *context, int member, const agree_value_t *value)
{
    const agreement_t *agreement = context;
    MPIR_Comm *comm = agreement->comm, *its_comm;
    message_room_t room;
    message_t *message = &room.message;
    int mpi_errno = MPI_SUCCESS, rank;

    its_comm = comm_with(comm, member, &rank);
    *message = (message_t){.context_id = its_comm == comm ? comm->context_id : comm->recvcontext_id,
                           .number = agreement->number,
                           .from = MPIDIG_agree_local(comm, comm->rank),
                           .bytes = (uint32_t) MPIR_agree_value_bytes(value)};
    if (MPIDIG_deaths_is_dead(its_comm, rank) || !MPIR_Do_others_exist())
        return true;
    while (mpi_errno == MPI_SUCCESS && message->offset < message->bytes) {
        const size_t bytes = part_bytes(message);

        memcpy(message + 1, (const char *) value + message->offset, bytes);
        mpi_errno = MPIDI_NM_am_send_hdr(rank, its_comm, MPIDIG_COMM_AGREE, &room,
                                         (MPI_Aint) (sizeof(*message) + bytes), 0, 0);
        message->offset += (uint32_t) bytes;
    }
    /* the network may know of a death before this process is told of it */
    return MPIR_ERR_GET_CLASS(mpi_errno) != MPI_ERR_NO_MEM;
}

static int no_memory(void)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SET(mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    return mpi_errno;
}

static int take_message(agreement_t *agreement, const message_t *message)
{
    const agree_part_t part = {message->bytes, message->offset, (uint32_t) part_bytes(message),
                               message + 1};
    const agree_value_t *value = part.data;

    if (part.length < part.bytes &&
        !MPIR_agree_parts_join(&agreement->parts, message->from, part, &value))
        return no_memory();
    if (value)
        MPIR_agree_message(agreement->agree, message->from, value);
    return MPI_SUCCESS;
}

/* ---- agreements ---- */

static void tell(agreement_t *agreement, uint32_t first, uint32_t end)
{
    agree_run_t runs[DEATHS_AT_ONCE];

    for (uint32_t next; first < end; first = next) {
        next = MPL_MIN(end, first + DEATHS_AT_ONCE);
        MPIR_agree_deaths(agreement->agree, find_dead(agreement->comm, first, next, runs));
    }
}

/* The last agreement of the communicator has them in order. */
static void tell_of_dead(agreement_t *agreement)
{
    const agreement_t *last = agreement->next;

    while (last && last->comm != agreement->comm)
        last = last->next;
    if (last && !MPIR_agree_has_failed(last->agree))
        MPIR_agree_deaths(agreement->agree, MPIR_agree_told(last->agree));
    else
        tell(agreement, 0, MPIR_Deaths_seen);
}

static agreement_t *find(const MPIR_Comm *comm, uint32_t number)
{
    agreement_t *agreement = all;

    while (agreement && (agreement->comm != comm || agreement->number != number))
        agreement = agreement->next;
    return agreement;
}

static void drop(agreement_t *agreement)
{
    MPIR_agree_parts_free(&agreement->parts);
    MPIR_agree_free(agreement->agree);
    MPL_free(agreement);
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
    agreement->lines = NULL;
    agreement->parts = (agree_parts_t){NULL};
    agreement->next = all;
    tell_of_dead(agreement);
    if (MPIR_agree_has_failed(agreement->agree)) {
        drop(agreement);
        return NULL;
    }
    all = agreement;
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
        drop(agreement);
    }
}

/* A member that is one agreement behind gets the old result. */
static int deliver(MPIR_Comm *comm, const message_t *message)
{
    const bool is_old = message->number < MPIDI_COMM(comm, agreements);
    agreement_t *agreement =
        is_old ? find(comm, message->number) : find_or_make(comm, message->number);

    if (agreement)
        return take_message(agreement, message);
    return is_old ? MPI_SUCCESS : no_memory();
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

/* Most are for one that has an agreement. */
static MPIR_Comm *find_comm(uint64_t context_id)
{
    search_t search = {context_id, NULL};

    for (const agreement_t *agreement = all; agreement; agreement = agreement->next) {
        if (agreement->comm->recvcontext_id == context_id)
            return agreement->comm;
    }
    MPIDIG_visit_comms(is_found, &search);
    return search.found;
}

static int keep(const message_t *message)
{
    const size_t bytes = sizeof(*message) + part_bytes(message);
    early_t *early = MPL_malloc(offsetof(early_t, message) + bytes, MPL_MEM_COMM);

    if (!early)
        return no_memory();
    early->next = NULL;
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
        int one = early->message.context_id == comm->recvcontext_id ? deliver(comm, &early->message)
                                                                    : keep(&early->message);
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
    MPIR_Comm *comm;

    /* it may lie at any address */
    memcpy(&room.message, am_hdr, sizeof(room.message));
    memcpy(&room.message + 1, (char *) am_hdr + sizeof(room.message), part_bytes(&room.message));
    if (attr & MPIDIG_AM_ATTR__IS_ASYNC)
        *req = NULL;
    comm = find_comm(room.message.context_id);
    return comm ? deliver(comm, &room.message) : keep(&room.message);
}

void MPIDIG_agree_deaths(uint32_t first, uint32_t end)
{
    for (agreement_t *agreement = all; agreement; agreement = agreement->next)
        tell(agreement, first, end);
}

/* ---- the call ---- */

/* *room is the caller's to free. */
static int find_acked(const agreement_t *agreement, agree_run_t **room, agree_set_t *acked)
{
    const uint32_t n = MPIDI_COMM(agreement->comm, deaths_acked);

    *room = NULL;
    *acked = (agree_set_t){NULL, 0};
    if (n == MPIR_Deaths_seen) {
        *acked = MPIR_agree_told(agreement->agree);
    } else if (n > 0) {
        *room = MPL_malloc(n * sizeof(**room), MPL_MEM_COMM);
        if (!*room)
            return no_memory();
        *acked = find_dead(agreement->comm, 0, n, *room);
    }
    return MPI_SUCCESS;
}

/* Of members that do not exist each contributes what this one does. */
static void play_others(agreement_t *agreement, const agree_value_t *own)
{
    const int me = MPIDIG_agree_local(agreement->comm, agreement->comm->rank);
    agree_value_t *value = MPL_malloc(MPIR_agree_value_bytes(own), MPL_MEM_COMM);
    int member;

    if (value)
        memcpy(value, own, MPIR_agree_value_bytes(own));
    while (value && (member = MPIR_agree_awaited(agreement->agree)) >= 0) {
        value->has_result = member < me; /* it is the parent */
        MPIR_agree_message(agreement->agree, member, value);
    }
    MPL_free(value);
}

static int contribute(agreement_t *agreement, uint32_t flag, const uint64_t offer[2])
{
    agree_run_t *room;
    agree_set_t acked;

    MPIR_TRY(find_acked(agreement, &room, &acked));
    MPIDI_COMM(agreement->comm, agreements)++;
    agreement->comm->is_asked = 1;
    MPIR_agree_contribute(agreement->agree, flag, offer, acked);
    if (unlikely(!MPIR_Do_others_exist()))
        play_others(agreement, MPIR_agree_value(agreement->agree));
    MPL_free(room);
    return MPI_SUCCESS;
}

/* All members get the same answer: they share memory from some agreement on.  They try to have it
 * in their first, second, fourth .. agreement. */
static void *find_lines(MPIR_Comm *comm, uint32_t number)
{
    const agreement_t *last = number > 0 ? find(comm, number - 1) : NULL;
    const uint32_t count = number + 1;

    if (last && last->lines)
        return last->lines;
    if (!MPIR_Do_others_exist() || MPIDIG_agree_members(comm) > AGREE_LINES_MOST ||
        (count & number) != 0)
        return NULL;
    return MPIR_Aggr_shared_block(comm, (unsigned) __builtin_ctz(count) + 1,
                                  MPIR_agree_lines_bytes(MPIDIG_agree_members(comm)));
}

/* One that others have begun by messages stays so. */
static agreement_t *prepare(MPIR_Comm *comm)
{
    const uint32_t number = MPIDI_COMM(comm, agreements);
    agreement_t *agreement = find_or_make(comm, number);

    if (!agreement)
        return NULL;
    agreement->lines = find_lines(comm, number);
    if (agreement->lines)
        MPIR_agree_share(agreement->agree, agreement->lines, number + 1);
    return agreement;
}

int MPIDIG_agree_begin(MPIR_Comm *comm, uint32_t flag, const uint64_t offer[2],
                       agreement_t **agreement)
{
    int mpi_errno;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    *agreement = prepare(comm);
    mpi_errno = *agreement ? contribute(*agreement, flag, offer) : no_memory();
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    return mpi_errno;
}

/* The result says who is dead; news of that are on their way here, too. */
static bool knows_dead(const agree_t *agree)
{
    return MPIR_agree_set_is_within(MPIR_agree_dead(MPIR_agree_result(agree)),
                                    MPIR_agree_told(agree));
}

int MPIDIG_agree_test(agreement_t *agreement, const agree_value_t **result)
{
    int mpi_errno = MPI_SUCCESS;
    const agree_value_t *found;

    MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(0).lock);
    MPIR_agree_poll(agreement->agree);
    found = MPIR_agree_result(agreement->agree);
    /* all members have the results of earlier ones: each has contributed to this one */
    if (found && knows_dead(agreement->agree))
        forget_below(agreement->comm, agreement->number);
    else
        found = NULL;
    if (!found && MPIR_agree_has_failed(agreement->agree))
        mpi_errno = no_memory();
    MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(0).lock);
    *result = found;
    return mpi_errno;
}

/* Of lines, what is needed of the progress engine is the news of deaths. */
static int wait_turn(const agreement_t *agreement, unsigned *turns)
{
    return agreement->lines && !MPIR_Deaths_news() ? MPIR_Aggr_turn(turns)
                                                   : MPID_Progress_test(NULL);
}

int MPIDIG_agree(MPIR_Comm *comm, uint32_t flag, const uint64_t offer[2],
                 const agree_value_t **result)
{
    agreement_t *agreement;
    int mpi_errno = MPIDIG_agree_begin(comm, flag, offer, &agreement);
    unsigned turns = 0;
    int unused = MPI_SUCCESS;

    *result = NULL;
    while (mpi_errno == MPI_SUCCESS) {
        mpi_errno = MPIDIG_agree_test(agreement, result);
        if (mpi_errno != MPI_SUCCESS || *result)
            break;
        mpi_errno = wait_turn(agreement, &turns);
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
    if (mpi_errno == MPI_SUCCESS && agreement->lines)
        (void) MPIR_Aggr_done(0, &unused); /* who finds the result at once makes progress, too */
    return mpi_errno;
}

/* ---- begin and end of MPI ---- */

void MPIDIG_agree_init(void) { MPIDIG_am_reg_cb(MPIDIG_COMM_AGREE, NULL, on_message); }

void MPIDIG_agree_finalize(void)
{
    while (all) {
        agreement_t *agreement = all;
        all = agreement->next;
        drop(agreement);
    }
    while (first_early) {
        early_t *early = first_early;
        first_early = early->next;
        MPL_free(early);
    }
    last_early = &first_early;
}
