/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One-sided communication of several threads of each process at once: each thread has the exclusive
 * lock of targets that no other thread of its process locks meanwhile; all threads share one epoch
 * of lock_all, in which they begin with the same targets; and each has a window of its own.  Every
 * step counts, and none is lost.
 */
#include "cmaptest_threads.h"
#include "cmaptest_oracle.h"

#define THREADS 3
#define STEPS 60

static int size;
static MPI_Win win, own_win[THREADS];
static long *own_mine[THREADS];

static void add_under_lock(MPI_Win where, int target)
{
    long value;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, where);
    MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, where);
    MPI_Win_flush(target, where);
    value++;
    MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, where);
    MPI_Win_unlock(target, where);
}

static MTEST_THREAD_RETURN_TYPE lock_targets(void *arg)
{
    int me = (int) (intptr_t) arg;

    for (int i = 0; i < STEPS; i++) {
        for (int target = me; target < size; target += THREADS)
            add_under_lock(win, target);
        add_under_lock(own_win[me], (ct_me + i) % size);
    }
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

static MTEST_THREAD_RETURN_TYPE add_to_all(void *arg)
{
    long one = 1, seen;

    (void) arg;
    for (int i = 0; i < STEPS; i++) {
        for (int target = 0; target < size; target++) {
            MPI_Fetch_and_op(&one, &seen, MPI_LONG, target, 1, MPI_SUM, win);
            if (i % 8 == 0)
                MPI_Win_flush(target, win);
        }
    }
    /* before the variables go */
    MPI_Win_flush_all(win);
    return (MTEST_THREAD_RETURN_TYPE) 0;
}

static void check_words(const long *mine)
{
    long sum = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    CT_CHECK(mine[0] == (long) size * STEPS, "%ld steps under locks, not %d", mine[0],
             size * STEPS);
    CT_CHECK(mine[1] == (long) size * STEPS * THREADS, "%ld steps under lock_all, not %d", mine[1],
             size * STEPS * THREADS);
    MPI_Win_unlock(ct_me, win);
    for (int i = 0; i < THREADS; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, own_win[i]);
        sum += own_mine[i][0];
        MPI_Win_unlock(ct_me, own_win[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CT_CHECK(sum == (long) size * STEPS * THREADS, "%ld steps in windows of threads, not %d", sum,
             size * STEPS * THREADS);
}

/* Allocated windows, or windows of the program's memory. */
static void run(int created)
{
    static long memory[2], own_memory[THREADS];
    long *mine = memory;
    MPI_Aint bytes = 2 * sizeof(long);

    if (created)
        MPI_Win_create(memory, bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    mine[0] = mine[1] = 0;
    for (int i = 0; i < THREADS; i++) {
        own_mine[i] = &own_memory[i];
        if (created)
            MPI_Win_create(own_mine[i], sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                           &own_win[i]);
        else
            MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                             &own_mine[i], &own_win[i]);
        own_mine[i][0] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ct_in_threads(THREADS, lock_targets);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    ct_in_threads(THREADS, add_to_all);
    MPI_Win_unlock_all(win);
    check_words(mine);
    for (int i = 0; i < THREADS; i++)
        MPI_Win_free(&own_win[i]);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int provided;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided == MPI_THREAD_MULTIPLE) {
        run(0);
        run(1);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
