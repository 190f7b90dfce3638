/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RMA_ISSUE_INTERNAL_H_INCLUDED
#define RMA_ISSUE_INTERNAL_H_INCLUDED

#include "mpidimpl.h"
#include "deaths.h"
#include "mpidig_rma_callbacks.h"
#include "rma/deferred.h"
#include "rma/lock.h"
#include "rma_issue.h"
#include "rma_issue_phase.h"
#include "rma_issue_wire.h"
#include "rma/issue/counts.h"
#include "rma/issue/issue.h"
#include "rma/issue/exchange.h"
#ifndef MPIR_WITHOUT_HELPER
#include "mpir_events.h"
#endif

/* Short operations without results, packed into what a message takes.  Their buffers are the
 * program's again, and they take a sixth of the memory that they take one by one. */
enum { MPIDIG_RMA_PACK_MAX = 208 }; /* bytes; the structure has 248 */
typedef struct MPIDIG_rma_pack {
    rma_issue_op_t queue;            /* first */
    char bytes[MPIDIG_RMA_PACK_MAX]; /* queue.wire of them */
} MPIDIG_rma_pack_t;

typedef struct MPIDIG_rma_target {
    MPIDI_deferred_job_t job; /* first; while is_ready */
    rma_issue_target_t issue;
    MPIR_Win *win;
    struct MPIDIG_rma_target *prev, *next; /* of open locks: see lock_epoch.c */
    MPL_thread_id_t locked_by;
    int rank, lock_type;
    uint32_t pack_room;  /* bytes: full packs fill a message */
    unsigned unanswered; /* messages; of these, with operations: */
    unsigned carrying;
    uint32_t counted; /* messages of this epoch that the target waits for, see fence.c */
    /* operations whose results answers bring, in order */
    MPIDIG_rma_op_t *results, **last_result;
    bool is_ready; /* progress will advance it */
    bool is_busy;  /* a thread issues an operation to it, or it is lost */
    /* A wait for it has ended by a death: nothing goes out any more, and answers are dropped, as
     * the program may not have the buffers any more. */
    bool is_lost;
    /* the first error that no call has returned yet: see MPIDIG_rma_failure */
    int failed;
    UT_hash_handle hash_handle;
} MPIDIG_rma_target_t;

/* What the kind of an epoch tells the engine, which knows none of them. */
typedef struct {
    /* Does an operation on the rank belong to the epoch, if its target is not open? */
    bool (*covers)(MPIR_Win *win, int rank);
    /* The permission of a target at its first operation. */
    rma_issue_permission_t (*permission)(const MPIR_Win *win);
    /* The permission is RI_ASKED and may have come without an answer.  NULL: it never does. */
    void (*look)(MPIR_Win *win, MPIDIG_rma_target_t *target);
    /* An operation was queued. */
    int (*go_on)(MPIR_Win *win, MPIDIG_rma_target_t *target);
    /* How the target learns the end: flags of a message that is sent now. */
    unsigned (*flags)(MPIR_Win *win, const MPIDIG_rma_target_t *target);
    bool has_requests;       /* MPI_Rput and the like are allowed */
    bool packs;              /* short operations travel in messages only */
    MPIDIG_rma_wait_t cause; /* of waiting for a permission, and at the end */
} MPIDIG_rma_epoch_t;

/* Fences: see fence.c. */
typedef struct {
    rma_issue_phase_t phase;         /* the same in all processes */
    const MPIDIG_rma_epoch_t *epoch; /* NULL: operations after the latest fence are native */
    bool native;                     /* operations of this epoch were native, and are done */
    uint32_t arrived;                /* messages that arrived and were counted */
    int failed_early;                /* the first error in a message of the next epoch */
    int told;                        /* the error that the fence returns */
    /* the exchange that ends this epoch; NULL before this process enters it */
    MPIDIG_rma_exchange_t *exchange;
    struct MPIDIG_rma_early *early; /* messages of later epochs, see early.c */
} MPIDIG_rma_fence_t;

typedef struct MPIDIG_rma_issue {
    const MPIDIG_rma_epoch_t *epoch; /* of lock_all or start; otherwise NULL */
    bool own_locked;                 /* this process's own lock was taken without a message */
    int failed;                      /* the first error of targets whose epoch is over */
    unsigned repeats;                /* calls of MPIDIG_rma_issue_others */
    MPIDIG_rma_fence_t fence;
    rma_issue_settings_t settings;
    MPIDIG_rma_counts_t counts;
    MPIDIG_rma_target_t *targets, *last;
    MPIDIG_rma_op_t *free_ops;
    MPIDIG_rma_pack_t *free_packs;
} MPIDIG_rma_issue_t;

/* For each target of a window, which may be deleted meanwhile. */
#define MPIDIG_RMA_EACH_TARGET(issue, target) \
    for (MPIDIG_rma_target_t *target = (issue)->targets, *next_of_target; \
         target && (next_of_target = target->hash_handle.next, true); target = next_of_target)

/* A message.  All parts have 8-byte alignment.  Records (rma_issue_wire.h) follow the header, each
 * with its data.  A message with an operation of 64 bytes, and its answer, are no longer than what
 * UCX sends inside a node without a buffer: 92 bytes with the 4 of ucx_am_brief.h. */
typedef struct {
    uint32_t win;
    int origin_rank;
    uint32_t epoch;        /* of fences, in which the origin is */
    uint16_t flags, bytes; /* of all */
} MPIDIG_rma_message_t;

/* An answer.  Results follow, in the order of the operations. */
typedef struct {
    uint32_t win;
    int target_rank;
    uint32_t flags, results;
} MPIDIG_rma_answer_t;

enum {
    /* among the flags of the module: */
    MPIDIG_RMA_CARRIES = 1 << 8, /* the message has operations */
    MPIDIG_RMA_PSCW = 1 << 9,    /* its epoch is of start and complete */
    /* or of fences: the target counts it; both are answered only for results */
    MPIDIG_RMA_COUNTED = 1 << 10,
    MPIDIG_RMA_OUTSIDE = 1 << 11,     /* an answer: an operation left the window */
    MPIDIG_RMA_NUMBERED = 1 << 12,    /* waits until the target is in its epoch */
    MPIDIG_RMA_SHARED_LOCK = 1 << 13, /* the lock that it asks for is shared */
    MPIDIG_RMA_MESSAGE_MAX = 8192     /* of a message or an answer */
};

extern int MPIDIG_rma_request_id, MPIDIG_rma_answer_id, MPIDIG_rma_outside_id;

/* A builtin handle as a small number, and back with the kind of a similar handle. */
#define MPIDIG_RMA_INDEX(handle) ((uint32_t) HANDLE_INDEX(handle))
#define MPIDIG_RMA_HANDLE(alike, index) ((int) (((alike) & ~HANDLE_MASK) | (index)))

/* The number by which all processes know the window: see MPIDIG_WIN(win, win_id). */
MPL_STATIC_INLINE_PREFIX uint32_t MPIDIG_rma_number(const MPIR_Win *win)
{
    MPIR_Assert(MPIDIG_WIN(win, win_id) <= UINT32_MAX);
    return (uint32_t) MPIDIG_WIN(win, win_id);
}

MPL_STATIC_INLINE_PREFIX MPIR_Win *MPIDIG_rma_win(uint32_t number)
{
    return (MPIR_Win *) MPIDIU_map_lookup(MPIDI_global.win_map, number);
}

MPL_STATIC_INLINE_PREFIX size_t MPIDIG_rma_padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t) 7;
}

MPL_STATIC_INLINE_PREFIX size_t MPIDIG_rma_size(MPI_Aint count, MPI_Datatype type)
{
    MPI_Aint size;

    MPIR_Datatype_get_size_macro(type, size);
    return (size_t) count * size;
}

/* Is the message answered?  An origin that holds no lock learns of the end by other means. */
MPL_STATIC_INLINE_PREFIX bool MPIDIG_rma_is_answered(unsigned flags, bool has_results)
{
    return has_results || !(flags & (MPIDIG_RMA_PSCW | MPIDIG_RMA_COUNTED));
}

/* An operation has failed.  Only the first error is kept. */
MPL_STATIC_INLINE_PREFIX void MPIDIG_rma_note_failure(int *failed, int mpi_errno)
{
    if (!*failed)
        *failed = mpi_errno;
}

/* An operation may fail outside the call that brought it.  The call that ends the epoch, or
 * flushes, returns the error and forgets it. */
MPL_STATIC_INLINE_PREFIX int MPIDIG_rma_failure(int *failed)
{
    int mpi_errno = *failed;

    *failed = MPI_SUCCESS;
    return mpi_errno;
}

MPL_STATIC_INLINE_PREFIX void MPIDIG_rma_waited_since(MPIDIG_rma_target_t *target,
                                                      MPL_time_t *begin)
{
    MPL_time_t now;
    double seconds;

    MPL_wtime(&now);
    MPL_wtime_diff(begin, &now, &seconds);
    MPIR_rma_issue_waited(&target->issue, seconds);
}

/* Is progress made while the program computes? */
static inline bool MPIDIG_rma_has_helper(void)
{
#ifdef MPIR_WITHOUT_HELPER
    return false;
#else
    return MPIR_Events_run();
#endif
}

/* The epoch begins at the target. */
static inline void MPIDIG_rma_open(MPIDIG_rma_target_t *target, rma_issue_permission_t permission)
{
    MPIR_rma_issue_open(&target->issue, permission);
    if (MPIDIG_rma_has_helper())
        MPIR_rma_issue_flows(&target->issue);
}

/* Is the caller the helper's thread? */
static inline bool MPIDIG_rma_is_helper(void)
{
#ifdef MPIR_WITHOUT_HELPER
    return false;
#else
    return MPIR_Events_are_handled();
#endif
}

/* A queue has something to issue, and the program goes on. */
static inline void MPIDIG_rma_leave_work(void)
{
#ifndef MPIR_WITHOUT_HELPER
    MPIR_Events_leave_work();
#endif
}

/* ---- settings.c ---- */

/* Checks the variables. */
int MPIDIG_rma_settings_init(void);
/* Can operations of such a window wait? */
bool MPIDIG_rma_may_wait(const MPIR_Win *win);
/* NULL without memory, or if operations of this window never wait. */
MPIDIG_rma_issue_t *MPIDIG_rma_issue_of(MPIR_Win *win);
/* NULL without memory. */
MPIDIG_rma_issue_t *MPIDIG_rma_issue_make(MPIR_Win *win);

/* ---- targets.c ---- */

/* The target's state, made at first use; NULL without memory. */
MPIDIG_rma_target_t *MPIDIG_rma_target(MPIR_Win *win, int rank);
/* NULL: it has none. */
MPIDIG_rma_target_t *MPIDIG_rma_target_find(MPIR_Win *win, int rank);

/* ---- issue_operation.c ---- */

/* Sets op->queue. */
void MPIDIG_rma_op_measure(MPIDIG_rma_op_t *op);
/* A copy, which keeps the datatypes; NULL without memory. */
MPIDIG_rma_op_t *MPIDIG_rma_op_keep(MPIDIG_rma_issue_t *issue, const MPIDIG_rma_op_t *what);
void MPIDIG_rma_op_drop(MPIDIG_rma_issue_t *issue, MPIDIG_rma_op_t *op);
bool MPIDIG_rma_op_has_result(const MPIDIG_rma_op_t *op);
/* Writes op->queue.wire bytes.  Returns the place behind them. */
char *MPIDIG_rma_op_pack(char *end, const MPIDIG_rma_op_t *op);
/* Natively. */
int MPIDIG_rma_op_issue(MPIR_Win *win, int rank, const MPIDIG_rma_op_t *op);
/* Does it send its data, and return nothing? */
bool MPIDIG_rma_op_sends(const MPIDIG_rma_op_t *op);

/* ---- pack.c ---- */

/* Packs the operation, if the queue allows it and there is memory.  REQUIRES: the epoch packs. */
bool MPIDIG_rma_pack(MPIR_Win *win, MPIDIG_rma_target_t *target, const MPIDIG_rma_op_t *what);
/* Writes queue.wire bytes.  Returns the place behind them. */
char *MPIDIG_rma_pack_copy(char *end, const MPIDIG_rma_pack_t *pack);
void MPIDIG_rma_pack_drop(MPIDIG_rma_issue_t *issue, MPIDIG_rma_pack_t *pack);
void MPIDIG_rma_pack_free_all(MPIDIG_rma_issue_t *issue);

/* ---- message.c ---- */

int MPIDIG_rma_send_message(MPIR_Win *win, MPIDIG_rma_target_t *target,
                            const rma_issue_step_t *step);

/* ---- engine.c ---- */

/* The epoch to which an operation of the program belongs now. */
const MPIDIG_rma_epoch_t *MPIDIG_rma_epoch(MPIR_Win *win);

/* Natively, and the module learns how long that takes.  REQUIRES: the module counts the step. */
int MPIDIG_rma_issue_natively(MPIR_Win *win, MPIDIG_rma_target_t *target,
                              const MPIDIG_rma_op_t *op);
/* Does a helper issue the operation, because that would keep the program long? */
bool MPIDIG_rma_is_for_helper(MPIR_Win *win, const MPIDIG_rma_target_t *target,
                              const MPIDIG_rma_op_t *op);

/* All steps towards the goal except waiting: `next` is what is left to do, RI_DONE, RI_WAIT or
 * RI_SETTLE. */
int MPIDIG_rma_advance(MPIR_Win *win, MPIDIG_rma_target_t *target, rma_issue_goal_t goal,
                       rma_issue_what_t *next);
/* The same for all targets, so that no message waits until another target has answered. */
int MPIDIG_rma_advance_all(MPIR_Win *win, rma_issue_goal_t goal);
/* All steps towards the goal. */
int MPIDIG_rma_reach(MPIR_Win *win, MPIDIG_rma_target_t *target, rma_issue_goal_t goal);
/* Waits until what was issued natively to the target is done there. */
int MPIDIG_rma_settle(MPIR_Win *win, MPIDIG_rma_target_t *target);
/* The epoch at a target becomes history. */
void MPIDIG_rma_close(MPIR_Win *win, MPIDIG_rma_target_t *target);
/* An operation was queued: the common part of MPIDIG_rma_epoch_t's go_on. */
int MPIDIG_rma_go_on(MPIR_Win *win, MPIDIG_rma_target_t *target, rma_issue_goal_t goal);

/* Parts of MPIDIG_rma_epoch_t that several kinds share.  The permission is noted with the first
 * operation. */
rma_issue_permission_t MPIDIG_rma_is_noted(const MPIR_Win *win);
/* The goal is RI_GO_ON. */
int MPIDIG_rma_just_go_on(MPIR_Win *win, MPIDIG_rma_target_t *target);
/* No message tells the end. */
unsigned MPIDIG_rma_no_flags(MPIR_Win *win, const MPIDIG_rma_target_t *target);

/* Progress advances the target later. */
void MPIDIG_rma_ready(MPIDIG_rma_target_t *target);
void MPIDIG_rma_not_ready(MPIDIG_rma_target_t *target);
/* A member of the window has died.  Would a wait for the target be in vain?  Then it is lost. */
bool MPIDIG_rma_lose_dead(MPIR_Win *win, MPIDIG_rma_target_t *target);
extern MPIDI_deferred_kind_t MPIDIG_rma_ready_targets;

/* ---- end.c ---- */

/* All targets end their epoch: each advances as far as it can before the process waits for any. */
int MPIDIG_rma_end_all(MPIR_Win *win);
/* Waits until what was issued natively is done at its targets. */
int MPIDIG_rma_settle_all(MPIR_Win *win);
/* Waits for the answers to messages with operations.  Not for those to a bare release of a lock:
 * MPIDIG_rma_issue_await_releases(). */
int MPIDIG_rma_await_answers(MPIR_Win *win, MPIDIG_rma_target_t *target);

/* ---- perform.c ---- */

/* Performs a message at its target, or queues it until this process's lock is free. */
int MPIDIG_rma_accept(MPIR_Win *win, MPIDIG_rma_message_t *message);

/* ---- early.c ---- */

/* The fence that begins an epoch is over: accepts the messages that were kept for the epoch. */
void MPIDIG_rma_accept_early(MPIR_Win *win);
/* Drops all of them. */
void MPIDIG_rma_forget_early(MPIDIG_rma_issue_t *issue);

/* ---- handlers ---- */

int MPIDIG_rma_request_cb(void *am_hdr, void *data, MPI_Aint in_data_sz, uint32_t attr,
                          MPIR_Request **req);
int MPIDIG_rma_answer_cb(void *am_hdr, void *data, MPI_Aint in_data_sz, uint32_t attr,
                         MPIR_Request **req);
int MPIDIG_rma_outside_cb(void *am_hdr, void *data, MPI_Aint in_data_sz, uint32_t attr,
                          MPIR_Request **req);

#endif /* RMA_ISSUE_INTERNAL_H_INCLUDED */
