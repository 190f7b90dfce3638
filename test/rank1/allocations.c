/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations on groups of a regular form, and creations of communicators of one: whatever the size
 * of the world, what they ask for, the map's header and room to work in while they last, is a few
 * kilobytes in all.  Prints "NAME BYTES" of each that asks for more.
 */
#include <mpi.h>
#include <stdio.h>
#include "cmaptest_malloc.h"

#define MOST 4096 /* bytes */

#ifdef CT_HAVE_MALLOC
static size_t asked;

static int ct_refuses(void) { return 0; }

static void ct_allocated(void *p, size_t size) { asked += size; }

static void ct_frees(void *p) {}

static int failed;
static MPI_Group world, even, made;

/* What has been asked for since the last time. */
static void check(const char *name)
{
    if (asked > MOST) {
        printf("%s %zu\n", name, asked);
        failed = 1;
    }
    if (made != MPI_GROUP_NULL)
        MPI_Group_free(&made);
    asked = 0;
}

static void operations(int size)
{
    int range[1][3] = {{0, size - 1, 2}}, result;

    asked = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &made);
    check("MPI_Comm_group");
    MPI_Group_range_incl(world, 1, range, &made);
    check("MPI_Group_range_incl");
    MPI_Group_range_excl(world, 1, range, &made);
    check("MPI_Group_range_excl");
    MPI_Group_union(even, world, &made);
    check("MPI_Group_union");
    MPI_Group_intersection(world, even, &made);
    check("MPI_Group_intersection");
    MPI_Group_difference(world, even, &made);
    check("MPI_Group_difference");
    MPI_Group_compare(world, even, &result);
    check("MPI_Group_compare");
}

static void check_comm(const char *name, MPI_Comm *comm)
{
    check(name);
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
    asked = 0;
}

static void sub_grids(MPI_Comm grid)
{
    MPI_Comm comm;

    for (int mask = 1; mask < 8; mask++) {
        int remain[3] = {mask & 1, mask >> 1 & 1, mask >> 2};
        MPI_Cart_sub(grid, remain, &comm);
        check_comm("MPI_Cart_sub", &comm);
    }
}

/* As rank 0, which is even. */
static void creations(int size)
{
    int dims[3] = {0}, periods[3] = {0, 1, 0}, next = 1;
    MPI_Request request;
    MPI_Comm comm, grid;

    asked = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_comm("MPI_Comm_dup", &comm);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_comm("MPI_Comm_idup", &comm);
    MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
    check_comm("MPI_Comm_create", &comm);
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 0, &comm);
    check_comm("MPI_Comm_create_group", &comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &next, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    check_comm("MPI_Dist_graph_create_adjacent", &comm);
    MPI_Dims_create(size, 3, dims);
    for (int reorder = 0; reorder < 2; reorder++) {
        asked = 0;
        MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, reorder, &grid);
        check("MPI_Cart_create");
        sub_grids(grid);
        MPI_Comm_free(&grid);
    }
}

int main(int argc, char **argv)
{
    int size, range[1][3] = {{0, 0, 2}};

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    range[0][1] = size - 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &even);
    made = MPI_GROUP_NULL;
    operations(size); /* pools grow */
    creations(size);
    failed = 0;
    operations(size);
    creations(size);
    MPI_Group_free(&even);
    MPI_Group_free(&world);
    MPI_Finalize();
    return failed;
}
#else
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
#endif
