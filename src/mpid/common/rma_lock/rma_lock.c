/* SPDX-License-Identifier: BSD-3-Clause */

/* clock_gettime */
#define _POSIX_C_SOURCE 200112L

#include <sched.h>
#include <time.h>
#include "rma_lock.h"

/* The clock is looked at once in so many polls. */
#define POLLS_BETWEEN_LOOKS 16

/* Polls of a guard before the core is given away: some times what is done inside takes. */
#define GUARD_POLLS 200

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static bool replace(rma_lock_t *lock, uint64_t old, uint64_t new)
{
    return __atomic_compare_exchange_n(&lock->state, &old, new, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
}

bool MPIR_rma_lock_ask(rma_lock_t *lock, bool exclusive, rma_lock_request_t *request)
{
    if (MPIR_rma_lock_try(lock, exclusive))
        return true;
    request->polls = 0;
    request->since = 0;
    request->ticket = 0;
    if (exclusive) {
        request->ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
        request->step = RMA_LOCK_IN_LINE;
    } else {
        request->step = RMA_LOCK_ANY;
    }
    return MPIR_rma_lock_poll(lock, request);
}

static bool poll_first(rma_lock_t *lock, const rma_lock_request_t *request, uint64_t state)
{
    if ((state & ~RMA_LOCK_WANTED) != 0) {
        if (!(state & RMA_LOCK_WANTED))
            __atomic_fetch_or(&lock->state, RMA_LOCK_WANTED, __ATOMIC_RELAXED);
        return false;
    }
    if (!replace(lock, state, RMA_LOCK_HELD))
        return false;
    /* the next in line, which reads this with acquire, finds the lock held */
    __atomic_store_n(&lock->serving, request->ticket + 1, __ATOMIC_RELEASE);
    return true;
}

static bool is_out_of_patience(rma_lock_request_t *request)
{
    uint64_t time;

    if (request->polls++ % POLLS_BETWEEN_LOOKS != 0)
        return false;
    time = now();
    if (request->since == 0)
        request->since = time;
    return time - request->since > RMA_LOCK_PATIENCE;
}

static bool poll_any(rma_lock_t *lock, rma_lock_request_t *request, uint64_t state)
{
    bool wanted =
        (state & RMA_LOCK_WANTED) != 0 || __atomic_load_n(&lock->next, __ATOMIC_RELAXED) !=
                                              __atomic_load_n(&lock->serving, __ATOMIC_RELAXED);

    if (state & RMA_LOCK_HELD) {
        __atomic_fetch_add(&lock->state, RMA_LOCK_TURN, __ATOMIC_RELAXED);
        request->step = RMA_LOCK_NEXT;
        return false;
    }
    if (wanted && !is_out_of_patience(request))
        return false;
    return replace(lock, state, state + RMA_LOCK_SHARED);
}

bool MPIR_rma_lock_poll(rma_lock_t *lock, rma_lock_request_t *request)
{
    uint64_t state;

    if (request->step == RMA_LOCK_IN_LINE) {
        if (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != request->ticket)
            return false;
        request->step = RMA_LOCK_FIRST;
    }
    state = __atomic_load_n(&lock->state, __ATOMIC_RELAXED);
    switch (request->step) {
        case RMA_LOCK_FIRST: return poll_first(lock, request, state);
        case RMA_LOCK_ANY: return poll_any(lock, request, state);
        default:
            return !(state & RMA_LOCK_HELD) &&
                   replace(lock, state, state - RMA_LOCK_TURN + RMA_LOCK_SHARED);
    }
}

uint32_t MPIR_rma_lock_self = UINT32_MAX;
bool (*MPIR_rma_lock_is_dead)(uint32_t process);

/* One of those who wait opens it. */
static void open_for_dead(uint32_t *guard, uint32_t holder)
{
    if (MPIR_rma_lock_is_dead && MPIR_rma_lock_is_dead(holder))
        __atomic_compare_exchange_n(guard, &holder, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void MPIR_rma_lock_guard_wait(uint32_t *guard)
{
    unsigned polls = 0;
    uint32_t holder;

    do {
        while ((holder = __atomic_load_n(guard, __ATOMIC_RELAXED)) != 0) {
            if (++polls % GUARD_POLLS == 0) {
                open_for_dead(guard, holder);
                sched_yield();
            }
        }
    } while (!__atomic_compare_exchange_n(guard, &holder, MPIR_rma_lock_self, false,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}
