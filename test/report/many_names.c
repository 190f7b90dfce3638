/* SPDX-License-Identifier: BSD-3-Clause */

/* Makes as many duplicates of the world as its argument says, each with a name of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char name[64];
    MPI_Comm copy;

    MPI_Init(&argc, &argv);
    for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        snprintf(name, sizeof(name), "communicator %d", i);
        MPI_Comm_set_name(copy, name);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
