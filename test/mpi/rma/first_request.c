/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The first operation of a lock epoch is one with a request: the counters that all processes raise
 * by MPI_Rget and MPI_Rput under exclusive locks, and by MPI_Raccumulate under shared ones, are
 * right. An operation before it keeps its place, one without data changes nothing, and a request
 * that is waited for after MPI_Win_unlock is complete. A window of MPI_Win_create, so that
 * operations travel as messages.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { ROUNDS = 60, WORDS = 64 };
enum { EXCLUSIVE, SHARED, OWN }; /* places: two counters, and a word for each process */

static long memory[WORDS];
static MPI_Win win;
static int rank, size;

static void wait_for(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void raise_alone(int target)
{
    long value = -1;
    MPI_Request request;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Rget(&value, 1, MPI_LONG, target, EXCLUSIVE, 1, MPI_LONG, win, &request);
    wait_for(&request);
    value++;
    MPI_Rput(&value, 1, MPI_LONG, target, EXCLUSIVE, 1, MPI_LONG, win, &request);
    wait_for(&request);
    value = -1; /* the buffer is the program's again */
    MPI_Win_unlock(target, win);
}

static void raise_together(int target, int after_another)
{
    long one = 1;
    MPI_Request request;

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    if (after_another)
        MPI_Accumulate(&one, 1, MPI_LONG, target, SHARED, 1, MPI_LONG, MPI_SUM, win);
    MPI_Raccumulate(&one, 1, MPI_LONG, target, SHARED, 1, MPI_LONG, MPI_SUM, win, &request);
    wait_for(&request);
    MPI_Win_unlock(target, win);
}

/* A put that waits in the queue, and then an operation with a request on the same word. */
static void keep_order(int target, long number)
{
    long old = -1, add = 5, got = -1;
    MPI_Request request;

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Accumulate(&number, 1, MPI_LONG, target, OWN + rank, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Rget_accumulate(&add, 1, MPI_LONG, &old, 1, MPI_LONG, target, OWN + rank, 1, MPI_LONG,
                        MPI_SUM, win, &request);
    wait_for(&request);
    CT_CHECK(old == number, "%ld before the second operation, not %ld", old, number);
    MPI_Win_unlock(target, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Rget(&got, 1, MPI_LONG, target, OWN + rank, 1, MPI_LONG, win, &request);
    MPI_Win_unlock(target, win);
    wait_for(&request);
    CT_CHECK(got == number + add, "%ld after both, not %ld", got, number + add);
}

static void do_nothing(int target)
{
    long value = -1;
    MPI_Request requests[2];

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Rput(&value, 0, MPI_LONG, target, EXCLUSIVE, 0, MPI_LONG, win, &requests[0]);
    MPI_Rget(&value, 0, MPI_LONG, target, EXCLUSIVE, 0, MPI_LONG, win, &requests[1]);
    wait_for(&requests[0]);
    wait_for(&requests[1]);
    MPI_Win_unlock(target, win);
    CT_CHECK(value == -1, "%ld by an operation without data", value);
}

static void check(int place, long want, const char *what)
{
    long got;

    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    got = memory[place];
    MPI_Win_unlock(rank, win);
    CT_CHECK(got == want, "%s: %ld, not %ld", what, got, want);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    MPI_Win_create(memory, sizeof(memory), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < ROUNDS; i++) {
        int target = (rank + i) % size;

        raise_alone(target);
        raise_together(target, i % 2);
        keep_order(target, 1000 * i + rank);
        do_nothing(target);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* in each round each process has another target */
    check(EXCLUSIVE, ROUNDS, "exclusive");
    check(SHARED, ROUNDS + ROUNDS / 2, "shared");
    MPI_Win_free(&win);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
