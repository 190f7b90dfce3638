/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HPL of the HPC Challenge alone, as its hpccinf.txt in this directory says.  One line of rank 0:
 * "hpl", order of the matrix, seconds; status 0 if the residual passes.
 */
#include <hpcc.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    HPL_RuntimeData done;
    int failures = 0, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    HPL_main(argc, argv, &done, &failures);
    MPI_Bcast(&failures, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("hpl %d %.6f\n", done.N, done.time);
    MPI_Finalize();
    return failures != 0;
}
