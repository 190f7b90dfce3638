/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: mcs_lock -wait=self|local|sync|fetch
 *
 * The lock of Mellor-Crummey and Scott, as the MPI Standard has it among its examples: a process
 * adds itself to a queue by an accumulate on the memory of its predecessor, without a flush, and
 * then looks at its own memory. Meanwhile it flushes its own memory, uses MPI_Win_sync, or fetches
 * a value of process 0. Each process adds to a counter that only the lock protects.
 */
#include "cmaptest.h"

enum { NEXT, BLOCKED, TAIL, COUNTER, SLOTS, ROUNDS = 10, NOBODY = -1 };

static const char *how = "self";
static int size;
static volatile int *memory;
static MPI_Win win;

static void replace(int value, int target, int slot)
{
    static int kept[2]; /* until the epoch ends; one for each slot that others write */

    kept[slot] = value;
    MPI_Accumulate(&kept[slot], 1, MPI_INT, target, slot, 1, MPI_INT, MPI_REPLACE, win);
}

static void look(void)
{
    int nothing = 0, got;

    if (strcmp(how, "fetch") == 0) {
        MPI_Fetch_and_op(&nothing, &got, MPI_INT, 0, COUNTER, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
    } else if (strcmp(how, "self") == 0) {
        MPI_Win_flush(ct_me, win);
    } else if (strcmp(how, "local") == 0) {
        MPI_Win_flush_local(ct_me, win);
    }
    MPI_Win_sync(win);
}

static int swap(int value)
{
    int before = NOBODY;

    MPI_Fetch_and_op(&value, &before, MPI_INT, 0, TAIL, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
    return before;
}

static void acquire(void)
{
    int before;

    MPI_Win_lock_all(0, win);
    memory[NEXT] = NOBODY;
    memory[BLOCKED] = 1;
    MPI_Win_sync(win);
    before = swap(ct_me);
    if (before != NOBODY) {
        replace(ct_me, before, NEXT);
        while (memory[BLOCKED])
            look();
    }
    MPI_Win_unlock_all(win);
}

static void release(void)
{
    int nobody = NOBODY, before;

    MPI_Win_lock_all(0, win);
    MPI_Compare_and_swap(&nobody, &ct_me, &before, MPI_INT, 0, TAIL, win);
    MPI_Win_flush(0, win);
    if (before != ct_me) {
        while (memory[NEXT] == NOBODY)
            look();
        replace(0, memory[NEXT], BLOCKED);
    }
    MPI_Win_unlock_all(win);
}

static void count(void)
{
    int value;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&value, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    value++;
    MPI_Put(&value, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
}

int main(int argc, char **argv)
{
    int *base;

    MTest_Init(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "-wait=", 6) == 0)
            how = argv[i] + 6;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(SLOTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memory = base;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ct_me, 0, win);
    memory[TAIL] = NOBODY;
    memory[COUNTER] = 0;
    MPI_Win_unlock(ct_me, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        acquire();
        count();
        release();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    CT_CHECK(ct_me > 0 || memory[COUNTER] == ROUNDS * size, "the counter is %d, not %d",
             memory[COUNTER], ROUNDS * size);
    MPI_Win_unlock(ct_me, win);
    MPI_Win_free(&win);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
