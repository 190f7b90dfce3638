/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What multigrid solvers do: on each coarser level every other process goes on, until one is left.
 * Each level has a communicator for its work and a duplicate for its messages.
 *
 *     mpicc -o multigrid multigrid.c && MPIR_CVAR_CMAP_REPORT=1 mpiexec -n 16 ./multigrid
 *     MPIR_CVAR_CMAP_REPORT=1 mpirank1 --world 1048576 --scenario even_odd ./multigrid
 */
#include <mpi.h>
#include <stdio.h>

/* The communicator of the next level; MPI_COMM_NULL for who has no part in it. */
static MPI_Comm coarser(MPI_Comm level, int depth)
{
    char name[MPI_MAX_OBJECT_NAME];
    int rank;
    MPI_Comm next, messages;

    MPI_Comm_rank(level, &rank);
    MPI_Comm_split(level, rank % 2, rank, &next);
    if (rank % 2) {
        MPI_Comm_free(&next);
        return MPI_COMM_NULL;
    }
    snprintf(name, sizeof name, "level %d", depth);
    MPI_Comm_set_name(next, name);
    MPI_Comm_dup(next, &messages);
    snprintf(name, sizeof name, "messages of level %d", depth);
    MPI_Comm_set_name(messages, name);
    return next;
}

int main(int argc, char **argv)
{
    MPI_Comm level = MPI_COMM_WORLD;
    int size, depth = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(level, &size);
    if (argc > 1) {
        fprintf(stderr, "usage: multigrid\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    /* The communicators stay: the report at MPI_Finalize is to show them. */
    while (level != MPI_COMM_NULL && size > 1) {
        level = coarser(level, ++depth);
        if (level != MPI_COMM_NULL)
            MPI_Comm_size(level, &size);
    }
    MPI_Finalize();
    return 0;
}
