/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Exclusive and shared locks in rings: every rank locks its neighbour, all of them in turn, or two
 * at once in the order of their ranks, and changes two words of the target by a get, a flush and a
 * put.  An exclusive lock means that nobody sees the words differ and that no step is lost.
 * Windows of the program's own memory, allocated and shared ones.
 */
#include "cmaptest.h"
#include <stdbool.h>

#define STEPS 60

static int size;

static void step(MPI_Win win, int target)
{
    static long pair[2]; /* until the lock is given back */

    MPI_Get(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, win);
    MPI_Win_flush(target, win);
    CT_CHECK(pair[0] == pair[1], "words of rank %d differ under an exclusive lock: %ld and %ld",
             target, pair[0], pair[1]);
    pair[0]++;
    MPI_Put(&pair[0], 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    pair[1] = pair[0];
    MPI_Put(&pair[1], 1, MPI_LONG, target, 1, 1, MPI_LONG, win);
}

static void look(MPI_Win win, int target)
{
    long pair[2];

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, win);
    MPI_Win_unlock(target, win);
    CT_CHECK(pair[0] == pair[1], "words of rank %d differ under a shared lock: %ld and %ld", target,
             pair[0], pair[1]);
}

static void neighbour(MPI_Win win, int i)
{
    int target = (ct_me + 1) % size;

    (void) i;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    step(win, target);
    MPI_Win_unlock(target, win);
}

static void all_in_turn(MPI_Win win, int i)
{
    int target = (ct_me + i) % size;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    step(win, target);
    MPI_Win_unlock(target, win);
    look(win, (ct_me + 2 * i + 1) % size);
}

static void two_at_once(MPI_Win win, int i)
{
    int one = (ct_me + i) % size, other = (one + 1) % size;
    int low = one < other ? one : other, high = one < other ? other : one;

    if (low == high) {
        all_in_turn(win, i);
        return;
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, low, 0, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, high, 0, win);
    step(win, one);
    MPI_Win_unlock(high, win);
    MPI_Win_unlock(low, win);
}

/* Odd ranks add under exclusive locks, even ones look at all under one shared lock. */
static void readers_and_writers(MPI_Win win, int i)
{
    if (ct_me % 2 || size == 1) {
        neighbour(win, i);
        return;
    }
    long pair[2];

    MPI_Win_lock_all(0, win);
    for (int target = 0; target < size; target++) {
        MPI_Get(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, win);
        MPI_Win_flush(target, win);
        CT_CHECK(pair[0] == pair[1], "words of rank %d differ under lock_all: %ld and %ld", target,
                 pair[0], pair[1]);
    }
    MPI_Win_unlock_all(win);
}

static void check_window(MPI_Win win, long *mine, const char *kind)
{
    static const struct {
        const char *name;
        void (*run)(MPI_Win, int);
    } ring[] = {
        {"each locks its neighbour", neighbour},
        {"all in turn", all_in_turn},
        {"two at once", two_at_once},
        {"readers and writers", readers_and_writers},
    };

    for (size_t r = 0; r < sizeof(ring) / sizeof(ring[0]); r++) {
        long sum, want, steps = r == 3 && ct_me % 2 == 0 && size > 1 ? 0 : STEPS;

        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ct_me, 0, win);
        mine[0] = mine[1] = 0;
        MPI_Win_unlock(ct_me, win);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < STEPS; i++)
            ring[r].run(win, i);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
        CT_CHECK(mine[0] == mine[1], "%s, %s: words differ at the end, %ld and %ld", kind,
                 ring[r].name, mine[0], mine[1]);
        sum = mine[0];
        MPI_Win_unlock(ct_me, win);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&steps, &want, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CT_CHECK(sum == want, "%s, %s: %ld steps, not %ld", kind, ring[r].name, sum, want);
    }
}

int main(int argc, char **argv)
{
    long memory[4], *mine;
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* at an address that is no multiple of 16 */
    mine = memory + ((uintptr_t) memory % 16 == 0);
    MPI_Win_create(mine, 2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_window(win, mine, "memory of the program");
    MPI_Win_free(&win);
    MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    check_window(win, mine, "allocated window");
    MPI_Win_free(&win);
    if (ct_is_one_node(MPI_COMM_WORLD)) {
        MPI_Win_allocate_shared(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                                &mine, &win);
        check_window(win, mine, "shared window");
        MPI_Win_free(&win);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
