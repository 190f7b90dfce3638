/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: ends abort|exit STATUS, ends count
 *
 * Each process ends with this status: by MPI_Abort, or by exit without MPI_Finalize. Or the first
 * one says how many there are, and all end well.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int status = argc > 2 ? atoi(argv[2]) : 0;

    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, status);
    if (argc > 1 && strcmp(argv[1], "count") == 0) {
        int rank, size;

        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank == 0)
            printf("%d processes\n", size);
        MPI_Finalize();
    }
    exit(status);
}
