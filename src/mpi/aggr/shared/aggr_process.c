/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_shared.h"
#include "mpir_arrivals.h"
#include "mpir_deaths.h"

/* What a process has for all of its communicators: settings, counters, memory, and how it waits. */

bool MPIR_Aggr_on, MPIR_Aggr_between_nodes;
int MPIR_Aggr_direct_most;
MPIR_Aggr_settings_t MPIR_Aggr_settings;
MPIR_Aggr_counts_t MPIR_Aggr_counts;

/* What the processes of a node must have in common.  Never 0 for who takes part. */
static uint64_t own_terms(void)
{
    bool takes_part = MPIR_Aggr_on && MPIR_ThreadInfo.thread_provided != MPI_THREAD_MULTIPLE;
    uint64_t terms = (uint64_t) MPIR_Aggr_settings.long_bytes << 32 | MPIR_Aggr_settings.max_bytes;

    terms ^= MPIR_Aggr_settings.lend_bytes * UINT64_C(0x9E3779B97F4A7C15);
    return takes_part ? terms | UINT64_C(1) << 63 : 0;
}

void MPIR_Aggr_say_terms(void) { MPIR_Aggr_say(own_terms()); }

bool MPIR_Aggr_all_take_part(void)
{
    uint64_t terms = own_terms();

    return terms != 0 && MPIR_Aggr_all_say(terms);
}

bool MPIR_Aggr_node_takes_part(size_t bytes)
{
    uint64_t terms = own_terms();

    return terms != 0 && MPIR_Aggr_settings.max_bytes >= bytes &&
           (MPIR_Process.local_size == 1 || MPIR_Aggr_all_say(terms));
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

static uint64_t last_progress; /* ticks at the last call of the progress engine */
static uint64_t last_arrival;  /* and at the last one that found work */
static bool has_found_work;    /* since last_progress; what other calls find is not of a series */

static int progress(void *context);
static aggr_waiting_t waiting = {.progress = progress};

/*
 * How often a waiting process calls the progress engine.
 *
 * A call costs as much as several looks at a cache line.  On a node with more processes than cores,
 * it costs a part of a turn on the core.  A process that hears nothing from the network therefore
 * calls it rarely.  But another process may need it: for an operation on a window, or for the data
 * of a long message.  Such traffic comes in series: while it lasts, the waiting process calls the
 * engine as often as a process that waits for messages does.
 */
typedef struct pace {
    unsigned polls, turns; /* see aggr_waiting_t */
    uint64_t soon;         /* ticks after which a process that never waits calls the engine */
} pace_t;

enum { RARELY, OFTEN, PACES };
/* Where processes may die, the engine asks the kernel whether something has come by TCP.  That
 * takes as long as a collective, so a process that never waits calls it this much more rarely. */
enum { RARER_WITH_DEATHS = 4 };
enum { SPINS, YIELDS, WAYS };

static const pace_t paces[WAYS][PACES] = {
    [SPINS] = {[RARELY] = {64, 1, 25000}, [OFTEN] = {0, 1, 4000}},
    [YIELDS] = {[RARELY] = {2, 8, 250000}, [OFTEN] = {1, 1, 20000}}};

/* A series of messages is over when none arrived for so many ticks, some 0.5 ms. */
enum { SERIES = 1000000 };

/* Calls of the engine in such a series until the clock is read again. */
enum { CALLS_A_CLOCK = 32 };

static uint64_t soon;

static void set_pace(void)
{
    const int how_often = last_progress - last_arrival < SERIES ? OFTEN : RARELY;
    const pace_t *pace = &paces[waiting.yields ? YIELDS : SPINS][how_often];

    waiting.polls = pace->polls;
    waiting.turns = pace->turns;
    soon = pace->soon;
    if (how_often == RARELY && MPIR_Deaths_watched)
        soon *= RARER_WITH_DEATHS;
}

/* For mpir_yield.h.  Where the core is given away soon, it is only in the wait that calls the
 * engine: a process that misses a turn is waited for by all others.  Otherwise it is late when
 * this collective has taken long. */
static void tell_of_wait(void)
{
    static unsigned long long calls; /* as of the last time */

    if (waiting.yields || calls != MPIR_Aggr_counts.calls)
        MPIR_Yield_wait_begins();
    calls = MPIR_Aggr_counts.calls;
    if (MPIR_Yield_late && waiting.polls > 0)
        MPIR_Yield_look(false);
}

static void read_clock(void)
{
    last_progress = MPIR_Ticks();
    if (has_found_work)
        last_arrival = last_progress;
    has_found_work = false;
    set_pace();
}

static int serve(void)
{
    unsigned before = MPIR_Arrivals;
    int status;

    tell_of_wait();
    status = MPID_Progress_test(NULL);
    has_found_work |= MPIR_Arrivals != before;
    return status;
}

/* In a series the clock would take a third of the time between two looks at the network. */
static int progress(void *context MPL_UNUSED)
{
    static unsigned calls;
    int status = serve();

    if (waiting.polls > 0 || ++calls % CALLS_A_CLOCK == 0)
        read_clock();
    return status;
}

const aggr_waiting_t *MPIR_Aggr_waiting(void)
{
    waiting.yields = MPIR_Yield_on;
    set_pace();
    return &waiting;
}

/* A process that never waits in its collectives makes progress here, some time after the last
 * time (`paces`). */
bool MPIR_Aggr_done(size_t bytes, int *mpi_errno)
{
    MPIR_Aggr_counts.calls++;
    MPIR_Aggr_counts.bytes += bytes;
    if (MPIR_Ticks() - last_progress > soon) {
        int status = serve();

        read_clock();
        MPIR_Err_keep_first(mpi_errno, status);
    }
    return true;
}
