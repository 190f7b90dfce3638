/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Win_allocate_shared: on processes of several nodes it fails on all of them with the class
 * MPI_ERR_RMA_SHARED.  On one node the segments follow each other in the order of the ranks, also
 * those of no bytes, and a query tells the displacement unit of each, also when none has a byte.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static MPI_Comm node;
static int size;

static void check_nodes(void)
{
    int node_size, n, err, class = MPI_SUCCESS, several;
    MPI_Win win;
    char *base;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_size(node, &node_size);
    several = node_size < n;
    for (int turn = 0; turn < 3; turn++) {
        err = MPI_Win_allocate_shared(turn == 2 ? 0 : 64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                                      &win);
        if (err)
            MPI_Error_class(err, &class);
        CT_CHECK(class == (several ? MPI_ERR_RMA_SHARED : MPI_SUCCESS), "class %d, %d of %d here",
                 class, node_size, n);
        if (!err)
            MPI_Win_free(&win);
    }
}

/* A rank asks for `most` bytes, or for none if it is less than `first` or more than `last`. */
static MPI_Aint bytes_of(int rank, int first, int last, MPI_Aint most)
{
    return rank < first || rank > last ? 0 : most;
}

static void check_proc_null(MPI_Win win, int first, int last, MPI_Aint most)
{
    MPI_Aint bytes = -1, expected = 0;
    char *got = NULL, *lowest = NULL;
    int unit;

    for (int i = size - 1; i >= 0; i--) {
        MPI_Aint mine = bytes_of(i, first, last, most);

        if (mine > 0) {
            MPI_Win_shared_query(win, i, &bytes, &unit, &lowest);
            expected = mine;
        }
    }
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &got);
    CT_CHECK(bytes == expected, "MPI_PROC_NULL has %ld bytes", (long) bytes);
    CT_CHECK(expected == 0 || got == lowest, "MPI_PROC_NULL is at %p, not %p", got, lowest);
}

static void check_segments(int first, int last, MPI_Aint most)
{
    MPI_Aint bytes, sum = 0;
    MPI_Win win;
    char *base, *begin = NULL, *got;
    int unit;

    MPI_Win_allocate_shared(bytes_of(ct_me, first, last, most), 1 + ct_me, MPI_INFO_NULL, node,
                            &base, &win);
    for (int i = 0; i < size; i++) {
        MPI_Win_shared_query(win, i, &bytes, &unit, &got);
        CT_CHECK(bytes == bytes_of(i, first, last, most), "rank %d has %ld bytes", i, (long) bytes);
        CT_CHECK(unit == 1 + i, "rank %d has the displacement unit %d", i, unit);
        if (i == 0)
            begin = got;
        CT_CHECK(got == begin + sum, "rank %d of %d to %d is at %ld, not %ld", i, first, last,
                 (long) (got - begin), (long) sum);
        CT_CHECK(i != ct_me || got == base, "the own segment is at %p and %p", got, base);
        sum += bytes;
    }
    CT_CHECK((begin != NULL) == (sum > 0), "%ld bytes are at %p", (long) sum, begin);
    check_proc_null(win, first, last, most);
    MPI_Barrier(node);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    check_nodes();
    MPI_Comm_rank(node, &ct_me);
    MPI_Comm_size(node, &size);
    check_segments(0, size - 1, 333);
    check_segments(0, size - 1, 4096);
    check_segments(1, size - 1, 17);
    check_segments(0, 0, 4096);
    check_segments(size / 2, size / 2, 100);
    check_segments(0, -1, 0);
    MPI_Comm_free(&node);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
