/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meetings: members that wait for nobody agree on their group.
 *
 * A meeting is a block of the arena with the members and one word.  Its door leads to it: a list,
 * chosen by the key, to which anybody adds a meeting that is not there.  The word says what has
 * been decided last.  Whoever comes first to an attempt decides it, by compare-and-swap; all others
 * find the decision, however late they come.
 *
 * Additions are at the head of the list, by compare-and-swap.  One process at a time takes out the
 * meetings that all members have left.  They return to the arena when nobody is on a walk through
 * the list: who begins one later does not find them.  So the counter of visitors and the links are
 * in one order for all processes (sequentially consistent).  A process that is killed on a walk, or
 * while it tidies up, leaves memory taken, and nobody waits for it.
 *
 * A member that finds no room for a meeting closes the hall, and then looks again: a meeting that
 * it does not find now can decide nothing, since who adds it later sees that the hall is closed.
 * Nobody who sees that adds another one.
 */
#include "aggr_impl.h"

enum { DOORS = 64 };

typedef struct door {
    uint64_t head;     /* the newest meeting, or 0 */
    uint64_t retired;  /* meetings taken out; of who has `tidying` */
    uint32_t visitors; /* processes on a walk */
    uint32_t tidying;
} door_t;

/* At the start of the hall's block; a byte of each process follows: it takes part. */
typedef struct hall_block {
    uint32_t closed;
    door_t doors[DOORS];
    unsigned char present[];
} hall_block_t;

typedef struct meeting {
    uint64_t next;    /* in the list */
    uint64_t retired; /* in that of the door */
    uint64_t key;
    uint64_t word;
    uint64_t left;    /* a bit of each member */
    uint32_t is_void; /* it is nobody's any more, though not all have left it */
    uint32_t members;
    uint32_t seats[AGGR_PARTY]; /* the members' processes, by rank */
} meeting_t;

/* ---- words: what has been decided ------------------------------------------------------------ */

enum {
    ATTEMPT_BITS = 8,
    FAN_BITS = 16,
    ROOTED_AT = ATTEMPT_BITS,
    FAN_AT = ROOTED_AT + 1,
    BLOCK_AT = FAN_AT + FAN_BITS,
    BLOCK_UNIT = 512 /* blocks begin with one */
};

static uint64_t word_of(unsigned attempt, const aggr_offer_t *offer)
{
    return offer->block / BLOCK_UNIT << BLOCK_AT | (uint64_t) (uint32_t) offer->fan << FAN_AT |
           (uint64_t) offer->rooted << ROOTED_AT | attempt;
}

static unsigned attempt_of(uint64_t word) { return word & ((1U << ATTEMPT_BITS) - 1); }

static aggr_offer_t offer_of(uint64_t word)
{
    return (aggr_offer_t){.block = (word >> BLOCK_AT) * BLOCK_UNIT,
                          .fan = (int) (word >> FAN_AT & ((1U << FAN_BITS) - 1)),
                          .rooted = word >> ROOTED_AT & 1};
}

/* ---- the hall -------------------------------------------------------------------------------- */

static size_t hall_bytes(int processes) { return sizeof(hall_block_t) + (size_t) processes; }

static hall_block_t *hall_block(const aggr_hall_t *hall)
{
    return MPIR_aggr_arena_at(hall->arena, hall->block);
}

uint64_t MPIR_aggr_hall_reserve(aggr_arena_t *arena, int processes)
{
    return MPIR_aggr_arena_reserve(arena, hall_bytes(processes));
}

void MPIR_aggr_hall_release(aggr_arena_t *arena, uint64_t block, int processes)
{
    MPIR_aggr_arena_release(arena, block, hall_bytes(processes));
}

void MPIR_aggr_hall_enter(aggr_hall_t *hall, aggr_arena_t *arena, uint64_t block, int me)
{
    *hall = (aggr_hall_t){arena, block};
    __atomic_store_n(&hall_block(hall)->present[me], 1, __ATOMIC_RELEASE);
}

static bool is_closed(const aggr_hall_t *hall)
{
    return __atomic_load_n(&hall_block(hall)->closed, __ATOMIC_SEQ_CST);
}

static bool all_are_present(const hall_block_t *hall, const aggr_party_t *party)
{
    for (int m = 0; m < party->members; m++) {
        AGGR_STEP();
        if (!__atomic_load_n(&hall->present[party->seats[m]], __ATOMIC_ACQUIRE))
            return false;
    }
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static meeting_t *at(const aggr_hall_t *hall, uint64_t block)
{
    return MPIR_aggr_arena_at(hall->arena, block);
}

static door_t *door_of(const aggr_hall_t *hall, uint64_t key)
{
    return &hall_block(hall)->doors[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % DOORS];
}

static bool has_been_left(const meeting_t *meeting)
{
    AGGR_STEP();
    return __atomic_load_n(&meeting->left, __ATOMIC_ACQUIRE) ==
           ~UINT64_C(0) >> (AGGR_PARTY - meeting->members);
}

/* A meeting that all have left, or that is void, is not that of another party of the same
 * members. */
static bool is_of(const meeting_t *meeting, const aggr_party_t *party)
{
    if (meeting->key != party->key || meeting->members != (uint32_t) party->members ||
        memcmp(meeting->seats, party->seats, meeting->members * sizeof(uint32_t)) != 0)
        return false;
    AGGR_STEP();
    return !__atomic_load_n(&meeting->is_void, __ATOMIC_ACQUIRE) && !has_been_left(meeting);
}

static uint64_t next_of(const aggr_hall_t *hall, uint64_t block)
{
    AGGR_STEP();
    return __atomic_load_n(&at(hall, block)->next, __ATOMIC_SEQ_CST);
}

/* From `from` to before `to`. */
static uint64_t find_between(const aggr_hall_t *hall, uint64_t from, uint64_t to,
                             const aggr_party_t *party)
{
    while (from && from != to && !is_of(at(hall, from), party))
        from = next_of(hall, from);
    return from == to ? 0 : from;
}

static uint64_t read_head(const door_t *door)
{
    AGGR_STEP();
    return __atomic_load_n(&door->head, __ATOMIC_SEQ_CST);
}

static uint64_t make_meeting(const aggr_hall_t *hall, const aggr_party_t *party)
{
    uint64_t block = MPIR_aggr_arena_reserve(hall->arena, sizeof(meeting_t));

    if (block) {
        meeting_t *meeting = at(hall, block);

        meeting->key = party->key;
        meeting->members = (uint32_t) party->members;
        memcpy(meeting->seats, party->seats, meeting->members * sizeof(uint32_t));
    }
    return block;
}

/* The party's meeting, which is `mine` if there was none. */
static uint64_t add(const aggr_hall_t *hall, door_t *door, const aggr_party_t *party, uint64_t head,
                    uint64_t mine)
{
    while (true) {
        uint64_t seen = head, found;

        at(hall, mine)->next = head;
        AGGR_STEP();
        if (__atomic_compare_exchange_n(&door->head, &head, mine, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return mine;
        /* what was behind `seen` has been looked at; a meeting there may be gone */
        found = find_between(hall, head, seen, party);
        if (found)
            return found;
    }
}

static uint64_t find_or_add(const aggr_hall_t *hall, door_t *door, const aggr_party_t *party)
{
    uint64_t head, found, mine;
    bool closed;

    AGGR_STEP();
    closed = is_closed(hall); /* what is added from now on decides nothing */
    head = read_head(door);
    found = find_between(hall, head, 0, party);
    if (found || closed)
        return found;
    mine = make_meeting(hall, party);
    if (!mine) {
        AGGR_STEP();
        __atomic_store_n(&hall_block(hall)->closed, 1, __ATOMIC_SEQ_CST);
        return find_between(hall, read_head(door), 0, party);
    }
    found = add(hall, door, party, head, mine);
    if (found != mine)
        MPIR_aggr_arena_release(hall->arena, mine, sizeof(meeting_t));
    return found;
}

static void begin_walk(door_t *door)
{
    AGGR_STEP();
    __atomic_fetch_add(&door->visitors, 1, __ATOMIC_SEQ_CST);
}

static void end_walk(door_t *door)
{
    AGGR_STEP();
    __atomic_fetch_sub(&door->visitors, 1, __ATOMIC_SEQ_CST);
}

uint64_t MPIR_aggr_meeting(const aggr_hall_t *hall, const aggr_party_t *party)
{
    door_t *door = door_of(hall, party->key);
    uint64_t found;

    begin_walk(door);
    found = find_or_add(hall, door, party);
    end_walk(door);
    return found;
}

/* ---- tidying up ------------------------------------------------------------------------------ */

static void release_retired(const aggr_hall_t *hall, door_t *door)
{
    AGGR_STEP();
    if (__atomic_load_n(&door->visitors, __ATOMIC_SEQ_CST) != 0)
        return;
    while (door->retired) {
        uint64_t block = door->retired;

        door->retired = at(hall, block)->retired;
        MPIR_aggr_arena_release(hall->arena, block, sizeof(meeting_t));
    }
}

/* Takes out what follows `link`: the head, or a meeting's link, which nobody else writes.  False:
 * something has been added before it. */
static bool take_out(const aggr_hall_t *hall, door_t *door, uint64_t *link, uint64_t block)
{
    uint64_t seen = block, next = at(hall, block)->next;

    AGGR_STEP();
    if (!__atomic_compare_exchange_n(link, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    at(hall, block)->retired = door->retired;
    door->retired = block;
    return true;
}

static void take_out_left(const aggr_hall_t *hall, door_t *door)
{
    uint64_t *link = &door->head, block = read_head(door);

    while (block) {
        if (!has_been_left(at(hall, block)))
            link = &at(hall, block)->next;
        else if (!take_out(hall, door, link, block))
            link = &door->head;
        AGGR_STEP();
        block = __atomic_load_n(link, __ATOMIC_SEQ_CST);
    }
}

static void tidy(const aggr_hall_t *hall, door_t *door)
{
    uint32_t nobody = 0;

    AGGR_STEP();
    if (!__atomic_compare_exchange_n(&door->tidying, &nobody, 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return;
    take_out_left(hall, door);
    release_retired(hall, door);
    AGGR_STEP();
    __atomic_store_n(&door->tidying, 0, __ATOMIC_RELEASE);
}

/* Where nothing more can be agreed on, a member may never have found the meeting. */
static bool is_in_vain(const aggr_hall_t *hall, const meeting_t *meeting)
{
    AGGR_STEP();
    return is_closed(hall) &&
           offer_of(__atomic_load_n(&meeting->word, __ATOMIC_ACQUIRE)).block == 0;
}

void MPIR_aggr_meeting_leave(const aggr_hall_t *hall, uint64_t block, int me)
{
    meeting_t *meeting = at(hall, block);
    door_t *door = door_of(hall, meeting->key);

    if (is_in_vain(hall, meeting)) {
        AGGR_STEP();
        __atomic_store_n(&meeting->is_void, 1, __ATOMIC_RELEASE);
    }
    AGGR_STEP();
    __atomic_fetch_or(&meeting->left, UINT64_C(1) << me, __ATOMIC_ACQ_REL);
    tidy(hall, door);
}

/* ---- deciding -------------------------------------------------------------------------------- */

bool MPIR_aggr_meeting_decided(const aggr_hall_t *hall, uint64_t block, unsigned attempt,
                               aggr_offer_t *offer)
{
    AGGR_STEP();
    uint64_t word = __atomic_load_n(&at(hall, block)->word, __ATOMIC_ACQUIRE);

    if (attempt_of(word) < attempt)
        return false;
    *offer = attempt_of(word) == attempt ? offer_of(word) : (aggr_offer_t){.block = 0};
    return true;
}

bool MPIR_aggr_meeting_is_complete(const aggr_hall_t *hall, const aggr_party_t *party)
{
    AGGR_STEP();
    return !is_closed(hall) && all_are_present(hall_block(hall), party);
}

bool MPIR_aggr_meeting_decide(const aggr_hall_t *hall, uint64_t block, unsigned attempt,
                              aggr_offer_t *offer)
{
    uint64_t word = __atomic_load_n(&at(hall, block)->word, __ATOMIC_ACQUIRE);

    while (attempt_of(word) < attempt) {
        AGGR_STEP();
        if (__atomic_compare_exchange_n(&at(hall, block)->word, &word, word_of(attempt, offer),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return true;
    }
    *offer = attempt_of(word) == attempt ? offer_of(word) : (aggr_offer_t){.block = 0};
    return false;
}
