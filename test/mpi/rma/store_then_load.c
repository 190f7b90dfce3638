/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two processes each store a word, complete the store, and load the word of the other one.  At
 * least one of them finds the other's store: MPI_Win_sync keeps a store before a later load.  In
 * put_then_get.c, MPI_Win_flush does.
 */
#include <sched.h>
#include "mpitest.h"
#include "cmaptest.h"

enum { ROUNDS = 200000, LINES = 512, LINE = 16, SECONDS = 3 };

typedef struct {
    int word[LINES * LINE]; /* a cache line for each round, used again later */
    int round[LINE];        /* that this process has come to */
    int last[LINE];         /* of the first process: that both go to */
} memory_t;

static memory_t *mine, *theirs;
static MPI_Win plain, window;
static unsigned char missed[ROUNDS + 1];

static int where(int round) { return round % LINES * LINE; }

/* Both leave nearly at once: the one earlier than the other by some instructions, then later. */
static void meet(int round)
{
    int delay = ct_me == 0 ? 50 : round % 100;

    __atomic_store_n(&mine->round[0], round, __ATOMIC_RELEASE);
    for (int polls = 1; __atomic_load_n(&theirs->round[0], __ATOMIC_ACQUIRE) < round; polls++) {
        if (polls % 2000 == 0)
            sched_yield();
    }
    while (delay-- > 0)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#ifndef COMPLETED_BY_FLUSH
static const char *const call = "MPI_Win_sync";

static int exchange(int round)
{
    __atomic_store_n(&mine->word[where(round)], round, __ATOMIC_RELAXED);
    MPI_Win_sync(plain);
    return __atomic_load_n(&theirs->word[where(round)], __ATOMIC_RELAXED);
}

#else
static const char *const call = "MPI_Win_flush";

static int exchange(int round)
{
    MPI_Aint at = where(round);
    int seen;

    MPI_Put(&round, 1, MPI_INT, ct_me, at, 1, MPI_INT, window);
    MPI_Win_flush(ct_me, window);
    MPI_Get(&seen, 1, MPI_INT, !ct_me, at, 1, MPI_INT, window);
    MPI_Win_flush(!ct_me, window);
    return seen;
}
#endif

/* The first process ends it when time is up.  The other one is told two rounds before. */
static void end_in_time(int round, double begin)
{
    int soon = round + 2;

    if (ct_me == 0 && MPI_Wtime() - begin > SECONDS && soon < mine->last[0])
        __atomic_store_n(&mine->last[0], soon, __ATOMIC_RELAXED);
}

static void check(void)
{
    memory_t *first = ct_me == 0 ? mine : theirs;
    static unsigned char others[ROUNDS + 1];
    int rounds = 0, wrong = 0;
    double begin = MPI_Wtime();

    memset(mine, 0, sizeof(*mine));
    mine->last[0] = ROUNDS;
    MPI_Win_sync(plain);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 1; round <= __atomic_load_n(&first->last[0], __ATOMIC_RELAXED); round++) {
        meet(round);
        missed[round] = exchange(round) < round;
        end_in_time(round, begin);
        rounds = round;
    }
    MPI_Sendrecv(missed, rounds + 1, MPI_BYTE, !ct_me, 0, others, rounds + 1, MPI_BYTE, !ct_me, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int round = 1; round <= rounds; round++)
        wrong += missed[round] && others[round];
    CT_CHECK(wrong == 0, "%s: neither saw the other's store in %d of %d rounds", call, wrong,
             rounds);
}

static void *memory_of(MPI_Win win, int rank)
{
    MPI_Aint size;
    int unit;
    void *base;

    MPI_Win_shared_query(win, rank, &size, &unit, &base);
    return base;
}

int main(int argc, char **argv)
{
    void *base;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    if (ct_is_one_node(MPI_COMM_WORLD)) {
        MPI_Win_allocate_shared(sizeof(memory_t), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &plain);
        MPI_Win_allocate(LINES * LINE * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                         &base, &window);
        mine = memory_of(plain, ct_me);
        theirs = memory_of(plain, !ct_me);
        MPI_Win_lock_all(0, plain);
        MPI_Win_lock_all(0, window);
        memset(base, 0, LINES * LINE * sizeof(int));
        MPI_Win_sync(window);
        check();
        MPI_Win_unlock_all(window);
        MPI_Win_unlock_all(plain);
        MPI_Win_free(&window);
        MPI_Win_free(&plain);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
