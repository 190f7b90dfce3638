/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Win_shared_query of windows that are not shared: the memory of MPI_Win_allocate of the
 * processes of the node is reached by its address, and that of other nodes and of MPI_Win_create
 * has no bytes. MPI_PROC_NULL stands for the lowest rank with memory, if lower ones are reached. A
 * dynamic window is an error.
 */
#include "cmaptest.h"

static MPI_Comm node;
static int rank, size;

/* The rank on this node of a rank of the world, or MPI_UNDEFINED. */
static int on_node(int of)
{
    MPI_Group world, here;
    int place;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(node, &here);
    MPI_Group_translate_ranks(world, 1, &of, here, &place);
    MPI_Group_free(&world);
    MPI_Group_free(&here);
    return place;
}

/* Each rank has as many ints as its rank, so that the first has none. */
static void check_rank(MPI_Win win, int of, bool is_reached)
{
    MPI_Aint bytes = -1;
    int unit = -1, *base = NULL;

    MPI_Win_shared_query(win, of, &bytes, &unit, &base);
    if (!is_reached) {
        CT_CHECK(bytes == 0 && base == NULL, "rank %d has %ld bytes at %p", of, (long) bytes, base);
        return;
    }
    CT_CHECK(bytes == (MPI_Aint) (of * sizeof(int)) && (of == 0 || unit == of),
             "rank %d has %ld bytes of %d", of, (long) bytes, unit);
    for (int i = 0; i < of && bytes > 0; i++)
        CT_CHECK(base[i] == of, "rank %d has %d", of, base[i]);
}

static bool is_reached(int of, bool is_allocated)
{
    return of == rank || (is_allocated && on_node(of) != MPI_UNDEFINED);
}

static void check_first(MPI_Win win, bool is_allocated)
{
    MPI_Aint bytes = -1;
    int unit, *base, first = MPI_PROC_NULL;

    /* the first rank has none, which only the processes know that reach it */
    if (size > 1 && is_reached(0, is_allocated) && is_reached(1, is_allocated))
        first = 1;
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &base);
    CT_CHECK(bytes == (first == MPI_PROC_NULL ? 0 : (MPI_Aint) (first * sizeof(int))),
             "MPI_PROC_NULL: %ld bytes, first is %d", (long) bytes, first);
}

static void check(MPI_Win win, int *base, bool is_allocated)
{
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < rank; i++)
        base[i] = rank;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int of = 0; of < size; of++)
        check_rank(win, of, is_reached(of, is_allocated));
    check_first(win, is_allocated);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void check_dynamic(void)
{
    MPI_Aint bytes;
    MPI_Win win;
    int unit, err, class = MPI_SUCCESS;
    void *base;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    err = MPI_Win_shared_query(win, rank, &bytes, &unit, &base);
    if (err)
        MPI_Error_class(err, &class);
    CT_CHECK(class == MPI_ERR_RMA_FLAVOR, "dynamic: class %d", class);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int own[100], *base, unit;
    MPI_Aint bytes;
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    bytes = rank * sizeof(int);
    unit = rank > 0 ? rank : 1;
    MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    check(win, base, true);
    MPI_Win_create(own, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check(win, own, false);
    check_dynamic();
    MPI_Comm_free(&node);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
