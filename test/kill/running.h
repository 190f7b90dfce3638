/* SPDX-License-Identifier: BSD-3-Clause */

/* What kill_one() of test/kill/steps.sh waits for, before it kills a process. */
#ifndef RUNNING_H_INCLUDED
#define RUNNING_H_INCLUDED

#include <mpi.h>
#include <stdio.h>

/* Collective over the world: says "running" when all processes are here. */
static inline void say_running(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("running\n");
        fflush(stdout);
    }
}

#endif /* RUNNING_H_INCLUDED */
