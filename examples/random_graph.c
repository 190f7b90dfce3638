/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs on graphs do: processes are parts of a graph that has been cut into pieces without
 * any order, and each process makes a communicator of its piece.  Nothing about such a map is
 * regular.
 *
 *     mpicc -o random_graph random_graph.c && MPIR_CVAR_CMAP_REPORT=1 mpiexec -n 64 ./random_graph
 *     MPIR_CVAR_CMAP_REPORT=1 mpirank1 --world 1048576 --scenario "program ./random_graph"
 *     ./random_graph
 *
 * With a number of ranks as its argument it prints the piece and the place of each, which is what
 * mpirank1 asks for.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 16 };

/* A number that looks as if it had nothing to do with the other one. */
static uint32_t mixed(uint32_t x)
{
    for (int turn = 0; turn < 3; turn++) {
        x = x * 2654435761u + 12345u; /* the golden ratio of 2^32 */
        x ^= x >> 13;
    }
    return x;
}

static int piece_of(int rank) { return (int) (mixed((uint32_t) rank) % PIECES); }

static int place_of(int rank) { return (int) (mixed((uint32_t) rank + 12345u) >> 1); }

static int print_calls(const char *text)
{
    char *end;
    long ranks = strtol(text, &end, 10);

    if (*end || ranks < 1 || ranks > INT32_MAX) {
        fprintf(stderr, "usage: random_graph [RANKS (1 or more)]\n");
        return 1;
    }
    for (int r = 0; r < (int) ranks; r++)
        printf("%d %d\n", piece_of(r), place_of(r));
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm piece;
    int rank;

    if (argc > 1)
        return print_calls(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* It stays: the report at MPI_Finalize is to show it. */
    MPI_Comm_split(MPI_COMM_WORLD, piece_of(rank), place_of(rank), &piece);
    MPI_Comm_set_name(piece, "piece");
    MPI_Finalize();
    return 0;
}
