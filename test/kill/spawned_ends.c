/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three processes spawn four. All of them write lines, and the first one is killed meanwhile, so
 * that mpiexec hears of the end of one proxy where the others still speak.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { LINES = 500, SPAWNED = 4 };

static void write_lines(void)
{
    for (int i = 0; i < LINES; i++) {
        printf("line %d\n", i);
        fflush(stdout);
        usleep(100);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent, spawned;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, SPAWNED, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &spawned,
                       MPI_ERRCODES_IGNORE);
        MPI_Barrier(spawned);
        if (rank == 0)
            raise(SIGKILL);
    } else {
        MPI_Barrier(parent);
    }
    write_lines();
    MPI_Finalize();
    return 0;
}
