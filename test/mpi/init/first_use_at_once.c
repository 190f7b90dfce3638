/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * First uses of peers that meet: many threads of every process use all peers at the same time, so that each pair's first messages
 * come from both sides, while signals interrupt what they wait for; and first messages whose senders are in MPI_Finalize before
 * anybody has looked at them.
 *
 * Arguments:
 *   -leave      only the messages of those who leave at once
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include "cmaptest_mpit.h"

#define THREADS 4
#define LONG_MESSAGE 100000
#define INTERRUPT_US 300

static int rank, size;
static pthread_barrier_t at_once;
static volatile sig_atomic_t interrupts;

static void count_interrupt(int signal)
{
    interrupts++;
}

static void interrupt_every(int us)
{
    struct itimerval interval = { {0, us}, {0, us} };
    struct sigaction action = {.sa_handler = count_interrupt }; /* no SA_RESTART */

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &interval, NULL);
}

static void exchange(int distance, int tag, char *out, char *in, int bytes)
{
    int to = (rank + distance) % size, from = (rank + size - distance) % size;

    memset(out, rank + tag, bytes);
    MPI_Sendrecv(out, bytes, MPI_CHAR, to, tag, in, bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CT_CHECK(in[0] == (char) (from + tag) && in[bytes - 1] == (char) (from + tag), "%d bytes of %d, tag %d", bytes, from, tag);
}

/* No two threads go through the peers in the same order. */
static void *use_all(void *arg)
{
    int number = *(int *) arg;
    char *out = malloc(LONG_MESSAGE), *in = malloc(LONG_MESSAGE);

    pthread_barrier_wait(&at_once);
    for (int i = 0; i < size; i++) {
        int distance = (i * (number % 2 ? 1 : size - 1) + number) % size;
        exchange(distance, number, out, in, 1);
        exchange(distance, number, out, in, LONG_MESSAGE);
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
    int provided;
    ct_pvar endpoints;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    if (argc > 1 && !strcmp(argv[1], "-leave")) {
        send_and_leave();
        MPI_Finalize();         /* without a collective before it, in which all would wait for all */
        if (rank == size - 1 && ct_errs == 0)
            printf(" No Errors\n");
        return ct_errs != 0;
    }

    interrupt_every(INTERRUPT_US);
    use_by(provided == MPI_THREAD_MULTIPLE ? THREADS : 1);
    interrupt_every(0);
    ct_mpit_begin();
    if (ct_pvar_find("ucx_endpoints", &endpoints)) {
        long long n = ct_pvar_read(&endpoints);
        int vcis = getenv("MPIR_CVAR_CH4_NUM_VCIS") ? atoi(getenv("MPIR_CVAR_CH4_NUM_VCIS")) : 1;
        CT_CHECK(n >= size - 1 && n <= (long long) size * vcis * vcis, "%lld endpoints to %d processes", n, size);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
