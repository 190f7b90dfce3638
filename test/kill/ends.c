/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: ends abort|exit STATUS
 *
 * Each process ends with this status: by MPI_Abort, or by exit without MPI_Finalize.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int status = argc > 2 ? atoi(argv[2]) : 0;

    MPI_Init(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}
