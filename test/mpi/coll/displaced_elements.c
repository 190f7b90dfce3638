/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reductions of elements whose data lie behind their address, further than their extent is long:
 * whatever memory the processes of a node share, they stay within their own.  Reductions follow
 * each other without a barrier.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { DOUBLES = 10, COUNT = 50, AHEAD = 1000, ROUNDS = 8, MOST = COUNT * (DOUBLES + 1) + AHEAD };

static double in[MOST], out[MOST];
static int size, begin, step; /* in doubles */

/* in units of doubles, as the datatype has them */
static void add(void *from, void *into, int *n, MPI_Datatype *unused)
{
    for (int i = 0; i < *n; i++) {
        for (int j = 0; j < DOUBLES; j++)
            ((double *) into)[begin + i * step + j] += ((double *) from)[begin + i * step + j];
    }
}

static MPI_Datatype make_type(void)
{
    MPI_Aint place = begin * sizeof(double);
    MPI_Datatype part, type;

    MPI_Type_create_hindexed_block(1, DOUBLES, &place, MPI_DOUBLE, &part);
    MPI_Type_create_resized(part, place, step * sizeof(double), &type);
    MPI_Type_free(&part);
    MPI_Type_commit(&type);
    return type;
}

static void fill(int turn)
{
    for (int i = 0; i < MOST; i++) {
        in[i] = i + ct_me + turn;
        out[i] = -1;
    }
}

static void check(const char *call, int root, int turn)
{
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < DOUBLES; j++) {
            int at = begin + i * step + j;
            double want = size * (at + turn) + size * (size - 1) / 2;

            CT_CHECK(out[at] == want, "%s, root %d, from %d by %d: element %d is %g, not %g", call,
                     root, begin, step, i, out[at], want);
            if (out[at] != want)
                return;
        }
    }
}

static void check_type(int first, int extent)
{
    MPI_Datatype type;
    MPI_Op sum;

    begin = first;
    step = extent;
    type = make_type();
    MPI_Op_create(add, 1, &sum);
    for (int turn = 0; turn < ROUNDS; turn++) {
        for (int root = 0; root < size; root++) {
            fill(turn);
            MPI_Reduce(in, out, COUNT, type, sum, root, MPI_COMM_WORLD);
            if (ct_me == root)
                check("MPI_Reduce", root, turn);
        }
        fill(turn);
        MPI_Allreduce(in, out, COUNT, type, sum, MPI_COMM_WORLD);
        check("MPI_Allreduce", 0, turn);
    }
    MPI_Op_free(&sum);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_type(0, DOUBLES);
    check_type(AHEAD, DOUBLES);
    check_type(0, 1 + DOUBLES);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
