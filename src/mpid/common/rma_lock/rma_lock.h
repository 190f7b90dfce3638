/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A lock with exclusive and shared holders, for threads and processes that share memory.  A process
 * may also request it for others.  It knows nothing of MPI.
 *
 * A request is polled until it is granted.  No function blocks, so the caller can make progress or
 * yield its core between the polls, and may have several requests open.  16 bytes of zeros are a
 * free lock; a lock holds no pointers.
 *
 * Order.  Exclusive requests are granted in the order of their tickets.  A shared request waits for
 * the current holder and, if an exclusive request is already in line, for that one.  Shared
 * requests that wait for the same holder are granted together after it, before the next exclusive
 * one (phase-fair: Brandenburg and Anderson, "Reader-writer synchronization for shared-memory
 * multiprocessor real-time systems", 2009).
 *
 * Order of memory.  MPI_Win_unlock completes what the epoch has stored, so a holder that releases
 * one lock and then takes another must not read, in the second epoch, what is older than a store of
 * a process that did the same the other way round.  Acquire and release would not keep a store
 * before a later load.  All grants and releases are therefore sequentially consistent
 * read-modify-write operations of `state`, which on x86 cost the same as those of weaker order.
 *
 * Deadlock avoidance.  A process that acquires several shared locks holds some while waiting for
 * the rest.  If shared requests waited for requests in line, two such processes and two exclusive
 * requests could wait for each other for ever.  So a shared request waits at most RMA_LOCK_PATIENCE
 * for a request that is not granted; then it waits for holders only.
 */
#ifndef RMA_LOCK_H_INCLUDED
#define RMA_LOCK_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t state;         /* see RMA_LOCK_HELD and what follows it */
    uint32_t next, serving; /* tickets of exclusive requests */
} rma_lock_t;

#define RMA_LOCK_HELD (UINT64_C(1) << 63)   /* exclusively */
#define RMA_LOCK_WANTED (UINT64_C(1) << 62) /* by the exclusive request whose turn it is */
/* counts shared requests that get the lock after its present holder */
#define RMA_LOCK_TURN (UINT64_C(1) << 31)
#define RMA_LOCK_SHARED UINT64_C(1) /* counts shared holders */

/* Nanoseconds.  This is longer than a turn on an oversubscribed core, so that requests keep
 * their order there. */
#define RMA_LOCK_PATIENCE 500000

/* A request that is not granted yet.  The caller owns its memory, and must keep it until the
 * grant. */
typedef struct {
    enum { RMA_LOCK_IN_LINE, RMA_LOCK_FIRST, RMA_LOCK_ANY, RMA_LOCK_NEXT } step;
    uint32_t ticket;
    uint32_t polls;
    uint64_t since; /* nanoseconds of some clock */
} rma_lock_request_t;

/* Without waiting: succeeds only if no other process holds or requests the lock. */
static inline bool MPIR_rma_lock_try(rma_lock_t *lock, bool exclusive)
{
    uint64_t state = __atomic_load_n(&lock->state, __ATOMIC_RELAXED);

    if (__atomic_load_n(&lock->next, __ATOMIC_RELAXED) !=
        __atomic_load_n(&lock->serving, __ATOMIC_RELAXED))
        return false;
    if (exclusive ? state != 0 : state >= RMA_LOCK_TURN)
        return false;
    return __atomic_compare_exchange_n(&lock->state, &state,
                                       exclusive ? RMA_LOCK_HELD : state + RMA_LOCK_SHARED, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Begins a request.  True: granted.  False: poll it until it is granted. */
bool MPIR_rma_lock_ask(rma_lock_t *lock, bool exclusive, rma_lock_request_t *request);
bool MPIR_rma_lock_poll(rma_lock_t *lock, rma_lock_request_t *request);

/* REQUIRES: a holder calls. */
static inline bool MPIR_rma_lock_is_exclusive(const rma_lock_t *lock)
{
    return (__atomic_load_n(&lock->state, __ATOMIC_RELAXED) & RMA_LOCK_HELD) != 0;
}

/* Gives the lock back.  REQUIRES that the caller holds it. */
static inline void MPIR_rma_lock_release(rma_lock_t *lock)
{
    if (MPIR_rma_lock_is_exclusive(lock))
        __atomic_fetch_and(&lock->state, ~RMA_LOCK_HELD, __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_sub(&lock->state, RMA_LOCK_SHARED, __ATOMIC_SEQ_CST);
}

/* A guard for a few instructions; zero is open, otherwise who has closed it.  It keeps no order,
 * and a long wait yields the core. */
void MPIR_rma_lock_guard_wait(uint32_t *guard);

/* The number of this process, not 0; UINT32_MAX where nobody says who dies. */
extern uint32_t MPIR_rma_lock_self;
/* Has the process with this number died?  Then others open its guards.  NULL: nobody says it. */
extern bool (*MPIR_rma_lock_is_dead)(uint32_t process);

/* Closes the guard, and waits while another thread has it closed. */
static inline void MPIR_rma_lock_guard_enter(uint32_t *guard)
{
    uint32_t open = 0;

    if (!__atomic_compare_exchange_n(guard, &open, MPIR_rma_lock_self, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        MPIR_rma_lock_guard_wait(guard);
}

/* Opens the guard. */
static inline void MPIR_rma_lock_guard_leave(uint32_t *guard)
{
    __atomic_store_n(guard, 0, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif
#endif /* RMA_LOCK_H_INCLUDED */
