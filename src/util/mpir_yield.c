/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_arrivals.h"
#include "mpir_return.h"
#include "mpir_move.h"
#include "mpir_tvars.h"
#include "mpidu_init_shm.h"
#include "mpir_quota.h"

#ifdef MPL_HAVE_SCHED_YIELD
#include <sched.h>
#endif
#include <unistd.h>

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

cvars:
    - name        : MPIR_CVAR_PROGRESS_YIELD
      category    : CH4
      type        : string
      default     : auto
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_LOCAL
      description : |-
        Whether a process that waits inside MPI gives its core away after a few polls that found
        nothing.
        auto   - At once when the node is oversubscribed, that is, when this job has more ranks on
                 the node than the cores they may use together, or more ranks confined to this
                 process's cores than there are such cores. The cores are those on which the system
                 allows the process to run (sched_getaffinity), at most as many as the quota
                 of its control group; a core here is a hardware thread, the unit that it schedules.
                 Otherwise when a wait has taken some 30 us in which nothing arrived: threads of the
                 application and other jobs may need the core. If ranks share a core all the same,
                 that time goes down to 1 us.
        always - Always. Better when other programs share the cores.
        never  - Never, as in unmodified MPICH.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* Polls that find nothing before the core is given away. Measured with MPI_Comm_dup and
 * MPI_Comm_free of 4 ranks on 2 cores: 17 us with 1, 4 and 16 polls, 30 us with 64. A poll of an
 * idle UCX worker takes 20 to 100 ns, so 16 of them wait about as long as a process switch. */
#define YIELD_AFTER_IDLE_POLLS 16

/* Words of a core set that fit into a rank's start-up block beside their number; larger sets take
 * several rounds. */
#define WORDS_PER_ROUND ((int) (MPIDU_INIT_SHM_BLOCK_SIZE / sizeof(unsigned long)) - 1)

/* Ticks of a wait after which it is late, some 30 us; and the fewest, some 1 us, after which it is
 * late where processes that wait for each other share a core. */
#define LATE 80000
#define LATE_ON_SHARED_CORE 2500

/* Ticks that sched_yield takes if it finds no other process for the core, at most; and if it
 * finds one that does little and then waits, as the ranks of a job do.  A program that computes
 * keeps the core for milliseconds.  Some virtual machines take a microsecond for any system call:
 * there, the first limit is twice that time, and a switch to another process takes ten times. */
#define FOUND_NONE 2500
#define FOUND_WAITING 500000

int MPIR_Yield_on = 1;
int MPIR_Yield_late;
unsigned MPIR_Yield_polls;
int MPIR_Yield_due;
void (*MPIR_Yield_alone)(bool is_first);

#if defined(MPL_TLS)
#define PER_THREAD MPL_TLS
#elif defined(MPL_COMPILER_TLS)
#define PER_THREAD MPL_COMPILER_TLS
#else
/* Threads share the counts: they give the core away at worst a little early or late. */
#define PER_THREAD
#endif

static PER_THREAD int idle_polls;
static PER_THREAD unsigned last_completions;

/* CH4 counts completed requests for its own waits. */
static unsigned count_completions(void)
{
    unsigned n = 0;
    for (int i = 0; i < MPIDI_global.n_vcis; i++)
        n += (unsigned) MPL_atomic_relaxed_load_int(&MPIDI_VCI(i).progress_count);
    return n;
}

static uint64_t found_none = FOUND_NONE; /* as measured in MPI_Init */

/* The wait that may become late. */
static PER_THREAD struct {
    uint64_t since, last_look;
    uint64_t late; /* ticks after which it is */
    unsigned events;
    MPIR_Move_t move;
} current = {.late = LATE};

static void measure_system_call(void)
{
    enum { TIMES = 8 };
    uint64_t least = FOUND_WAITING;

    for (int i = 0; i < TIMES; i++) {
        uint64_t before = MPIR_Ticks();
        (void) getppid();
        least = MPL_MIN(least, MPIR_Ticks() - before);
    }
    found_none = MPL_MAX(FOUND_NONE, 2 * least);
}

/* The system may put two ranks on one core although each could have its own, for example beside
 * other jobs.  Then each wait is for the core: the shorter it is, the better.  What the yield took
 * shows whether this is so. */
static void learn(uint64_t took, uint64_t now)
{
    if (took > found_none && took <= FOUND_WAITING) {
        current.late = MPL_MAX(current.late / 2, LATE_ON_SHARED_CORE);
        MPIR_Move_shared(&current.move, now);
        return;
    }
    current.late = MPL_MIN(current.late * 2, LATE);
    if (took <= found_none)
        MPIR_Move_alone(&current.move);
    else
        MPIR_Move_busy(&current.move, now);
}

static void yield_core(void)
{
#ifdef MPL_HAVE_SCHED_YIELD
    /* not MPL_sched_yield, which does nothing on Linux unless configured otherwise */
    sched_yield();
#else
    MPL_sched_yield();
#endif
}

static void give_core_away(void)
{
    uint64_t before = MPIR_Ticks(), now;

    yield_core();
    if (MPIR_Yield_late) {
        now = MPIR_Ticks();
        learn(now - before, now);
    }
}

static bool others_need_lock(bool in_vci_lock MPL_UNUSED)
{
#ifdef MPICH_IS_THREADED
    if (MPIR_ThreadInfo.isThreaded) {
#if MPICH_THREAD_GRANULARITY == MPICH_THREAD_GRANULARITY__GLOBAL
        return true;
#else
        return in_vci_lock;
#endif
    }
#endif
    return false;
}

static void watch(bool is_first)
{
    if (MPIR_Yield_alone)
        MPIR_Yield_alone(is_first);
}

void MPIR_Yield_wait_begins(void)
{
    idle_polls = 0;
    current.last_look = 0;
}

/* A wait ends with a completed request, with MPIR_Yield_wait_begins, or when nothing has polled for
 * as long as a wait may take.  It begins again when something arrives: a process that serves other
 * processes' operations on its window completes no request, and they wait for it. */
void MPIR_Yield_look(bool in_vci_lock)
{
    uint64_t now = MPIR_Ticks();
    unsigned events = count_completions() + MPIR_Arrivals;

    if (events != current.events || now - current.last_look > LATE)
        current.since = now;
    current.events = events;
    current.last_look = now;
    if (now - current.since <= current.late)
        return;
    if (others_need_lock(in_vci_lock))
        __atomic_store_n(&MPIR_Yield_due, 1, __ATOMIC_RELAXED);
    else
        give_core_away();
}

void MPIR_Yield_count_poll(bool in_vci_lock)
{
    unsigned completions = count_completions();

    if (completions != last_completions) {
        last_completions = completions;
        idle_polls = 0;
    } else if (idle_polls < YIELD_AFTER_IDLE_POLLS) {
        idle_polls++;
        watch(idle_polls == 1);
    } else {
        watch(false);
        if (!others_need_lock(in_vci_lock))
            give_core_away();
    }
}

void MPIR_Yield_if_due(void)
{
    if (__atomic_load_n(&MPIR_Yield_due, __ATOMIC_RELAXED) ||
        idle_polls >= YIELD_AFTER_IDLE_POLLS) {
        __atomic_store_n(&MPIR_Yield_due, 0, __ATOMIC_RELAXED);
        give_core_away();
    }
}

static int count_bits(unsigned long word)
{
    int n = 0;
    for (; word; word &= word - 1)
        n++;
    return n;
}

static int online_cores(void)
{
#ifdef _SC_NPROCESSORS_ONLN
    return (int) sysconf(_SC_NPROCESSORS_ONLN);
#else
    return INT_MAX;
#endif
}

/* What the ranks of the node learn about each other's cores. */
struct census {
    int cores;      /* that any rank of the node may use */
    int my_cores;   /* that this rank may use; 0 when unknown */
    int my_sharers; /* ranks that may use no other core, this one included */
};

#ifdef ENABLE_NO_LOCAL

static int take_census(struct census *census)
{
    /* without shared memory the ranks of a node do not know each other */
    memset(census, 0, sizeof(*census));
    return MPI_SUCCESS;
}

#else

struct share {
    unsigned long num_words;
    unsigned long word[WORDS_PER_ROUND];
};

static void count_round(const struct share *mine, bool *inside, int *num_words,
                        struct census *census)
{
    unsigned long all[WORDS_PER_ROUND] = {0};

    for (int i = 0; i < MPIR_Process.local_size; i++) {
        void *block;
        MPIDU_Init_shm_query(i, &block);
        const struct share *theirs = block;

        *num_words = MPL_MAX(*num_words, (int) theirs->num_words);
        for (int j = 0; j < WORDS_PER_ROUND; j++) {
            all[j] |= theirs->word[j];
            if (theirs->word[j] & ~mine->word[j])
                inside[i] = false;
        }
    }
    for (int j = 0; j < WORDS_PER_ROUND; j++) {
        census->cores += count_bits(all[j]);
        census->my_cores += count_bits(mine->word[j]);
    }
}

static int take_census(struct census *census)
{
    int mpi_errno = MPI_SUCCESS;
    int num_words = MPIR_hwtopo_get_num_bindset_words();
    bool *inside = NULL;
    MPIR_CHKLMEM_DECL(1);

    memset(census, 0, sizeof(*census));
    MPIR_CHKLMEM_MALLOC(inside, bool *, MPIR_Process.local_size * sizeof(bool), mpi_errno,
                        "ranks inside my cores", MPL_MEM_OTHER);
    for (int i = 0; i < MPIR_Process.local_size; i++)
        inside[i] = true;

    /* Every rank learns the largest num_words in the first round: all take the same rounds. */
    for (int first = 0; first == 0 || first < num_words; first += WORDS_PER_ROUND) {
        struct share mine = {.num_words = num_words};
        for (int j = 0; j < WORDS_PER_ROUND; j++)
            mine.word[j] = MPIR_hwtopo_get_bindset_word(first + j);

        mpi_errno = MPIDU_Init_shm_put(&mine, sizeof(mine));
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = MPIDU_Init_shm_barrier();
        MPIR_ERR_CHECK(mpi_errno);

        count_round(&mine, inside, &num_words, census);

        mpi_errno = MPIDU_Init_shm_barrier();
        MPIR_ERR_CHECK(mpi_errno);
    }
    for (int i = 0; i < MPIR_Process.local_size; i++)
        census->my_sharers += inside[i];

fn_exit:
    MPIR_CHKLMEM_FREEALL();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

#endif /* ENABLE_NO_LOCAL */

static bool is_oversubscribed(const struct census *census)
{
    /* With a made-up node map, ranks "elsewhere" may well share this node's cores. */
    bool made_up = MPIR_CVAR_NOLOCAL || MPIR_CVAR_ODD_EVEN_CLIQUES || MPIR_CVAR_NUM_CLIQUES > 1;
    int ranks = made_up ? MPIR_Process.size : MPIR_Process.local_size;

    if (ranks > MPIR_Quota_cores())
        return true;
    if (census->my_cores == 0)
        return ranks > online_cores();
    return ranks > census->cores || census->my_sharers > census->my_cores;
}

int MPIR_Yield_init(void)
{
    int mpi_errno = MPI_SUCCESS;
    const char *choice = MPIR_CVAR_PROGRESS_YIELD;
    struct census census = {0};

    /* also when this rank's choice is fixed: the other ranks' may not be */
    if (!MPIR_Yield_alone)
        mpi_errno = take_census(&census);
    MPIR_ERR_CHKRETURN(mpi_errno);

    MPIR_Yield_late = 0;
    if (!strcmp(choice, "auto")) {
        MPIR_Yield_on = MPIR_Yield_alone || is_oversubscribed(&census);
        MPIR_Yield_late = !MPIR_Yield_on;
        if (MPIR_Yield_late) {
            measure_system_call();
            MPIR_Move_init(MPIR_Process.local_rank);
        }
    } else if (!strcmp(choice, "always"))
        MPIR_Yield_on = 1;
    else if (!strcmp(choice, "never"))
        MPIR_Yield_on = 0;
    else
        mpi_errno =
            MPIR_Cvar_wrong_value("MPIR_CVAR_PROGRESS_YIELD", choice, "auto, always, never");

    return mpi_errno;
}
