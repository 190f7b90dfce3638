/* SPDX-License-Identifier: BSD-3-Clause */

/* The root of a long broadcast leaves it before the others enter.  One of them revokes the
 * communicator instead, and never reads what the root has left in shared memory.  The root's next
 * long broadcast, on another communicator, does not wait for it: also after the root has freed the
 * revoked one. */

#include "mpi.h"
#include "mpitest.h"
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 100, BYTES = 100000 };

static char data[BYTES];

static int check(int round)
{
    for (int i = 0; i < BYTES; i++) {
        if (data[i] == (char) round)
            continue;
        printf("round %d: byte %d is %d\n", round, i, data[i]);
        return 1;
    }
    return 0;
}

/* Several collectives, so that both go by shared memory. */
static void warm_up(MPI_Comm comms[2])
{
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Barrier(comms[i]);
        MPI_Barrier(comms[i]);
    }
    MPI_Comm_set_errhandler(comms[0], MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[2];
    int errs = 0, rank;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS && errs == 0; round++) {
        int frees_first = round % 2;

        warm_up(comms);
        if (rank == 1)
            MPIX_Comm_revoke(comms[0]);
        else
            MPI_Bcast(data, BYTES, MPI_CHAR, 0, comms[0]);
        if (frees_first)
            MPI_Comm_free(&comms[0]);
        memset(data, rank == 0 ? round : -1, BYTES);
        MPI_Bcast(data, BYTES, MPI_CHAR, 0, comms[1]);
        errs += check(round);
        if (!frees_first)
            MPI_Comm_free(&comms[0]);
        MPI_Comm_free(&comms[1]);
    }
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
