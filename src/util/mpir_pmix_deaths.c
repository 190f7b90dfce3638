/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_pmix.h"
#include "mpir_pmix_lib.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static void (*note_death)(const char *job, uint32_t rank);
static sem_t registered;
static int registration = -1;

/* PRRTE names the process in two places, and the standard in this one. */
static const MPIR_Pmix_proc_t *find_affected(const MPIR_Pmix_proc_t *source,
                                             const MPIR_Pmix_info_t infos[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(infos[i].key, "pmix.evproc") == 0 && infos[i].value.type == PMIX_IS_PROC)
            return infos[i].value.data.proc;
    }
    return source;
}

/* In a thread of PMIx.  PRRTE tells of an abort, and leaves the others alone, as they are to go on
 * without dead processes: so each ends itself. */
static void hear(size_t id MPL_UNUSED, int status, const MPIR_Pmix_proc_t *source,
                 MPIR_Pmix_info_t infos[], size_t n, MPIR_Pmix_info_t *results MPL_UNUSED,
                 size_t nresults MPL_UNUSED, MPIR_Pmix_heard_t *heard, void *context)
{
    const MPIR_Pmix_proc_t *dead = find_affected(source, infos, n);

    if (status == PMIX_ABORTS)
        _exit(EXIT_FAILURE);
    if (dead && dead->rank < PMIX_EVERY_RANK)
        note_death(dead->nspace, dead->rank);
    if (heard) /* others may hear of it, too */
        heard(PMIX_NOTHING_DONE, NULL, 0, NULL, NULL, context);
}

static void end_registration(int status, size_t id MPL_UNUSED, void *context MPL_UNUSED)
{
    registration = status;
    sem_post(&registered);
}

/* PRRTE says so to the processes that it starts.  Slurm's PMIx reports nothing. */
static bool reports_deaths(void) { return MPIR_Pmix_is_used() && getenv("PRTE_LAUNCHED"); }

bool MPIR_Pmix_watch_deaths(void (*died)(const char *job, uint32_t rank))
{
    int codes[] = {PMIX_KILLED, PMIX_ABORTED_BY_SIGNAL, PMIX_EXITED_WITH_STATUS, PMIX_EXITED_EARLY,
                   PMIX_ABORTS};

    if (!reports_deaths() || sem_init(&registered, 0, 0) != 0)
        return false;
    note_death = died;
    (void) MPIR_Pmix_lib.Register_event_handler(codes, sizeof(codes) / sizeof(codes[0]), NULL, 0,
                                                hear, end_registration, NULL);
    while (sem_wait(&registered) != 0) {
    }
    return registration == 0;
}

/* ---- a barrier ---- */

/* PMIx's fence waits for the dead, too, so it names the living.  If one dies meanwhile, all begin
 * another one without it.  The first of these that ends is enough: all have joined it.  One that is
 * left open may end in the next barrier, when the others join it. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first;   /* deaths that were known when this barrier began */
static uint32_t without; /* so many deaths is the latest fence */
static bool is_open;     /* that one has not ended */
static bool is_over;

/* If a member dies in it, it ends with success on some, and with PMIX_ERR_PARTIAL_SUCCESS on
 * others: all that live have joined it. */
static void end_fence(int status MPL_UNUSED, void *context)
{
    const uint32_t deaths = (uint32_t) (uintptr_t) context;

    pthread_mutex_lock(&lock);
    is_open &= deaths != without;
    is_over |= deaths >= first;
    pthread_mutex_unlock(&lock);
}

/* False: it is open from the last barrier. */
static bool enter_barrier(uint32_t deaths)
{
    bool is_new;

    pthread_mutex_lock(&lock);
    first = deaths;
    is_over = false;
    is_new = !is_open || without != deaths;
    pthread_mutex_unlock(&lock);
    return is_new;
}

static bool is_barrier_over(void)
{
    bool over;

    pthread_mutex_lock(&lock);
    over = is_over;
    pthread_mutex_unlock(&lock);
    return over;
}

/* Without the first ones of the dead. */
static size_t list_living(uint32_t deaths, bool (*is_among)(uint32_t n, int rank),
                          MPIR_Pmix_proc_t *procs)
{
    size_t n = 0;

    for (int rank = 0; rank < MPIR_Process.size; rank++) {
        if (is_among(deaths, rank))
            continue;
        procs[n] = MPIR_Pmix_self;
        procs[n++].rank = (uint32_t) rank;
    }
    return n;
}

static int begin_fence(uint32_t deaths, bool (*is_among)(uint32_t n, int rank))
{
    int mpi_errno = MPI_SUCCESS, status;
    void *context = (void *) (uintptr_t) deaths;
    MPIR_Pmix_proc_t *procs =
        MPL_malloc((size_t) MPIR_Process.size * sizeof(*procs), MPL_MEM_OTHER);

    MPIR_ERR_CHKANDJUMP(!procs, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    pthread_mutex_lock(&lock);
    without = deaths;
    is_open = true;
    pthread_mutex_unlock(&lock);
    status = MPIR_Pmix_lib.Fence_nb(procs, list_living(deaths, is_among, procs), NULL, 0, end_fence,
                                    context);
    if (status == PMIX_DONE_AT_ONCE)
        end_fence(0, context);
    else if (status)
        MPIR_ERR_SET1(mpi_errno, MPI_ERR_OTHER, "**pmi_barrier", "**pmi_barrier %d", status);

fn_fail:
    MPL_free(procs);
    return mpi_errno;
}

int MPIR_Pmix_barrier_of_living(const uint32_t *deaths, bool (*is_among)(uint32_t n, int rank),
                                void (*poll)(void))
{
    int mpi_errno = MPI_SUCCESS;
    uint32_t known = __atomic_load_n(deaths, __ATOMIC_ACQUIRE), now;
    bool is_new = enter_barrier(known);

    while (mpi_errno == MPI_SUCCESS && !is_barrier_over()) {
        if (is_new)
            mpi_errno = begin_fence(known, is_among);
        poll();
        now = __atomic_load_n(deaths, __ATOMIC_ACQUIRE);
        is_new = now != known;
        known = now;
    }
    return mpi_errno;
}
