/* SPDX-License-Identifier: BSD-3-Clause */

/* Spawns two processes after another two, for ever: mpiexec or a proxy is going to be killed while
 * it starts or ends some.  Says "running" when all are at it. */
#include "running.h"

int main(int argc, char **argv)
{
    MPI_Comm parent, children;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        say_running();
    while (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&children);
    }
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}
