/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One process has no memory left in a call of an epoch of fences: the call does what it has to, or
 * is an error that says so and can be repeated when there is memory again.  No operation is lost or
 * done twice, and the fence ends for the others, too.  And a process that has none keeps what comes
 * too early for its epoch.  (Over OFI operations inside a node may need none.)
 */
#include "cmaptest_poor.h"

enum { WORDS = 512, MOST = 8, TOLD = 5, EARLY = 100 };

static int size;
static MPI_Win win;
static long *memory, values[EARLY];

static void add(int word, int nth)
{
    for (ct_try t = ct_without("accumulate", nth, 3); ct_goes_on(&t);)
        ct_tried(&t, MPI_Accumulate(&values[word], 1, MPI_LONG, size - 1, word, 1, MPI_LONG,
                                    MPI_SUM, win));
}

static void fence(int assert, int nth)
{
    for (ct_try t = ct_without("fence", nth, 3); ct_goes_on(&t);)
        ct_tried(&t, MPI_Win_fence(assert, win));
}

/* An epoch in which all add so many words to the last one.  Process 0 lacks its nth allocation in
 * the call `poor`, which may be the fence. */
static void epoch(int ops, int poor, int nth)
{
    fence(0, 0);
    for (int i = 0; i < ops; i++)
        add(i % EARLY, ct_me == 0 && i == poor ? nth : 0);
    fence(0, ct_me == 0 && poor == ops ? nth : 0);
}

static void check_origin(int ops)
{
    const int poor[] = {0, 1, ops / 2, ops - 1, ops};
    long epochs = 0;

    memset(memory, 0, WORDS * sizeof(long));
    for (int i = 0; i < (int) (sizeof(poor) / sizeof(poor[0])); i++) {
        for (int nth = 1; nth <= MOST; nth++) {
            epoch(ops, poor[i], nth);
            epochs++;
        }
    }
    fence(MPI_MODE_NOSUCCEED, 0);
    for (int i = 0; i < EARLY && ct_me == size - 1; i++) {
        long times = epochs * size * (ops / EARLY + (i < ops % EARLY));

        CT_CHECK(memory[i] == times * values[i], "of %d: word %d is %ld, not %ld", ops, i,
                 memory[i], times * values[i]);
    }
}

/* Process 0 is in the epoch when the last one still polls, without memory. */
static void check_target(void)
{
    int flag, target = size - 1;

    memset(memory, 0, WORDS * sizeof(long));
    for (int round = 0; round < 5; round++) {
        fence(MPI_MODE_NOSUCCEED, 0);
        if (ct_me == 0)
            MPI_Send(NULL, 0, MPI_BYTE, target, TOLD, MPI_COMM_WORLD);
        if (ct_me == target) {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, TOLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ct_poor_begin(round > 0 ? CT_ALL_FAIL : 0);
            for (double end = MPI_Wtime() + 0.02; MPI_Wtime() < end;)
                MPI_Iprobe(MPI_ANY_SOURCE, TOLD + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            ct_poor_end();
        }
        fence(MPI_MODE_NOPRECEDE, 0);
        for (int i = 0; i < EARLY && ct_me == 0; i++)
            MPI_Put(&values[i], 1, MPI_LONG, target, i, 1, MPI_LONG, win);
        fence(MPI_MODE_NOSUCCEED, 0);
        for (int i = 0; i < EARLY && ct_me == target; i++)
            CT_CHECK(memory[i] == values[i], "round %d: word %d is %ld", round, i, memory[i]);
        memset(memory, 0, WORDS * sizeof(long));
    }
}

static void new_win(void)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "rma_issue", "hybrid");
    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void check_all(void)
{
    const int ops[] = {1, 5, 550};

    memory = ct_alloc(WORDS, sizeof(long));
    for (int i = 0; i < EARLY; i++)
        values[i] = i + 1;
    new_win();
    if (size > 1)
        check_target();
    MPI_Win_free(&win);
    for (int i = 0; i < 3; i++) {
        new_win();
        check_origin(ops[i]);
        MPI_Win_free(&win);
    }
    CT_CHECK(ct_me != 0 || ct_refused_ever > 0 || ct_is_over_ofi(), "no call lacked memory");
    free(memory);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (ct_can_be_poor())
        check_all();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
