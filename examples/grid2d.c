/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A 2-D grid of ranks and the communicators that programs make of one: rows, columns, diagonals, and the whole grid in
 * another order.  Each adds up something along itself and checks the sum.
 *
 *     mpicc -o grid2d grid2d.c && MPIR_CVAR_CMAP_REPORT=1 mpiexec -n 16 ./grid2d
 *
 * At the end, rank 0 prints what the maps of these communicators cost.
 */
#include <mpi.h>
#include <stdio.h>

static int rank, size, rows, columns;

/* Adds the world ranks along comm and compares with what the caller worked out by hand. */
static int sum_is(MPI_Comm comm, const char *name, int expected)
{
    int sum;

    MPI_Comm_set_name(comm, name);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != expected)
        printf("rank %d: the %s adds up to %d, not %d\n", rank, name, sum, expected);
    return sum == expected;
}

/* My row and my column: ranks that differ by 1, and by the length of a row. */
static int rows_and_columns(MPI_Comm * row, MPI_Comm * column)
{
    int r = rank / columns, c = rank % columns;

    MPI_Comm_split(MPI_COMM_WORLD, r, c, row);
    MPI_Comm_split(MPI_COMM_WORLD, c, r, column);
    return sum_is(*row, "row", columns * (r * columns) + columns * (columns - 1) / 2) &&
        sum_is(*column, "column", rows * c + columns * rows * (rows - 1) / 2);
}

/* Ranks 0, columns + 1, 2 (columns + 1), ...: made from a group, so only its members take part. */
static int diagonal(MPI_Comm * diag)
{
    int length = rows < columns ? rows : columns;
    int range[1][3] = { { 0, (length - 1) * (columns + 1), columns + 1 } };
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, diag);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return *diag == MPI_COMM_NULL ||
        sum_is(*diag, "diagonal", (columns + 1) * length * (length - 1) / 2);
}

/* Everybody, in another order: from the last to the first, and column by column. */
static int reordered(MPI_Comm * reversed, MPI_Comm * transposed)
{
    int r = rank / columns, c = rank % columns, mine, ok;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed);
    MPI_Comm_split(MPI_COMM_WORLD, 0, c * rows + r, transposed);
    ok = sum_is(*reversed, "reversed", size * (size - 1) / 2);
    MPI_Comm_rank(*reversed, &mine);
    ok &= mine == size - 1 - rank;
    ok &= sum_is(*transposed, "transposed", size * (size - 1) / 2);
    MPI_Comm_rank(*transposed, &mine);
    ok &= mine == c * rows + r;
    return ok;
}

int main(int argc, char **argv)
{
    MPI_Comm comm[5];
    int dims[2] = { 0, 0 }, ok, all_ok;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    rows = dims[0];
    columns = dims[1];

    ok = rows_and_columns(&comm[0], &comm[1]);
    ok &= diagonal(&comm[2]);
    ok &= reordered(&comm[3], &comm[4]);

    MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d x %d grid: %s\n", rows, columns, all_ok ? "all sums are right" : "WRONG SUMS");

    /* The communicators stay: the report at MPI_Finalize is to show them. */
    MPI_Finalize();
    return all_ok ? 0 : 1;
}
