/* SPDX-License-Identifier: BSD-3-Clause */

/* Long collectives, whose parts are read where they lie, while one of the members revokes the
 * communicator.  Whoever gets the error writes into its buffers at once.  All that a collective
 * without an error has delivered must be right nevertheless. */

#include "mpi.h"
#include "mpitest.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 150, MOST_CALLS = 12, MOST = 20000, MOST_RANKS = 8 };

static int in[MOST * MOST_RANKS], out[MOST * MOST_RANKS];
static int rank, size, n, number;
static uint64_t state = 4711;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned) (state >> 33) % below;
}

static int value(int from, int i) { return number * 7 + from * 1009 + i; }

static void fill(int *at, int from, int elements)
{
    for (int i = 0; i < elements; i++)
        at[i] = value(from, i);
}

static int check(const int *at, int from, int first)
{
    for (int i = 0; i < n; i++) {
        if (at[i] == value(from, first + i))
            continue;
        printf("call %d of %d ints, rank %d of %d: element %d of rank %d is %d instead of %d\n",
               number, n, rank, size, i, from, at[i], value(from, first + i));
        return 1;
    }
    return 0;
}

static int check_parts(int first)
{
    int errs = 0;

    for (int r = 0; r < size; r++)
        errs += check(out + r * n, r, first);
    return errs;
}

static int check_sum(void)
{
    int errs = 0;

    for (int i = 0; i < n && errs == 0; i++) {
        int sum = 0;
        for (int r = 0; r < size; r++)
            sum += value(r, i);
        errs = out[i] != sum;
        if (errs)
            printf("call %d of %d ints, rank %d of %d: sum %d is %d instead of %d\n", number, n,
                   rank, size, i, out[i], sum);
    }
    return errs;
}

/* Returns what MPI does; *errs counts wrong data of a collective without an error. */
static int one_call(MPI_Comm comm, int *errs)
{
    int kind = (int) draw(7), root = (int) draw((unsigned) size), in_place = (int) draw(2), err;

    n = 1 + (int) draw(MOST);
    number++;
    fill(in, rank, kind == 3 || kind == 4 ? n * size : n);
    switch (kind) {
        case 0:
            if (rank == root)
                memcpy(out, in, (size_t) n * sizeof(int));
            err = MPI_Bcast(out, n, MPI_INT, root, comm);
            *errs += err == MPI_SUCCESS && check(out, root, 0);
            break;
        case 1:
            err = MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm);
            *errs += err == MPI_SUCCESS && check_parts(0);
            break;
        case 2:
            err = MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, comm);
            *errs += err == MPI_SUCCESS && rank == root && check_parts(0);
            break;
        case 3:
            err = MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
            *errs += err == MPI_SUCCESS && check_parts(rank * n);
            break;
        case 4:
            err = MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, comm);
            *errs += err == MPI_SUCCESS && check(out, root, rank * n);
            break;
        case 5:
            in_place = in_place && rank == root;
            if (in_place)
                memcpy(out, in, (size_t) n * sizeof(int));
            err = MPI_Reduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, root, comm);
            *errs += err == MPI_SUCCESS && rank == root && check_sum();
            break;
        default:
            if (in_place)
                memcpy(out, in, (size_t) n * sizeof(int));
            err = MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, comm);
            *errs += err == MPI_SUCCESS && check_sum();
    }
    return err;
}

static int one_round(int round)
{
    MPI_Comm comm;
    int errs = 0, err = MPI_SUCCESS, calls = 3 + (int) draw(MOST_CALLS);

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; err == MPI_SUCCESS && errs == 0; i++) {
        if (i == calls && rank == round % size)
            MPIX_Comm_revoke(comm);
        err = one_call(comm, &errs);
    }
    memset(in, -1, sizeof(in));
    memset(out, -1, sizeof(out));
    MPI_Comm_free(&comm);
    return errs;
}

int main(int argc, char **argv)
{
    int errs = 0, all = 0;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int round = 0; round < ROUNDS && all == 0; round++) {
        state = 1000 + (uint64_t) round; /* ranks have left the last round after different calls */
        number = round * 1000;
        errs += one_round(round);
        MPI_Allreduce(&errs, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
