/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * First uses of peers that meet: many threads of every process use all peers at the same time, so
 * that each pair's first messages come from both sides, while signals interrupt what they wait for;
 * and first messages whose senders are in MPI_Finalize before anybody has looked at them.
 *
 * Arguments:
 *   -leave      only the messages of those who leave at once
 *   -comms      each thread has a communicator of its own, and so a VCI where there are several,
 *               and a window on it
 *   -eager      MPI_Init has made the endpoints
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include "cmaptest_mpit.h"

#define THREADS 4
#define LONG_MESSAGE 100000
#define INTERRUPT_US 300

static int rank, size, apart, eager;
static MPI_Comm comms[THREADS];
static MPI_Win wins[THREADS];
static int *bases[THREADS];
static pthread_barrier_t at_once;
static volatile sig_atomic_t interrupts;

static void count_interrupt(int signal) { interrupts++; }

static void interrupt_every(int us)
{
    struct itimerval interval = {{0, us}, {0, us}};
    struct sigaction action = {.sa_handler = count_interrupt}; /* no SA_RESTART */

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &interval, NULL);
}

static void have_comms(void)
{
    for (int i = 0; i < THREADS; i++) {
        comms[i] = MPI_COMM_WORLD;
        if (!apart)
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, comms[i], &bases[i],
                         &wins[i]);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, wins[i]);
        bases[i][0] = 0;
        bases[i][1] = rank * THREADS + i;
        MPI_Win_unlock(rank, wins[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void free_comms(int threads)
{
    for (int i = 0; apart && i < THREADS; i++) {
        MPI_Barrier(comms[i]);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, wins[i]);
        CT_CHECK(bases[i][0] == (i < threads ? size : 0), "window %d has been added to %d times", i,
                 bases[i][0]);
        MPI_Win_unlock(rank, wins[i]);
        MPI_Win_free(&wins[i]);
        MPI_Comm_free(&comms[i]);
    }
}

/* The target answers who has not been sent to; it is in MPI by another window, or in none. */
static void use_window(int number, int target)
{
    int one = 1, got = -1;

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, wins[number]);
    MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, wins[number]);
    MPI_Win_flush(target, wins[number]);
    MPI_Get(&got, 1, MPI_INT, target, 1, 1, MPI_INT, wins[number]);
    MPI_Win_unlock(target, wins[number]);
    CT_CHECK(got == target * THREADS + number, "got %d of %d", got, target);
}

static void exchange(MPI_Comm comm, int distance, int tag, char *out, char *in, int bytes)
{
    int to = (rank + distance) % size, from = (rank + size - distance) % size;

    memset(out, rank + tag, bytes);
    MPI_Sendrecv(out, bytes, MPI_CHAR, to, tag, in, bytes, MPI_CHAR, from, tag, comm,
                 MPI_STATUS_IGNORE);
    CT_CHECK(in[0] == (char) (from + tag) && in[bytes - 1] == (char) (from + tag),
             "%d bytes of %d, tag %d", bytes, from, tag);
}

/* No two threads go through the peers in the same order. */
static void *use_all(void *arg)
{
    int number = *(int *) arg;
    char *out = malloc(LONG_MESSAGE), *in = malloc(LONG_MESSAGE);

    pthread_barrier_wait(&at_once);
    for (int i = 0; i < size; i++) {
        int distance = (i * (number % 2 ? 1 : size - 1) + number) % size;
        if (apart)
            use_window(number, (rank + distance) % size);
        exchange(comms[number], distance, number, out, in, 1);
        exchange(comms[number], distance, number, out, in, LONG_MESSAGE);
    }
    free(in);
    free(out);
    return NULL;
}

static void use_by(int threads)
{
    pthread_t thread[THREADS];
    int number[THREADS];

    pthread_barrier_init(&at_once, NULL, threads);
    for (int i = 0; i < threads; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, use_all, &number[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&at_once);
}

/* Even ranks send to the next one and leave; that one comes late. */
static void send_and_leave(void)
{
    int got = -1;

    if (rank % 2 == 0 && rank + 1 < size)
        MPI_Send(&rank, 1, MPI_INT, rank + 1, 99, MPI_COMM_WORLD);
    if (rank % 2 == 1) {
        usleep(300000);
        MPI_Recv(&got, 1, MPI_INT, rank - 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got != rank - 1)
            printf("rank %d: message of the one who left is %d\n", rank, got);
        ct_errs += got != rank - 1;
    }
}

int main(int argc, char **argv)
{
    int provided, counted, threads;
    ct_pvar endpoints;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    if (argc > 1 && !strcmp(argv[1], "-leave")) {
        send_and_leave();
        /* without a collective before it, in which all would wait for all */
        MPI_Finalize();
        if (rank == size - 1 && ct_errs == 0)
            printf(" No Errors\n");
        return ct_errs != 0;
    }
    for (int i = 1; i < argc; i++) {
        apart = apart || !strcmp(argv[i], "-comms");
        eager = eager || !strcmp(argv[i], "-eager");
    }

    ct_mpit_begin();
    counted = ct_pvar_find("ucx_endpoints", &endpoints);
    if (counted && !eager)
        CT_CHECK(ct_pvar_read(&endpoints) == 0, "%lld endpoints after MPI_Init",
                 ct_pvar_read(&endpoints));
    threads = provided == MPI_THREAD_MULTIPLE ? THREADS : 1;
    have_comms();
    interrupt_every(INTERRUPT_US);
    use_by(threads);
    interrupt_every(0);
    if (counted) {
        long long n = ct_pvar_read(&endpoints);
        int vcis = getenv("MPIR_CVAR_CH4_NUM_VCIS") ? atoi(getenv("MPIR_CVAR_CH4_NUM_VCIS")) : 1;
        long long most, least = apart && vcis > 1 && size > 1 ? size : size - 1;
        most = (long long) size * vcis * vcis * (apart ? ct_endpoints_of_pair() : 1);
        CT_CHECK(n >= least && n <= most, "%lld endpoints to %d processes", n, size);
    }
    free_comms(threads);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
