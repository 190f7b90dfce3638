/* SPDX-License-Identifier: BSD-3-Clause */

/* Communicators of random orders, whose maps lie in memory of the node, for ever: some process is
 * going to be killed.  Says "running" when all are at it.  For 12 processes and more: the maps of
 * fewer are so small that each process keeps its own. */
#include <stdlib.h>
#include "running.h"

enum { MOST = 64, LIVE = 8 };

static unsigned seed = 1;

/* The same on all processes. */
static MPI_Comm random_comm(int size)
{
    int order[MOST];
    MPI_Group world, group;
    MPI_Comm comm;

    for (int i = 0; i < size; i++)
        order[i] = i;
    for (int i = size - 1; i > 0; i--) {
        int j, kept = order[i];

        seed = seed * 1664525u + 1013904223u;
        j = (int) ((seed >> 8) % (unsigned) (i + 1));
        order[i] = order[j];
        order[j] = kept;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, size, order, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Comm live[LIVE];
    int size;

    setenv("MPIR_CVAR_CMAP_SHARED", "auto", 1);
    setenv("MPIR_CVAR_CMAP_SHARED_BYTES", "1", 1);
    setenv("MPIR_CVAR_CMAP_REPRESENTATION", "packed", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < LIVE; i++)
        live[i] = random_comm(size);
    say_running();
    for (int i = 0;; i = (i + 1) % LIVE) {
        MPI_Comm_free(&live[i]);
        live[i] = random_comm(size);
    }
}
