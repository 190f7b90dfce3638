/* SPDX-License-Identifier: BSD-3-Clause
 *
 * comms_threads BATCHES TIMES THREADS...: threads of each process that duplicate communicators at
 * once, each one its own.  A line a number of threads: it, and the median over the batches of the
 * time of a duplicate in the slowest process, in us: the time of all divided by their number.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "../lib/sort.h"

enum { MOST = 16, BATCHES = 100 };

static int me, batches, times;
static MPI_Comm parent[MOST];

static void *duplicate(void *own)
{
    MPI_Comm copy;

    for (int i = 0; i < times; i++) {
        MPI_Comm_dup(*(MPI_Comm *) own, &copy);
        MPI_Comm_free(&copy);
    }
    return NULL;
}

static double at_once(int threads)
{
    pthread_t thread[MOST];
    double us, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int t = 1; t < threads; t++)
        if (pthread_create(&thread[t], NULL, duplicate, &parent[t]))
            MPI_Abort(MPI_COMM_WORLD, 1);
    duplicate(&parent[0]);
    for (int t = 1; t < threads; t++)
        pthread_join(thread[t], NULL);
    us = (MPI_Wtime() - begin) / times / threads * 1e6;
    MPI_Allreduce(&us, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void measure(int threads)
{
    double us[BATCHES];

    at_once(threads);
    for (int b = 0; b < batches; b++)
        us[b] = at_once(threads);
    sort_times(us, batches);
    if (me == 0)
        printf("%d %.4f\n", threads, us[batches / 2]);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    batches = argc > 1 ? atoi(argv[1]) : 0;
    times = argc > 2 ? atoi(argv[2]) : 0;
    if (provided != MPI_THREAD_MULTIPLE || batches < 1 || batches > BATCHES || times < 1) {
        fprintf(stderr,
                "usage: comms_threads BATCHES TIMES THREADS... (1 to %d batches), with an"
                " MPI for several threads\n",
                BATCHES);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int t = 0; t < MOST; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parent[t]);
    for (int i = 3; i < argc; i++)
        if (atoi(argv[i]) >= 1 && atoi(argv[i]) <= MOST)
            measure(atoi(argv[i]));
    for (int t = 0; t < MOST; t++)
        MPI_Comm_free(&parent[t]);
    MPI_Finalize();
    return 0;
}
