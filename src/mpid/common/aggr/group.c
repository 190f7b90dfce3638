/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: their block, who may write when, and waiting. */
#include <sched.h>
#include "aggr_impl.h"

/* At the start of a group's block; the lines follow. */
typedef struct aggr_block {
    uint32_t left;              /* members that are gone */
} __attribute__ ((aligned(2 * AGGR_LINE))) aggr_block_t;

static int leaders_of(const aggr_shape_t * shape)
{
    return shape->members <= shape->fan ? 0 : (shape->members + shape->fan - 1) / shape->fan;
}

static size_t block_bytes(const aggr_shape_t * shape)
{
    return sizeof(aggr_block_t) + (size_t) (shape->members + leaders_of(shape)) * 2 * sizeof(aggr_line_t);
}

static size_t copies_bytes(const aggr_shape_t * shape)
{
    return (size_t) shape->members * 2 * shape->copy_bytes;
}

uint64_t aggr_group_reserve(aggr_arena_t * arena, const aggr_shape_t * shape)
{
    return aggr_arena_reserve(arena, block_bytes(shape));
}

void aggr_group_cancel(aggr_arena_t * arena, uint64_t block, const aggr_shape_t * shape)
{
    aggr_arena_release(arena, block, block_bytes(shape));
}

void aggr_group_join(aggr_group_t * group, aggr_arena_t * arena, uint64_t block, const aggr_shape_t * shape, int me,
                     const aggr_waiting_t * waiting)
{
    char *at = aggr_arena_at(arena, block);
    memset(group, 0, sizeof *group);
    group->arena = arena;
    group->block = block;
    group->shape = *shape;
    group->me = me;
    group->waiting = waiting;
    group->leaders = leaders_of(shape);
    group->lines = (aggr_line_t *) (at + sizeof(aggr_block_t));
    group->stage = group->lines + 2 * shape->members;
}

/* The last one gives the memory back: everybody else has read what it will read. */
void aggr_group_leave(aggr_group_t * group)
{
    aggr_block_t *block = aggr_arena_at(group->arena, group->block);
    uint32_t left = __atomic_add_fetch(&block->left, 1, __ATOMIC_ACQ_REL);
    if (left < (uint32_t) group->shape.members)
        return;
    aggr_arena_release(group->arena, group->copies_block, copies_bytes(&group->shape));
    aggr_arena_release(group->arena, group->block, block_bytes(&group->shape));
}

int aggr_give_way(const aggr_waiting_t * waiting, unsigned *turns)
{
    if (waiting->yields)
        sched_yield();
    if (!waiting->progress || ++*turns < waiting->turns)
        return AGGR_OK;
    *turns = 0;
    return waiting->progress(waiting->context);
}

int aggr_wait_slowly(aggr_group_t * group, const aggr_line_t * line, const aggr_line_t * other, uint32_t seq,
                     uint32_t other_seq)
{
    if (group->broken)
        return group->broken;
    for (;;) {
        for (unsigned poll = 0; poll <= group->waiting->polls; poll++) {
            if (aggr_reached(line, seq) || aggr_reached(other, other_seq))
                return AGGR_OK;
            aggr_relax();
        }
        group->broken = aggr_give_way(group->waiting, &group->turns);
        if (group->broken)
            return group->broken;
    }
}

/* Has everybody begun operation `seq`, or a later one? */
static int wait_begun(aggr_group_t * group, uint32_t seq)
{
    for (int m = 0; m < group->shape.members; m++) {
        const aggr_line_t *line = aggr_line_of(group->lines, m, seq), *next = aggr_line_of(group->lines, m, seq + 1);
        if (m == group->me || aggr_reached(line, seq) || aggr_reached(next, seq + 1))
            continue;
        int status = aggr_wait_slowly(group, line, next, seq, seq + 1);
        if (status)
            return status;
    }
    group->safe = seq;
    return AGGR_OK;
}

/* A leader's lines are written by some operations only.  Before they could lie so far behind that they would look ahead they
 * get the numbers of operations that all have ended. */
static void lift_stage(aggr_group_t * group)
{
    if (group->me % group->shape.fan != 0)
        return;
    for (uint32_t seq = group->seq - 4; seq != group->seq - 2; seq++) {
        aggr_line_t *line = aggr_line_of(group->stage, group->me / group->shape.fan, seq);
        if (!aggr_reached(line, seq))
            aggr_publish(line, seq);
    }
}

int aggr_begin(aggr_group_t * group, bool with_datum)
{
    uint32_t seq = ++group->seq;
    if (group->leaders && seq % AGGR_LIFT == 0)
        lift_stage(group);
    if (!with_datum)
        return group->broken;
    uint32_t before = group->wrote[seq & 1];
    group->wrote[seq & 1] = seq;
    if ((int32_t) (group->safe - before) > 0)
        return group->broken;
    /* Not `before + 1`: the later the operation, the longer the answer serves. */
    return wait_begun(group, seq - 1);
}

int aggr_wait_all(aggr_group_t * group)
{
    for (int m = 0; m < group->shape.members; m++) {
        int status = aggr_wait(group, aggr_line_of(group->lines, m, group->seq), group->seq);
        if (status)
            return status;
    }
    group->safe = group->seq;
    return AGGR_OK;
}

void aggr_take_copies(aggr_group_t * group, uint64_t block)
{
    group->no_copies = block == 0;
    group->copies_block = block;
    group->copies = block ? aggr_arena_at(group->arena, block) : NULL;
}

/* Member 0 makes the buffers and tells the others where; all hear the same. */
static int make_copies(aggr_group_t * group)
{
    uint64_t block = 0;
    if (group->me == 0)
        block = aggr_arena_reserve(group->arena, copies_bytes(&group->shape));
    int status = aggr_bcast_copies(group, &block);
    if (status == AGGR_OK)
        aggr_take_copies(group, block);
    else if (group->me == 0)
        aggr_arena_release(group->arena, block, copies_bytes(&group->shape));
    return status;
}

int aggr_ready(aggr_group_t * group, size_t bytes, bool * ready)
{
    int status = AGGR_OK;
    if (bytes > AGGR_DATUM && !group->copies && !group->no_copies)
        status = make_copies(group);
    *ready = bytes <= AGGR_DATUM || group->copies;
    return status;
}
