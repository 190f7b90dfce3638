/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flush behind each operation, behind some, and behind none: the library learns the habit, and
 * sends operations at once while it lasts.  Rank 0 changes the window of rank 1 by a random
 * program, and keeps a copy of what it must hold.  Where the habit changes, and where an epoch ends
 * without a flush, no operation may overtake another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpi.h"
#include "mpitest.h"

enum { WORDS = 64, ROUNDS = 300, STEPS = 40 };

static long mirror[WORDS], result[STEPS], expected[STEPS], origin[STEPS];
static int results, errs;
static unsigned state = 12345;

static unsigned draw(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static void expect(long was) { expected[results++] = was; }

/* One operation on word `at`; accumulates keep their order, so only they share a word with others
 * before a flush. */
static void operate(MPI_Win win, int step, int at)
{
    long value = 1 + (long) draw(1000), same = mirror[at];

    origin[step] = value;
    switch (draw(4)) {
        case 0:
            MPI_Accumulate(&origin[step], 1, MPI_LONG, 1, at, 1, MPI_LONG, MPI_SUM, win);
            mirror[at] += value;
            break;
        case 1:
            MPI_Fetch_and_op(&origin[step], &result[results], MPI_LONG, 1, at, MPI_REPLACE, win);
            expect(mirror[at]);
            mirror[at] = value;
            break;
        case 2:
            expected[STEPS - 1] = same;
            MPI_Compare_and_swap(&origin[step], &expected[STEPS - 1], &result[results], MPI_LONG, 1,
                                 at, win);
            MPI_Win_flush_local(1, win); /* the compare buffer is used again */
            expect(same);
            mirror[at] = value;
            break;
        default:
            MPI_Get_accumulate(&origin[step], 1, MPI_LONG, &result[results], 1, MPI_LONG, 1, at, 1,
                               MPI_LONG, MPI_SUM, win);
            expect(mirror[at]);
            mirror[at] += value;
            break;
    }
}

/* Flushes behind each operation, behind a run of random length, or not at all. */
static void one_epoch(MPI_Win win, int habit)
{
    int step, run = 0;

    results = 0;
    for (step = 0; step < STEPS - 1; step++) {
        operate(win, step, (int) draw(WORDS));
        if (habit == 0 || (habit == 1 && ++run >= 1 + (int) draw(6))) {
            MPI_Win_flush(1, win);
            run = 0;
        }
    }
}

static void check_results(int round)
{
    int i;

    for (i = 0; i < results; i++) {
        if (result[i] != expected[i]) {
            errs++;
            printf("round %d: result %d is %ld and should be %ld\n", round, i, result[i],
                   expected[i]);
        }
    }
}

/* A put, and a get behind its flush. */
static void check_put(MPI_Win win, int round)
{
    long sent = 5 * (long) round, got = -1;
    int at = (int) draw(WORDS);

    MPI_Win_flush(1, win); /* a put is not ordered behind an accumulate */
    MPI_Put(&sent, 1, MPI_LONG, 1, at, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
    mirror[at] = sent;
    MPI_Get(&got, 1, MPI_LONG, 1, at, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
    if (got != sent) {
        errs++;
        printf("round %d: get after put is %ld and should be %ld\n", round, got, sent);
    }
}

/* In the middle of the habit an operation leaves the window: its flush says so, and no other. */
static void check_outside(MPI_Win win, int round)
{
    long value = 1, old = 0;
    int outside, after, class = MPI_SUCCESS;

    MPI_Fetch_and_op(&value, &old, MPI_LONG, 1, WORDS, MPI_SUM, win);
    outside = MPI_Win_flush(1, win);
    after = MPI_Win_flush(1, win);
    if (outside)
        MPI_Error_class(outside, &class);
    if (class != MPI_ERR_RMA_RANGE || after) {
        errs++;
        printf("round %d: class %d and %d of two flushes, should be %d and 0\n", round, class,
               after, MPI_ERR_RMA_RANGE);
    }
}

static void rounds(MPI_Win win, int all)
{
    int round;

    for (round = 0; round < ROUNDS; round++) {
        if (!all)
            MPI_Win_lock(draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, win);
        one_epoch(win, round / 5 % 3);
        if (round % 3 == 0)
            check_put(win, round);
        if (round % 7 == 0)
            check_outside(win, round);
        if (all)
            MPI_Win_flush(1, win);
        else
            MPI_Win_unlock(1, win);
        check_results(round);
    }
}

int main(int argc, char **argv)
{
    long *memory, zero[WORDS] = {0};
    int rank, all, i;
    MPI_Win win;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (all = 0; all < 2; all++) {
        memory = calloc(WORDS, sizeof(*memory));
        memcpy(mirror, zero, sizeof(mirror));
        MPI_Win_create(memory, WORDS * sizeof(*memory), sizeof(*memory), MPI_INFO_NULL,
                       MPI_COMM_WORLD, &win);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        if (rank == 0) {
            if (all)
                MPI_Win_lock_all(0, win);
            rounds(win, all);
            if (all)
                MPI_Win_unlock_all(win);
            MPI_Send(mirror, WORDS, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(mirror, WORDS, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            for (i = 0; i < WORDS; i++) {
                if (memory[i] != mirror[i]) {
                    errs++;
                    printf("word %d is %ld and should be %ld\n", i, memory[i], mirror[i]);
                }
            }
            MPI_Win_unlock(1, win);
        }
        MPI_Win_free(&win);
        free(memory);
    }
    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
