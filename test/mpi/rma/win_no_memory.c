/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The last process has no memory for one of the allocations of a new window, each in turn: the
 * window can be made on all processes, or on none.  Nothing leaks: no memory, and no context ids,
 * of which there are fewer than attempts (MPIR_CVAR_CTXID_LIMIT).  When there is memory again,
 * windows can be made and used.
 *
 * Argument: -from (all later allocations of the call fail, too)
 */
#include "cmaptest_poor.h"
#include "cmaptest_win.h"

enum { MOST = 2000 };

static int is_victim;

/* Of the processes with which the window is made. */
static int failures(int kind, int failed, int *members)
{
    int sum = 0;
    MPI_Comm comm = ct_win_comm(kind);

    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_size(comm, members);
    return sum;
}

/* What the last attempt has allocated and not freed, if it made no window. */
static long left;

/* Fails the n-th allocation of the victim.  Answers whether there was one. */
static int attempt(int kind, int nth)
{
    const char *name = ct_win_names[kind];
    int result, refused, failed, members, any;
    long before = ct_alive;
    MPI_Win win;

    ct_poor_begin(is_victim ? nth : 0);
    result = ct_win_make(kind, &win);
    refused = ct_poor_end();
    if (result == MPI_SUCCESS && nth % 8 == 1)
        ct_win_use(kind, win);
    if (result == MPI_SUCCESS)
        MPI_Win_free(&win);
    left = result == MPI_SUCCESS ? 0 : ct_alive - before;
    failed = failures(kind, result != MPI_SUCCESS, &members);
    CT_CHECK(failed == 0 || failed == members, "%s without the allocation %d fails on %d of %d",
             name, nth, failed, members);
    MPI_Allreduce(&refused, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CT_CHECK(any || failed == 0, "%s fails with all the memory", name);
    return any;
}

/* A leak is there each time.  The network library keeps a block now and then, and frees it
 * later. */
static void check_left(int kind, int nth)
{
    int leaves = 1;

    for (int i = 0; i < 5 && leaves; i++) {
        attempt(kind, nth);
        leaves = left != 0;
        MPI_Allreduce(MPI_IN_PLACE, &leaves, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CT_CHECK(!leaves || !left, "%s without the allocation %d leaves %ld", ct_win_names[kind], nth,
             left);
}

static void check(int kind)
{
    int nth = 1;

    /* what the first window of a kind needs and keeps is there */
    attempt(kind, 0);
    while (nth < MOST && attempt(kind, nth))
        check_left(kind, nth++);
    CT_CHECK(nth < MOST, "%s has no end", ct_win_names[kind]);
    attempt(kind, 0);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++)
        ct_poor_mode(argv[i]);
    is_victim = ct_me == size - 1;
    ct_win_begin();
    for (int kind = 0; ct_can_be_poor() && kind < CT_WIN_KINDS; kind++)
        check(kind);
    ct_win_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
