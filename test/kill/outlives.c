/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process spawns two others and ends. One of these is killed then.
 */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

enum { LATER = 300000 }; /* microseconds in which mpiexec sees the end of the parent */

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&children);
    } else {
        MPI_Comm_disconnect(&parent);
        usleep(LATER);
        if (rank == 1)
            raise(SIGKILL);
    }
    MPI_Finalize();
    return 0;
}
