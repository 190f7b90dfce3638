/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides when one-sided operations are issued: eagerly, lazily at the end of their epoch, or by an
 * adaptive (hybrid) rule.  Source: Zhao, "Adaptive strategy for one-sided communication in MPICH2",
 * University of Illinois 2012, chapter 3.
 *
 * This module decides and keeps the queues; it sends nothing.  A window has an rma_issue_target_t
 * for each target.  It holds the queue of operations and the permission to access the target.  The
 * permission is a lock, or the target's post.  The caller adds operations and states a goal.  It
 * then does each step that MPIR_rma_issue_next() returns, until the step is RI_DONE:
 *
 *   RI_SEND     Send a message with the first `ops` operations of the queue.  The message may ask
 *               for permission (RI_ASK) and end the epoch (RI_END_EPOCH).  The target does the
 *               operations when it has granted the permission.
 *   RI_ISSUE    Issue the first operation of the queue natively, by an operation of the network.
 *               Then call MPIR_rma_issue_went_out().
 *   RI_SETTLE   Wait until the native operations are done at the target.  Then call
 *               MPIR_rma_issue_settled().  The caller may do so at any other time, too: operations
 *               that follow may then travel in messages again.
 *   RI_WAIT     Wait for the permission, and call MPIR_rma_issue_granted() when it comes.  If the
 *               permission is RI_MESSAGES, ask for more first.
 *
 * An epoch with one short operation is therefore one message and its answer.  Many short operations
 * share messages, and a message leaves when the target may be accessed.  A long operation goes out
 * natively at that time.  So do all operations that follow it in the epoch.
 *
 * Conventions
 *  1. Operations are the caller's: an rma_issue_op_t is the first member of its own type.  The
 *     module keeps the order.  The caller may pack short operations together
 *     (MPIR_rma_issue_packs()).
 *  2. Nothing fails, nothing is allocated.
 *  3. One thread at a time uses a target.
 *  4. Time: O(1) for each call, and for each operation that leaves the queue.
 */
#ifndef RMA_ISSUE_H_INCLUDED
#define RMA_ISSUE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RI_EAGER, /* the caller issues each operation itself, without a queue */
    RI_HYBRID,
    RI_LAZY
} rma_issue_mode_t;

typedef struct {
    rma_issue_mode_t mode;
    /* hybrid: the most operations that the queue holds before it asks for permission */
    unsigned ops;
    /* hybrid: the most bytes of them; a full message has as many */
    size_t bytes;
    unsigned queue; /* the most operations in the queue, at least 1 */
    bool adapt;     /* hybrid: earlier epochs change `ops` and `bytes` */
} rma_issue_settings_t;

typedef struct rma_issue_op {
    struct rma_issue_op *next;
    size_t bytes;  /* of its data */
    size_t wire;   /* its bytes in a message; 0: it cannot travel in one */
    size_t answer; /* its bytes in the message's answer */
    /* 0: one operation.  Otherwise the number of operations that the caller packed together.  They
     * leave the queue together, and travel in messages only. */
    unsigned packed;
} rma_issue_op_t;

/* Operations of an element of the queue. */
static inline unsigned MPIR_rma_issue_num_ops(const rma_issue_op_t *op)
{
    return op->packed ? op->packed : 1;
}

typedef enum {
    RI_CLOSED, /* no epoch */
    RI_NOTED,  /* an epoch has begun; no other process knows */
    RI_ASKED,  /* permission will come */
    /* only for messages that do not ask and do not end the epoch (rma_issue_phase.h) */
    RI_MESSAGES,
    RI_GRANTED
} rma_issue_permission_t;

typedef struct rma_issue_target {
    rma_issue_permission_t permission;
    rma_issue_op_t *head, *tail;
    unsigned waiting;           /* operations in the queue */
    size_t bytes, wire, answer; /* their sums */
    unsigned bound;             /* operations in the queue that cannot travel in a message */
    /* steps of native operations; those up to the `settled`th are done at the target.  An operation
     * has two: it is handed over, and it has gone out.  An epoch may last: 32 bits would not do. */
    uint64_t issued, settled;
    size_t room; /* in a message to this target, and in its answer */
    /* sums of the epoch; epoch_bound counts operations that cannot travel in a message */
    size_t epoch_wire;
    unsigned epoch_ops, epoch_bound;
    /* operations since the latest MPIR_rma_issue_flushed(), and how many of the latest flushes
     * had one operation each, at most RI_HABIT */
    unsigned unflushed;
    int alone;
    /* -RI_HABIT: epochs exceed one message; RI_HABIT: one message holds an epoch */
    int habit;
    /* epochs whose operations are too long for a message: see MPIR_rma_issue_waited() */
    bool stays;                     /* this epoch waits for the permission first */
    size_t epoch_long, known_long;  /* bytes of long operations: this epoch, known epochs */
    double epoch_waited, waited[2]; /* seconds, 0 if unknown; index: does it wait first? */
    unsigned since_look;            /* epochs since the other choice was tried */
    double copied;                  /* seconds a byte: see MPIR_rma_issue_took() */
} rma_issue_target_t;

enum { RI_HABIT = 2 };

typedef enum {
    RI_GO_ON, /* an operation was added; more may come */
    /* the same where native operations cost others time: short operations travel in messages */
    RI_GATHER,
    RI_CLEAR, /* permission is held and the queue is empty */
    RI_FLUSH, /* the queue is empty */
    RI_FENCE, /* the queue is empty; natively went only what cannot travel */
    RI_END    /* the queue is empty; the target knows that the epoch has ended */
} rma_issue_goal_t;

typedef enum { RI_DONE, RI_SEND, RI_ISSUE, RI_SETTLE, RI_WAIT } rma_issue_what_t;

enum { RI_ASK = 1, RI_END_EPOCH = 2 };

typedef struct {
    rma_issue_what_t what;
    unsigned flags, ops; /* of RI_SEND */
} rma_issue_step_t;

/* `room`: bytes for operations in a message to this target, and in its answer. */
void MPIR_rma_issue_target_init(rma_issue_target_t *target, size_t room);

/* An epoch begins.  If a message has to ask for the permission, it is RI_NOTED.  If it comes
 * unasked, it is RI_ASKED.  If it is there, it is RI_GRANTED, or RI_MESSAGES if it is only for
 * messages. */
void MPIR_rma_issue_open(rma_issue_target_t *target, rma_issue_permission_t permission);

/* Progress is made while the program computes: long operations of the epoch that has begun go out
 * when the permission comes, and the caller does not wait for it first. */
static inline void MPIR_rma_issue_flows(rma_issue_target_t *target) { target->stays = false; }

/* REQUIRES: the epoch is open. */
void MPIR_rma_issue_add(rma_issue_target_t *target, rma_issue_op_t *op);

/* May the caller pack the operation together with others?  Packed operations are always in front of
 * all others, and nothing native is in flight, so that a message with them can leave.  REQUIRES: no
 * permission has to be asked for. */
bool MPIR_rma_issue_packs(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                          const rma_issue_op_t *op);

/* The last element of the queue has got one more operation, of so many bytes.  REQUIRES: it is
 * packed. */
void MPIR_rma_issue_pack_more(rma_issue_target_t *target, size_t bytes, size_t wire);

/* The next step towards the goal.  The permission changes as if the step were done.  The queue
 * does not: the caller calls MPIR_rma_issue_take() until it has all operations that it sends or
 * issues. */
rma_issue_step_t MPIR_rma_issue_next(rma_issue_target_t *target,
                                     const rma_issue_settings_t *settings, rma_issue_goal_t goal);

/* The first operation leaves the queue, or the first packed ones do.  REQUIRES: there is one. */
rma_issue_op_t *MPIR_rma_issue_take(rma_issue_target_t *target);

/* The caller issues an operation natively that was not in the queue, and calls
 * MPIR_rma_issue_went_out() then.  REQUIRES: MPIR_rma_issue_passes(). */
void MPIR_rma_issue_issued(rma_issue_target_t *target);

/* A native operation has gone out.  A wait for the target that begins now includes it. */
void MPIR_rma_issue_went_out(rma_issue_target_t *target);

/* REQUIRES: the permission is RI_ASKED or RI_MESSAGES. */
void MPIR_rma_issue_granted(rma_issue_target_t *target);
/* What was issued natively is done at the target.  `issued` is target->issued from the time before
 * the caller began to wait: meanwhile other threads may have issued more. */
void MPIR_rma_issue_settled(rma_issue_target_t *target, uint64_t issued);

/* All operations so far are done at the target: the program has flushed it.  A program that flushes
 * behind each operation gains nothing by the queue: MPIR_rma_issue_goes_alone(). */
void MPIR_rma_issue_flushed(rma_issue_target_t *target, const rma_issue_settings_t *settings);

/* Will a flush probably follow the next operation?  Then it goes out natively and at once. */
static inline bool MPIR_rma_issue_goes_alone(const rma_issue_target_t *target)
{
    return target->alone == RI_HABIT && target->unflushed == 0 &&
           target->permission == RI_GRANTED && target->waiting == 0;
}

/* May native operations be in flight? */
static inline bool MPIR_rma_issue_has_native(const rma_issue_target_t *target)
{
    return target->issued != target->settled;
}

/* The caller has waited `seconds` for the target.  A program may compute while long operations are
 * in flight.  Either they go out at the next progress, at the latest at the end of the epoch.  Or
 * the process waits for the permission first, and they flow while it computes.  The program, the
 * network and other users of the lock decide which is better.  The module takes the choice with the
 * shorter total wait, and tries the other one from time to time. */
void MPIR_rma_issue_waited(rma_issue_target_t *target, double seconds);

/* Does the epoch have long operations, for which MPIR_rma_issue_waited() counts? */
static inline bool MPIR_rma_issue_is_long(const rma_issue_target_t *target)
{
    return target->epoch_long > 0;
}

/* A native operation that sends so many bytes has kept its thread for so many seconds, which is
 * long where the network copies them.  REQUIRES: MPIR_rma_issue_went_out() follows. */
void MPIR_rma_issue_took(rma_issue_target_t *target, size_t bytes, double seconds);

/* Would an operation that sends so many bytes keep the caller long, if it were issued now?  Then it
 * gains by leaving it in the queue for another thread. */
bool MPIR_rma_issue_leaves(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                           size_t bytes);

/* Is one native operation all that the next flush waits for? */
static inline bool MPIR_rma_issue_went_alone(const rma_issue_target_t *target)
{
    return target->unflushed == 1 && target->waiting == 0 && MPIR_rma_issue_has_native(target);
}

/* The epoch becomes history.  REQUIRES: MPIR_rma_issue_next() has returned RI_DONE for RI_END. */
void MPIR_rma_issue_close(rma_issue_target_t *target);

/* Would an operation of `wire` bytes go out without the queue? */
bool MPIR_rma_issue_passes(const rma_issue_target_t *target, const rma_issue_settings_t *settings,
                           size_t wire);

/* Does one message hold all operations of the queue? */
bool MPIR_rma_issue_fits(const rma_issue_target_t *target);

/* Would one message ask for permission and hold the queue and this operation?  An operation without
 * data is in no message. */
bool MPIR_rma_issue_asks_with(const rma_issue_target_t *target, const rma_issue_op_t *op);

#ifdef __cplusplus
}
#endif
#endif
