/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef MPIR_MOVE_H_INCLUDED
#define MPIR_MOVE_H_INCLUDED

#include <stdint.h>

/*
 * Moving away from a core that ranks share although each could have its own.
 *
 * Two ranks that give the core to each other look to the system like one that is always busy.
 * Beside other work it may leave them together for a whole run, and each message then costs two
 * process switches.  A yield shows what shares the core (mpir_yield.c).  When ranks have shared it
 * for some 20 ms, one of them moves to another core that it may use.  If a program computes there,
 * it comes back, and waits longer before the next attempt.  The set of cores that the thread may
 * use stays as it was: this is no binding.
 *
 * Each thread has a state, zeros at first.  Times are in ticks (mpir_ticks.h).
 */
typedef struct {
    uint64_t since;           /* ranks share the core; 0: they do not */
    uint64_t moved_at, pause; /* after an attempt that failed; it grows */
    int from;                 /* the core before the move */
} MPIR_Move_t;

/* In MPI_Init, with the rank's number on the node: neighbours do not move at the same time. */
void MPIR_Move_init(int local_rank);

/* The yield that ended at `now` has found another rank, */
void MPIR_Move_shared(MPIR_Move_t *state, uint64_t now);
/* nothing, */
void MPIR_Move_alone(MPIR_Move_t *state);
/* or a program that computes. */
void MPIR_Move_busy(MPIR_Move_t *state, uint64_t now);

#endif /* MPIR_MOVE_H_INCLUDED */
