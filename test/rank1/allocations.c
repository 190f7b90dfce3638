/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations on groups of a regular form: whatever the size of the world, what they ask for, the
 * map's header and room to work in while they last, is a few kilobytes in all.  Prints "NAME BYTES"
 * of each that asks for more.
 */
#include <mpi.h>
#include <stdio.h>
#include "cmaptest_malloc.h"

#define MOST 4096       /* bytes */

#ifdef CT_HAVE_MALLOC
static size_t asked;

static int ct_refuses(void)
{
    return 0;
}

static void ct_allocated(void *p, size_t size)
{
    asked += size;
}

static void ct_frees(void *p)
{
}

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
    int range[1][3] = { {0, size - 1, 2} }, result;

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

int main(int argc, char **argv)
{
    int size, range[1][3] = { {0, 0, 2} };

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    range[0][1] = size - 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &even);
    made = MPI_GROUP_NULL;
    operations(size);   /* pools grow */
    failed = 0;
    operations(size);
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
