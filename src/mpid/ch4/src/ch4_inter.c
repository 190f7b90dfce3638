/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpidimpl.h"
#include "ch4i_comm.h"
#include "mpir_intercomm.h"

/* How each group of MPI_Intercomm_create learns who is in the other one.
 *
 * The leaders exchange their groups as words (cmap.h) in parts of bounded length, and pass on in their group what comes: one message
 * and one broadcast for most groups.  Everybody makes the map from the parts as they come.  A process that has no memory for it takes
 * part all the same, and refuses when the context ids are agreed on. */

enum {
    FIRST_WORDS = CMAP_WORDS_MIN,
    MORE_WORDS = 2048           /* of each part but the first */
};

enum {
    PART_MORE = 1,              /* another part follows */
    PART_DYNAMIC = 2,           /* somebody is not of the world: addresses have to be exchanged */
    PART_LOW = 4,               /* told by the leader to its group, as what follows: the group is the low one */
    PART_OVERLAP = 8,           /* `first` is in both groups */
    PART_FAILED = 16            /* the leaders have lost each other */
};

typedef struct {
    uint32_t flags;
    uint32_t size;              /* of the group */
    uint32_t first;             /* process index of its first member */
    uint32_t n;                 /* words used */
    uint32_t words[MORE_WORDS];
} part_t;

typedef struct {
    MPIR_Comm *local;
    int leader;
    MPIR_Comm *peers;
    int remote_leader;
    int tag;
    uint32_t next;              /* of the local group: who comes into the next part */
    bool sends, receives;       /* more parts */
    cmap_builder *builder;      /* of the remote group; NULL: there is no memory for it */
    uint32_t flags;             /* of the last part */
    MPIR_Remote_group_t *remote;
} meeting_t;

static bool leads(const meeting_t * meeting)
{
    return meeting->local->rank == meeting->leader;
}

static uint32_t room_of(int number)
{
    return number == 0 ? FIRST_WORDS : MORE_WORDS;
}

static MPI_Aint bytes_of(uint32_t words)
{
    return offsetof(part_t, words) + words * sizeof(uint32_t);
}

static void give_up(meeting_t * meeting, int error)
{
    cmap_builder_free(meeting->builder);
    meeting->builder = NULL;
    if (meeting->remote->error == MPI_SUCCESS)
        meeting->remote->error = error;
}

static bool is_dynamic(const meeting_t * meeting)
{
    uint32_t leader = MPIDIU_comm_rank_to_index(meeting->peers, meeting->remote_leader);

    return !MPIDIU_map_is_in_world(meeting->local->map) || !MPIDIU_index_is_in_world(leader);
}

static void write_part(meeting_t * meeting, int number, part_t * part)
{
    const cmap_t *map = MPIR_Comm_map(meeting->local, MPIR_MAP_LOCAL);

    part->size = cmap_size(map);
    part->first = cmap_select(map, 0);
    part->n = cmap_to_words(map, meeting->next, part->words, room_of(number), &meeting->next);
    meeting->sends = meeting->next < part->size;
    part->flags = (meeting->sends ? PART_MORE : 0) | (is_dynamic(meeting) ? PART_DYNAMIC : 0);
}

/* The members of a part; of the last one, the map. */
static void read_part(meeting_t * meeting, const part_t * part)
{
    MPIR_Remote_group_t *remote = meeting->remote;
    cmap_status status;

    remote->size = (int) part->size;
    if (!meeting->builder)
        return;
    status = cmap_builder_add_words(meeting->builder, part->words, part->n);
    if (status == CMAP_OK && !(part->flags & PART_MORE))
        status = cmap_builder_finish(meeting->builder, &remote->map);
    if (status != CMAP_OK)
        give_up(meeting, MPIR_Map_error(status, "remote group", remote->size));
}

/* A member of both groups, or CMAP_NONE. */
static uint32_t find_common(const cmap_t * local, const cmap_t * remote)
{
    cmap_t *both = NULL;
    uint32_t index = CMAP_NONE;

    if (cmap_intersection(local, remote, NULL, &both) == CMAP_OK) {
        if (cmap_size(both) > 0)
            index = cmap_select(both, 0);
        cmap_release(both);
        return index;
    }
    /* without memory one by one: both leaders have to find the same */
    for (uint32_t rank = 0; rank < cmap_size(remote) && index == CMAP_NONE; rank++) {
        uint32_t member = cmap_select(remote, rank);
        if (cmap_rank(local, member) != CMAP_NONE)
            index = member;
    }
    return index;
}

/* Both leaders come to the same conclusion, and nobody goes on: a process of both groups would be waited for in one of them. */
static void check_disjoint(const meeting_t * meeting, part_t * last)
{
#ifdef HAVE_ERROR_CHECKING
    MPID_BEGIN_ERROR_CHECKS;
    if (meeting->remote->map) {
        uint32_t common = find_common(MPIR_Comm_map(meeting->local, MPIR_MAP_LOCAL), meeting->remote->map);
        if (common != CMAP_NONE) {
            last->flags |= PART_OVERLAP;
            last->first = common;
        }
    }
    MPID_END_ERROR_CHECKS;
#endif
}

static int sendrecv_parts(const meeting_t * meeting, int number, bool sends, const part_t * own, part_t * theirs)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int dest = sends ? meeting->remote_leader : MPI_PROC_NULL;
    int source = meeting->receives ? meeting->remote_leader : MPI_PROC_NULL;

    mpi_errno = MPIC_Sendrecv(own, sends ? bytes_of(own->n) : 0, MPI_BYTE, dest, meeting->tag,
                              theirs, bytes_of(room_of(number)), MPI_BYTE, source, meeting->tag,
                              meeting->peers, MPI_STATUS_IGNORE, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* At the leader: what it learns with the part, and what it tells its group beside it. */
static void judge_part(meeting_t * meeting, uint32_t own_first, uint32_t own_flags, part_t * theirs)
{
    if ((own_flags | theirs->flags) & PART_DYNAMIC) {
        meeting->sends = false;
        theirs->flags = PART_DYNAMIC;
        return;
    }
    read_part(meeting, theirs);
    if (own_first < theirs->first)
        theirs->flags |= PART_LOW;
    if (!(theirs->flags & PART_MORE))
        check_disjoint(meeting, theirs);
}

static void trade_parts(meeting_t * meeting, int number, part_t * theirs)
{
    part_t own;
    bool sends = meeting->sends;
    int error;

    if (sends)
        write_part(meeting, number, &own);
    error = sendrecv_parts(meeting, number, sends, &own, theirs);
    if (error != MPI_SUCCESS) {
        give_up(meeting, error);
        meeting->sends = false;
        theirs->flags = PART_FAILED;
    } else if (meeting->receives) {
        const cmap_t *map = MPIR_Comm_map(meeting->local, MPIR_MAP_LOCAL);
        judge_part(meeting, cmap_select(map, 0), sends ? own.flags : 0, theirs);
    }
}

static void pass_on(meeting_t * meeting, int number, part_t * part)
{
    int error = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    error = MPIR_Bcast(part, bytes_of(room_of(number)), MPI_BYTE, meeting->leader, meeting->local, &errflag);
    if (error == MPI_SUCCESS && errflag)
        MPIR_ERR_SET(error, MPI_ERR_OTHER, "**coll_fail");
    if (error != MPI_SUCCESS) {
        give_up(meeting, error);
        part->flags = PART_FAILED;
    } else if (!leads(meeting) && !(part->flags & (PART_DYNAMIC | PART_FAILED))) {
        read_part(meeting, part);
    }
    meeting->flags = part->flags;
    meeting->receives = (part->flags & PART_MORE) != 0;
}

static int exchange_parts(meeting_t * meeting)
{
    int mpi_errno = MPI_SUCCESS;
    part_t theirs = { 0 };

    meeting->sends = leads(meeting);
    meeting->receives = true;
    for (int number = 0; meeting->sends || meeting->receives; number++) {
        if (leads(meeting))
            trade_parts(meeting, number, &theirs);
        if (meeting->receives)
            pass_on(meeting, number, &theirs);
    }
    meeting->remote->is_low_group = (meeting->flags & PART_LOW) != 0;
    if (meeting->flags & PART_OVERLAP)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_COMM, "**dupprocesses", "**dupprocesses %d", (int) theirs.first);
    return mpi_errno;
}

/* Each process finds out by itself: a leader that fails before it has told its group would be waited for. */
static int check_lpids(const meeting_t * meeting, const uint64_t lpids[])
{
    int mpi_errno = MPI_SUCCESS;

#ifdef HAVE_ERROR_CHECKING
    MPID_BEGIN_ERROR_CHECKS;
    if (!MPIR_Solo_on)
        mpi_errno = MPIDI_check_disjoint(meeting->local, lpids, meeting->remote->size);
    MPID_END_ERROR_CHECKS;
#endif
    return mpi_errno;
}

/* The way of MPICH, with lists: of processes that have no index here yet, and of those that a process alone makes up. */
static int exchange_lpids(const meeting_t * meeting)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Remote_group_t *remote = meeting->remote;
    uint64_t *lpids = NULL;

    mpi_errno = MPID_Intercomm_exchange_map(meeting->local, meeting->leader, meeting->peers, meeting->remote_leader,
                                            &remote->size, &lpids, &remote->is_low_group);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = check_lpids(meeting, lpids);
    MPIR_ERR_CHECK(mpi_errno);
    remote->error = MPIDIU_map_from_gpids(lpids, remote->size, &remote->map);

  fn_exit:
    MPL_free(lpids);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPID_Intercomm_meet(MPIR_Comm * local_comm, int local_leader, MPIR_Comm * peer_comm, int remote_leader,
                        int tag, MPIR_Remote_group_t * remote)
{
    int mpi_errno = MPI_SUCCESS;
    cmap_status status;
    meeting_t meeting = {.local = local_comm,.leader = local_leader,.peers = peer_comm,
        .remote_leader = remote_leader,.tag = tag,.remote = remote
    };

    *remote = (MPIR_Remote_group_t) {.error = MPI_SUCCESS };
    if (MPIR_Solo_on)
        return exchange_lpids(&meeting);
    status = cmap_builder_create(CMAP_MAX_SIZE, NULL, &meeting.builder);
    if (status != CMAP_OK)
        give_up(&meeting, MPIR_Map_error(status, "remote group", 0));
    mpi_errno = exchange_parts(&meeting);
    MPIR_ERR_CHECK(mpi_errno);
    if (meeting.flags & PART_DYNAMIC) {
        mpi_errno = exchange_lpids(&meeting);
        MPIR_ERR_CHECK(mpi_errno);
    } else if (!remote->map && remote->error == MPI_SUCCESS) {
        MPIR_ERR_SET(remote->error, MPI_ERR_OTHER, "**ctxid_refused");
    }

  fn_exit:
    cmap_builder_free(meeting.builder);
    return mpi_errno;
  fn_fail:
    cmap_release(remote->map);
    remote->map = NULL;
    goto fn_exit;
}
