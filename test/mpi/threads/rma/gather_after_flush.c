/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random updates in one long epoch of locks: after a flush, short operations share messages again,
 * although an operation before the flush went out natively.  The last process's window has
 *
 *   words of a table, to which all processes add; in the end each has the sum;
 *   a block for each process, in which MPI_REPLACE keeps the value of the last operation.
 *
 * The same with several threads, each with its own words, which flush while others issue.
 */
#include "cmaptest_mpit.h"
#include "cmaptest_oracle.h"
#include "cmaptest_threads.h"

enum { THREADS = 3, WORDS = 64, BLOCK = 8, LONG = 5000, ROUNDS = 30, UPDATES = 100 };

static int size, target;
static MPI_Win win;
static long *memory;
static MPI_Aint words;
static long ones[UPDATES], numbers[THREADS][ROUNDS * BLOCK], longs[THREADS][LONG];

static MPI_Aint word_of(int thread, int i) { return (MPI_Aint) thread * WORDS + i % WORDS; }

static MPI_Aint block_of(int process, int thread)
{
    return (MPI_Aint) THREADS * WORDS + ((MPI_Aint) process * THREADS + thread) * (BLOCK + LONG);
}

static void flush(int round, int thread)
{
    if (round % 4 == 0)
        MPI_Win_flush_all(win);
    else if (round % 4 == 1 && thread % 2)
        MPI_Win_flush_local(target, win);
    else
        MPI_Win_flush(target, win);
}

/* One native operation in a round: a fetch alone before its flush, or a long put. */
static void go_natively(int round, int thread)
{
    long got = -1;

    if (round % 3 == 0) {
        MPI_Fetch_and_op(NULL, &got, MPI_LONG, target, block_of(ct_me, thread), MPI_NO_OP, win);
        MPI_Win_flush(target, win);
        CT_CHECK(got == (round ? numbers[thread][round * BLOCK - BLOCK] : 0),
                 "round %d of thread %d: the block has %ld", round, thread, got);
    } else if (round % 3 == 1) {
        MPI_Put(longs[thread], LONG, MPI_LONG, target, block_of(ct_me, thread) + BLOCK, LONG,
                MPI_LONG, win);
    }
}

static void update(int round, int thread)
{
    long *mine = &numbers[thread][round * BLOCK];

    go_natively(round, thread);
    for (int i = 0; i < UPDATES; i++) {
        MPI_Accumulate(&ones[i], 1, MPI_LONG, target, word_of(thread, i), 1, MPI_LONG, MPI_SUM,
                       win);
        if (i % 10 == 0)
            MPI_Accumulate(&numbers[thread][0], 1, MPI_LONG, target, block_of(ct_me, thread), 1,
                           MPI_LONG, MPI_REPLACE, win);
    }
    MPI_Accumulate(mine, BLOCK, MPI_LONG, target, block_of(ct_me, thread), BLOCK, MPI_LONG,
                   MPI_REPLACE, win);
    flush(round, thread);
}

static MTEST_THREAD_RETURN_TYPE work(void *which)
{
    int thread = (int) (intptr_t) which;

    for (int round = 0; round < ROUNDS; round++)
        update(round, thread);
    return MTEST_THREAD_RETVAL_IGN;
}

static void check_target(int threads)
{
    for (int thread = 0; thread < threads; thread++) {
        for (int i = 0; i < WORDS; i++) {
            long want = (long) size * ROUNDS * (UPDATES / WORDS + (i < UPDATES % WORDS));
            long got = memory[word_of(thread, i)];
            CT_CHECK(got == want, "word %d of thread %d is %ld, not %ld", i, thread, got, want);
        }
        for (int process = 0; process < size; process++)
            for (int i = 0; i < BLOCK + LONG; i++) {
                long want = i < BLOCK ? (ROUNDS - 1) * BLOCK + i + 1 : -i + BLOCK;
                long got = memory[block_of(process, thread) + i];
                CT_CHECK(got == want, "word %d of process %d is %ld, not %ld", i, process, got,
                         want);
            }
    }
}

static void fill(void)
{
    for (int i = 0; i < UPDATES; i++)
        ones[i] = 1;
    for (int thread = 0; thread < THREADS; thread++) {
        for (int i = 0; i < ROUNDS * BLOCK; i++)
            numbers[thread][i] = i + 1;
        for (int i = 0; i < LONG; i++)
            longs[thread][i] = -i;
    }
}

static void run(int threads)
{
    memset(memory, 0, words * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    ct_in_threads(threads, work);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    if (ct_me == target)
        check_target(threads);
    MPI_Win_unlock(ct_me, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* If a flush follows each 100 updates, at most one operation for each flush is alone. */
static void check_messages(void)
{
    unsigned long long before = 0, after = 0;
    MPI_T_pvar_handle native;
    long got;
    int index, count;

    ct_mpit_begin();
    if (ct_me == target ||
        MPI_T_pvar_get_index("rma_native", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS)
        goto end;
    MPI_T_pvar_handle_alloc(ct_pvar_session, index, &win, &native, &count);
    MPI_T_pvar_read(ct_pvar_session, native, &before);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Fetch_and_op(NULL, &got, MPI_LONG, target, 0, MPI_NO_OP, win);
        MPI_Win_flush(target, win);
        for (int i = 0; i < UPDATES; i++)
            MPI_Accumulate(&ones[i], 1, MPI_LONG, target, word_of(0, i), 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush(target, win);
    }
    MPI_Win_unlock_all(win);
    MPI_T_pvar_read(ct_pvar_session, native, &after);
    CT_CHECK(after - before <= ROUNDS, "%llu operations went out natively, of %d", after - before,
             ROUNDS * (UPDATES + 1));
    MPI_T_pvar_handle_free(ct_pvar_session, &native);
end:
    ct_mpit_end();
}

/* An argument: operations travel in messages here. */
int main(int argc, char **argv)
{
    ct_init_threads(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = size - 1;
    words = block_of(size, 0);
    memory = ct_alloc(words, sizeof(long));
    fill();
    MPI_Win_create(memory, words * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    run(1);
    run(THREADS);
    if (argc > 1)
        check_messages();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    free(memory);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
