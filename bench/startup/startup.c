/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What MPI_Init costs. Rank 0 prints lines "case value":
 *   startup init         time in MPI_Init of the slowest rank, first 8-byte MPI_Alltoall, and both,
 *                        in us
 *   startup alone        time in MPI_Init in us, and resident memory after it and more than before
 *                        it, in bytes (mpirank1)
 *   startup latency N    half a round trip of 8 bytes between ranks 0 and 1, in us, N times
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e6 + (double) t.tv_nsec * 1e-3;
}

/* Pages that are this process's own; what it shares with files is the same in every world. */
static long resident_bytes(void)
{
    char line[128];
    long kb, sum = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "RssAnon: %ld", &kb) == 1 || sscanf(line, "RssShmem: %ld", &kb) == 1)
            sum += kb;
    }
    if (file)
        fclose(file);
    return sum * 1024;
}

static void print_max(const char *name, double us, int rank)
{
    double most;

    MPI_Reduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %.1f\n", name, most);
}

static void first_alltoall(double init_us, int rank, int size)
{
    char *out = calloc(size, 8), *in = calloc(size, 8);
    double begin = now_us(), us;

    MPI_Alltoall(out, 8, MPI_CHAR, in, 8, MPI_CHAR, MPI_COMM_WORLD);
    us = now_us() - begin;
    print_max("init", init_us, rank);
    print_max("alltoall", us, rank);
    print_max("both", init_us + us, rank);
    free(out);
    free(in);
}

static void latency(int rank, int times)
{
    char word[8] = "";
    double begin = 0;

    for (int i = -times / 10; i < times && rank < 2; i++) {
        if (i == 0)
            begin = now_us();
        if (rank == 0) {
            MPI_Send(word, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(word, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(word, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(word, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("latency %.4f\n", (now_us() - begin) / times / 2);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "init";
    long before = resident_bytes(), after;
    double begin = now_us(), us;
    int rank, size;

    MPI_Init(&argc, &argv);
    us = now_us() - begin;
    after = resident_bytes();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "alone")) {
        printf("init %.1f\nresident %ld\nmore %ld\n", us, after, after - before);
        fflush(stdout);
    } else if (!strcmp(what, "latency")) {
        latency(rank, argc > 2 ? atoi(argv[2]) : 10000);
    } else {
        first_alltoall(us, rank, size);
    }
    MPI_Finalize();
    return 0;
}
