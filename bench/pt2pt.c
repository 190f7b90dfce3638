/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a communicator's map costs a message: half round trips of 8 bytes between the first and the
 * last rank of communicators with different maps.  Driven by pt2pt.py, which runs it against two
 * builds in turn.
 *
 *   pt2pt [batches [round-trips-a-batch]]     one line per case: name, members, median, p10, p90 in
 * microseconds pt2pt dup_time [times]                    the same for MPI_Comm_dup of the world
 *
 * Ranks that do not take part sleep, so that they do not take the cores from the two that do.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_PING = 1, TAG_DONE = 2 };

static int me, ranks;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

static void print_line(const char *name, int members, double *us, int n)
{
    qsort(us, n, sizeof(double), by_value);
    printf("%s %d %.4f %.4f %.4f\n", name, members, us[n / 2], us[n / 10], us[n * 9 / 10]);
    fflush(stdout);
}

/* ---- communicators ---- */

static MPI_Comm duplicate(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

static MPI_Comm reversed(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm);
    return comm;
}

static MPI_Comm strided(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 1 ? 0 : MPI_UNDEFINED, me, &comm);
    return comm;
}

static MPI_Comm random_order(void)
{
    MPI_Comm comm;
    uint32_t key = (uint32_t) (me + 1) * 2654435761u;

    key ^= key >> 15;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (int) (key * 2246822519u >> 1), &comm);
    return comm;
}

/* Drops the odd ranks again and again, while more than one rank remains. */
static MPI_Comm chain(void)
{
    MPI_Comm comm, next;
    int rank, size;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &size);
    while (comm != MPI_COMM_NULL && size > 2) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_split(comm, rank % 2 ? MPI_UNDEFINED : 0, rank, &next);
        MPI_Comm_free(&comm);
        comm = next;
        size = (size + 1) / 2;
    }
    return comm;
}

/* ---- measuring ---- */

static double half_round_trip(MPI_Comm comm, int peer, int first, int n)
{
    int64_t word = 0;
    double start = MPI_Wtime();

    for (int i = 0; i < n; i++) {
        if (first)
            MPI_Send(&word, 8, MPI_BYTE, peer, TAG_PING, comm);
        MPI_Recv(&word, 8, MPI_BYTE, peer, TAG_PING, comm, MPI_STATUS_IGNORE);
        if (!first)
            MPI_Send(&word, 8, MPI_BYTE, peer, TAG_PING, comm);
    }
    return (MPI_Wtime() - start) / n / 2 * 1e6;
}

static void sleep_until_done(void)
{
    int flag = 0;

    while (!flag) {
        usleep(3000);
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_DONE, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

static void wake_others(void)
{
    for (int i = 0; i < ranks; i++)
        if (i != me)
            MPI_Send(NULL, 0, MPI_BYTE, i, TAG_DONE, MPI_COMM_WORLD);
}

static void ping_pong(const char *name, MPI_Comm comm, int size, int first, int batches, int trips)
{
    int peer = first ? size - 1 : 0;
    double *us = calloc(batches, sizeof(double));

    usleep(6000); /* the others go to sleep meanwhile */
    half_round_trip(comm, peer, first, trips);
    for (int i = 0; i < batches; i++)
        us[i] = half_round_trip(comm, peer, first, trips);
    if (first)
        print_line(name, size, us, batches);
    free(us);
}

static void measure(const char *name, MPI_Comm comm, int batches, int trips)
{
    int rank = -1, size = 0, sizes;

    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
    }
    MPI_Allreduce(&size, &sizes, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (sizes < 2)
        return;
    int takes_part = comm != MPI_COMM_NULL && (rank == 0 || rank == size - 1);
    if (takes_part)
        ping_pong(name, comm, size, rank == 0, batches, trips);
    else
        sleep_until_done();
    if (rank == 0)
        wake_others();
    else
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure_case(const char *name, MPI_Comm comm, int batches, int trips)
{
    measure(name, comm, batches, trips);
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
}

static void dup_time(int times)
{
    double *us = calloc(times, sizeof(double));
    MPI_Comm comm;

    for (int i = -3; i < times; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i >= 0)
            us[i] = (MPI_Wtime() - start) * 1e6;
        MPI_Comm_free(&comm);
    }
    if (me == 0)
        print_line("dup_time", ranks, us, times);
    free(us);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && !strcmp(argv[1], "dup_time")) {
        dup_time(argc > 2 ? atoi(argv[2]) : 100);
    } else {
        int batches = argc > 1 ? atoi(argv[1]) : 40, trips = argc > 2 ? atoi(argv[2]) : 500;
        measure_case("world", MPI_COMM_WORLD, batches, trips);
        measure_case("dup", duplicate(), batches, trips);
        measure_case("reversed", reversed(), batches, trips);
        measure_case("strided", strided(), batches, trips);
        measure_case("random", random_order(), batches, trips);
        measure_case("chain", chain(), batches, trips);
    }
    MPI_Finalize();
    return 0;
}
