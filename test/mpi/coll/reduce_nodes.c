/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Reduce and MPI_Allreduce add what they are given, on communicators that begin at every rank
 * of the world: with several nodes the first process is alone on its node in some of them, and the
 * root is not always the first of its node.  Receive buffers begin with what must not count; the
 * root also tries MPI_IN_PLACE.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#define MOST (1 << 16)
#define STALE -1000000

static int in[MOST], out[MOST];

static void fill(int count)
{
    for (int i = 0; i < count; i++) {
        in[i] = i + ct_me;
        out[i] = STALE;
    }
}

/* Members are the ranks first to first + size - 1 of the world. */
static void check_sum(int count, int first, int size, int root, const char *what)
{
    for (int i = 0; i < count; i++) {
        int want = size * (i + first) + size * (size - 1) / 2;
        CT_CHECK(out[i] == want, "%s, ranks from %d, root %d, %d of %d: %d, not %d", what, first,
                 root, i, count, out[i], want);
        if (out[i] != want)
            break;
    }
}

static void check_roots(MPI_Comm comm, int count, int first, int size)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    for (int root = 0; root < size; root++) {
        fill(count);
        MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
        if (rank == root)
            check_sum(count, first, size, root, "MPI_Reduce");
        memcpy(out, in, count * sizeof(int));
        MPI_Reduce(rank == root ? MPI_IN_PLACE : in, out, count, MPI_INT, MPI_SUM, root, comm);
        if (rank == root)
            check_sum(count, first, size, root, "MPI_Reduce in place");
    }
    fill(count);
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
    check_sum(count, first, size, 0, "MPI_Allreduce");
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int first = 0; first < size; first++) {
        MPI_Comm comm;

        MPI_Comm_split(MPI_COMM_WORLD, ct_me < first ? MPI_UNDEFINED : 0, ct_me, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        for (int count = 1; count <= MOST; count *= 16)
            check_roots(comm, count, first, size - first);
        MPI_Comm_free(&comm);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
