/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The ranks of the processes add up to what they should.  Rank 0 prints language and library.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int rank, size, length, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Get_library_version(version, &length);
    if (rank == 0)
        printf("C: %d processes: %s\n", size, version);
    MPI_Finalize();
    return sum == size * (size - 1) / 2 ? 0 : 1;
}
