/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Cart_shift in topologies of 1 to 200 dimensions, most of which have one process.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MOST = 200 };

static void check_dimension(MPI_Comm grid, int direction, int length, int position, int rank)
{
    int source = -9, dest = -9;
    int right = position + 1 < length ? rank + 1 : MPI_PROC_NULL;
    int left = position > 0 ? rank - 1 : MPI_PROC_NULL;

    MPI_Cart_shift(grid, direction, 1, &source, &dest);
    CT_CHECK(source == left && dest == right, "dimension %d: from %d to %d, not from %d to %d",
             direction, source, dest, left, right);
}

static void check_grid(int n, int size)
{
    int dims[MOST], periods[MOST], rank;
    MPI_Comm grid;

    for (int i = 0; i < n; i++) {
        dims[i] = i == n - 1 ? size : 1;
        periods[i] = 0;
    }
    MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    for (int i = 0; i < n; i++)
        check_dimension(grid, i, dims[i], i == n - 1 ? rank : 0, rank);
    MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int n = 1; n <= MOST; n = n * 3 / 2 + 1)
        check_grid(n, size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
