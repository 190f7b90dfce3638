/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives of a few elements that have thousands of bytes each, several times. With
 * MPIR_CVAR_I..._TREE_PIPELINE_CHUNK_SIZE an element is larger than a chunk.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { DOUBLES = 2000, MOST = 3 };

static double in[MOST * DOUBLES], out[MOST * DOUBLES];
static MPI_Datatype type;
static MPI_Op sum;
static int size;

static void add(void *from, void *into, int *n, MPI_Datatype *unused)
{
    for (int i = 0; i < *n * DOUBLES; i++)
        ((double *) into)[i] += ((double *) from)[i];
}

static void check(const char *call, int count, int factor, int add_ranks)
{
    for (int i = 0; i < count * DOUBLES; i++) {
        double want = factor * i + add_ranks;

        CT_CHECK(out[i] == want, "%s of %d: %d is %g, not %g", call, count, i, out[i], want);
        if (out[i] != want)
            return;
    }
}

static void fill(void)
{
    for (int i = 0; i < MOST * DOUBLES; i++) {
        in[i] = i + ct_me;
        out[i] = ct_me ? -1 : i;
    }
}

static void check_all(int count)
{
    int ranks = size * (size - 1) / 2;
    MPI_Request request;

    fill();
    MPI_Bcast(out, count, type, 0, MPI_COMM_WORLD);
    check("MPI_Bcast", count, 1, 0);
    fill();
    MPI_Ibcast(out, count, type, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check("MPI_Ibcast", count, 1, 0);
    fill();
    MPI_Allreduce(in, out, count, type, sum, MPI_COMM_WORLD);
    check("MPI_Allreduce", count, size, ranks);
    fill();
    MPI_Iallreduce(in, out, count, type, sum, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check("MPI_Iallreduce", count, size, ranks);
    fill();
    MPI_Ireduce(in, out, count, type, sum, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (ct_me == 0)
        check("MPI_Ireduce", count, size, ranks);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(DOUBLES, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &sum);
    for (int turn = 0; turn < 10; turn++)
        check_all(turn % MOST + 1);
    MPI_Op_free(&sum);
    MPI_Type_free(&type);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
