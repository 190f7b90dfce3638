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

typedef struct {
    handover_t handover;
    bool is_marked; /* a helper runs, and there is no lock */
} MPIR_Events_t;

extern MPIR_Events_t MPIR_Events;

/* An MPI function uses the engine, from here to there. */
static inline void MPIR_Events_enter(void)
{
    if (unlikely(MPIR_Events.is_marked))
        MPIR_handover_enter(&MPIR_Events.handover);
}

static inline void MPIR_Events_leave(void)
{
    if (unlikely(MPIR_Events.is_marked))
        MPIR_handover_leave(&MPIR_Events.handover);
}

/* Where events come from: the network. */
typedef struct {
    int descriptor;               /* readable after arm(), when something has arrived */
    bool (*arm)(void);            /* false: something has arrived already */
    void (*keep_error)(int code); /* for the next progress that the program makes */
} MPIR_Events_source_t;

/* Is a helper wanted?  The network asks before it opens its devices. */
bool MPIR_Events_are_wanted(void);

/* The network has such a source.  Before MPIR_Events_start(); without a source there is no
 * helper. */
void MPIR_Events_set_source(const MPIR_Events_source_t *source);

/* At the end of MPI_Init, and before MPI_Finalize takes anything down.  Where the helper cannot
 * start, progress is made as without it. */
void MPIR_Events_start(void);
void MPIR_Events_stop(void);

#endif /* MPIR_EVENTS_H_INCLUDED */
