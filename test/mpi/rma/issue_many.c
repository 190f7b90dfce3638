/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Epochs of many short operations of one kind, around the counts that a message holds, with a long
 * one before, between and behind them: all are done when the epoch is over, and accumulates of one
 * word in their order.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MOST = 3000, LONG = 4096, WORDS = MOST + LONG + 1 };
enum { LOCK, LOCK_ALL, PSCW, FENCE, SYNCS };
enum { PUT, GET, ADD, FETCH, REPLACE, KINDS };
enum { NOWHERE = -1 };
static const char *const sync_names[] = {"lock", "lock_all", "pscw", "fence"};
static const char *const kind_names[] = {"put", "get", "add", "fetch", "replace"};

static int size, origin, target;
static MPI_Win win;
static MPI_Group of_origin, of_target;
static long *memory, out[MOST + LONG], got[MOST];

static void begin(int sync)
{
    if (sync == FENCE)
        MPI_Win_fence(0, win);
    else if (sync == PSCW && ct_me == origin)
        MPI_Win_start(of_target, 0, win);
    else if (sync == PSCW && ct_me == target)
        MPI_Win_post(of_origin, 0, win);
    else if (sync == LOCK && ct_me == origin)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    else if (sync == LOCK_ALL && ct_me == origin)
        MPI_Win_lock_all(0, win);
}

static void end(int sync)
{
    if (sync == FENCE)
        MPI_Win_fence(0, win);
    else if (sync == PSCW && ct_me == origin)
        MPI_Win_complete(win);
    else if (sync == PSCW && ct_me == target)
        MPI_Win_wait(win);
    else if (sync == LOCK && ct_me == origin)
        MPI_Win_unlock(target, win);
    else if (sync == LOCK_ALL && ct_me == origin)
        MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void operation(int kind, int i)
{
    if (kind == PUT)
        MPI_Put(&out[i], 1, MPI_LONG, target, i, 1, MPI_LONG, win);
    else if (kind == GET)
        MPI_Get(&got[i], 1, MPI_LONG, target, i, 1, MPI_LONG, win);
    else if (kind == ADD)
        MPI_Accumulate(&out[i], 1, MPI_LONG, target, i, 1, MPI_LONG, MPI_SUM, win);
    else if (kind == FETCH)
        MPI_Fetch_and_op(&out[i], &got[i], MPI_LONG, target, WORDS - 1, MPI_SUM, win);
    else
        MPI_Accumulate(&out[i], 1, MPI_LONG, target, WORDS - 1, 1, MPI_LONG, MPI_REPLACE, win);
}

static void operations(int sync, int kind, int count, int long_at)
{
    for (int i = 0; i <= count; i++) {
        if (i == long_at)
            MPI_Put(&out[MOST], LONG, MPI_LONG, target, MOST, LONG, MPI_LONG, win);
        if (i < count)
            operation(kind, i);
        if (sync == LOCK_ALL && i % 700 == 500)
            MPI_Win_flush(target, win);
    }
}

/* What the word of the target holds after so many operations, if it held i + 1 before. */
static long want_of(int kind, int count, int i)
{
    long sum = i + 1;

    if (i < count && kind == PUT)
        return 10L * i + 3;
    if (i < count && kind == ADD)
        return i + 1 + 10L * i + 3;
    for (int k = 0; i == WORDS - 1 && k < count && kind == FETCH; k++)
        sum += 10L * k + 3;
    if (i == WORDS - 1 && kind == REPLACE && count > 0)
        sum = 10L * (count - 1) + 3;
    return sum;
}

static void check_target(const char *what, int kind, int count, int long_at)
{
    for (int i = 0; i < WORDS; i++) {
        long want = i >= MOST && i < WORDS - 1 && long_at != NOWHERE ? 10L * i + 3
                                                                     : want_of(kind, count, i);
        CT_CHECK(memory[i] == want, "%s: word %d is %ld, not %ld", what, i, memory[i], want);
    }
}

static void check_origin(const char *what, int kind, int count)
{
    long sum = WORDS;

    for (int i = 0; i < count; i++) {
        long want = kind == GET ? i + 1 : sum;
        if (kind == GET || kind == FETCH)
            CT_CHECK(got[i] == want, "%s: operation %d got %ld, not %ld", what, i, got[i], want);
        sum += out[i];
    }
}

static void check(int sync, int kind, int count, int long_at)
{
    char what[80];

    snprintf(what, sizeof what, "%s, %d of %s, a long one at %d", sync_names[sync], count,
             kind_names[kind], long_at);
    for (int i = 0; i < WORDS; i++)
        memory[i] = i + 1;
    for (int i = 0; i < MOST + LONG; i++)
        out[i] = 10L * i + 3;
    memset(got, 0, sizeof got);
    MPI_Barrier(MPI_COMM_WORLD);
    begin(sync);
    if (ct_me == origin)
        operations(sync, kind, count, long_at);
    end(sync);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    if (ct_me == target)
        check_target(what, kind, count, long_at);
    if (ct_me == origin)
        check_origin(what, kind, count);
    MPI_Win_unlock(ct_me, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const int counts[] = {1, 2, 7, 8, 9, 24, 25, 26, 254, 255, 256, 300, MOST};
    MPI_Group world;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = size - 1;
    memory = ct_alloc(WORDS, sizeof(long));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &origin, &of_origin);
    MPI_Group_incl(world, 1, &target, &of_target);
    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int sync = 0; sync < SYNCS && size > 1; sync++) {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int i = 0; i < (int) (sizeof counts / sizeof counts[0]); i++) {
                const int long_at[] = {NOWHERE, 0, counts[i] / 2, counts[i]};
                for (int repeat = 0; repeat < 4; repeat++)
                    check(sync, kind, counts[i], long_at[repeat]);
            }
        }
    }
    MPI_Win_free(&win);
    MPI_Group_free(&of_origin);
    MPI_Group_free(&of_target);
    MPI_Group_free(&world);
    free(memory);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
