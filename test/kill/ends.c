/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: ends abort|exit|last|waits|before STATUS, ends count
 *
 * Each process ends with this status: by MPI_Abort, or by exit without MPI_Finalize. Or the last
 * one does so, and the others end well, or wait for it. Or the one of rank 1 ends so before
 * MPI_Init, where the others wait. Or the first one says how many there are, and all end well.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int status = argc > 2 ? atoi(argv[2]) : 0, rank, size;

    if (argc > 1 && strcmp(argv[1], "before") == 0 && strcmp(getenv("PMI_RANK"), "1") == 0)
        exit(status);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, status);
    if (argc > 1 && strcmp(argv[1], "count") == 0) {
        if (rank == 0)
            printf("%d processes\n", size);
        MPI_Finalize();
    }
    if (argc > 1 && strcmp(argv[1], "waits") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank < size - 1)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (argc > 1 && strcmp(argv[1], "last") == 0 && rank < size - 1) {
        MPI_Finalize();
        status = 0;
    }
    exit(status);
}
