/* SPDX-License-Identifier: BSD-3-Clause */
/* Without mpiexec: processes of this machine that p_init forks, and aggregates in memory that
 * they inherit. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "afapi_impl.h"
#include "afapi_fold.h"

enum {
    MOST_PROCESSES = 1024,
    FAN = 16, /* as MPIR_CVAR_AGGR_FAN */
    /* of a process at a time; at least one for each process, so that a part is never empty */
    COPY_BYTES = 4096
};

enum { POLLS = 500, POLLS_WHEN_OVERSUBSCRIBED = 2 }; /* as src/mpi/aggr */

static aggr_arena_t *arena;
static aggr_group_t group;
static aggr_waiting_t waiting = {.yields = true};
static unsigned char *left; /* one for each process: has it called p_exit? */

/* ---- the network ----------------------------------------------------------------------------- */

/* The aggregates have no errors here: there is room, and who could end a wait ends the whole
 * job. */
static void alone_check(int status)
{
    if (status != AGGR_OK)
        MPIR_Afapi_die("process %d: the shared memory does not work (status %d)", AFAPI_iproc,
                       status);
}

static void wait_for(enum AFAPI_who who)
{
    (void) who;
    alone_check(MPIR_aggr_barrier(&group));
}

static void reduce(void *data, int n, enum AFAPI_op op, enum AFAPI_type type, enum AFAPI_who who)
{
    const aggr_fold_t *fold = MPIR_Afapi_fold(op, type);

    (void) who;
    alone_check(MPIR_aggr_allreduce(&group, data, data, (size_t) n * fold->unit, fold));
}

static void scan(void *datum, enum AFAPI_op op, enum AFAPI_type type)
{
    const aggr_fold_t *fold = MPIR_Afapi_fold(op, type);

    alone_check(MPIR_aggr_scan(&group, datum, datum, fold->unit, fold));
}

static void bcast(void *array, size_t bytes, int root)
{
    alone_check(MPIR_aggr_bcast(&group, array, bytes, root));
}

static void scatter(void *to, const void *array, size_t bytes, int root)
{
    alone_check(MPIR_aggr_scatter(&group, array, to, bytes, root));
}

static void put_get(void *to, const void *array, size_t bytes, int from)
{
    alone_check(MPIR_aggr_exchange(&group, array, to, bytes, from));
}

static void gather(void *to, const void *from, size_t bytes)
{
    alone_check(MPIR_aggr_allgather(&group, from, to, bytes));
}

static void all2all(void *to, const void *from, size_t bytes)
{
    alone_check(MPIR_aggr_alltoall(&group, from, to, bytes));
}

static void leave(void)
{
    __atomic_store_n(&left[AFAPI_iproc], 1, __ATOMIC_RELAXED);
    MPIR_aggr_group_leave(&group, NULL);
    MPIR_aggr_arena_detach(arena);
}

/* The supervisor ends the others. */
static void end_job(void) { exit(1); }

static const MPIR_Afapi_network_t alone = MPIR_AFAPI_NETWORK;

/* ---- starting -------------------------------------------------------------------------------- */

static int cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : (int) sysconf(_SC_NPROCESSORS_ONLN);
}

/* 0 after a message. */
static int wanted_processes(void)
{
    const char *text = getenv("AFAPI_NPROC");
    int usual = cores() < MOST_PROCESSES ? cores() : MOST_PROCESSES;
    char *end;

    if (!text)
        return usual;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno == 0 && isdigit((unsigned char) text[0]) && *end == '\0' && n >= 1 &&
        n <= MOST_PROCESSES)
        return (int) n;
    MPIR_Afapi_complain(
        "AFAPI_NPROC=%s is not accepted; accepted values: 1 to %d (not set: %d, the cores that it "
        "may use)",
        text, MOST_PROCESSES, usual);
    return 0;
}

/* Memory for the job: 0, the block of the group, or 0 after a message. */
static uint64_t make_memory(const aggr_shape_t *shape)
{
    size_t bytes = (size_t) shape->members * (2 * COPY_BYTES + 1024) + (1 << 18);
    uint64_t block = 0, flags = 0;

    if (MPIR_aggr_arena_create(bytes, (aggr_desks_t){0, 0}, &arena) == AGGR_OK) {
        block = MPIR_aggr_group_reserve(arena, shape);
        flags = MPIR_aggr_arena_reserve(arena, (size_t) shape->members);
    }
    if (!block || !flags) {
        MPIR_Afapi_complain(
            "there are no %zu bytes of shared memory for %d processes; free some, or set "
            "AFAPI_NPROC to less",
            bytes, shape->members);
        return 0;
    }
    left = MPIR_aggr_arena_at(arena, flags);
    return block;
}

/* The number of this process, or -1 in the one that forks: `processes` has them all, or as many
 * as could be had. */
static int fork_processes(int *processes, int n)
{
    pid_t supervisor = getpid();

    fflush(NULL); /* or each of them would write it again */
    for (int p = 0; p < n; p++) {
        processes[p] = fork();
        if (processes[p] < 0)
            return -1;
        if (processes[p] > 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the supervisor is killed */
        if (getppid() != supervisor)
            _exit(1);
        return p;
    }
    return -1;
}

/* In a process of the job: its number.  The process that forks ends with the job; -1 after a
 * message if it cannot. */
static int alone_start(int n)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    int processes[MOST_PROCESSES] = {0};
    int number;

    if (n == 1)
        return 0;
    sigaction(SIGCHLD, &usual, &before); /* ignored, it would leave no status */
    number = fork_processes(processes, n);
    if (number < 0 && processes[n - 1] > 0)
        MPIR_Afapi_supervise(processes, n, left);
    if (number < 0) {
        MPIR_Afapi_complain("cannot start %d processes: %s; set AFAPI_NPROC to less", n,
                            strerror(errno));
        MPIR_Afapi_kill(processes, n);
        for (int p = 0; p < n && processes[p] > 0; p++)
            waitpid(processes[p], NULL, 0);
    }
    sigaction(SIGCHLD, &before, NULL);
    return number;
}

const MPIR_Afapi_network_t *MPIR_Afapi_alone(void)
{
    aggr_shape_t shape = {
        .members = wanted_processes(), .fan = FAN, .copy_bytes = COPY_BYTES, .lines = AGGR_LINES};
    uint64_t block = shape.members ? make_memory(&shape) : 0;
    int number = block ? alone_start(shape.members) : -1;
    bool ready;

    if (number < 0) {
        MPIR_aggr_arena_detach(arena);
        arena = NULL;
        return NULL;
    }
    AFAPI_iproc = number;
    AFAPI_nproc = shape.members;
    waiting.polls = shape.members > cores() ? POLLS_WHEN_OVERSUBSCRIBED : POLLS;
    MPIR_aggr_group_join(&group, arena, block, &shape, number, &waiting);
    alone_check(MPIR_aggr_ready(&group, COPY_BYTES, &ready));
    alone_check(ready ? AGGR_OK : AGGR_ERR_FULL);
    alone_check(MPIR_aggr_barrier(&group)); /* nobody goes on before all could be had */
    return &alone;
}
