/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue.h"

#include <assert.h>
#include <string.h>

/* Fewer operations are no cheaper as a message than each by itself. */
#define GATHERED_LEAST 8

/* Epochs with long operations until the other way is tried again. */
#define LOOK_AGAIN 32

/* Seconds of copying that are worth another thread's wake. */
#define LEFT_LEAST 50e-6

void MPIR_rma_issue_target_init(rma_issue_target_t *target, size_t room)
{
    memset(target, 0, sizeof(*target));
    target->room = room;
}

void MPIR_rma_issue_open(rma_issue_target_t *target, rma_issue_permission_t permission)
{
    assert(target->permission == RI_CLOSED && target->waiting == 0);
    target->permission = permission;
    target->settled = target->issued;
    target->epoch_wire = 0;
    target->unflushed = 0;
    target->epoch_ops = target->epoch_bound = 0;
    target->epoch_long = 0;
    target->epoch_waited = 0;
}

static bool is_long(const rma_issue_target_t *target, const rma_issue_op_t *op)
{
    return op->bytes > target->room || op->answer > target->room;
}

static void target_count(rma_issue_target_t *target, unsigned ops, size_t wire)
{
    target->epoch_ops += ops;
    target->unflushed += ops;
    target->epoch_bound += wire == 0;
    target->epoch_wire += wire;
}

void MPIR_rma_issue_add(rma_issue_target_t *target, rma_issue_op_t *op)
{
    assert(target->permission != RI_CLOSED);
    op->next = NULL;
    if (target->tail)
        target->tail->next = op;
    else
        target->head = op;
    target->tail = op;
    target->waiting += MPIR_rma_issue_num_ops(op);
    target->bytes += op->bytes;
    target->wire += op->wire;
    target->answer += op->answer;
    target->bound += op->wire == 0;
    target_count(target, MPIR_rma_issue_num_ops(op), op->wire);
    if (is_long(target, op))
        target->epoch_long += op->bytes;
}

/* Packed operations cannot be issued natively: what is native must not be in front of them. */
bool MPIR_rma_issue_packs(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                          const rma_issue_op_t *op)
{
    return op->wire > 0 && op->answer == 0 &&
           (op->bytes <= settings->bytes || settings->mode == RI_LAZY) &&
           !MPIR_rma_issue_has_native(target) && (!target->tail || target->tail->packed);
}

void MPIR_rma_issue_pack_more(rma_issue_target_t *target, size_t bytes, size_t wire)
{
    rma_issue_op_t *last = target->tail;

    assert(last && last->packed && wire > 0);
    last->packed++;
    last->bytes += bytes;
    last->wire += wire;
    target->waiting++;
    target->bytes += bytes;
    target->wire += wire;
    target_count(target, 1, wire);
}

rma_issue_op_t *MPIR_rma_issue_take(rma_issue_target_t *target)
{
    rma_issue_op_t *op = target->head;

    target->head = op->next;
    if (!target->head)
        target->tail = NULL;
    target->waiting -= MPIR_rma_issue_num_ops(op);
    target->bytes -= op->bytes;
    target->wire -= op->wire;
    target->answer -= op->answer;
    target->bound -= op->wire == 0;
    return op;
}

void MPIR_rma_issue_issued(rma_issue_target_t *target)
{
    assert(target->permission == RI_GRANTED && target->waiting == 0);
    target->issued++;
    target_count(target, 1, 0);
}

void MPIR_rma_issue_went_out(rma_issue_target_t *target) { target->issued++; }

void MPIR_rma_issue_granted(rma_issue_target_t *target)
{
    assert(target->permission == RI_ASKED || target->permission == RI_MESSAGES);
    target->permission = RI_GRANTED;
}

void MPIR_rma_issue_settled(rma_issue_target_t *target, uint64_t issued)
{
    /* two threads may wait at the same time, each for what it saw */
    if (issued > target->settled)
        target->settled = issued;
}

bool MPIR_rma_issue_fits(const rma_issue_target_t *target)
{
    return target->bound == 0 && target->wire <= target->room && target->answer <= target->room;
}

bool MPIR_rma_issue_asks_with(const rma_issue_target_t *target, const rma_issue_op_t *op)
{
    return target->permission == RI_NOTED && target->bound == 0 && op->bytes > 0 && op->wire > 0 &&
           target->wire + op->wire <= target->room && target->answer + op->answer <= target->room;
}

/* May what waits go on waiting?  An epoch that a message holds costs least as one message; how many
 * operations it will have only the epochs before it can tell.  Where the target may be accessed,
 * short ones wait until a message is full. */
static bool patient(const rma_issue_target_t *target, const rma_issue_settings_t *settings)
{
    if (settings->mode == RI_LAZY)
        return target->waiting <= settings->queue;
    /* the end of an epoch waits for what is native anyway: nothing is gained by going with it */
    if (MPIR_rma_issue_has_native(target) || !MPIR_rma_issue_fits(target) ||
        target->waiting > settings->queue)
        return false;
    if (settings->adapt && target->habit == RI_HABIT)
        return true;
    if (settings->adapt && target->habit == -RI_HABIT && target->permission == RI_NOTED)
        return false;
    return (target->waiting <= settings->ops || target->permission >= RI_MESSAGES) &&
           target->bytes <= settings->bytes;
}

/* So many of the first operations, with no more than so many bytes, and in each, does one
 * message hold.  Nothing may overtake what is native.  Packed operations have no limit but the
 * message. */
static unsigned held_by_message(const rma_issue_target_t *target, size_t most, size_t longest)
{
    size_t bytes = 0, wire = 0, answer = 0;
    unsigned ops = 0;

    if (MPIR_rma_issue_has_native(target))
        return 0;
    for (const rma_issue_op_t *op = target->head; op && op->wire; op = op->next) {
        bytes += op->bytes;
        wire += op->wire;
        answer += op->answer;
        if (wire > target->room || answer > target->room ||
            (!op->packed && (bytes > most || op->bytes > longest)))
            break;
        ops += MPIR_rma_issue_num_ops(op);
    }
    return ops;
}

/* So many of the first operations go as one message that neither asks nor ends; none when that does
 * not pay. */
static unsigned gathered(const rma_issue_target_t *target, const rma_issue_settings_t *settings)
{
    unsigned ops = held_by_message(target, settings->bytes, SIZE_MAX);

    return ops >= GATHERED_LEAST || (ops > 1 && ops == target->waiting) ||
                   (ops > 0 && target->head->packed)
               ? ops
               : 0;
}

bool MPIR_rma_issue_passes(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                           size_t wire)
{
    return target->permission == RI_GRANTED && target->waiting == 0 && settings->mode != RI_LAZY &&
           (wire == 0 || MPIR_rma_issue_has_native(target) || MPIR_rma_issue_goes_alone(target));
}

void MPIR_rma_issue_flushed(rma_issue_target_t *target, const rma_issue_settings_t *settings)
{
    if (target->unflushed > 1 || !settings->adapt || settings->mode != RI_HYBRID)
        target->alone = 0;
    else if (target->unflushed == 1 && target->alone < RI_HABIT)
        target->alone++;
    target->unflushed = 0;
}

static rma_issue_step_t step(rma_issue_what_t what) { return (rma_issue_step_t){.what = what}; }

static rma_issue_step_t message(rma_issue_target_t *target, unsigned flags, unsigned ops)
{
    if (flags & RI_ASK)
        target->permission = RI_ASKED;
    return (rma_issue_step_t){.what = RI_SEND, .flags = flags, .ops = ops};
}

static rma_issue_step_t next_noted(rma_issue_target_t *target, const rma_issue_settings_t *settings,
                                   rma_issue_goal_t goal)
{
    bool whole = target->waiting > 0 && MPIR_rma_issue_fits(target);

    if (goal == RI_GO_ON)
        return patient(target, settings) ? step(RI_DONE) : message(target, RI_ASK, 0);
    if (goal != RI_CLEAR && target->waiting == 0)
        return step(RI_DONE); /* a target that was never used never hears of the epoch */
    if (goal == RI_END && whole)
        return message(target, RI_ASK | RI_END_EPOCH, target->waiting);
    return message(target, RI_ASK, whole ? target->waiting : 0);
}

static rma_issue_step_t next_asked(const rma_issue_target_t *target,
                                   const rma_issue_settings_t *settings, rma_issue_goal_t goal)
{
    bool stays =
        settings->adapt && settings->mode == RI_HYBRID && target->stays && target->epoch_long > 0;

    if (goal == RI_GO_ON && target->waiting <= settings->queue && !stays)
        return step(RI_DONE);
    if (goal == RI_FLUSH && target->waiting == 0)
        return step(RI_DONE);
    return step(RI_WAIT);
}

/* What the target counts costs no answer, so that even one operation is cheaper as a message,
 * unless what is native has to be waited for anyway. */
static rma_issue_step_t next_at_fence(rma_issue_target_t *target)
{
    unsigned ops = held_by_message(target, SIZE_MAX, SIZE_MAX);

    if (target->waiting == 0)
        return step(RI_DONE);
    if (ops)
        return message(target, 0, ops);
    return step(target->permission == RI_GRANTED ? RI_ISSUE : RI_WAIT);
}

/* Short operations wait until they fill a message, however few they are; a long one does not. */
static bool patient_to_gather(const rma_issue_target_t *target,
                              const rma_issue_settings_t *settings)
{
    bool is_short = target->tail->packed || target->tail->bytes <= settings->bytes ||
                    (settings->adapt && target->habit == RI_HABIT);

    if (settings->mode == RI_LAZY)
        return target->waiting <= settings->queue;
    return !MPIR_rma_issue_has_native(target) && MPIR_rma_issue_fits(target) &&
           target->waiting <= settings->queue && is_short;
}

static rma_issue_step_t next_gathered(rma_issue_target_t *target,
                                      const rma_issue_settings_t *settings)
{
    unsigned ops;

    if (target->waiting == 0 || patient_to_gather(target, settings))
        return step(RI_DONE);
    ops = held_by_message(target, SIZE_MAX, settings->bytes);
    if (ops)
        return message(target, 0, ops);
    return step(target->permission == RI_GRANTED ? RI_ISSUE : RI_WAIT);
}

static rma_issue_step_t next_messages(rma_issue_target_t *target,
                                      const rma_issue_settings_t *settings, rma_issue_goal_t goal)
{
    if (goal == RI_GO_ON || goal == RI_GATHER)
        return next_gathered(target, settings);
    if (goal == RI_FENCE)
        return next_at_fence(target);
    return step(target->waiting == 0 ? RI_DONE : RI_WAIT);
}

static rma_issue_step_t next_held(rma_issue_target_t *target, const rma_issue_settings_t *settings,
                                  rma_issue_goal_t goal)
{
    unsigned ops;

    if (goal == RI_GATHER)
        return next_gathered(target, settings);
    if (goal == RI_GO_ON && (target->waiting == 0 || patient(target, settings)))
        return step(RI_DONE);
    if (goal == RI_END && MPIR_rma_issue_fits(target))
        return MPIR_rma_issue_has_native(target) ? step(RI_SETTLE)
                                                 : message(target, RI_END_EPOCH, target->waiting);
    if (target->waiting == 0)
        return step(RI_DONE);
    if (goal == RI_FENCE)
        return next_at_fence(target);
    ops = gathered(target, settings);
    return ops ? message(target, 0, ops) : step(RI_ISSUE);
}

rma_issue_step_t MPIR_rma_issue_next(rma_issue_target_t *target,
                                     const rma_issue_settings_t *settings, rma_issue_goal_t goal)
{
    rma_issue_step_t next;

    switch (target->permission) {
        case RI_NOTED: next = next_noted(target, settings, goal); break;
        case RI_ASKED: next = next_asked(target, settings, goal); break;
        case RI_MESSAGES: next = next_messages(target, settings, goal); break;
        case RI_GRANTED: next = next_held(target, settings, goal); break;
        default: return step(RI_DONE);
    }
    if (next.what == RI_ISSUE)
        target->issued++;
    if (next.what == RI_SEND && next.flags & RI_END_EPOCH)
        target->permission = RI_CLOSED;
    return next;
}

/* A mean of the latest, because others' work disturbs.  What follows an operation in flight is only
 * noted, and says nothing. */
void MPIR_rma_issue_took(rma_issue_target_t *target, size_t bytes, double seconds)
{
    double now = seconds / (double) bytes, known = target->copied;

    if (target->issued != target->settled + 1)
        return;
    target->copied = known > 0 ? (known + (now < 2 * known ? now : 2 * known)) / 2 : now;
}

bool MPIR_rma_issue_leaves(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                           size_t bytes)
{
    return settings->mode == RI_HYBRID && target->waiting <= settings->queue &&
           (double) bytes * target->copied > LEFT_LEAST;
}

void MPIR_rma_issue_waited(rma_issue_target_t *target, double seconds)
{
    target->epoch_waited += seconds;
}

/* Epochs of another size begin anew.  Less waiting counts at once, more by steps: others' work
 * disturbs now and then. */
static void learn_long(rma_issue_target_t *target)
{
    double *waited = &target->waited[target->stays], now = target->epoch_waited;

    if (target->epoch_long > 2 * target->known_long || 2 * target->epoch_long < target->known_long)
        target->waited[0] = target->waited[1] = target->since_look = 0;
    target->known_long = target->epoch_long;
    if (*waited > 0 && now > *waited)
        now = (*waited + (now < 2 * *waited ? now : 2 * *waited)) / 2;
    *waited = now;
    if (target->waited[!target->stays] <= 0 || ++target->since_look >= LOOK_AGAIN) {
        target->stays = !target->stays;
        target->since_look = 0;
    } else {
        target->stays = target->waited[1] < target->waited[0];
    }
}

void MPIR_rma_issue_close(rma_issue_target_t *target)
{
    bool one_message = target->epoch_bound == 0 && target->epoch_wire <= target->room;

    assert(target->waiting == 0);
    target->permission = RI_CLOSED;
    if (target->epoch_ops == 0)
        return;
    target->epoch_ops = 0;
    if (target->epoch_long)
        learn_long(target);
    if (one_message && target->habit < RI_HABIT)
        target->habit++;
    if (!one_message && target->habit > -RI_HABIT)
        target->habit--;
}
