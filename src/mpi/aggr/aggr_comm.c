/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_reserve.h"
#include "aggr_comm.h"

/* Stand for what a communicator has after its first collective, and when it is of several nodes
 * whose processes take part. */
static struct MPIR_Aggr not_yet = {.calls = 1}, nodes = {.agreed = true};

/* Readers of a line, as far as this process would have it: where processes wait for a core, one
 * turn of theirs costs more than reading all the lines. */
static int fan_for(int members)
{
    enum { FAN = 16 };

    if (MPIR_Aggr_settings.fan > 0)
        return MPIR_Aggr_settings.fan;
    return MPIR_Yield_on && members > FAN ? members : FAN;
}

/* The process of the node that a member of `comm` is. */
static int seat_of(const void *comm, int member)
{
    uint32_t process = MPIR_cmap_select(((const MPIR_Comm *) comm)->map, (uint32_t) member);

    return MPIR_World_local_rank((int) process);
}

/* Where a member of `comm` runs, as it has said when MPI began. */
static uint32_t place_of(const void *comm, int level, int member)
{
    return MPIR_Aggr_place(seat_of(comm, member), level);
}

/* Where each process has a core, roots run ahead. */
static aggr_shape_t shape_for(const MPIR_Comm *comm, int fan, bool rooted)
{
    aggr_shape_t shape = {.members = comm->local_size,
                          .fan = fan,
                          .copy_bytes = (MPIR_Aggr_settings.max_bytes + AGGR_LINE - 1) / AGGR_LINE *
                                        AGGR_LINE,
                          .lines = rooted ? AGGR_LINES : 2,
                          .places = {place_of, comm},
                          .seats = {seat_of, comm},
                          .least_loan = MPIR_Aggr_settings.lend_bytes};
    return shape;
}

/* What the members tell each other, folded by maximum. */
/* some process cannot; the rest is of the first of them */
enum { UNWILLING, BLOCK, FAN, ROOTED, TERMS };
typedef unsigned long long terms_t[TERMS];

/* What this process has to offer. */
static struct MPIR_Aggr *aggr_prepare(MPIR_Comm *comm, terms_t terms)
{
    aggr_arena_t *arena = MPIR_Aggr_arena();
    struct MPIR_Aggr *aggr = NULL;

    if (arena && MPIR_Aggr_make_scratch())
        aggr = MPL_malloc(sizeof(*aggr), MPL_MEM_COMM);
    if (aggr && comm->rank == 0) {
        aggr_shape_t shape = shape_for(comm, fan_for(comm->local_size), !MPIR_Yield_on);
        terms[BLOCK] = MPIR_aggr_group_reserve(arena, &shape);
        terms[FAN] = shape.fan;
        terms[ROOTED] = !MPIR_Yield_on;
    }
    terms[UNWILLING] = !aggr || (comm->rank == 0 && !terms[BLOCK]);
    return aggr;
}

/* `waits`: in a collective that waits for all. */
static void join(MPIR_Comm *comm, struct MPIR_Aggr *aggr, const terms_t terms, bool waits)
{
    aggr_shape_t shape = shape_for(comm, terms[FAN], terms[ROOTED]);

    MPIR_aggr_group_join(&aggr->group, MPIR_Aggr_arena(), terms[BLOCK], &shape, comm->rank,
                         MPIR_Aggr_waiting());
    aggr->agreed = waits;
    aggr->rooted = terms[ROOTED];
    aggr->all_wait = aggr->by_messages = false;
    aggr->queue = NULL;
    aggr->neighbours = NULL;
    comm->aggr = aggr;
    /* a member whose agreement ended with the revocation has not joined */
    if (unlikely(comm->ended))
        MPIR_Aggr_end_waits(comm);
}

/* Of a block that nobody joins.  After an error somebody may have: then it stays taken. */
static void refuse(MPIR_Comm *comm, struct MPIR_Aggr *aggr, const terms_t own, bool nobody_joins)
{
    if (own[BLOCK] && nobody_joins) {
        aggr_shape_t shape = shape_for(comm, own[FAN], own[ROOTED]);
        MPIR_aggr_group_cancel(MPIR_Aggr_arena(), own[BLOCK], &shape);
    }
    MPL_free(aggr);
    comm->aggr = &MPIR_Aggr_never;
    MPIR_Aggr_counts.refused++;
}

/* ---- members that do not wait ---- */

/* A context id comes again when all members have freed its communicator.  That of a revoked one,
 * which some members may not have used as others have, does not come again at all. */
void MPIR_Aggr_describe(const MPIR_Comm *comm, aggr_party_t *party)
{
    party->key = comm->context_id;
    party->members = comm->local_size;
    for (int m = 0; m < comm->local_size; m++)
        party->seats[m] = (uint32_t) seat_of(comm, m);
}

static aggr_offer_t make_offer(const MPIR_Comm *comm)
{
    aggr_offer_t offer = {.fan = MPL_MIN(fan_for(comm->local_size), UINT16_MAX),
                          .rooted = !MPIR_Yield_on};
    aggr_shape_t shape = shape_for(comm, offer.fan, offer.rooted);

    offer.block = MPIR_aggr_group_reserve(MPIR_Aggr_arena(), &shape);
    return offer;
}

static void take_back(const MPIR_Comm *comm, const aggr_offer_t *offer)
{
    aggr_shape_t shape = shape_for(comm, offer->fan, offer->rooted);

    if (offer->block)
        MPIR_aggr_group_cancel(MPIR_Aggr_arena(), offer->block, &shape);
}

static aggr_offer_t attempt(MPIR_Comm *comm, unsigned number)
{
    const aggr_offer_t none = {.block = 0};
    const aggr_hall_t *hall = MPIR_Aggr_hall(MPIR_Aggr_make_scratch());
    struct MPIR_Aggr *aggr = comm->aggr;
    aggr_offer_t offer, mine = none;
    aggr_party_t party;

    if (!hall)
        return none;
    MPIR_Aggr_describe(comm, &party);
    if (!aggr->meeting)
        aggr->meeting = MPIR_aggr_meeting(hall, &party);
    if (!aggr->meeting)
        return none;
    if (MPIR_aggr_meeting_decided(hall, aggr->meeting, number, &offer))
        return offer;
    if (MPIR_aggr_meeting_is_complete(hall, &party))
        mine = make_offer(comm);
    offer = mine;
    if (!MPIR_aggr_meeting_decide(hall, aggr->meeting, number, &offer))
        take_back(comm, &mine);
    return offer;
}

static void leave_meeting(const MPIR_Comm *comm)
{
    if (comm->aggr->meeting)
        MPIR_aggr_meeting_leave(MPIR_Aggr_hall(true), comm->aggr->meeting, comm->rank);
    comm->aggr->meeting = 0;
}

/* Are there attempts, of which none has succeeded so far? */
static bool is_open(const MPIR_Comm *comm)
{
    return comm->aggr && comm->aggr != &not_yet && !comm->aggr->agreed &&
           !MPIR_Aggr_has_lines(comm);
}

static void end_attempts(MPIR_Comm *comm)
{
    if (!is_open(comm))
        return;
    leave_meeting(comm);
    MPL_free(comm->aggr);
    comm->aggr = &not_yet;
}

/* All members come to this, and to no error that the others would not have: a member without memory
 * has the reserve. */
static int begin_attempts(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    struct MPIR_Aggr *aggr;

    MPIR_Reserve_enter();
    aggr = MPL_calloc(1, sizeof(*aggr), MPL_MEM_COMM);
    MPIR_Reserve_leave();
    MPIR_ERR_CHKANDSTMT(!aggr, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**nomem");
    aggr->calls = comm->aggr->calls;
    comm->aggr = aggr;

    return mpi_errno;
}

static void try_to_agree(MPIR_Comm *comm)
{
    enum { MOST = 1 << 30 };
    unsigned calls = comm->aggr->calls;
    aggr_offer_t offer;

    if (calls >= MOST)
        return;
    comm->aggr->calls = ++calls;
    if (calls & (calls - 1)) /* no power of two */
        return;
    offer = attempt(comm, (unsigned) __builtin_ctz(calls));
    if (offer.block) {
        const terms_t terms = {[BLOCK] = offer.block, [FAN] = offer.fan, [ROOTED] = offer.rooted};

        leave_meeting(comm);
        join(comm, comm->aggr, terms, false);
    }
}

int MPIR_Aggr_agree_at_once(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    if (comm->local_size > AGGR_PARTY || !MPIR_Aggr_mark_collective(comm))
        return MPI_SUCCESS;
    if (!MPIR_Aggr_all_take_part()) {
        refuse(comm, NULL, (terms_t){0}, true);
        return MPI_SUCCESS;
    }
    if (!is_open(comm))
        mpi_errno = begin_attempts(comm);
    if (mpi_errno == MPI_SUCCESS)
        try_to_agree(comm);
    return mpi_errno;
}

/* ---- members that wait ---- */

static int set_up(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    terms_t own = {0}, all;
    struct MPIR_Aggr *aggr = NULL;

    if (MPIR_Aggr_has_lines(comm)) {
        comm->aggr->agreed = true;
        return MPI_SUCCESS;
    }
    end_attempts(comm);
    if (MPIR_Aggr_all_take_part()) {
        aggr = aggr_prepare(comm, own);
        memcpy(all, own, sizeof(all));
        mpi_errno = MPIR_Aggr_agree(comm, all, TERMS);
    }
    if (aggr && mpi_errno == MPI_SUCCESS && !all[UNWILLING])
        join(comm, aggr, all, true);
    else
        refuse(comm, aggr, own, mpi_errno == MPI_SUCCESS);
    return mpi_errno;
}

void MPIR_Aggr_compose(MPIR_Comm *node_comm, bool all_wait)
{
    if (MPIR_Aggr_has_lines(node_comm))
        node_comm->aggr->all_wait = all_wait;
}

bool MPIR_Aggr_mark_collective(MPIR_Comm *comm)
{
    bool is_first = !comm->aggr;

    if (is_first)
        comm->aggr = &not_yet;
    return !is_first;
}

/* Notes the communicator's first collective; is it, or a later one, that in which the members
 * agree? */
static bool decide_set_up(MPIR_Comm *comm, enum MPIR_Aggr_kind kind)
{
    bool is_first = !MPIR_Aggr_mark_collective(comm);

    return !comm->aggr->agreed && (!is_first || (kind & MPIR_AGGR_ROUNDED));
}

aggr_group_t *MPIR_Aggr_group(MPIR_Comm *comm, enum MPIR_Aggr_kind kind, int *mpi_errno)
{
    *mpi_errno = MPI_SUCCESS;
    if (unlikely(decide_set_up(comm, kind)))
        *mpi_errno = set_up(comm);
    if (*mpi_errno != MPI_SUCCESS || !MPIR_Aggr_has_lines(comm))
        return NULL;
    if ((kind & MPIR_AGGR_ROOTED) && !comm->aggr->rooted && !comm->aggr->all_wait)
        return NULL;
    return &comm->aggr->group;
}

/* The lengths are compared before members go another way, or make room. */
static bool agree(aggr_group_t *group, MPIR_Aggr_payload_t payload, int *mpi_errno)
{
    bool ready = payload.fits;
    int status = MPIR_aggr_agree(group, payload.bytes);

    if (status == AGGR_OK && payload.fits)
        status = MPIR_aggr_ready(group, payload.place, &ready);
    *mpi_errno = MPIR_Aggr_error(status, payload.bytes, group);
    if (status == AGGR_OK && (payload.bytes & MPIR_AGGR_NO_LENGTH))
        *mpi_errno = MPIR_Aggr_lengths_differ(payload.bytes, 0);
    return *mpi_errno == MPI_SUCCESS && ready;
}

aggr_group_t *MPIR_Aggr_begin(MPIR_Comm *comm, enum MPIR_Aggr_kind kind,
                              MPIR_Aggr_payload_t payload, int *mpi_errno)
{
    aggr_group_t *group = MPIR_Aggr_group(comm, kind, mpi_errno);
    aggr_desk_t *desk;

    if (!group || likely(payload.fits && (payload.place <= AGGR_DATUM || group->copies)))
        return group;
    desk = payload.is_long ? MPIR_Aggr_desk() : NULL;
    if (!desk)
        return agree(group, payload, mpi_errno) ? group : NULL;
    *mpi_errno = MPIR_Aggr_error(MPIR_aggr_long_begin(group, desk), payload.bytes, group);
    return *mpi_errno == MPI_SUCCESS ? group : NULL;
}

bool MPIR_Aggr_end(aggr_group_t *group, int *status)
{
    if (unlikely(group->desk))
        *status = MPIR_aggr_long_end(group, *status);
    if (likely(*status != AGGR_ELSEWHERE))
        return false;
    *status = AGGR_OK;
    return true;
}

/* The communicators by nodes take memory: when some process has none the communicator does
 * without. */
static int set_up_nodes(MPIR_Comm *comm)
{
    unsigned long long unwilling = !MPIR_Aggr_node_takes_part(MPIR_AGGR_NODES_MOST);
    int mpi_errno = MPIR_Aggr_agree(comm, &unwilling, 1);

    comm->aggr = &MPIR_Aggr_never;
    if (mpi_errno == MPI_SUCCESS && !unwilling && MPIR_Comm_need_node_comms(comm) == MPI_SUCCESS)
        comm->aggr = &nodes;
    else
        MPIR_Aggr_counts.refused++;
    return mpi_errno;
}

bool MPIR_Aggr_begin_nodes(MPIR_Comm *comm, enum MPIR_Aggr_kind kind, size_t bytes, int *mpi_errno)
{
    *mpi_errno = MPI_SUCCESS;
    if (bytes == 0 || bytes > MPIR_AGGR_NODES_MOST / (size_t) comm->local_size)
        return false;
    if (unlikely(decide_set_up(comm, kind)))
        *mpi_errno = set_up_nodes(comm);
    return comm->aggr == &nodes;
}

static int end_wait(void *context MPL_UNUSED)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SETANDSTMT(mpi_errno, MPIX_ERR_REVOKED, ;, "**revoked");
    return mpi_errno;
}

static int end_wait_for_dead(void *context MPL_UNUSED)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SETANDSTMT(mpi_errno, MPIX_ERR_PROC_FAILED, ;, "**proc_failed");
    return mpi_errno;
}

int MPIR_Aggr_end_waits(MPIR_Comm *comm)
{
    static const aggr_waiting_t revoked = {.progress = end_wait},
                                with_dead = {.progress = end_wait_for_dead};

    comm->aggr->group.waiting = comm->revoked ? &revoked : &with_dead;
    return MPIR_Comm_end_error(comm);
}

void MPIR_Aggr_comm_free(MPIR_Comm *comm)
{
    if (MPIR_Aggr_has_lines(comm)) {
        MPIR_aggr_group_leave(&comm->aggr->group, MPIR_Aggr_desk_in_use());
        MPL_free(comm->aggr->neighbours);
        MPL_free(comm->aggr);
    } else {
        end_attempts(comm);
    }
    comm->aggr = NULL;
}
