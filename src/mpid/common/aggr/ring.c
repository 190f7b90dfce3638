/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings: lines for operations that overlap.
 *
 * A member's first line of the ring has the number up to which it has ended all operations.  The
 * others have the number of the operation that they belong to: a reader compares it for equality,
 * because nobody writes a line again before all members have ended its operation.  Each member
 * writes a line in each operation, so no line keeps a number of long ago.
 *
 * Order of memory: a number is stored with release and read with acquire, as in the other lines.
 * What a member has read of an operation it has read before it publishes that it has ended it.
 *
 * The block of a group's own ring is made by the member that needs it first, and its place stands
 * in the group's block.  So members agree without waiting: the first answer is everybody's.
 */
#include "aggr_impl.h"

enum { NO_ROOM = 1 }; /* in the place of a block; no block begins there */

/* The datum of the line before a ring's first one, which counts the members that have left. */
typedef struct given_up {
    uint64_t next, bytes;
} given_up_t;

/* A line at the start counts the members that have left. */
static size_t lines_bytes(const aggr_group_t *group)
{
    return ((size_t) group->shape.members * (AGGR_RING + 1) + 1) * sizeof(aggr_line_t);
}

static size_t copies_bytes(const aggr_group_t *group, size_t copy_bytes)
{
    return (size_t) group->shape.members * AGGR_RING * copy_bytes;
}

/* The block that `where` has, or gets now.  NULL: there was no room for it. */
static void *settle(const aggr_group_t *group, uint64_t *where, size_t bytes)
{
    uint64_t seen, mine;
    AGGR_STEP();
    seen = __atomic_load_n(where, __ATOMIC_ACQUIRE);
    if (seen == 0) {
        mine = MPIR_aggr_arena_reserve(group->arena, bytes);
        AGGR_STEP();
        if (__atomic_compare_exchange_n(where, &seen, mine ? mine : NO_ROOM, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            seen = mine ? mine : NO_ROOM;
        else
            MPIR_aggr_arena_release(group->arena, mine, bytes);
    }
    return seen == NO_ROOM ? NULL : MPIR_aggr_arena_at(group->arena, seen);
}

static void give_back(const aggr_group_t *group, uint64_t block, size_t bytes)
{
    if (block != NO_ROOM)
        MPIR_aggr_arena_release(group->arena, block, bytes);
}

static void release_given_up(const aggr_group_t *group)
{
    uint64_t at = MPIR_aggr_block(group)->given_up;
    while (at) {
        given_up_t ring;
        memcpy(&ring, MPIR_aggr_arena_at(group->arena, at), sizeof ring);
        MPIR_aggr_arena_release(group->arena, at, ring.bytes);
        at = ring.next;
    }
}

void MPIR_aggr_ring_release(const aggr_group_t *group)
{
    const aggr_block_t *block = MPIR_aggr_block(group);
    release_given_up(group);
    give_back(group, block->ring, lines_bytes(group));
    give_back(group, block->ring_copies, copies_bytes(group, group->shape.copy_bytes));
}

static bool has_lines(aggr_ring_t *ring)
{
    if (ring->lines || ring->no_lines)
        return !ring->no_lines;
    aggr_line_t *first =
        settle(ring->group, &MPIR_aggr_block(ring->group)->ring, lines_bytes(ring->group));
    ring->lines = first ? first + 1 : NULL;
    ring->no_lines = !first;
    return first;
}

static bool has_copies(aggr_ring_t *ring)
{
    if (ring->copies || ring->no_copies)
        return !ring->no_copies;
    ring->copies = settle(ring->group, &MPIR_aggr_block(ring->group)->ring_copies,
                          copies_bytes(ring->group, ring->copy_bytes));
    ring->no_copies = !ring->copies;
    return ring->copies;
}

bool MPIR_aggr_ring_has(aggr_ring_t *ring, size_t bytes)
{
    return bytes <= ring->copy_bytes && has_lines(ring) &&
           (bytes <= AGGR_DATUM || has_copies(ring));
}

static aggr_line_t *ended_of(const aggr_ring_t *ring, int member)
{
    return &ring->lines[(size_t) member * (AGGR_RING + 1)];
}

static aggr_line_t *line_of(const aggr_ring_t *ring, uint32_t number, int member)
{
    return ended_of(ring, member) + 1 + number % AGGR_RING;
}

static char *datum_of(const aggr_ring_t *ring, uint32_t number, int member, size_t bytes)
{
    size_t place = (size_t) member * AGGR_RING + number % AGGR_RING;
    if (bytes <= AGGR_DATUM)
        return (char *) line_of(ring, number, member)->datum;
    return ring->copies + place * ring->copy_bytes;
}

/* All members have ended operations up to this one. */
static uint32_t ended_by_all(const aggr_ring_t *ring)
{
    uint32_t least = ring->ended;
    for (int m = 0; m < ring->group->shape.members; m++) {
        AGGR_STEP();
        uint32_t ended = __atomic_load_n(&ended_of(ring, m)->seq, __ATOMIC_ACQUIRE);
        if ((int32_t) (ended - least) < 0)
            least = ended;
    }
    return least;
}

static bool may_follow(const aggr_ring_t *ring)
{
    return (int32_t) (ring->begun + 1 - AGGR_RING - ring->safe) <= 0;
}

bool MPIR_aggr_ring_ready(aggr_ring_t *ring)
{
    if (may_follow(ring))
        return true;
    ring->safe = ended_by_all(ring);
    return may_follow(ring);
}

void *MPIR_aggr_ring_place(aggr_ring_t *ring, size_t bytes)
{
    return datum_of(ring, ring->begun + 1, ring->group->me, bytes);
}

uint32_t MPIR_aggr_ring_begin(aggr_ring_t *ring, uint32_t length)
{
    uint32_t number = ++ring->begun;
    aggr_line_t *line = line_of(ring, number, ring->group->me);
    line->length = length;
    MPIR_aggr_publish(line, number);
    return number;
}

bool MPIR_aggr_ring_arrived(const aggr_ring_t *ring, uint32_t number, int member)
{
    AGGR_STEP();
    return __atomic_load_n(&line_of(ring, number, member)->seq, __ATOMIC_ACQUIRE) == number;
}

uint32_t MPIR_aggr_ring_length(const aggr_ring_t *ring, uint32_t number, int member)
{
    return line_of(ring, number, member)->length;
}

const void *MPIR_aggr_ring_datum(const aggr_ring_t *ring, uint32_t number, int member, size_t bytes)
{
    return datum_of(ring, number, member, bytes);
}

void MPIR_aggr_ring_end(aggr_ring_t *ring, uint32_t number)
{
    ring->over |= UINT32_C(1) << (number - ring->ended - 1);
    if (!(ring->over & 1))
        return;
    for (; ring->over & 1; ring->over >>= 1)
        ring->ended++;
    MPIR_aggr_publish(ended_of(ring, ring->group->me), ring->ended);
}

/* ---- a ring that is not the group's own ------------------------------------------------------ */

static size_t copy_bytes_for(size_t bytes)
{
    return (bytes + AGGR_LINE - 1) / AGGR_LINE * AGGR_LINE;
}

static size_t block_bytes_for(const aggr_group_t *group, size_t copy_bytes)
{
    return lines_bytes(group) + copies_bytes(group, copy_bytes);
}

uint64_t MPIR_aggr_ring_reserve(const aggr_group_t *group, size_t bytes)
{
    return MPIR_aggr_arena_reserve(group->arena, block_bytes_for(group, copy_bytes_for(bytes)));
}

/* One member alone writes here, and who gives the group's block back reads it. */
void MPIR_aggr_ring_give_up(const aggr_group_t *group, uint64_t block, size_t bytes)
{
    aggr_block_t *owner = MPIR_aggr_block(group);
    given_up_t ring = {owner->given_up, block_bytes_for(group, copy_bytes_for(bytes))};
    memcpy(MPIR_aggr_arena_at(group->arena, block), &ring, sizeof ring);
    owner->given_up = block;
}

void MPIR_aggr_ring_join(aggr_ring_t *ring, const aggr_group_t *group, uint64_t block, size_t bytes)
{
    char *at = MPIR_aggr_arena_at(group->arena, block);
    *ring = (aggr_ring_t){.group = group,
                          .block = block,
                          .lines = (aggr_line_t *) at + 1,
                          .copies = at + lines_bytes(group),
                          .copy_bytes = copy_bytes_for(bytes)};
}

void MPIR_aggr_ring_leave(aggr_ring_t *ring)
{
    const aggr_group_t *group = ring->group;
    uint32_t left = __atomic_add_fetch(&ring->lines[-1].seq, 1, __ATOMIC_ACQ_REL);
    if (left == (uint32_t) group->shape.members)
        MPIR_aggr_arena_release(group->arena, ring->block,
                                block_bytes_for(group, ring->copy_bytes));
}
