/* SPDX-License-Identifier: BSD-3-Clause
 *
 * comms_alive BATCHES TIMES NUMBER...: half a round trip of 8 bytes between two ranks, on the world
 * and on the newest duplicate of it, with each NUMBER of duplicates alive (ascending); figure 5 of
 * "Trade-offs in context identifier allocation in MPI".  A line a number: it, and the lower
 * deciles of the batches on the world and on the newest one, in us.  The median would tell how far
 * apart the system put the two ranks, which changes during a run.  The program ends before a number
 * for which there are not enough duplicates.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "../lib/sort.h"

enum { MOST = 200000, BATCHES = 100 };

static int me, batches, times, alive;
static MPI_Comm made[MOST];

static double half_round_trip(MPI_Comm comm)
{
    long word = 0;

    MPI_Barrier(comm);
    double begin = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        if (me == 0)
            MPI_Send(&word, 1, MPI_LONG, 1, 0, comm);
        MPI_Recv(&word, 1, MPI_LONG, !me, 0, comm, MPI_STATUS_IGNORE);
        if (me == 1)
            MPI_Send(&word, 1, MPI_LONG, 0, 0, comm);
    }
    return (MPI_Wtime() - begin) / times / 2 * 1e6;
}

/* Both in turn, so that they see the machine in the same state. */
static void measure(int number)
{
    double world[BATCHES], newest[BATCHES];
    MPI_Comm last = alive ? made[alive - 1] : MPI_COMM_WORLD;

    half_round_trip(last);
    for (int b = 0; b < batches; b++) {
        world[b] = half_round_trip(MPI_COMM_WORLD);
        newest[b] = half_round_trip(last);
    }
    sort_times(world, batches);
    sort_times(newest, batches);
    if (me == 0)
        printf("%d %.4f %.4f\n", number, world[batches / 10], newest[batches / 10]);
}

/* Not all when a duplicate fails, or would be more than there may be. */
static int make_until(int number)
{
    int mine, all;

    while (alive < number && alive < MOST &&
           MPI_Comm_dup(MPI_COMM_WORLD, &made[alive]) == MPI_SUCCESS)
        alive++;
    mine = alive == number;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    batches = argc > 1 ? atoi(argv[1]) : 0;
    times = argc > 2 ? atoi(argv[2]) : 0;
    if (size != 2 || batches < 1 || batches > BATCHES || times < 1) {
        fprintf(stderr, "usage: comms_alive BATCHES TIMES NUMBER... (2 ranks, 1 to %d batches)\n",
                BATCHES);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 3; i < argc && make_until(atoi(argv[i])); i++)
        measure(atoi(argv[i]));
    while (alive > 0)
        MPI_Comm_free(&made[--alive]);
    MPI_Finalize();
    return 0;
}
