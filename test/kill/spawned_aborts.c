/* SPDX-License-Identifier: BSD-3-Clause */

/* A process that is alone in its world, and was spawned, calls MPI_Abort. Its parent waits. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, child;
    int value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                   MPI_ERRCODES_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, 0, child);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
