/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One process has no memory left in a call on a window: the call does what it has to, or is an
 * error that says so and can be repeated when there is memory again.  No operation is lost or done
 * twice, and the epoch ends for the others, too.  (Over OFI operations inside a node go by shared
 * memory, and may need none.)
 */
#include "cmaptest_poor.h"

enum { WORDS = 600, MOST = 6 };

static MPI_Win win;
static int target;

static int add(int word, long *value)
{
    return MPI_Accumulate(value, 1, MPI_LONG, target, word, 1, MPI_LONG, MPI_SUM, win);
}

/* Call `number` of an epoch in which the call `poor` lacks its nth allocation. */
static ct_try without(const char *what, int number, int poor, int nth)
{
    return ct_without(what, number == poor ? nth : 0, 3);
}

/* An epoch of so many operations, of which call number `poor` (-1: the lock, ops: the flush, ops +
 * 1: the unlock) lacks its nth allocation. */
static void epoch_with(int ops, int poor, int nth, long *values)
{
    for (ct_try t = without("lock", -1, poor, nth); ct_goes_on(&t);)
        ct_tried(&t, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    for (int i = 0; i < ops; i++) {
        for (ct_try t = without("accumulate", i, poor, nth); ct_goes_on(&t);)
            ct_tried(&t, add(i % WORDS, &values[i % WORDS]));
    }
    for (ct_try t = without("flush", ops, poor, nth); nth % 2 && ct_goes_on(&t);)
        ct_tried(&t, MPI_Win_flush(target, win));
    for (ct_try t = without("unlock", ops + 1, poor, nth); ct_goes_on(&t);)
        ct_tried(&t, MPI_Win_unlock(target, win));
}

/* Of all epochs each operation counts once. */
static long fail_everywhere(int ops, long *values)
{
    const int calls[] = {-1, 0, 1, 2, ops / 2, ops - 1, ops, ops + 1};
    long epochs = 0;

    for (int i = 0; i < (int) (sizeof(calls) / sizeof(calls[0])); i++) {
        for (int nth = 1; nth <= MOST; nth++) {
            epoch_with(ops, calls[i], nth, values);
            epochs++;
        }
    }
    return epochs;
}

static void check_all(int size)
{
    long *memory = ct_alloc(WORDS, sizeof(long)), *values = ct_alloc(WORDS, sizeof(long)),
         epochs[3] = {0};
    const int ops[3] = {1, 5, WORDS};
    MPI_Info info;

    target = size - 1;
    for (int i = 0; i < WORDS; i++)
        values[i] = i + 1;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "hybrid");
    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    /* what is made once is there before memory lacks */
    for (int i = 0; i < 8 && ct_me == 0; i++)
        epoch_with(WORDS, -2, i, values);
    for (int i = 0; i < 3 && ct_me == 0; i++)
        epochs[i] = fail_everywhere(ops[i], values);
    MPI_Bcast(epochs, 3, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, ct_me, 0, win);
    for (int i = 0; i < WORDS && ct_me == target; i++) {
        long want = (8 + epochs[2] + (i < 5 ? epochs[1] : 0) + (i < 1 ? epochs[0] : 0)) * (i + 1);
        CT_CHECK(memory[i] == want, "word %d is %ld, not %ld", i, memory[i], want);
    }
    MPI_Win_unlock(ct_me, win);
    CT_CHECK(ct_me != 0 || ct_failed_calls > 0 || ct_is_over_ofi(), "no call lacked memory");
    MPI_Win_free(&win);
    free(values);
    free(memory);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1 && ct_can_be_poor())
        check_all(size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
