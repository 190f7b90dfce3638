/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring as a distributed graph: MPI_Dist_graph_neighbors with arrays that are larger than the
 * degrees writes the neighbours that there are, and no more.
 */
#include "mpi.h"
#include "mpitest.h"
#include <stdio.h>

enum { DEGREE = 2, ROOM = 100000, UNTOUCHED = -7 };

static int ask(MPI_Comm graph, int room, const int neighbour[DEGREE], const int weight[DEGREE])
{
    static int in[ROOM], out[ROOM], in_weight[ROOM], out_weight[ROOM];
    int errs = 0;

    for (int i = 0; i < ROOM; i++)
        in[i] = out[i] = in_weight[i] = out_weight[i] = UNTOUCHED;
    MPI_Dist_graph_neighbors(graph, room, in, in_weight, room, out, out_weight);
    for (int i = 0; i < ROOM; i++) {
        int is_there = i < DEGREE && i < room;
        int w = is_there ? weight[i] : UNTOUCHED, n = is_there ? neighbour[i] : UNTOUCHED;

        errs += in[i] != n || out[i] != n || in_weight[i] != w || out_weight[i] != w;
    }
    if (errs)
        fprintf(stderr, "room for %d: %d wrong entries\n", room, errs);
    return errs;
}

int main(int argc, char **argv)
{
    int errs = 0, rank, size;
    MPI_Comm graph;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int neighbour[DEGREE] = {(rank + size - 1) % size, (rank + 1) % size};
    int weight[DEGREE] = {3, 4};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, DEGREE, neighbour, weight, DEGREE, neighbour,
                                   weight, MPI_INFO_NULL, 0, &graph);
    errs += ask(graph, ROOM, neighbour, weight);
    errs += ask(graph, DEGREE, neighbour, weight);
    MPI_Comm_free(&graph);
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
