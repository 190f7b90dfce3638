/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Desks: who may still read from mine.
 *
 * Inside a group the rule of lines holds: a buffer is written again when all members have begun
 * the operation behind the one that wrote it.  Between groups there is no such order.  So a long
 * payload ends with an operation in which nobody waits.  The next group's first one waits until all
 * members of the last group have begun that operation.  They are in a collective that the waiting
 * member has ended itself; correct programs allow for that.
 *
 * A process may leave the last group meanwhile.  Then its desk keeps the group, and leaves it for
 * the process.
 */
#include "aggr_impl.h"

/* A member that has left reads no more, even if a revocation kept it from the operation. */
static bool others_have_left(const aggr_group_t *group)
{
    return MPIR_aggr_count_left(group) >= (uint32_t) group->shape.members - 1;
}

static bool reads_no_more(const aggr_desk_t *desk, int member)
{
    aggr_group_t *group = desk->group;
    return member == group->me ||
           MPIR_aggr_reached(MPIR_aggr_line_of(group, group->lines, member, desk->end),
                             desk->end) ||
           (group == &desk->left && others_have_left(group));
}

static bool is_free(const aggr_desk_t *desk)
{
    for (int m = 0; m < desk->group->shape.members; m++) {
        if (!reads_no_more(desk, m))
            return false;
    }
    return true;
}

/* Waits as the desk's group does.  A broken one is not waited for: its members have no result. */
static int wait_for_reader(const aggr_desk_t *desk, int member)
{
    aggr_group_t *group = desk->group;
    for (;;) {
        for (unsigned poll = 0; poll <= group->waiting->polls; poll++) {
            if (reads_no_more(desk, member) || group->broken)
                return AGGR_OK;
            MPIR_aggr_relax();
        }
        group->broken = MPIR_aggr_give_way(group->waiting, &group->turns);
        if (group->broken)
            return group->broken;
    }
}

static void release(aggr_desk_t *desk)
{
    if (desk->group == &desk->left)
        MPIR_aggr_leave_now(&desk->left);
    desk->group = NULL;
}

/* For another group, which has the error of waiting if it waits in the same way; else the error is
 * the last group's own, such as its revocation. */
static int clear(aggr_desk_t *desk, const aggr_group_t *next)
{
    const aggr_group_t *group = desk->group;
    int status = AGGR_OK;
    for (int m = 0; m < group->shape.members && status == AGGR_OK; m++)
        status = wait_for_reader(desk, m);
    if (group->waiting != next->waiting)
        status = AGGR_OK;
    release(desk);
    return status;
}

int MPIR_aggr_long_begin(aggr_group_t *group, aggr_desk_t *desk)
{
    int status = group->broken;
    if (status == AGGR_OK && desk->group && desk->group != group)
        status = clear(desk, group);
    if (status)
        return status;
    if (desk->group != group)
        desk->put[0] = desk->put[1] = group->safe - 1; /* long ago */
    desk->group = group;
    group->desk = desk;
    group->desk_bytes = MPIR_aggr_arena_desk_bytes(group->arena);
    group->first = group->seq + 1;
    group->compared = group->desk_unused = false;
    return AGGR_OK;
}

int MPIR_aggr_long_end(aggr_group_t *group, int status)
{
    if (status == AGGR_OK && !group->desk_unused)
        status = MPIR_aggr_put_nothing(group);
    if (group->desk)
        group->desk->end = group->seq;
    group->desk = NULL;
    group->desk_bytes = 0;
    return status;
}

void MPIR_aggr_group_leave(aggr_group_t *group, aggr_desk_t *desk)
{
    if (desk && desk->group == group) {
        if (!group->broken && !is_free(desk)) {
            desk->left = *group;
            desk->group = &desk->left;
            return;
        }
        desk->group = NULL;
    }
    MPIR_aggr_leave_now(group);
}

void MPIR_aggr_desk_close(aggr_desk_t *desk)
{
    if (desk->group)
        release(desk);
}
