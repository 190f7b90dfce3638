/* SPDX-License-Identifier: BSD-3-Clause */

/* A sum over all ranks: status 0 when it is that of a world whose ranks all exist. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int size, one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != size;
}
