// SPDX-License-Identifier: BSD-3-Clause

// The same as sum.c, with a class of the C++ bindings where the library has them.
#include <mpi.h>

#include <iostream>

int main(int argc, char **argv) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int rank, size, length, sum;

    MPI_Init(&argc, &argv);
#ifdef MPICH_NAME
    rank = MPI::COMM_WORLD.Get_rank();
    size = MPI::COMM_WORLD.Get_size();
#else
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Get_library_version(version, &length);
    if (rank == 0) std::cout << "C++: " << size << " processes: " << version << std::endl;
    MPI_Finalize();
    return sum == size * (size - 1) / 2 ? 0 : 1;
}
