/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Access epochs by MPI_Win_start with one target after the other, while all of them have posted: a
 * post belongs to the process it comes from, and waits for the epoch that names it.  Then two
 * origins at once, with groups that overlap, and posts that come before anybody asks for them.  In
 * windows whose posts are messages, and in those of peers.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

#define ROUNDS 50

static int size;
static MPI_Group all;

static MPI_Group group_of(int n, const int *ranks)
{
    MPI_Group group;

    MPI_Group_incl(all, n, ranks, &group);
    return group;
}

static void put_to(MPI_Win win, int n, const int *targets, const int *value, int place)
{
    MPI_Group group = group_of(n, targets);

    MPI_Win_start(group, 0, win);
    for (int i = 0; i < n; i++)
        MPI_Put(value, 1, MPI_INT, targets[i], place, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Group_free(&group);
}

static void expose_to(MPI_Win win, int n, const int *origins)
{
    MPI_Group group = group_of(n, origins);

    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&group);
}

/* Rank 0 visits the others, in their order, from the last one, and in an order of its own. */
static void one_after_the_other(MPI_Win win, const int *mine)
{
    int origin = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int value = 1000 * round + 7;

        if (ct_me == 0) {
            for (int i = 1; i < size; i++) {
                int target = round % 3 == 0   ? i
                             : round % 3 == 1 ? size - i
                                              : 1 + (i * 5 + round) % (size - 1);

                if (round % 3 == 2 && (size - 1) % 5 == 0)
                    target = i;
                put_to(win, 1, &target, &value, 0);
            }
        } else {
            expose_to(win, 1, &origin);
            CT_CHECK(mine[0] == value, "round %d: %d, not %d", round, mine[0], value);
        }
    }
}

/* Ranks 0 and 1 put to all others at once, in pieces of one and two targets that differ between
 * the two. */
static void two_origins(MPI_Win win, const int *mine)
{
    const int origins[2] = {0, 1};

    for (int round = 0; round < ROUNDS; round++) {
        int value = 1000 * round + ct_me;

        if (ct_me < 2) {
            for (int first = 2; first < size;) {
                int targets[2] = {first, first + 1},
                    n = first + 1 < size && (first + round + ct_me) % 2 ? 2 : 1;

                put_to(win, n, targets, &value, ct_me);
                first += n;
            }
        } else {
            expose_to(win, 2, origins);
            for (int i = 0; i < 2; i++)
                CT_CHECK(mine[i] == 1000 * round + i, "round %d from %d: %d", round, i, mine[i]);
        }
    }
}

/* A post that arrives in another epoch of its receiver, of locks or of other targets, still
 * opens the one it was for. */
static void early_posts(MPI_Win win, const int *mine)
{
    int origin = 0, last = size - 1;

    for (int round = 0; round < ROUNDS; round++) {
        int value = 3000 + round;

        if (ct_me == last) {
            MPI_Group group = group_of(1, &origin);

            MPI_Win_post(group, 0, win);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Win_wait(win);
            MPI_Group_free(&group);
            CT_CHECK(mine[0] == value, "round %d: %d, not %d", round, mine[0], value);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            if (ct_me == 0) {
                for (int i = 1; i < last; i++) {
                    MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
                    MPI_Put(&value, 1, MPI_INT, i, 0, 1, MPI_INT, win);
                    MPI_Win_unlock(i, win);
                }
                put_to(win, 1, &last, &value, 0);
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One process waits by MPI_Win_test, which may not take completions twice. */
static void tested(MPI_Win win, const int *mine)
{
    int origin = 0, last = size - 1;

    for (int round = 0; round < ROUNDS; round++) {
        int value = 4000 + round, flag = 0;

        if (ct_me == 0)
            put_to(win, 1, &last, &value, 0);
        if (ct_me == last) {
            MPI_Group group = group_of(1, &origin);

            MPI_Win_post(group, 0, win);
            while (!flag)
                MPI_Win_test(win, &flag);
            MPI_Group_free(&group);
            CT_CHECK(mine[0] == value, "round %d: %d, not %d", round, mine[0], value);
        }
    }
}

static void in_all_ways(MPI_Win win, int *mine)
{
    if (size > 1)
        one_after_the_other(win, mine);
    MPI_Barrier(MPI_COMM_WORLD);
    if (size > 2)
        two_origins(win, mine);
    MPI_Barrier(MPI_COMM_WORLD);
    if (size > 1)
        early_posts(win, mine);
    MPI_Barrier(MPI_COMM_WORLD);
    if (size > 1)
        tested(win, mine);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int mine[2] = {0, 0}, *allocated;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_create(mine, sizeof(mine), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    in_all_ways(win, mine);
    MPI_Win_allocate(sizeof(mine), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    in_all_ways(win, allocated);
    MPI_Group_free(&all);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
