/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue.h"

#include <assert.h>
#include <string.h>

void rma_issue_target_init(rma_issue_target_t * target, size_t room)
{
    memset(target, 0, sizeof(*target));
    target->room = room;
}

void rma_issue_open(rma_issue_target_t * target, rma_issue_permission_t permission)
{
    assert(target->permission == RI_CLOSED && target->waiting == 0);
    target->permission = permission;
    target->native = false;
    target->epoch_wire = 0;
    target->epoch_ops = target->epoch_bound = 0;
}

static void count(rma_issue_target_t * target, size_t wire)
{
    target->epoch_ops++;
    target->epoch_bound += wire == 0;
    target->epoch_wire += wire;
}

void rma_issue_add(rma_issue_target_t * target, rma_issue_op_t * op)
{
    assert(target->permission != RI_CLOSED);
    op->next = NULL;
    if (target->tail)
        target->tail->next = op;
    else
        target->head = op;
    target->tail = op;
    target->waiting++;
    target->bytes += op->bytes;
    target->wire += op->wire;
    target->answer += op->answer;
    target->bound += op->wire == 0;
    count(target, op->wire);
}

rma_issue_op_t *rma_issue_take(rma_issue_target_t * target)
{
    rma_issue_op_t *op = target->head;

    target->head = op->next;
    if (!target->head)
        target->tail = NULL;
    target->waiting--;
    target->bytes -= op->bytes;
    target->wire -= op->wire;
    target->answer -= op->answer;
    target->bound -= op->wire == 0;
    return op;
}

void rma_issue_issued(rma_issue_target_t * target)
{
    assert(target->permission == RI_HELD && target->waiting == 0);
    target->native = true;
    count(target, 0);
}

void rma_issue_granted(rma_issue_target_t * target)
{
    assert(target->permission == RI_ASKED);
    target->permission = RI_HELD;
}

void rma_issue_settled(rma_issue_target_t * target)
{
    target->native = false;
}

bool rma_issue_fits(const rma_issue_target_t * target)
{
    return target->bound == 0 && target->wire <= target->room && target->answer <= target->room;
}

/* May what waits go on waiting?  An epoch that a message holds costs least as one message; how many operations it will
 * have only the epochs before it can tell. */
static bool patient(const rma_issue_target_t * target, const rma_issue_settings_t * settings)
{
    if (settings->mode == RI_LAZY)
        return target->waiting <= settings->queue;
    /* the end of an epoch waits for what is native anyway: nothing is gained by going with it */
    if (target->native || !rma_issue_fits(target) || target->waiting > settings->queue)
        return false;
    if (settings->adapt && target->habit == RI_HABIT)
        return true;
    if (settings->adapt && target->habit == -RI_HABIT && target->permission == RI_NOTED)
        return false;
    return target->waiting <= settings->ops && target->bytes <= settings->bytes;
}

bool rma_issue_passes(const rma_issue_target_t * target, const rma_issue_settings_t * settings, size_t wire)
{
    return target->permission == RI_HELD && target->waiting == 0 && settings->mode != RI_LAZY &&
        (wire == 0 || target->native);
}

static rma_issue_step_t step(rma_issue_what_t what)
{
    return (rma_issue_step_t) {.what = what};
}

static rma_issue_step_t message(rma_issue_target_t * target, unsigned flags, unsigned ops)
{
    if (flags & RI_ASK)
        target->permission = RI_ASKED;
    return (rma_issue_step_t) {.what = RI_SEND, .flags = flags, .ops = ops};
}

static rma_issue_step_t next_noted(rma_issue_target_t * target, const rma_issue_settings_t * settings, rma_issue_goal_t goal)
{
    bool whole = target->waiting > 0 && rma_issue_fits(target);

    if (goal == RI_GO_ON)
        return patient(target, settings) ? step(RI_DONE) : message(target, RI_ASK, 0);
    if (goal != RI_CLEAR && target->waiting == 0)
        return step(RI_DONE);   /* a target that was never used never hears of the epoch */
    if (goal == RI_END && whole)
        return message(target, RI_ASK | RI_END_EPOCH, target->waiting);
    return message(target, RI_ASK, whole ? target->waiting : 0);
}

static rma_issue_step_t next_asked(const rma_issue_target_t * target, const rma_issue_settings_t * settings, rma_issue_goal_t goal)
{
    if (goal == RI_GO_ON && target->waiting <= settings->queue)
        return step(RI_DONE);
    if (goal == RI_FLUSH && target->waiting == 0)
        return step(RI_DONE);
    return step(RI_WAIT);
}

static rma_issue_step_t next_held(rma_issue_target_t * target, const rma_issue_settings_t * settings, rma_issue_goal_t goal)
{
    if (goal == RI_GO_ON)
        return target->waiting == 0 || patient(target, settings) ? step(RI_DONE) : step(RI_ISSUE);
    if (goal != RI_END)
        return target->waiting ? step(RI_ISSUE) : step(RI_DONE);
    if (!rma_issue_fits(target))
        return step(RI_ISSUE);
    if (target->native)
        return step(RI_SETTLE);
    return message(target, RI_END_EPOCH, target->waiting);
}

rma_issue_step_t rma_issue_next(rma_issue_target_t * target, const rma_issue_settings_t * settings, rma_issue_goal_t goal)
{
    rma_issue_step_t next;

    switch (target->permission) {
        case RI_NOTED:
            next = next_noted(target, settings, goal);
            break;
        case RI_ASKED:
            next = next_asked(target, settings, goal);
            break;
        case RI_HELD:
            next = next_held(target, settings, goal);
            break;
        default:
            return step(RI_DONE);
    }
    if (next.what == RI_ISSUE)
        target->native = true;
    if (next.what == RI_SEND && next.flags & RI_END_EPOCH)
        target->permission = RI_CLOSED;
    return next;
}

void rma_issue_close(rma_issue_target_t * target)
{
    bool one_message = target->epoch_bound == 0 && target->epoch_wire <= target->room;

    assert(target->waiting == 0);
    target->permission = RI_CLOSED;
    if (target->epoch_ops == 0)
        return;
    target->epoch_ops = 0;
    if (one_message && target->habit < RI_HABIT)
        target->habit++;
    if (!one_message && target->habit > -RI_HABIT)
        target->habit--;
}
