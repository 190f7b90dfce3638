/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When one-sided operations are issued: at once, at the end of their epoch, or as it pays (Zhao,
 * "Adaptive strategy for one-sided communication in MPICH2", University of Illinois 2012, chapter
 * 3).
 *
 * This module decides and keeps the queues; it sends nothing.  For each target of a window there is
 * an rma_issue_target_t, with what waits and with the permission to access the target: a lock, or
 * the target's post.  The caller adds operations, says what it wants by a goal, and does the steps
 * that rma_issue_next() answers until that is RI_DONE:
 *
 *   RI_SEND     a message with the first `ops` operations of the queue; it may ask for permission
 *               (RI_ASK) and end the epoch (RI_END_EPOCH).  The target does the operations when it
 *               has granted what is asked for
 *   RI_ISSUE    the first operation of the queue, by whatever way is native to the network
 *   RI_SETTLE   wait until what was issued natively is done at the target, then call
 *               rma_issue_settled()
 *   RI_WAIT     wait until the permission comes, which rma_issue_granted() says; of RI_MESSAGES,
 *               ask for more first
 *
 * So a single short operation of an epoch is one message, and its answer the only other one.  Of
 * many short ones each message takes along as many as it holds, as soon as the target may be
 * accessed; long ones go out natively then, and all that follow them in the epoch.
 *
 * Conventions
 *  1. Operations are the caller's: an rma_issue_op_t is the first member of its own type.  The
 *     module keeps the order.
 *  2. Nothing fails, nothing is allocated.
 *  3. One thread at a time uses a target.
 *  4. Time: O(1) for each call, and for each operation that leaves the queue.
 */
#ifndef RMA_ISSUE_H_INCLUDED
#define RMA_ISSUE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include "rma_issue_names.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RI_EAGER,                   /* the caller issues at once, without this module */
    RI_HYBRID,
    RI_LAZY
} rma_issue_mode_t;

typedef struct {
    rma_issue_mode_t mode;
    /* hybrid: up to so many operations wait before permission is asked for */
    unsigned ops;
    /* and up to so many bytes of them; so many wait for a message to be full */
    size_t bytes;
    unsigned queue;             /* at most so many operations wait, at least 1 */
    bool adapt;                 /* hybrid: earlier epochs move the first two */
} rma_issue_settings_t;

typedef struct rma_issue_op {
    struct rma_issue_op *next;
    size_t bytes;               /* of its data */
    size_t wire;                /* what it takes of a message; 0: it cannot travel in one */
    size_t answer;              /* what it takes of the message's answer */
} rma_issue_op_t;

typedef enum {
    RI_CLOSED,                  /* no epoch */
    RI_NOTED,                   /* an epoch has begun; nobody else knows it */
    RI_ASKED,                   /* permission will come */
    /* for messages that neither ask nor end; nothing may go natively (rma_issue_phase.h) */
    RI_MESSAGES,
    RI_GRANTED
} rma_issue_permission_t;

typedef struct {
    rma_issue_permission_t permission;
    rma_issue_op_t *head, *tail;
    unsigned waiting;           /* operations in the queue */
    size_t bytes, wire, answer; /* their sums */
    unsigned bound;             /* of them, those that cannot travel */
    bool native;                /* something was issued natively and may not be done */
    size_t room;                /* in a message to this target, and in its answer */
    /* of all operations of the epoch, and of those that cannot travel */
    size_t epoch_wire;
    unsigned epoch_ops, epoch_bound;
    /* from -RI_HABIT: epochs that no message holds, to RI_HABIT: epochs that one holds */
    int habit;
    /* epochs with long operations, which no message holds: see rma_issue_waited() */
    bool stays;                 /* this epoch's wait for the permission at once */
    size_t epoch_long, known_long;      /* their bytes, in this epoch and in those that are known */
    double epoch_waited, waited[2];     /* seconds; 0: not known; by whether they wait at once */
    unsigned since_look;        /* epochs since the other way was tried */
} rma_issue_target_t;

enum { RI_HABIT = 2 };

typedef enum {
    RI_GO_ON,                   /* an operation was added; more may come */
    /* the same, where what goes natively costs others: short ones are messages, full if need be */
    RI_GATHER,
    RI_CLEAR,                   /* permission is held and the queue is empty */
    RI_FLUSH,                   /* the queue is empty */
    RI_FENCE,                   /* the queue is empty, and what can travel has not gone natively */
    /* the queue is empty, and the target knows that the epoch has ended */
    RI_END
} rma_issue_goal_t;

typedef enum { RI_DONE, RI_SEND, RI_ISSUE, RI_SETTLE, RI_WAIT } rma_issue_what_t;

enum {
    RI_ASK = 1,
    RI_END_EPOCH = 2
};

typedef struct {
    rma_issue_what_t what;
    unsigned flags, ops;        /* of RI_SEND */
} rma_issue_step_t;

/* `room`: bytes of a message to this target that operations may take, and of its answer. */
void rma_issue_target_init(rma_issue_target_t * target, size_t room);

/* An epoch begins.  The permission is RI_NOTED when a message asks for it, RI_ASKED when it comes
 * by itself, RI_GRANTED when it is there, and RI_MESSAGES when it is there for these alone. */
void rma_issue_open(rma_issue_target_t * target, rma_issue_permission_t permission);

/* REQUIRES: the epoch is open. */
void rma_issue_add(rma_issue_target_t * target, rma_issue_op_t * op);

/* The next step towards the goal.  The permission changes as if the step were done; the queue does
 * by rma_issue_take(), which the caller calls for each operation that it sends or issues. */
rma_issue_step_t rma_issue_next(rma_issue_target_t *target, const rma_issue_settings_t *settings,
                                rma_issue_goal_t goal);

/* The first operation leaves the queue.  REQUIRES: there is one. */
rma_issue_op_t *rma_issue_take(rma_issue_target_t * target);

/* An operation that never was in the queue is issued natively.  REQUIRES: rma_issue_passes(). */
void rma_issue_issued(rma_issue_target_t * target);

/* REQUIRES: the permission is RI_ASKED or RI_MESSAGES. */
void rma_issue_granted(rma_issue_target_t * target);
void rma_issue_settled(rma_issue_target_t * target);

/* The caller has waited for the target.  Long operations that the program computes beside may go
 * out when it makes progress or, at the latest, at the end of the epoch; or it waits for the
 * permission first, so that they flow while it computes.  Which is better depends on the
 * program, the network and on who else wants the lock: the way with which it waits less in all
 * is taken, and the other one tried again from time to time. */
void rma_issue_waited(rma_issue_target_t * target, double seconds);

/* Has the epoch operations for which that is asked? */
static inline bool rma_issue_is_long(const rma_issue_target_t * target)
{
    return target->epoch_long > 0;
}

/* After RI_END and RI_DONE: the epoch becomes history. */
void rma_issue_close(rma_issue_target_t * target);

/* Would the operation go out without waiting in the queue? */
bool rma_issue_passes(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                      size_t wire);

/* Does one message hold all that waits? */
bool rma_issue_fits(const rma_issue_target_t * target);

#ifdef __cplusplus
}
#endif
#endif
