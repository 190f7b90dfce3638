/* SPDX-License-Identifier: BSD-3-Clause */

/* syscall */
#define _GNU_SOURCE

#include "handover.h"

#ifndef HANDOVER_SIMULATED

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/futex.h>
#endif

/* linux/membarrier.h, which old systems do not have */
#define MEMBARRIER_PRIVATE_EXPEDITED (1 << 3)
#define MEMBARRIER_REGISTER_PRIVATE_EXPEDITED (1 << 4)

#if defined(SYS_membarrier) && defined(SYS_futex)

static void barrier(void) { syscall(SYS_membarrier, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0); }

static void sleep_while(uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static bool can_serve(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
           syscall(SYS_membarrier, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

#else

static void barrier(void) {}
static void sleep_while(uint32_t *word, uint32_t value) { (void) word, (void) value; }
static void wake(uint32_t *word) { (void) word; }
static bool can_serve(void) { return false; }

#endif

#if defined(__x86_64__) || defined(__i386__)
#define HANDOVER_SPIN() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define HANDOVER_SPIN() __asm__ volatile("yield")
#else
#define HANDOVER_SPIN() ((void) 0)
#endif

#define HANDOVER_EXCHANGE(word, value) __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST)
#define HANDOVER_REPLACE(word, old, new) \
    __atomic_compare_exchange_n(word, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)
#define HANDOVER_BARRIER() barrier()
#define HANDOVER_SLEEP_WHILE(word, value) sleep_while(word, value)
#define HANDOVER_WAKE(word) wake(word)

/* Looks at the owner before the program sleeps: some 20 us, as long as a piece of work should
 * take. */
#define HANDOVER_SPINS 500

static __thread const handover_t *served;

bool MPIR_handover_is_helper(const handover_t *handover) { return served == handover; }

static void set_helper(const handover_t *handover) { served = handover; }

bool MPIR_handover_init(handover_t *handover)
{
    memset(handover, 0, sizeof(*handover));
    return can_serve();
}

#else

static void set_helper(const handover_t *handover) { (void) handover; }

#endif /* HANDOVER_SIMULATED */

void MPIR_handover_wait(handover_t *handover)
{
    for (int i = 0; i < HANDOVER_SPINS; i++) {
        if (HANDOVER_LOAD(&handover->owner) == HANDOVER_NOBODY)
            return;
        HANDOVER_SPIN();
    }
    do {
        uint32_t owner = HANDOVER_HELPER;

        if (HANDOVER_REPLACE(&handover->owner, &owner, HANDOVER_AWAITED) ||
            owner == HANDOVER_AWAITED)
            HANDOVER_SLEEP_WHILE(&handover->owner, HANDOVER_AWAITED);
    } while (HANDOVER_LOAD(&handover->owner) != HANDOVER_NOBODY);
}

void MPIR_handover_answer(handover_t *handover)
{
    if (HANDOVER_EXCHANGE(&handover->asks, 0))
        HANDOVER_WAKE(&handover->asks);
}

void MPIR_handover_give(handover_t *handover)
{
    if (HANDOVER_EXCHANGE(&handover->owner, HANDOVER_NOBODY) == HANDOVER_AWAITED)
        HANDOVER_WAKE(&handover->owner);
}

bool MPIR_handover_take(handover_t *handover)
{
    /* without disturbing a program that is inside */
    if (MPIR_handover_is_entered(handover))
        return false;
    HANDOVER_STORE(&handover->owner, HANDOVER_HELPER);
    HANDOVER_BARRIER();
    if (!MPIR_handover_is_entered(handover))
        return true;
    MPIR_handover_give(handover);
    return false;
}

void MPIR_handover_ask(handover_t *handover)
{
    HANDOVER_STORE(&handover->asks, 1);
    HANDOVER_BARRIER();
    while (HANDOVER_LOAD(&handover->asks) && MPIR_handover_is_entered(handover) &&
           !HANDOVER_LOAD(&handover->stop))
        HANDOVER_SLEEP_WHILE(&handover->asks, 1);
    HANDOVER_STORE(&handover->asks, 0);
}

/* True: nothing is left, and the next event ends a sleep.  False: the program wants the engine, or
 * the helper's end. */
static bool drain(const handover_t *handover, const handover_work_t *work)
{
    while (!MPIR_handover_is_entered(handover) && !HANDOVER_LOAD(&handover->stop)) {
        if (!work->work(work->context) && work->arm(work->context))
            return true;
    }
    return false;
}

typedef struct {
    uint32_t mark; /* at the latest look */
    unsigned pause;
} pace_t;

/* Has the program been outside since the latest look?  If not, time passes before the next one. */
static bool is_quiet(handover_t *handover, const handover_work_t *work, pace_t *pace)
{
    uint32_t mark = HANDOVER_LOAD(&handover->mark);
    bool is_same = mark == pace->mark;

    pace->mark = mark;
    if (is_same && mark % 2 == 0) {
        pace->pause = HANDOVER_PAUSE_LEAST;
        return true;
    }
    if (is_same && pace->pause > HANDOVER_PAUSE_MOST) {
        MPIR_handover_ask(handover);
        pace->pause = HANDOVER_PAUSE_LEAST;
        return false;
    }
    if (work->pause(work->context,
                    pace->pause < HANDOVER_PAUSE_MOST ? pace->pause : HANDOVER_PAUSE_MOST) &&
        !is_same)
        pace->pause = HANDOVER_PAUSE_LEAST;
    else if (pace->pause <= HANDOVER_PAUSE_MOST)
        pace->pause *= 2;
    return false;
}

void MPIR_handover_serve(handover_t *handover, const handover_work_t *work)
{
    pace_t pace = {HANDOVER_LOAD(&handover->mark), HANDOVER_PAUSE_LEAST};

    set_helper(handover);
    while (!HANDOVER_LOAD(&handover->stop)) {
        bool is_armed;

        if (!is_quiet(handover, work, &pace) || !MPIR_handover_take(handover))
            continue;
        is_armed = drain(handover, work);
        MPIR_handover_give(handover);
        if (is_armed)
            work->sleep(work->context);
    }
    set_helper(0);
}

void MPIR_handover_stop(handover_t *handover)
{
    HANDOVER_STORE(&handover->stop, 1);
    if (HANDOVER_EXCHANGE(&handover->asks, 0))
        HANDOVER_WAKE(&handover->asks);
}

void MPIR_handover_forked(handover_t *handover)
{
    HANDOVER_STORE(&handover->owner, HANDOVER_NOBODY);
    HANDOVER_STORE(&handover->asks, 0);
    HANDOVER_STORE(&handover->stop, 1);
}
