/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4_impl.h"
#include "ch4i_comm.h"
#include "mpir_intercomm.h"
#include "cmap_wire.h"

/* How each group of MPI_Intercomm_create learns who is in the other one, and of MPI_Comm_create on
 * an intercommunicator which part of the other one takes part.
 *
 * The leaders exchange their groups as words (cmap.h) in parts of bounded length, one for most
 * groups, and only then tell their own group, in the same way: a group is never told before both
 * leaders know whether the two have a process in common, which can be waiting in the other one.
 * Who has no memory for the map takes part all the same, and refuses when the context ids are
 * agreed on. */

enum {
    FIRST_WORDS = CMAP_WORDS_MIN,
    MORE_WORDS = 2048 /* of each part but the first */
};

enum {
    PART_MORE = 1,    /* another part follows */
    PART_DYNAMIC = 2, /* somebody is not of the world: addresses are exchanged */
    PART_OVERLAP = 4, /* `first` is in both groups */
    PART_REFUSED = 8, /* the leader does not know the group */
    PART_FLAGS = 15
};

/* In the upper half of the flags on the wire */
#define PART_VERSION 0x00010000u

/* On the wire all words are little-endian (MPIR_cmap_wire_order). */
typedef struct {
    uint32_t flags;
    uint32_t size;  /* of the group */
    uint32_t first; /* process index of its first member */
    uint32_t n;     /* words used */
    uint32_t words[MORE_WORDS];
} part_t;

/* Addresses of the processes of a group, as the netmod writes them. */
typedef struct {
    int n;
    int *sizes;
    char *data;
} upids_t;

/* On the wire, before them. n is 0 if the leader has none, for lack of memory. */
typedef struct {
    int32_t n, bytes;
} upids_head_t;

typedef struct {
    MPIR_Comm *local;
    int leader;
    MPIR_Comm *peers;
    int remote_leader;
    int tag;
    const cmap_t *own;     /* what the other group is told; NULL: there is no memory for it */
    bool has_met;          /* these are ranks of two groups that know each other */
    cmap_builder *builder; /* of the remote group; NULL: there is no memory for it */
    uint32_t common;       /* a process of both groups, or CMAP_NONE */
    bool is_dynamic;
    upids_t upids; /* at the leader: of the remote group */
    MPIR_Remote_group_t *remote;
} meeting_t;

static const cmap_t *local_map(const meeting_t *meeting)
{
    return MPIR_Comm_map(meeting->local, MPIR_MAP_LOCAL);
}

static bool leads(const meeting_t *meeting) { return meeting->local->rank == meeting->leader; }

static uint32_t room_of(int number) { return number == 0 ? FIRST_WORDS : MORE_WORDS; }

static MPI_Aint bytes_of(uint32_t words)
{
    return offsetof(part_t, words) + words * sizeof(uint32_t);
}

/* Of the four words before a part's members: from this machine's order to the wire's, or back. */
static void order_head(part_t *part)
{
    part->flags = MPIR_cmap_wire_order(part->flags);
    part->size = MPIR_cmap_wire_order(part->size);
    part->first = MPIR_cmap_wire_order(part->first);
    part->n = MPIR_cmap_wire_order(part->n);
}

static void pack(part_t *part)
{
    part->flags |= PART_VERSION;
    order_head(part);
}

/* Only the head's values: MPIR_cmap_builder_add_words() checks the words. */
static bool is_part(const part_t *part, MPI_Aint bytes)
{
    return (part->flags & ~PART_FLAGS) == PART_VERSION && part->size <= CMAP_MAX_SIZE &&
           part->first < CMAP_MAX_SIZE && part->n <= MORE_WORDS && bytes_of(part->n) <= bytes;
}

/* What came in so many bytes.  An error, and a part that tells nothing, if it is none. */
static int unpack(part_t *part, MPI_Aint bytes)
{
    int mpi_errno = MPI_SUCCESS;

    if (bytes >= bytes_of(0))
        order_head(part);
    if (bytes < bytes_of(0) || !is_part(part, bytes)) {
        *part = (part_t){.flags = PART_REFUSED};
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_OTHER, "**interpart", "**interpart %d", (int) bytes);
    }
    part->flags &= PART_FLAGS;
    return mpi_errno;
}

static void give_up(meeting_t *meeting, int error)
{
    MPIR_cmap_builder_free(meeting->builder);
    meeting->builder = NULL;
    if (meeting->remote->error == MPI_SUCCESS)
        meeting->remote->error = error;
}

/* Of a communication, which its partners may have marked as failed. */
static int outcome(int error, MPIR_Errflag_t errflag)
{
    if (error == MPI_SUCCESS && errflag)
        MPIR_ERR_SET(error, MPI_ERR_OTHER, "**coll_fail");
    return error;
}

/* ---- parts ---- */

/* The members from rank *next on. */
static void write_part(const cmap_t *map, int number, uint32_t *next, part_t *part)
{
    part->size = MPIR_cmap_size(map);
    part->first = part->size > 0 ? MPIR_cmap_select(map, 0) : 0;
    part->n = MPIR_cmap_to_words(map, *next, part->words, room_of(number), next);
    part->flags = *next < part->size ? PART_MORE : 0;
}

/* At the leader: of its own group. */
static void write_own_part(const meeting_t *meeting, int number, uint32_t *next, part_t *part)
{
    if (meeting->own)
        write_part(meeting->own, number, next, part);
    else
        *part = (part_t){.flags = PART_REFUSED};
}

/* Of the remote group; with the last part comes the map. */
static void read_part(meeting_t *meeting, const part_t *part)
{
    MPIR_Remote_group_t *remote = meeting->remote;
    cmap_status status;

    remote->size = (int) part->size;
    remote->is_low_group = MPIR_cmap_select(local_map(meeting), 0) < part->first;
    if (!meeting->builder)
        return;
    status = MPIR_cmap_builder_add_words(meeting->builder, part->words, part->n);
    if (status == CMAP_OK && !(part->flags & PART_MORE)) {
        if (MPIR_cmap_builder_size(meeting->builder) == part->size)
            status = MPIR_cmap_builder_finish(meeting->builder, &remote->map);
        else
            status = CMAP_ERR_ARG;
    }
    if (status != CMAP_OK)
        give_up(meeting, MPIR_Map_error(status, "remote group", remote->size));
}

/* ---- between the leaders ---- */

static bool knows_dynamic(const meeting_t *meeting)
{
    uint32_t leader = MPIDIU_comm_rank_to_index(meeting->peers, meeting->remote_leader);

    if (meeting->has_met)
        return false;
    return !MPIDIU_map_is_in_world(local_map(meeting)) || !MPIDIU_index_is_in_world(leader);
}

/* NULL: nothing to send or to receive any more. */
static int trade_part(const meeting_t *meeting, int number, part_t *own, part_t *theirs)
{
    MPI_Aint bytes = own ? bytes_of(own->n) : 0, got;
    int error;

    if (own)
        pack(own);
    error = MPIR_Leaders_trade(own, bytes, theirs, bytes_of(room_of(number)), &got,
                               meeting->remote_leader, meeting->tag, meeting->peers);
    if (own)
        unpack(own, bytes);
    if (theirs && error == MPI_SUCCESS)
        error = unpack(theirs, got);
    return error;
}

/* Both leaders come to the same conclusion, the one without memory part by part. */
static void check_disjoint(meeting_t *meeting, const part_t *part)
{
#ifdef HAVE_ERROR_CHECKING
    MPID_BEGIN_ERROR_CHECKS;
    if (meeting->has_met)
        return;
    if (meeting->remote->map)
        meeting->common = MPIDI_find_common(local_map(meeting), meeting->remote->map);
    else if (!meeting->builder && meeting->common == CMAP_NONE)
        meeting->common = MPIR_cmap_find_in_words(local_map(meeting), part->words, part->n);
    MPID_END_ERROR_CHECKS;
#endif
}

static int trade_bytes(const meeting_t *meeting, const void *own, MPI_Aint bytes, void *theirs,
                       MPI_Aint room)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Aint got;

    MPIR_TRY(MPIR_Leaders_trade(own, bytes, theirs, room, &got, meeting->remote_leader,
                                meeting->tag, meeting->peers));
    MPIR_ERR_CHKANDSTMT1(got != room, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**interpart",
                         "**interpart %d", (int) got);

    return mpi_errno;
}

static void free_upids(upids_t *upids)
{
    MPL_free(upids->sizes);
    MPL_free(upids->data);
    *upids = (upids_t){.n = 0};
}

static int bytes_of_upids(const upids_t *upids)
{
    int bytes = 0;

    for (int i = 0; i < upids->n; i++)
        bytes += upids->sizes[i];
    return bytes;
}

static upids_t own_upids(meeting_t *meeting)
{
    upids_t upids = {.n = 0};
    int error = MPIDI_NM_get_local_upids(meeting->local, &upids.sizes, &upids.data);

    if (error == MPI_SUCCESS)
        upids.n = meeting->local->local_size;
    else
        give_up(meeting, error);
    return upids;
}

/* What the local group is to know of the remote one, and room for it. */
static void prepare_upids(meeting_t *meeting, const upids_head_t *head)
{
    MPIR_Remote_group_t *remote = meeting->remote;
    upids_t *theirs = &meeting->upids;
    int error = MPI_SUCCESS;

    theirs->n = head->n;
    theirs->sizes = MPL_malloc(head->n * sizeof(int), MPL_MEM_ADDRESS);
    theirs->data = MPL_malloc(head->bytes, MPL_MEM_ADDRESS);
    remote->size = head->n;
    remote->held = MPL_malloc(head->n * sizeof(*remote->held), MPL_MEM_ADDRESS);
    if (theirs->sizes && theirs->data && remote->held)
        return;
    MPL_free(remote->held);
    remote->held = NULL;
    MPIR_ERR_SET(error, MPI_ERR_NO_MEM, "**nomem");
    give_up(meeting, error);
}

static bool is_before(const upids_t *a, const upids_t *b)
{
    if (a->sizes[0] != b->sizes[0])
        return a->sizes[0] < b->sizes[0];
    return memcmp(a->data, b->data, a->sizes[0]) < 0;
}

static int fetch_upids(meeting_t *meeting, const upids_t *own, const upids_head_t *head)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Remote_group_t *remote = meeting->remote;
    upids_t *theirs = &meeting->upids;

    MPIR_TRY(trade_bytes(meeting, own->sizes, own->n * sizeof(int), theirs->sizes,
                         theirs->n * sizeof(int)));
    MPIR_TRY(trade_bytes(meeting, own->data, bytes_of_upids(own), theirs->data, head->bytes));
    MPIR_ERR_CHKANDSTMT1(bytes_of_upids(theirs) != head->bytes, mpi_errno, MPI_ERR_OTHER,
                         return mpi_errno, "**interpart", "**interpart %d", head->bytes);
    MPIDIU_upids_to_gpids(theirs->n, theirs->sizes, theirs->data, remote->held);
    remote->is_low_group = is_before(own, theirs);

    return mpi_errno;
}

/* Neither leader sends addresses before both know that the other one has room for them. */
static int trade_upids(meeting_t *meeting)
{
    int mpi_errno = MPI_SUCCESS;
    upids_t own = own_upids(meeting);
    upids_head_t head, theirs;
    int32_t is_ready, others_ready;

    head = (upids_head_t){.n = own.n, .bytes = bytes_of_upids(&own)};
    mpi_errno = trade_bytes(meeting, &head, sizeof(head), &theirs, sizeof(theirs));
    MPIR_ERR_CHECK(mpi_errno);
    if (theirs.n > 0)
        prepare_upids(meeting, &theirs);
    is_ready = own.n > 0 && meeting->remote->held;
    mpi_errno =
        trade_bytes(meeting, &is_ready, sizeof(is_ready), &others_ready, sizeof(others_ready));
    MPIR_ERR_CHECK(mpi_errno);
    if (is_ready && others_ready)
        mpi_errno = fetch_upids(meeting, &own, &theirs);
    else
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**ctxid_refused");
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    free_upids(&own);
    return mpi_errno;
fn_fail:
    MPL_free(meeting->remote->held); /* which says nothing yet */
    meeting->remote->held = NULL;
    goto fn_exit;
}

/* The local group goes, the remote one comes; addresses do, if one of them is dynamic. */
static int trade_groups(meeting_t *meeting)
{
    uint32_t next = 0;
    part_t own, theirs;

    own.flags = theirs.flags = PART_MORE;
    for (int number = 0; (own.flags | theirs.flags) & PART_MORE; number++) {
        bool sends = (own.flags & PART_MORE) != 0, receives = (theirs.flags & PART_MORE) != 0;

        if (sends)
            write_own_part(meeting, number, &next, &own);
        if (number == 0 && knows_dynamic(meeting))
            own.flags |= PART_DYNAMIC;
        MPIR_TRY(trade_part(meeting, number, sends ? &own : NULL, receives ? &theirs : NULL));
        meeting->is_dynamic = ((own.flags | theirs.flags) & PART_DYNAMIC) != 0;
        if (meeting->is_dynamic)
            break;
        if (receives && !(theirs.flags & PART_REFUSED)) {
            read_part(meeting, &theirs);
            check_disjoint(meeting, &theirs);
        }
    }
    return meeting->is_dynamic ? trade_upids(meeting) : MPI_SUCCESS;
}

/* ---- in a group ---- */

/* At the leader: what its group is to know. */
static void write_news(const meeting_t *meeting, int number, uint32_t *next, part_t *part)
{
    if (meeting->remote->held) {
        part->flags = PART_DYNAMIC;
    } else if (meeting->common != CMAP_NONE) {
        part->flags = PART_OVERLAP;
        part->size = part->n = 0;
        part->first = meeting->common;
    } else if (meeting->remote->map) {
        write_part(meeting->remote->map, number, next, part);
    } else {
        part->flags = PART_REFUSED;
    }
}

static void read_news(meeting_t *meeting, const part_t *part)
{
    meeting->is_dynamic = (part->flags & PART_DYNAMIC) != 0;
    if (part->flags & PART_OVERLAP)
        meeting->common = part->first;
    if (!(part->flags & (PART_DYNAMIC | PART_OVERLAP | PART_REFUSED)))
        read_part(meeting, part);
}

static void tell_group(meeting_t *meeting)
{
    uint32_t next = 0;
    part_t part = {.flags = PART_MORE};

    for (int number = 0; part.flags & PART_MORE; number++) {
        MPIR_Errflag_t errflag = MPIR_ERR_NONE;
        int error, wrong;

        part.flags = part.n = 0; /* of a part that does not come: the last one */
        if (leads(meeting))
            write_news(meeting, number, &next, &part);
        pack(&part);
        error = MPIR_Bcast(&part, bytes_of(room_of(number)), MPI_BYTE, meeting->leader,
                           meeting->local, &errflag);
        error = outcome(error, errflag);
        wrong = unpack(&part, bytes_of(room_of(number)));
        error = error == MPI_SUCCESS ? wrong : error;
        if (error != MPI_SUCCESS)
            give_up(meeting, error);
        else if (!leads(meeting))
            read_news(meeting, &part);
    }
}

static int exchange_groups(meeting_t *meeting)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_status status = MPIR_cmap_builder_create(CMAP_MAX_SIZE, NULL, &meeting->builder);

    if (status != CMAP_OK)
        give_up(meeting, MPIR_Map_error(status, "remote group", 0));
    if (leads(meeting)) {
        int error = trade_groups(meeting);
        if (error != MPI_SUCCESS)
            give_up(meeting, error);
    }
    if (!meeting->remote->held)
        meeting->is_dynamic = false; /* or there was an error */
    tell_group(meeting);
    MPIR_cmap_builder_free(meeting->builder);
    if (!meeting->remote->map && !meeting->is_dynamic && meeting->remote->error == MPI_SUCCESS)
        MPIR_ERR_SET(meeting->remote->error, MPI_ERR_OTHER, "**ctxid_refused");
    if (meeting->common != CMAP_NONE)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_COMM, "**dupprocesses", "**dupprocesses %d",
                      (int) meeting->common);
    return mpi_errno;
}

/* ---- of several worlds ---- */

#ifdef HAVE_ERROR_CHECKING
/* First remote process that is in the local group, or came before: for the error message. */
static int find_culprit(const cmap_t *local, const uint64_t lpids[], int n)
{
    for (int i = 0; i < n; i++) {
        if (lpids[i] == MPIDIU_GPID_NONE)
            return -1; /* all are: nothing is known about them */
        if (MPIR_cmap_rank(local, MPIDIU_gpid_to_index(lpids[i])) != CMAP_NONE)
            return i;
        for (int j = 0; j < i; j++) {
            if (lpids[i] == lpids[j])
                return i;
        }
    }
    return -1;
}
#endif

/* Each process finds out by itself: a leader that fails before it has told its group would be
 * waited for.  Without a map of the remote group, which has no memory or a process twice, they
 * are looked up one by one. */
static int check_lpids(const meeting_t *meeting, const uint64_t lpids[])
{
    int mpi_errno = MPI_SUCCESS;

#ifdef HAVE_ERROR_CHECKING
    MPID_BEGIN_ERROR_CHECKS;
    const cmap_t *local = local_map(meeting), *remote = meeting->remote->map;
    int culprit = -1;

    if (!remote || MPIDI_find_common(local, remote) != CMAP_NONE)
        culprit = find_culprit(local, lpids, meeting->remote->size);
    if (culprit >= 0)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_COMM, "**dupprocesses", "**dupprocesses %d",
                      (int) lpids[culprit]);
    MPID_END_ERROR_CHECKS;
#endif
    return mpi_errno;
}

/* The way of MPICH, with lists: for processes that have no index here yet. */
static int tell_lpids(const meeting_t *meeting)
{
    MPIR_Remote_group_t *remote = meeting->remote;

    MPIR_TRY(MPIDIU_Intercomm_map_bcast_intra(meeting->local, meeting->leader, &remote->size,
                                              &remote->is_low_group, 0, meeting->upids.sizes,
                                              meeting->upids.data, &remote->held));
    remote->error = MPIDIU_map_from_gpids(remote->held, remote->size, &remote->map);
    return check_lpids(meeting, remote->held);
}

/* Without the other group. */
static int foresee_group(const meeting_t *meeting)
{
    MPIR_Remote_group_t *remote = meeting->remote;
    int mpi_errno =
        MPIR_Others->remote_group(meeting->local, meeting->peers, meeting->remote_leader,
                                  &remote->map, &remote->is_low_group);

    if (mpi_errno == MPI_SUCCESS)
        remote->size = (int) MPIR_cmap_size(remote->map);
    return mpi_errno;
}

int MPID_Intercomm_meet(MPIR_Comm *local_comm, int local_leader, MPIR_Comm *peer_comm,
                        int remote_leader, int tag, MPIR_Remote_group_t *remote)
{
    int mpi_errno = MPI_SUCCESS;
    meeting_t meeting = {.local = local_comm,
                         .leader = local_leader,
                         .peers = peer_comm,
                         .remote_leader = remote_leader,
                         .tag = tag,
                         .own = MPIR_Comm_map(local_comm, MPIR_MAP_LOCAL),
                         .common = CMAP_NONE,
                         .remote = remote};

    *remote = (MPIR_Remote_group_t){.error = MPI_SUCCESS};
    if (MPIR_Others->remote_group)
        return foresee_group(&meeting);
    mpi_errno = exchange_groups(&meeting);
    MPIR_ERR_CHECK(mpi_errno);
    if (meeting.is_dynamic) {
        mpi_errno = tell_lpids(&meeting);
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    free_upids(&meeting.upids);
    return mpi_errno;
fn_fail:
    MPID_Remote_group_free(remote);
    goto fn_exit;
}

void MPID_Remote_group_free(MPIR_Remote_group_t *remote)
{
    MPIR_cmap_release(remote->map);
    remote->map = NULL;
    if (remote->held)
        MPIDIU_gpids_release(remote->held, remote->size);
    MPL_free(remote->held);
    remote->held = NULL;
}

/* ---- parts of groups that have met ---- */

/* Their processes may be of several worlds: what the groups have in common are ranks. */
static int map_ranks(const MPIR_Comm *inter, const MPIR_Group *part, cmap_t **map)
{
    int mpi_errno = MPI_SUCCESS, *ranks = NULL;
    cmap_status status;

    mpi_errno = MPIR_Comm_map_ranks_of(inter, part, &ranks);
    MPIR_ERR_CHECK(mpi_errno);
    status =
        MPIR_cmap_from_array((const uint32_t *) ranks, part->size, inter->local_size, NULL, map);
    if (status != CMAP_OK)
        mpi_errno = MPIR_Map_error(status, "ranks of a group", part->size);

fn_exit:
    MPL_free(ranks);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

void MPID_Intercomm_meet_parts(MPIR_Comm *inter, const MPIR_Group *part,
                               MPIR_Remote_group_t *remote)
{
    meeting_t meeting = {.local = inter->local_comm,
                         .leader = 0,
                         .peers = inter,
                         .remote_leader = 0,
                         .has_met = true,
                         .common = CMAP_NONE,
                         .remote = remote};
    cmap_t *ranks = NULL;

    *remote = (MPIR_Remote_group_t){.error = MPI_SUCCESS};
    if (leads(&meeting))
        remote->error = map_ranks(inter, part, &ranks);
    meeting.own = ranks;
    exchange_groups(&meeting);
    remote->is_low_group = inter->is_low_group;
    MPIR_cmap_release(ranks);
}

/* ---- the communicators ---- */

/* In both, a process without memory tells the others when they agree on the context ids. */

int MPIR_Comm_create_inter(MPIR_Comm *inter, MPIR_Group *group, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Remote_group_t remote = {.map = NULL};

    *made = NULL;
    if (!inter->local_comm)
        mpi_errno = MPII_Setup_intercomm_localcomm(inter);
    MPIR_ERR_CHECK(mpi_errno);
    MPID_Intercomm_meet_parts(inter, group, &remote);
    mpi_errno = MPIR_Comm_prepare_part(inter, group, &remote, made);
    mpi_errno = MPIR_Comm_finish_inter(inter->local_comm, 0, inter, 0, 0, mpi_errno, made);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPIR_cmap_release(remote.map);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIR_Intercomm_create_impl(MPIR_Comm *local, int leader, MPIR_Comm *peers, int remote_leader,
                               int tag, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Remote_group_t remote;

    *made = NULL;
    tag |= MPIR_TAG_COLL_BIT;
    mpi_errno = MPID_Intercomm_meet(local, leader, peers, remote_leader, tag, &remote);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Comm_prepare_inter(local, &remote, made);
    mpi_errno = MPIR_Comm_finish_inter(local, leader, peers, remote_leader, tag, mpi_errno, made);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPID_Remote_group_free(&remote);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}
