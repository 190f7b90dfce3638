/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns an engine that only one thread may run: the program, or a helper that runs it while the
 * program is elsewhere.  It knows nothing of MPI, and nothing of what the engine does.
 *
 * The program marks entry and exit.  That costs plain stores and loads, without an atomic operation
 * and without a fence.  The helper pays for both: it sets its flag, makes all threads of the
 * process pass a barrier (membarrier), and then looks at the program's mark.
 *
 *     program                            helper
 *     enter:  mark is odd                take:   owner = helper
 *             owner != nobody? wait              membarrier
 *                                                mark is odd? give it back at once
 *
 * Without the barrier both could miss the store of the other, which may still be in a store buffer.
 * With it, an entry either precedes the barrier, and the helper sees the mark.  Or its look at the
 * owner follows the barrier, and the program sees the helper.  Both may see each other: then the
 * helper gives way, so that the program never waits for more than the piece of work that is being
 * done.
 *
 *     leave:  mark is even               ask:    asks = 1
 *             asks? wake the helper              membarrier
 *                                                mark is odd? sleep
 *
 * is the same once more, for a helper that waits until the program leaves.
 *
 * Conventions
 *  1. One thread at a time is the program.  If these are several, the program orders their calls,
 *     as MPI_THREAD_SERIALIZED demands.
 *  2. Entries nest.  Only the outermost one counts.
 *  3. What the helper calls may enter and leave, too: it owns the engine already.
 *  4. A child process after fork() has no helper: MPIR_handover_forked().
 *  5. No function fails but MPIR_handover_init(), which does where the system has no membarrier.
 */
#ifndef HANDOVER_H_INCLUDED
#define HANDOVER_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HANDOVER_NOBODY, HANDOVER_HELPER, HANDOVER_AWAITED };

/* Zeros: no helper, and the program is not inside. */
typedef struct {
    /* the program's line */
    uint32_t mark;  /* odd: inside; it counts entries and exits */
    uint32_t depth; /* of entries */
    char other_line[56];
    /* the helper's line */
    uint32_t owner; /* HANDOVER_AWAITED: the helper, and the program sleeps */
    uint32_t asks;  /* the helper sleeps until the program leaves */
    uint32_t stop;
    char end_of_line[52];
} handover_t;

/* All access to what both threads use.  A simulation defines its own. */
#ifndef HANDOVER_LOAD
#define HANDOVER_LOAD(word) __atomic_load_n(word, __ATOMIC_ACQUIRE)
/* The compiler moves no later load before it; the processor may. */
#define HANDOVER_STORE(word, value) \
    do { \
        __atomic_store_n(word, value, __ATOMIC_RELEASE); \
        __atomic_signal_fence(__ATOMIC_SEQ_CST); \
    } while (0)
#define HANDOVER_IS_HELPER(handover) MPIR_handover_is_helper(handover)
#endif

/* The program.  True: a helper may serve this engine. */
bool MPIR_handover_init(handover_t *handover);

/* Is the caller's thread in MPIR_handover_serve()? */
bool MPIR_handover_is_helper(const handover_t *handover);

/* Waits until the helper has given the engine back. */
void MPIR_handover_wait(handover_t *handover);

/* Wakes the helper, which has asked for that. */
void MPIR_handover_answer(handover_t *handover);

/* The program begins to use the engine. */
static inline void MPIR_handover_enter(handover_t *handover)
{
    if (HANDOVER_LOAD(&handover->owner) != HANDOVER_NOBODY && HANDOVER_IS_HELPER(handover))
        return;
    if (handover->depth++ > 0)
        return;
    HANDOVER_STORE(&handover->mark, HANDOVER_LOAD(&handover->mark) + 1);
    if (HANDOVER_LOAD(&handover->owner) != HANDOVER_NOBODY)
        MPIR_handover_wait(handover);
}

/* It ends to use it.  REQUIRES: MPIR_handover_enter(). */
static inline void MPIR_handover_leave(handover_t *handover)
{
    if (HANDOVER_LOAD(&handover->owner) != HANDOVER_NOBODY && HANDOVER_IS_HELPER(handover))
        return;
    if (--handover->depth > 0)
        return;
    HANDOVER_STORE(&handover->mark, HANDOVER_LOAD(&handover->mark) + 1);
    if (HANDOVER_LOAD(&handover->asks))
        MPIR_handover_answer(handover);
}

/* What the helper does. */
typedef struct {
    /* A piece of work; true: there was some.  It should take some microseconds, since the program
     * may wait for its end. */
    bool (*work)(void *context);
    /* True: sleep() will end with the next event.  False: some have come. */
    bool (*arm)(void *context);
    /* Until an event comes that arm() was for, or `wake` is called. */
    void (*sleep)(void *context);
    /* It may end earlier.  True: work waits that the program has left.  Then the next pause is the
     * least one, unless the program is still in the same call. */
    bool (*pause)(void *context, unsigned microseconds);
    void *context;
} handover_work_t;

/* The pauses of a helper that leaves the program alone: the first, and the longest. */
enum { HANDOVER_PAUSE_LEAST = 50, HANDOVER_PAUSE_MOST = 1000 };

/* The helper's thread, until MPIR_handover_stop().  It owns the engine whenever it calls work() or
 * arm().
 *
 * A program that calls again and again makes progress by itself.  The helper leaves it alone: it
 * works only if the program has been outside, without a call, since the helper's latest look.  It
 * looks after a sleep, and otherwise after pauses, which grow as long as the program calls and
 * leaves nothing to the helper.  It arms only where it works, so that nothing wakes it meanwhile.
 * If the program stays in one call for all those pauses, it sleeps until the program leaves.  After
 * that it looks again, for the program may have left with work undone. */
void MPIR_handover_serve(handover_t *handover, const handover_work_t *work);

/* MPIR_handover_serve() returns soon, if the caller also ends sleep().  Any thread. */
void MPIR_handover_stop(handover_t *handover);

/* In a child process: the helper does not exist there. */
void MPIR_handover_forked(handover_t *handover);

/* Of the helper, for MPIR_handover_serve() and tests.  Take answers whether it owns the engine now.
 * REQUIRES of give: it does. */
bool MPIR_handover_take(handover_t *handover);
void MPIR_handover_give(handover_t *handover);

/* The helper sleeps until the program has left, or until MPIR_handover_stop(). */
void MPIR_handover_ask(handover_t *handover);

/* Is the program inside, or waiting to be?  Then the helper gives the engine back. */
static inline bool MPIR_handover_is_entered(const handover_t *handover)
{
    return HANDOVER_LOAD(&handover->mark) % 2 != 0;
}

#ifdef __cplusplus
}
#endif
#endif /* HANDOVER_H_INCLUDED */
