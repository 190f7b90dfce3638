/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Nobody waits for ever, and nobody is left behind.  Processes that open one epoch after the other,
 * as long as one of them has not done a number of epochs of another kind: readers that overlap
 * without a gap and a writer, writers and a reader, and readers of all targets and a writer.  Then
 * all contend for one lock, and none stops before the last has done his share.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#include <stdbool.h>

#define EPOCHS 30
#define SHARE 400

static int size;

/* The flag that ends a phase is in the window of the last rank, which nobody locks in between. */
static bool is_over(MPI_Win flags, long phase)
{
    long none = 0, flag;

    MPI_Fetch_and_op(&none, &flag, MPI_LONG, size - 1, 0, MPI_NO_OP, flags);
    MPI_Win_flush(size - 1, flags);
    return flag >= phase;
}

static void end_phase(MPI_Win flags, long phase)
{
    MPI_Accumulate(&phase, 1, MPI_LONG, size - 1, 0, 1, MPI_LONG, MPI_MAX, flags);
    MPI_Win_flush(size - 1, flags);
}

static void epoch(MPI_Win win, int kind, int target)
{
    long one = 1, seen;

    if (kind < 0)
        MPI_Win_lock_all(0, win);
    else
        MPI_Win_lock(kind, target, 0, win);
    for (int i = 0; i < (kind < 0 ? size : 1); i++)
        MPI_Fetch_and_op(&one, &seen, MPI_LONG, kind < 0 ? i : target, 0, MPI_SUM, win);
    if (kind < 0)
        MPI_Win_unlock_all(win);
    else
        MPI_Win_unlock(target, win);
}

/* Rank 0 does a number of epochs of its kind, the others theirs until it has. */
static void one_against_many(MPI_Win win, MPI_Win flags, int one, int many, long phase)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0) {
        for (int i = 0; i < EPOCHS; i++)
            epoch(win, one, 1 % size);
        end_phase(flags, phase);
    } else {
        while (!is_over(flags, phase))
            epoch(win, many, 1 % size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All take one lock until everybody has done his share: who is left behind is not helped by
 * others being done. */
static void fair(MPI_Win win, MPI_Win flags)
{
    long done = 0, one = 1, reached = 0, finished, whole, none = 0;

    MPI_Fetch_and_op(&none, &whole, MPI_LONG, size - 1, 1, MPI_NO_OP, flags);
    MPI_Win_flush(size - 1, flags);
    MPI_Barrier(MPI_COMM_WORLD);
    whole += size;
    do {
        epoch(win, MPI_LOCK_EXCLUSIVE, 0);
        if (++done == SHARE)
            reached = 1;
        MPI_Fetch_and_op(reached ? &one : &none, &finished, MPI_LONG, size - 1, 1, MPI_SUM, flags);
        MPI_Win_flush(size - 1, flags);
        reached = 0;
    } while (finished < whole);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_window(MPI_Win win, MPI_Win flags, long *phase)
{
    one_against_many(win, flags, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, ++*phase);
    one_against_many(win, flags, MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE, ++*phase);
    one_against_many(win, flags, MPI_LOCK_EXCLUSIVE, -1, ++*phase);
    one_against_many(win, flags, -1, MPI_LOCK_EXCLUSIVE, ++*phase);
    fair(win, flags);
}

int main(int argc, char **argv)
{
    long memory[3] = {0, 0, 0}, *mine, phase = 0;
    MPI_Win win, flags;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(&memory[1], 2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &flags);
    MPI_Win_lock_all(0, flags);

    MPI_Win_create(&memory[0], sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_window(win, flags, &phase);
    MPI_Win_free(&win);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    check_window(win, flags, &phase);
    MPI_Win_free(&win);

    MPI_Win_unlock_all(flags);
    MPI_Win_free(&flags);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
