/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: their block, who may write when, and waiting. */
#include <sched.h>
#include "aggr_impl.h"

static size_t block_bytes(const aggr_shape_t *shape, int leaders)
{
    return MPIR_aggr_head_bytes(shape->members) +
           (size_t) (shape->members + leaders) * (size_t) shape->lines * sizeof(aggr_line_t);
}

static size_t bytes_for(const aggr_shape_t *shape)
{
    return block_bytes(shape, MPIR_aggr_divide(shape, 0).count);
}

uint64_t MPIR_aggr_group_reserve(aggr_arena_t *arena, const aggr_shape_t *shape)
{
    return MPIR_aggr_arena_reserve(arena, bytes_for(shape));
}

void MPIR_aggr_group_cancel(aggr_arena_t *arena, uint64_t block, const aggr_shape_t *shape)
{
    MPIR_aggr_arena_release(arena, block, bytes_for(shape));
}

void MPIR_aggr_group_join(aggr_group_t *group, aggr_arena_t *arena, uint64_t block,
                          const aggr_shape_t *shape, int me, const aggr_waiting_t *waiting)
{
    char *at = MPIR_aggr_arena_at(arena, block);
    memset(group, 0, sizeof *group);
    group->arena = arena;
    group->block = block;
    group->shape = *shape;
    group->me = me;
    group->waiting = waiting;
    group->parts = MPIR_aggr_divide(shape, me);
    group->lines = (aggr_line_t *) (at + MPIR_aggr_head_bytes(shape->members));
    group->stage = group->lines + shape->lines * shape->members;
    group->ring = (aggr_ring_t){.group = group, .copy_bytes = shape->copy_bytes};
}

uint32_t MPIR_aggr_count_left(const aggr_group_t *group)
{
    return __atomic_load_n(&MPIR_aggr_block(group)->left, __ATOMIC_ACQUIRE);
}

/* The last one gives the memory back: everybody else has read what it will read. */
void MPIR_aggr_leave_now(aggr_group_t *group)
{
    uint32_t left = __atomic_add_fetch(&MPIR_aggr_block(group)->left, 1, __ATOMIC_ACQ_REL);
    if (left < (uint32_t) group->shape.members)
        return;
    MPIR_aggr_ring_release(group);
    MPIR_aggr_arena_release(group->arena, group->copies_block,
                            MPIR_aggr_copies_bytes(&group->shape));
    MPIR_aggr_arena_release(group->arena, group->block,
                            block_bytes(&group->shape, group->parts.count));
}

int MPIR_aggr_give_way(const aggr_waiting_t *waiting, unsigned *turns)
{
    if (waiting->yields)
        sched_yield();
    if (!waiting->progress || ++*turns < waiting->turns)
        return AGGR_OK;
    *turns = 0;
    return waiting->progress(waiting->context);
}

int MPIR_aggr_turn(aggr_group_t *group)
{
    MPIR_aggr_relax();
    if (!group->broken)
        group->broken = MPIR_aggr_give_way(group->waiting, &group->turns);
    return group->broken;
}

int MPIR_aggr_wait_slowly(aggr_group_t *group, const aggr_line_t *line, uint32_t seq)
{
    if (group->broken)
        return group->broken;
    for (;;) {
        for (unsigned poll = 0; poll < group->waiting->polls; poll++) {
            if (MPIR_aggr_reached(line, seq))
                return AGGR_OK;
            MPIR_aggr_relax();
        }
        if (MPIR_aggr_reached(line, seq))
            return AGGR_OK;
        group->broken = MPIR_aggr_give_way(group->waiting, &group->turns);
        if (group->broken)
            return group->broken;
    }
}

/* Until everybody has begun operation `seq`, which is before the one in progress by less than
 * there are lines. */
static int wait_begun(aggr_group_t *group, uint32_t seq)
{
    for (int m = 0; m < group->shape.members; m++) {
        int status =
            m == group->me
                ? AGGR_OK
                : MPIR_aggr_wait(group, MPIR_aggr_line_of(group, group->lines, m, seq), seq);
        if (status)
            return status;
    }
    group->safe = seq;
    return AGGR_OK;
}

static void lift_stage(aggr_group_t *group)
{
    uint32_t lines = (uint32_t) group->shape.lines;
    for (uint32_t seq = group->seq - 2 * lines; seq != group->seq - lines; seq++) {
        aggr_line_t *line = MPIR_aggr_line_of(group, group->stage, group->parts.mine, seq);
        if (!MPIR_aggr_reached(line, seq))
            MPIR_aggr_publish(line, seq);
    }
}

/* A leader's lines are written by some operations only, and `safe` is.  Before they could lie so
 * far behind that they would look ahead the lines get the numbers of operations that it has
 * ended, and everybody waits once. */
static int lift(aggr_group_t *group)
{
    if (group->parts.count && group->me == group->parts.first)
        lift_stage(group);
    return group->broken ? group->broken : wait_begun(group, group->seq - 1);
}

/* Notes that this operation writes, and returns the one before that did. */
static uint32_t replace(uint32_t *last, uint32_t seq)
{
    uint32_t before = *last;
    *last = seq;
    return before;
}

static bool is_read(const aggr_group_t *group, uint32_t datum_of)
{
    return (int32_t) (group->safe - datum_of) > 0;
}

int MPIR_aggr_begin(aggr_group_t *group, int writes)
{
    uint32_t seq = ++group->seq, lines = (uint32_t) group->shape.lines;
    int status = seq % AGGR_LIFT == 0 ? lift(group) : group->broken;
    /* Not until the datum is read, but some operations more: the later the operation, the longer
     * the answer serves. */
    if ((writes & AGGR_IN_LINE) &&
        !is_read(group, replace(&group->wrote[seq & (lines - 1)], seq)) && !status)
        status = wait_begun(group, seq - lines / 2);
    if (writes & AGGR_IN_COPY) {
        uint32_t *copied = group->desk_bytes ? group->desk->put : group->copied;
        if (!is_read(group, replace(&copied[seq & 1], seq)) && !status)
            status = wait_begun(group, seq - 1);
    }
    return status;
}

int MPIR_aggr_put_nothing(aggr_group_t *group)
{
    int status = MPIR_aggr_begin(group, AGGR_NOTHING);
    if (status == AGGR_OK)
        MPIR_aggr_publish(MPIR_aggr_my_line(group), group->seq);
    return status;
}

int MPIR_aggr_wait_all(aggr_group_t *group) { return wait_begun(group, group->seq); }

int MPIR_aggr_differs(aggr_group_t *group, const aggr_line_t *line)
{
    aggr_elsewhere_t elsewhere;
    if (group->desk_bytes && group->seq == group->first && group->compared)
        return AGGR_OK;
    group->length = line->length;
    if (line->length == AGGR_LENGTH_ELSEWHERE || line->length == AGGR_LENGTHS_DIFFER ||
        line->length == AGGR_LENGTH_LONG) {
        memcpy(&elsewhere, line->datum, sizeof elsewhere);
        group->length = elsewhere.bytes;
    }
    return AGGR_ERR_LENGTH;
}
