/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include <time.h>
#include "aggr_comm.h"

/* What a process has for all of its communicators: settings, counters, memory, and how it waits. */

bool MPIR_Aggr_on, MPIR_Aggr_between_nodes;
int MPIR_Aggr_direct_most;
MPIR_Aggr_settings_t MPIR_Aggr_settings;
MPIR_Aggr_counts_t MPIR_Aggr_counts;

/* What the processes of a node must have in common.  Never 0 for who takes part. */
static uint64_t own_terms(void)
{
    bool takes_part = MPIR_Aggr_on && MPIR_ThreadInfo.thread_provided != MPI_THREAD_MULTIPLE;

    return takes_part ? MPIR_Aggr_settings.max_bytes : 0;
}

void MPIR_Aggr_say_terms(void)
{
    MPIR_Aggr_say(own_terms());
}

bool MPIR_Aggr_all_take_part(void)
{
    uint64_t terms = own_terms();

    return terms != 0 && MPIR_Aggr_all_say(terms);
}

bool MPIR_Aggr_node_takes_part(size_t bytes)
{
    uint64_t terms = own_terms();

    return terms >= bytes && (MPIR_Process.local_size == 1 || MPIR_Aggr_all_say(terms));
}

static char *scratch;

bool MPIR_Aggr_make_scratch(void)
{
    if (!scratch)
        scratch = MPL_malloc(MPIR_AGGR_SCRATCHES * MPIR_Aggr_settings.max_bytes, MPL_MEM_COLL);
    return scratch != NULL;
}

void *MPIR_Aggr_scratch(enum MPIR_Aggr_scratch which)
{
    return scratch + which * MPIR_Aggr_settings.max_bytes;
}

void MPIR_Aggr_scratch_free(void)
{
    MPL_free(scratch);
    scratch = NULL;
}

/* A clock that costs next to nothing; its unit is a few ten thousandths of a millisecond or less. */
static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
#endif
}

static uint64_t last_progress;

/* Gives the core away only in the wait that calls it: a process that misses a turn is waited for by all others. */
static int progress(void *context)
{
    last_progress = ticks();
    MPIR_Yield_wait_begins();
    return MPID_Progress_test(NULL);
}

/* A look at the progress engine costs as much as many polls, and on a node with more processes than cores half a turn of
 * theirs. */
static aggr_waiting_t waiting = {.progress = progress };

static void decide_how_to_wait(void)
{
    waiting.yields = MPIR_Yield_on;
    waiting.polls = waiting.yields ? 2 : 500;
    waiting.turns = waiting.yields ? 8 : 1;
}

const aggr_waiting_t *MPIR_Aggr_waiting(void)
{
    decide_how_to_wait();
    return &waiting;
}

/* Who never waits for the others would make no progress.  Where processes wait for a core this takes a part of a turn, and is
 * rarer: some 60 us, or 600; more on a machine whose clock is slow. */
bool MPIR_Aggr_done(size_t bytes, int *mpi_errno)
{
    enum { SOON = 200000, SOON_WHEN_YIELDING = 2000000 };

    MPIR_Aggr_counts.calls++;
    MPIR_Aggr_counts.bytes += bytes;
    if (ticks() - last_progress > (waiting.yields ? SOON_WHEN_YIELDING : SOON)) {
        int status = progress(NULL);
        if (*mpi_errno == MPI_SUCCESS)
            *mpi_errno = status;
    }
    return true;
}
