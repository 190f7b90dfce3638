/* SPDX-License-Identifier: BSD-3-Clause */

/* Splits by descriptions, regular and in random order, for ever: some process is going to be killed
 * inside one.  Nodes of consecutive ranks, so that a process waits for those of its node, for other
 * nodes, or for its node's first process.  Says "running" when all are at it. */
#include <stdlib.h>
#include "running.h"

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm parent, comm;

    setenv("MPIR_CVAR_SPLIT_DESCRIBED", "1", 1);
    setenv("MPIR_CVAR_NUM_CLIQUES", "2", 0);
    setenv("MPIR_CVAR_CLIQUES_BY_BLOCK", "1", 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    say_running();
    for (unsigned round = 0;; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &parent);
        for (unsigned i = 0; i < 20; i++) {
            int key = (int) (((unsigned) rank * 2654435761u ^ round) % 1009u);
            MPI_Comm_split(parent, rank % 2, i % 2 ? key : rank, &comm);
            MPI_Comm_free(&comm);
        }
        MPI_Comm_free(&parent);
    }
}
