/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Halo exchanges of a grid.  usage: halo REORDER DIM DIM... -- BYTES...
 *
 * Prints "edges N", the edges of the grid between nodes.  Prints "BYTES us" for each size: the
 * median of the batches, by the time of the slowest process.  Each exchange sends BYTES to each
 * neighbour.  The first exchange checks its data.
 */
#include "mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/sort.h"

enum { MOST_DIMS = 4, BATCHES = 5, LEAST = 2 };
#define BATCH_SECONDS 0.1

static MPI_Comm grid;
static int dims, rank, size, neighbours[2 * MOST_DIMS];

static void fail(const char *why)
{
    fprintf(stderr, "halo: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int count_edges(void)
{
    MPI_Comm node;
    int first = rank, mine = 0, all, *first_of = malloc((size_t) size * sizeof(int));

    MPI_Comm_split_type(grid, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Allgather(&first, 1, MPI_INT, first_of, 1, MPI_INT, grid);
    for (int i = 1; i < 2 * dims; i += 2) /* those that follow */
        mine += neighbours[i] != MPI_PROC_NULL && first_of[neighbours[i]] != first;
    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, grid);
    MPI_Comm_free(&node);
    free(first_of);
    return all;
}

static void exchange(char *out, char *in, int bytes)
{
    MPI_Request requests[4 * MOST_DIMS];
    MPI_Status statuses[4 * MOST_DIMS];

    for (int i = 0; i < 2 * dims; i++)
        MPI_Irecv(in + (size_t) i * bytes, bytes, MPI_CHAR, neighbours[i], 1, grid, &requests[i]);
    for (int i = 0; i < 2 * dims; i++)
        MPI_Isend(out + (size_t) i * bytes, bytes, MPI_CHAR, neighbours[i], 1, grid,
                  &requests[2 * dims + i]);
    MPI_Waitall(4 * dims, requests, statuses);
}

static void check(const char *in, int bytes)
{
    for (int i = 0; i < 2 * dims; i++) {
        char last = in[(size_t) (i + 1) * bytes - 1];
        if (neighbours[i] != MPI_PROC_NULL && last != (char) neighbours[i])
            fail("other data than the neighbour's");
    }
}

/* Of the slowest process. */
static double batch(char *out, char *in, int bytes, int times)
{
    double start, mine, all;

    MPI_Barrier(grid);
    start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        exchange(out, in, bytes);
    mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, grid);
    return all / times;
}

static double measure(int bytes)
{
    size_t room = (size_t) 2 * dims * bytes;
    char *out = malloc(room), *in = calloc(room, 1);
    double seconds[BATCHES], once;
    int times;

    if (!out || !in)
        fail("no memory");
    memset(out, (char) rank, room);
    exchange(out, in, bytes);
    check(in, bytes);
    once = batch(out, in, bytes, LEAST);
    times = once * LEAST < BATCH_SECONDS ? (int) (BATCH_SECONDS / once) : LEAST;
    MPI_Bcast(&times, 1, MPI_INT, 0, grid);
    for (int i = 0; i < BATCHES; i++)
        seconds[i] = batch(out, in, bytes, times);
    sort_times(seconds, BATCHES);
    free(out);
    free(in);
    return seconds[BATCHES / 2] * 1e6;
}

int main(int argc, char **argv)
{
    int dim[MOST_DIMS], periods[MOST_DIMS] = {0}, at = 2;

    MPI_Init(&argc, &argv);
    for (; at < argc && strcmp(argv[at], "--") && dims < MOST_DIMS; at++)
        dim[dims++] = atoi(argv[at]);
    if (argc < 3 || at == argc)
        fail("usage: halo REORDER DIM... -- BYTES...");
    MPI_Cart_create(MPI_COMM_WORLD, dims, dim, periods, atoi(argv[1]), &grid);
    if (grid == MPI_COMM_NULL)
        fail("the grid has to have a cell for each process");
    MPI_Comm_rank(grid, &rank);
    MPI_Comm_size(grid, &size);
    for (int d = 0; d < dims; d++)
        MPI_Cart_shift(grid, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]);
    int edges = count_edges();
    if (rank == 0)
        printf("edges %d\n", edges);
    while (++at < argc) {
        double us = measure(atoi(argv[at]));
        if (rank == 0)
            printf("%s %.2f\n", argv[at], us);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
