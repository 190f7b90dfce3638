/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A window knows the targets that it is used for, and no others: the performance variable
 * rma_ucx_targets, of the UCX module. First operations on a target and those that follow, between
 * flushes of one and of all targets, arrive all the same.
 */
#include "mpitest.h"
#include "cmaptest.h"
#include "cmaptest_mpit.h"

#define WORDS 200
#define MANY (1 << 19) /* words, more than are there at once */

static int size, counted;
static ct_pvar targets;

static void expect_targets(int64_t want, const char *when)
{
    if (counted)
        CT_CHECK(ct_pvar_read(&targets) == want, "%s: %ld targets, not %ld", when,
                 (long) ct_pvar_read(&targets), (long) want);
}

/* Each word goes by a put of its own; every third comes back by a get before the next one. */
static void use(MPI_Win win, int target)
{
    long word, back;

    for (int i = 0; i < WORDS; i++) {
        word = 1000L * ct_me + i;
        MPI_Put(&word, 1, MPI_LONG, target, (MPI_Aint) ct_me * WORDS + i, 1, MPI_LONG, win);
        if (i % 7 == 0)
            MPI_Win_flush_all(win);
        else
            MPI_Win_flush(target, win);
        if (i % 3)
            continue;
        back = -1;
        MPI_Get(&back, 1, MPI_LONG, target, (MPI_Aint) ct_me * WORDS + i, 1, MPI_LONG, win);
        MPI_Win_flush_local(target, win);
        CT_CHECK(back == word, "word %d of rank %d: %ld came back for %ld", i, target, back, word);
    }
}

static void check_memory(const long *mine, int from)
{
    for (int i = 0; i < WORDS; i++)
        CT_CHECK(mine[from * WORDS + i] == 1000L * from + i, "word %d from rank %d: %ld", i, from,
                 mine[from * WORDS + i]);
}

/* A local flush waits for a get, whatever has been issued since. */
static void get_then_put(int target)
{
    long *mine = ct_alloc(MANY + 1, sizeof(long)), *all = ct_alloc(MANY, sizeof(long)), word = 0;
    MPI_Win win;

    for (long i = 0; i < MANY; i++)
        mine[i] = ct_me + i;
    MPI_Win_create(mine, (MANY + 1) * (MPI_Aint) sizeof(long), sizeof(long), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < 5; round++) {
        memset(all, -1, MANY * sizeof(long));
        MPI_Get(all, MANY, MPI_LONG, target, 0, MANY, MPI_LONG, win);
        MPI_Put(&word, 1, MPI_LONG, target, MANY, 1, MPI_LONG, win);
        if (round % 2)
            MPI_Win_flush_local(target, win);
        else
            MPI_Win_flush_local_all(win);
        for (long i = 0; i < MANY; i++) {
            CT_CHECK(all[i] == target + i, "get, put, local flush: word %ld of rank %d is %ld", i,
                     target, all[i]);
            if (all[i] != target + i)
                break;
        }
        MPI_Win_flush(target, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(all);
    free(mine);
}

/* Between fences what one message holds goes as one, so that the fences that follow are no
 * barriers. */
static void put_two(int target, int from)
{
    enum { HALF = 380, ROUNDS = 20 }; /* of 3,040 bytes */
    long *mine = ct_alloc(2 * HALF, sizeof(long)), *words = ct_alloc(2 * HALF, sizeof(long));
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "hybrid");
    MPI_Win_create(mine, 2 * HALF * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2 * HALF; i++)
            words[i] = 1000000L * ct_me + 1000 * round + i;
        MPI_Put(words, HALF, MPI_LONG, target, 0, HALF, MPI_LONG, win);
        MPI_Put(words + HALF, HALF, MPI_LONG, target, HALF, HALF, MPI_LONG, win);
        MPI_Win_fence(0, win);
        for (int i = 0; i < 2 * HALF; i++)
            CT_CHECK(mine[i] == 1000000L * from + 1000 * round + i, "round %d: word %d is %ld",
                     round, i, mine[i]);
        MPI_Win_fence(0, win);
    }
    if (size > 1)
        expect_targets(0, "after messages alone");
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    free(mine);
    free(words);
}

int main(int argc, char **argv)
{
    long *mine;
    int next, previous;
    MPI_Info info;
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (ct_me + 1) % size;
    previous = (ct_me + size - 1) % size;
    ct_mpit_begin();
    counted = ct_pvar_find("rma_ucx_targets", &targets);

    mine = ct_alloc((size_t) size * WORDS, sizeof(long));
    /* operations that travel in messages need no key */
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "eager");
    MPI_Win_create(mine, (MPI_Aint) size * WORDS * (MPI_Aint) sizeof(long), sizeof(long), info,
                   MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    expect_targets(0, "a new window");
    MPI_Win_lock_all(0, win);
    use(win, next);
    expect_targets(size > 1, "after operations on one target");
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    check_memory(mine, previous);
    MPI_Win_unlock(ct_me, win);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_fence(0, win);
    for (int i = 0; i < size; i++) {
        long word = 1000L * ct_me;
        MPI_Put(&word, 1, MPI_LONG, i, (MPI_Aint) ct_me * WORDS, 1, MPI_LONG, win);
    }
    MPI_Win_fence(0, win);
    expect_targets(size - 1, "after operations on all targets");
    for (int i = 0; i < size; i++)
        CT_CHECK(mine[i * WORDS] == 1000L * i, "by fences from rank %d: %ld", i, mine[i * WORDS]);
    MPI_Win_free(&win);
    expect_targets(0, "no window");
    free(mine);
    get_then_put(next);
    put_two(next, previous);

    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
