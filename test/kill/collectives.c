/* SPDX-License-Identifier: BSD-3-Clause */

/* Small collectives on communicators that come and go, for ever: some process is going to be
 * killed.  Says "running" when all are at it. */
#include "running.h"

int main(int argc, char **argv)
{
    int rank, in[300] = {1}, out[300];
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    say_running();
    for (int round = 0;; round++) {
        MPI_Comm_split(MPI_COMM_WORLD, round % 3 == 0 ? rank % 2 : 0, rank, &comm);
        for (int i = 0; i < 20; i++) {
            MPI_Allreduce(in, out, i % 2 ? 1 : 300, MPI_INT, MPI_SUM, comm);
            MPI_Bcast(in, i, MPI_INT, 0, comm);
            MPI_Barrier(comm);
        }
        MPI_Comm_free(&comm);
    }
}
