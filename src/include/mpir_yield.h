/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_YIELD_H_INCLUDED
#define MPIR_YIELD_H_INCLUDED

#include <stdbool.h>
#include "mpir_ticks.h"

/*
 * Yielding the core while waiting.
 *
 * A wait loop tells after every poll that it still waits (MPIR_Yield_idle). What follows is decided
 * once, in MPIR_Yield_init:
 *   soon    After a few polls in which no request completed, the thread calls sched_yield, and
 *           again at every further poll until one completes. For more ranks than cores.
 *   late    The thread calls sched_yield when a wait has taken some 30 us, and again every 32
 *           polls. Each rank has a core, and another program may need it.  If a yield shows that
 *           ranks share the core, waits are late after 1 us, until a yield finds no other rank.
 *   never   Each of these calls is a predictable branch.
 *
 * Locks: a thread never yields while another thread of this process may need one of its locks.
 * MPIR_Yield_idle then only counts, and the next MPID_THREAD_CS_YIELD, which every such loop calls
 * anyway, yields between unlock and lock (MPIR_Yield_unlocked).
 */

#ifdef MPIR_WITHOUT_YIELD

/* Waits spin, as MPICH's do, and open their locks after each poll. */
enum { MPIR_Yield_on = 0, MPIR_Yield_late = 0 };

static inline void MPIR_Yield_wait_begins(void) {}
static inline void MPIR_Yield_look(bool in_vci_lock MPL_UNUSED) {}
static inline void MPIR_Yield_idle(void) {}
static inline void MPIR_Yield_idle_in_vci(void) {}
static inline bool MPIR_Yield_is_due(void) { return true; }

#else

/* Non-zero: idle waits yield the core soon. Set until MPIR_Yield_init has decided, so that
 * start-up itself does not spin. */
extern int MPIR_Yield_on;

/* Non-zero: idle waits yield the core late. Never together with MPIR_Yield_on. */
extern int MPIR_Yield_late;

/* Polls, and a wait that must yield once it holds no lock. Threads share them: a thread yields
 * at worst a little early or late, so the order of memory does not matter. */
extern unsigned MPIR_Yield_polls;
extern int MPIR_Yield_due;
enum { MPIR_YIELD_LOOK_EVERY = 32 }; /* polls, which take some microseconds */

/* Set before MPIR_Yield_init by a process that is the only one of its job, whatever the job's size.
 * It then counts no other processes, and is called at idle polls, with `is_first` for the first
 * poll of a wait. NULL: the others exist. */
extern void (*MPIR_Yield_alone)(bool is_first);

/* Decides for this process from MPIR_CVAR_PROGRESS_YIELD and the cores that the node's ranks may
 * use. Collective over the ranks of the node.
 * REQUIRES: MPIDU_Init_shm_init and MPII_hwtopo_init were called. */
int MPIR_Yield_init(void);

/* This thread has just had its turn or does not wait: the next few polls do not yield. */
void MPIR_Yield_wait_begins(void);

/* Slow paths, called when MPIR_Yield_on only. */
void MPIR_Yield_count_poll(bool in_vci_lock);
void MPIR_Yield_if_due(void);
/* When MPIR_Yield_late only: looks at the clock, and gives the core away if it is late. */
void MPIR_Yield_look(bool in_vci_lock);

/* Counts a poll.  No atomic addition: threads may lose counts. */
static inline unsigned MPIR_Yield_poll_number(void)
{
    unsigned number = __atomic_load_n(&MPIR_Yield_polls, __ATOMIC_RELAXED) + 1;

    __atomic_store_n(&MPIR_Yield_polls, number, __ATOMIC_RELAXED);
    return number;
}

static inline void MPIR_Yield_poll(bool in_vci_lock)
{
    if (unlikely(MPIR_Yield_on))
        MPIR_Yield_count_poll(in_vci_lock);
    else if (MPIR_Yield_late && MPIR_Yield_poll_number() % MPIR_YIELD_LOOK_EVERY == 0)
        MPIR_Yield_look(in_vci_lock);
}

/* One more poll without result. REQUIRES: of all locks the caller holds at most the global
 * critical section. */
static inline void MPIR_Yield_idle(void) { MPIR_Yield_poll(false); }

/* The same for a caller that may be inside a per-VCI critical section. */
static inline void MPIR_Yield_idle_in_vci(void) { MPIR_Yield_poll(true); }

/* Has this thread to open its critical sections, as it may have to yield? */
static inline bool MPIR_Yield_is_due(void)
{
    return unlikely(MPIR_Yield_on || __atomic_load_n(&MPIR_Yield_due, __ATOMIC_RELAXED));
}

/* The caller has just opened its critical section for others.
 * REQUIRES: the caller holds no lock. */
static inline void MPIR_Yield_unlocked(void)
{
    if (MPIR_Yield_is_due())
        MPIR_Yield_if_due();
}

#endif /* MPIR_WITHOUT_YIELD */

#endif /* MPIR_YIELD_H_INCLUDED */
