/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A 2-D grid of ranks and the communicators that programs make of one: rows, columns, diagonals,
 * and the whole grid in another order.  Each adds up something along itself and checks the sum.
 *
 *     mpicc -o grid2d grid2d.c && MPIR_CVAR_CMAP_REPORT=1 mpiexec -n 16 ./grid2d
 *
 * At the end, rank 0 prints what the maps of these communicators cost.  "grid2d create" only makes
 * them: as one rank of a million, the others of which do not exist,
 *
 *     MPIR_CVAR_CMAP_REPORT=1 mpirank1 --world 1048576 --scenario rows --scenario columns
 *     --scenario reversed ./grid2d create
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, rows, columns, only_create;

/* Adds the world ranks along comm and compares with what the caller worked out by hand. */
static int sum_is(MPI_Comm comm, const char *name, int expected)
{
    int sum;

    MPI_Comm_set_name(comm, name);
    if (only_create)
        return 1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != expected)
        printf("rank %d: the %s adds up to %d, not %d\n", rank, name, sum, expected);
    return sum == expected;
}

/* My row and my column: ranks that differ by 1, and by the length of a row. */
static int rows_and_columns(MPI_Comm *row, MPI_Comm *column)
{
    int r = rank / columns, c = rank % columns;

    MPI_Comm_split(MPI_COMM_WORLD, r, rank, row);
    MPI_Comm_split(MPI_COMM_WORLD, c, rank, column);
    return sum_is(*row, "row", columns * (r * columns) + columns * (columns - 1) / 2) &&
           sum_is(*column, "column", rows * c + columns * rows * (rows - 1) / 2);
}

/* Ranks 0, columns + 1, 2 (columns + 1), ...: made from a group, so only its members take part. */
static int diagonal(MPI_Comm *diag)
{
    int length = rows < columns ? rows : columns;
    int range[1][3] = {{0, (length - 1) * (columns + 1), columns + 1}};
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, diag);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return *diag == MPI_COMM_NULL ||
           sum_is(*diag, "diagonal", (columns + 1) * length * (length - 1) / 2);
}

/* Everybody, in an order in which I am the one with this number. */
static int reordered(MPI_Comm *comm, const char *name, int number)
{
    int mine, ok;

    MPI_Comm_split(MPI_COMM_WORLD, 0, number, comm);
    ok = sum_is(*comm, name, size * (size - 1) / 2);
    MPI_Comm_rank(*comm, &mine);
    return ok && mine == number;
}

int main(int argc, char **argv)
{
    MPI_Comm comm[5];
    int dims[2] = {0, 0}, ok, all_ok = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    rows = dims[0];
    columns = dims[1];
    only_create = argc == 2 && strcmp(argv[1], "create") == 0;
    if (argc > 1 && !only_create) {
        fprintf(stderr, "usage: grid2d [create]\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    ok = rows_and_columns(&comm[0], &comm[1]);
    ok &= diagonal(&comm[2]);
    ok &= reordered(&comm[3], "reversed", size - 1 - rank);
    if (!only_create) {
        ok &= reordered(&comm[4], "transposed", rank % columns * rows + rank / columns);
        MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    if (rank == 0 && !only_create)
        printf("%d x %d grid: %s\n", rows, columns, all_ok ? "all sums are right" : "WRONG SUMS");

    /* The communicators stay: the report at MPI_Finalize is to show them. */
    MPI_Finalize();
    return all_ok ? 0 : 1;
}
