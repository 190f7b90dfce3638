/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_move.h"

#include <sched.h>

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_PROGRESS_MOVE
      category    : CH4
      type        : boolean
      default     : true
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_DETAIL
      scope       : MPI_T_SCOPE_LOCAL
      description : >-
        A process that waits inside MPI, and shares its core with another rank of its job, moves
        to another core that it may use. It does so where the job has no more ranks than cores,
        and stays bound to no core.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* Some 20 ms: shorter sharing is the system's own business.  A yield that finds a program behind a
 * move within some 10 ms blames the move. */
#define PATIENCE UINT64_C(50000000)
#define TRIAL UINT64_C(25000000)
#define LONGEST_PAUSE (256 * PATIENCE)

static uint64_t patience = PATIENCE;

#if defined(HAVE_SCHED_SETAFFINITY) && defined(HAVE_SCHED_GETAFFINITY)

/* The core that the thread may use next after its own, by number: attempts go round. */
static int next_core(const cpu_set_t *allowed, int own)
{
    for (int i = 1; i < CPU_SETSIZE; i++) {
        int core = (own + i) % CPU_SETSIZE;

        if (CPU_ISSET(core, allowed))
            return core;
    }
    return -1;
}

/* The thread goes on there, and may leave again. */
static void go_to(int core, const cpu_set_t *allowed)
{
    cpu_set_t only;

    CPU_ZERO(&only);
    CPU_SET(core, &only);
    if (sched_setaffinity(0, sizeof(only), &only) == 0)
        sched_setaffinity(0, sizeof(*allowed), allowed);
}

static void move_leave(MPIR_Move_t *state)
{
    cpu_set_t allowed;
    int core;

    state->from = sched_getcpu();
    if (state->from < 0 || sched_getaffinity(0, sizeof(allowed), &allowed))
        return;
    core = next_core(&allowed, state->from);
    if (core >= 0)
        go_to(core, &allowed);
}

static void come_back(const MPIR_Move_t *state)
{
    cpu_set_t allowed;

    if (state->from >= 0 && state->from != sched_getcpu() &&
        sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_ISSET(state->from, &allowed))
        go_to(state->from, &allowed);
}

#else

static void move_leave(MPIR_Move_t *state MPL_UNUSED) {}

static void come_back(const MPIR_Move_t *state MPL_UNUSED) {}

#endif

void MPIR_Move_init(int local_rank)
{
    patience = MPIR_CVAR_PROGRESS_MOVE ? PATIENCE * (1 + local_rank % 2) : UINT64_MAX;
}

void MPIR_Move_shared(MPIR_Move_t *state, uint64_t now)
{
    if (!state->since)
        state->since = now;
    if (now - state->since < patience || now - state->moved_at < state->pause)
        return;
    move_leave(state);
    state->moved_at = now;
    state->since = 0;
}

void MPIR_Move_alone(MPIR_Move_t *state) { state->since = 0; }

void MPIR_Move_busy(MPIR_Move_t *state, uint64_t now)
{
    if (now - state->moved_at >= TRIAL)
        return;
    come_back(state);
    state->moved_at = now - TRIAL;
    state->pause = MPL_MIN(MPL_MAX(2 * state->pause, PATIENCE), LONGEST_PAUSE);
    state->since = 0;
}
