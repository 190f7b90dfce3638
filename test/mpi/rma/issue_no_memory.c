/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One process has no memory left in a call on a window: the call does what it has to, or is an error that says so and can be
 * repeated when there is memory again.  No operation is lost or done twice, and the epoch ends for the others, too.  (Over OFI
 * operations inside a node go by shared memory, and may need none.)
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"
#include "cmaptest_malloc.h"
#include "cmaptest_mpit.h"

#ifdef CT_HAVE_MALLOC

enum { WORDS = 600, MOST = 6 };

static __thread int countdown;  /* to the allocation of this thread that fails; 0: none does */
static int failed_calls;
static MPI_Win win;
static int target;

static int ct_refuses(void)
{
    return countdown > 0 && --countdown == 0;
}

static void ct_allocated(void *p, size_t size)
{
}

static void ct_frees(void *p)
{
}

static int add(int word, long *value)
{
    return MPI_Accumulate(value, 1, MPI_LONG, target, word, 1, MPI_LONG, MPI_SUM, win);
}

/* Was it done?  Without memory it may say that it was not. */
static int is_done(int result, const char *what, int nth)
{
    int class = MPI_SUCCESS;

    countdown = 0;
    if (result) {
        MPI_Error_class(result, &class);
        failed_calls++;
    }
    CT_CHECK(class == MPI_SUCCESS || class == MPI_ERR_NO_MEM || class == MPI_ERR_OTHER, "%s without the allocation %d: class %d",
             what, nth, class);
    return class == MPI_SUCCESS;
}

/* An epoch of so many operations, of which call number `poor` (-1: the lock, ops: the flush, ops + 1: the unlock) lacks its nth
 * allocation. */
static void epoch_with(int ops, int poor, int nth, long *values)
{
    int result;

#define CALL(number, what, call)                                \
    do {                                                        \
        countdown = (number) == poor && tries == 0 ? nth : 0;   \
        result = call;                                          \
    } while (!is_done(result, what, nth) && ++tries < 3);       \
    CT_CHECK(tries < 3, "%s fails with all the memory", what);  \
    tries = 0
    int tries = 0;

    CALL(-1, "lock", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    for (int i = 0; i < ops; i++) {
        CALL(i, "accumulate", add(i % WORDS, &values[i % WORDS]));
    }
    CALL(ops, "flush", nth % 2 ? MPI_Win_flush(target, win) : MPI_SUCCESS);
    CALL(ops + 1, "unlock", MPI_Win_unlock(target, win));
}

/* Of all epochs each operation counts once. */
static long fail_everywhere(int ops, long *values)
{
    const int calls[] = { -1, 0, 1, 2, ops / 2, ops - 1, ops, ops + 1 };
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
    long *memory = ct_alloc(WORDS, sizeof(long)), *values = ct_alloc(WORDS, sizeof(long)), epochs[3] = { 0 };
    const int ops[3] = { 1, 5, WORDS };
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
    CT_CHECK(ct_me != 0 || failed_calls > 0 || ct_is_over_ofi(), "no call lacked memory");
    MPI_Win_free(&win);
    free(values);
    free(memory);
}

#else

static void check_all(int size)
{
    MTestPrintfMsg(1, "skipped: the names of the C library's own allocator are not known here\n");
}

#endif

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        check_all(size);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
