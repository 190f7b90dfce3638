/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress while the program computes: a helper, a thread that sleeps until something arrives and
 * then runs the progress engine (MPIR_CVAR_PROGRESS_EVENTS).
 *
 * With MPI_THREAD_MULTIPLE the helper takes the lock of all MPI functions.  Otherwise the functions
 * mark where they would take and release it, and handover.h decides who owns the engine.
 */
#ifndef MPIR_EVENTS_H_INCLUDED
#define MPIR_EVENTS_H_INCLUDED

#include <stdbool.h>
#include "handover.h"

/* Functions mark themselves: a helper runs, and there is no lock. */
#define MPIR_EVENTS_MARKED 1u
/* The function that is being called starts or stops the helper when it leaves. */
#define MPIR_EVENTS_DUE 2u

typedef struct {
    handover_t handover;
    unsigned state;
} MPIR_Events_t;

extern MPIR_Events_t MPIR_Events;

/* An MPI function uses the engine, from here to there. */
static inline void MPIR_Events_enter(void)
{
    if (unlikely(MPIR_Events.state & MPIR_EVENTS_MARKED))
        MPIR_handover_enter(&MPIR_Events.handover);
}

/* Does what is due. */
void MPIR_Events_turn(void);

static inline void MPIR_Events_leave(void)
{
    if (likely(!MPIR_Events.state))
        return;
    if (MPIR_Events.state & MPIR_EVENTS_MARKED)
        MPIR_handover_leave(&MPIR_Events.handover);
    if (unlikely(MPIR_Events.state & MPIR_EVENTS_DUE))
        MPIR_Events_turn();
}

/* Where events come from: the network. */
typedef struct {
    int descriptor;               /* readable after arm(), when something has arrived */
    bool (*arm)(void);            /* false: something has arrived already */
    void (*keep_error)(int code); /* for the next progress that the program makes */
} MPIR_Events_source_t;

/* A network that has events for windows alone, from the first one on that needs them. */
typedef struct {
    /* Calls MPIR_Events_set_source(), once; false: there are no events. */
    bool (*open)(void);
    /* Can this process serve these members by events, and they it; and do they know where? */
    bool (*can_meet)(struct MPIR_Comm *comm);
    bool (*has_met)(struct MPIR_Comm *comm);
    int (*meet)(struct MPIR_Comm *comm); /* they tell each other: collective */
    void (*use)(struct MPIR_Comm *comm); /* its window is served by events from now on */
} MPIR_Events_late_t;

/* Can there be a helper; and is it there from MPI_Init on, for all messages?  The network asks
 * before it opens its devices. */
bool MPIR_Events_may_come(void);
bool MPIR_Events_are_for_all(void);

/* Does the helper make progress now? */
bool MPIR_Events_run(void);

/* Is the caller's thread the helper? */
bool MPIR_Events_are_handled(void);

/* The network has such a source; without one there is no helper.  Zeros: it has none any more. */
void MPIR_Events_set_source(const MPIR_Events_source_t *source);
void MPIR_Events_set_late(const MPIR_Events_late_t *late);

/* A hook of the progress engine has become active: a helper that sleeps has to look again. */
void MPIR_Events_hook_is_active(void);

/* The program has left operations in queues that progress issues (MPIDI_DEFERRED_TARGETS), and goes
 * on: a helper that sleeps or pauses has to look again, soon. */
void MPIR_Events_leave_work(void);

/* At the end of MPI_Init, and before MPI_Finalize takes anything down.  Where the helper cannot
 * start, progress is made as without it. */
void MPIR_Events_init(void);
void MPIR_Events_stop(void);

/* The info key mpix_progress_events of windows.  MPI_Win_set_info; and MPI_Win_get_info, whose
 * object says whether there is a helper. */
void MPIR_Events_set_info(struct MPIR_Info *info);
int MPIR_Events_get_info(struct MPIR_Info *info);

/* A new window, with its info object or NULL.  With "auto" there is a helper from the first one on
 * in which messages serve others.  Before the members agree each offers what it can: the result is
 * flags for MPIDIG_win_agree().  Then, with those of all: collective. */
unsigned MPIR_Events_offer(const struct MPIR_Win *win, struct MPIR_Info *info);
int MPIR_Events_window(const struct MPIR_Win *win, struct MPIR_Info *info, unsigned flags);

#endif /* MPIR_EVENTS_H_INCLUDED */
