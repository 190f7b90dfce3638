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

/* Can there be a helper?  The network asks before it opens its devices. */
bool MPIR_Events_may_come(void);

/* The network has such a source.  Before MPIR_Events_init(); without a source there is no
 * helper. */
void MPIR_Events_set_source(const MPIR_Events_source_t *source);

/* A hook of the progress engine has become active: a helper that sleeps has to look again. */
void MPIR_Events_hook_is_active(void);

/* At the end of MPI_Init, and before MPI_Finalize takes anything down.  Where the helper cannot
 * start, progress is made as without it. */
void MPIR_Events_init(void);
void MPIR_Events_stop(void);

/* The info key mpix_progress_events of windows.  MPI_Win_set_info; MPI_Win_get_info, whose object
 * says whether there is a helper; and a new window, with its info object or NULL: with "auto" there
 * is a helper from the first one on in which messages serve others. */
void MPIR_Events_set_info(struct MPIR_Info *info);
int MPIR_Events_get_info(struct MPIR_Info *info);
void MPIR_Events_window(const struct MPIR_Win *win, struct MPIR_Info *info);

#endif /* MPIR_EVENTS_H_INCLUDED */
