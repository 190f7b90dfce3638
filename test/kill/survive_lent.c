/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mpiexec --enable-recovery: ranks are killed at random moments while each lends long messages to
 * each, from one thread or from three.  A receive that succeeds has all its data, each request
 * comes to an end, and the survivors shrink and go on until as many have died as were to.
 *
 *   survive_lent DEATHS SEED [LONGEST]    a kill comes within LONGEST us, or 30,000
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "drawn.h"

enum { THREADS = 3, LONG = 400000, RANKS = 8, SECONDS = 60 };

static const int lengths[] = {0, 9000, 70000, 131071, 131072, 250000, LONG};

static MPI_Comm base; /* of those that live, as far as they have agreed */
static MPI_Datatype gapped;

typedef struct {
    int number, rank, size, round;
    MPI_Comm comm;
    char *sent[RANKS], *received[RANKS];
    MPI_Request sends[RANKS], receives[RANKS];
} worker_t;

static worker_t workers[THREADS];

/* At a moment that is drawn. */
static void set_death(void)
{
    static timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    const long us = 1 + (long) draw(1 + (unsigned) me, longest);
    struct itimerspec when = {.it_value = {us / 1000000, us % 1000000 * 1000}};

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        fail("no timer");
}

/* ---- messages ---- */

static unsigned draw_message(const worker_t *w, int from, int to, unsigned what, unsigned below)
{
    return draw((((unsigned) (w->number * 1009 + w->round) * RANKS + (unsigned) from) * RANKS +
                 (unsigned) to) *
                        8 +
                    what,
                below);
}

static char value_at(const worker_t *w, int from, int to, int i)
{
    return (char) (draw_message(w, from, to, 1, 100) + (unsigned) (i + i / 251));
}

static int length_of(const worker_t *w, int from, int to)
{
    return lengths[draw_message(w, from, to, 2, sizeof(lengths) / sizeof(lengths[0]))];
}

static int has_gaps(const worker_t *w, int from, int to, int is_received)
{
    return (int) draw_message(w, from, to, 3 + (unsigned) is_received, 2);
}

/* All receives of a round are from any source, or none is. */
static int is_any(const worker_t *w, int to) { return (int) draw_message(w, 0, to, 5, 2); }

static int tag_of(const worker_t *w) { return w->round % 1000; }

static int begin_send(worker_t *w, int to)
{
    const int gaps = has_gaps(w, w->rank, to, 0), length = length_of(w, w->rank, to);

    for (int i = 0; i < length; i++)
        w->sent[to][i * (1 + gaps)] = value_at(w, w->rank, to, i);
    return (draw_message(w, w->rank, to, 6, 3) ? MPI_Isend : MPI_Issend)(
        w->sent[to], length, gaps ? gapped : MPI_BYTE, to, tag_of(w), w->comm, &w->sends[to]);
}

static int begin_receive(worker_t *w, int from)
{
    const int gaps = has_gaps(w, from, w->rank, 1);

    return MPI_Irecv(w->received[from], LONG, gaps ? gapped : MPI_BYTE,
                     is_any(w, w->rank) ? MPI_ANY_SOURCE : from, tag_of(w), w->comm,
                     &w->receives[from]);
}

/* Of the receive that was meant for `slot`. */
static void check(const worker_t *w, int slot, const MPI_Status *status)
{
    const int from = status->MPI_SOURCE, gaps = has_gaps(w, slot, w->rank, 1);
    int count;

    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != length_of(w, from, w->rank))
        fail("a wrong length");
    for (int i = 0; i < count; i++) {
        if (w->received[slot][i * (1 + gaps)] != value_at(w, from, w->rank, i))
            fail("wrong data");
    }
}

/* ---- rounds ---- */

/* False: somebody has died. */
static int is_well(int error)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(error, &class);
    if (class != MPI_SUCCESS && class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED &&
        class != MPIX_ERR_PROC_FAILED_PENDING) {
        printf("class %d\n", class);
        fail("a wrong class");
    }
    return class == MPI_SUCCESS;
}

/* A receive from any source goes on after a death: it is waited for again, revoked. */
static int wait_for(worker_t *w, MPI_Request *request, MPI_Status *status)
{
    int well = is_well(MPI_Wait(request, status));

    if (well)
        return 1;
    MPIX_Comm_revoke(w->comm);
    while (*request != MPI_REQUEST_NULL)
        is_well(MPI_Wait(request, status));
    return 0;
}

static int exchange(worker_t *w)
{
    int well = 1;
    MPI_Status status;

    for (int i = 0; i < w->size; i++)
        w->sends[i] = w->receives[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < w->size; i++)
        well &= is_well(begin_receive(w, i));
    for (int i = 0; i < w->size; i++)
        well &= is_well(begin_send(w, (w->rank + i) % w->size));
    if (!well)
        MPIX_Comm_revoke(w->comm);
    for (int i = 0; i < w->size; i++) {
        if (w->receives[i] == MPI_REQUEST_NULL)
            continue;
        if (wait_for(w, &w->receives[i], &status))
            check(w, i, &status);
        else
            well = 0;
    }
    for (int i = 0; i < w->size; i++)
        well &= wait_for(w, &w->sends[i], &status);
    return well;
}

static void *work(void *of)
{
    worker_t *w = of;

    for (w->round = 0; exchange(w); w->round++) {
    }
    return NULL;
}

/* ---- lives ---- */

static int begin_work(int threads)
{
    int well = 1;

    place = "MPI_Comm_dup";
    for (int i = 0; i < threads; i++) {
        worker_t *w = &workers[i];

        w->comm = MPI_COMM_NULL;
        well &= is_well(MPI_Comm_dup(base, &w->comm));
        MPI_Comm_rank(base, &w->rank);
        MPI_Comm_size(base, &w->size);
    }
    MPIX_Comm_agree(base, &well);
    return well;
}

static void repair(int threads)
{
    MPI_Comm living;

    place = "MPIX_Comm_shrink";
    for (int i = 0; i < threads; i++) {
        if (workers[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&workers[i].comm);
    }
    if (!is_well(MPIX_Comm_shrink(base, &living)))
        fail("no shrunk communicator");
    MPI_Comm_free(&base);
    base = living;
    MPI_Comm_size(base, &size);
}

static void live(int threads)
{
    pthread_t others[THREADS];

    if (begin_work(threads)) {
        place = "the exchange";
        for (int i = 1; i < threads; i++)
            pthread_create(&others[i], NULL, work, &workers[i]);
        work(&workers[0]);
        for (int i = 1; i < threads; i++)
            pthread_join(others[i], NULL);
    }
    repair(threads);
}

int main(int argc, char **argv)
{
    const int deaths = argc > 1 ? atoi(argv[1]) : 1;
    int threads, level, all, sum;

    seed = argc > 2 ? (unsigned) atoi(argv[2]) : 1;
    longest = argc > 3 ? (unsigned) atoi(argv[3]) : longest;
    threads = seed % 3 == 0 ? THREADS : 1;
    signal(SIGALRM, hangs);
    alarm(SECONDS);
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Type_create_resized(MPI_BYTE, 0, 2, &gapped);
    MPI_Type_commit(&gapped);
    for (int t = 0; t < threads; t++) {
        workers[t].number = t;
        for (int i = 0; i < RANKS; i++) {
            workers[t].sent[i] = malloc(2 * LONG);
            workers[t].received[i] = malloc(2 * LONG);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if ((me + (int) seed) % all < deaths)
        set_death();
    for (size = all; size > all - deaths; round_now++)
        live(threads);
    place = "the end";
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, base);
    MPI_Comm_rank(base, &level);
    if (level == 0)
        printf(" No Errors\n");
    fflush(stdout);
    MPI_Comm_free(&base);
    MPI_Type_free(&gapped);
    for (int t = 0; t < threads; t++) {
        for (int i = 0; i < RANKS; i++) {
            free(workers[t].sent[i]);
            free(workers[t].received[i]);
        }
    }
    MPI_Finalize();
    return 0;
}
