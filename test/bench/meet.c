/* SPDX-License-Identifier: BSD-3-Clause */
/* Says how many ranks have met, and in which library. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int one = 1, ranks = 0, rank, length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&one, &ranks, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Get_library_version(version, &length);
    if (rank == 0)
        printf("%d ranks of %.40s\n", ranks, version);
    MPI_Finalize();
    return 0;
}
