/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The first use of communicators by several threads at once: each thread on its own fresh
 * duplicate, and two on the same one, which is being duplicated (MPI_Comm_idup, finished by the
 * other thread) while it is first used.
 *
 * Arguments: -rounds=N (default 50)
 */
#include "cmaptest_threads.h"
#include "cmaptest.h"

#define THREADS 4

static MPI_Comm comms[THREADS];
static MPI_Request request;
static int rank, size, rounds_done;

/* Another first operation for each thread, and for each round. */
static void use(MPI_Comm comm, int turn)
{
    int mine = rank + 1, sum = 0, got = rank == turn % size ? turn : -1;
    MPI_Request pending;

    if (turn % 4 == 0)
        MPI_Barrier(comm);
    if (turn % 4 == 1)
        MPI_Bcast(&got, 1, MPI_INT, turn % size, comm);
    if (turn % 4 == 2) {
        MPI_Ibcast(&got, 1, MPI_INT, turn % size, comm, &pending);
        MPI_Wait(&pending, MPI_STATUS_IGNORE);
    }
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &pending);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    CT_CHECK(sum == size * (size + 1) / 2, "turn %d: the sum is %d", turn, sum);
    if (turn % 4 == 1 || turn % 4 == 2)
        CT_CHECK(got == turn, "turn %d: got %d", turn, got);
}

static MTEST_THREAD_RETURN_TYPE use_own(void *which)
{
    int thread = *(int *) which;

    use(comms[thread], thread + rounds_done);
    return MTEST_THREAD_RETVAL_IGN;
}

static MTEST_THREAD_RETURN_TYPE finish_idup(void *unused)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MTEST_THREAD_RETVAL_IGN;
}

static void check_own(int round)
{
    static int threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        threads[i] = i;
    }
    rounds_done = round;
    for (int i = 0; i < THREADS; i++)
        MTest_Start_thread(use_own, &threads[i]);
    MTest_Join_threads();
    for (int i = 0; i < THREADS; i++) {
        use(comms[i], round);
        MPI_Comm_free(&comms[i]);
    }
}

static void check_same(int round)
{
    MPI_Comm fresh, copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Comm_idup(fresh, &copy, &request);
    MTest_Start_thread(finish_idup, NULL);
    use(fresh, round);
    MTest_Join_threads();
    use(copy, round);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&fresh);
}

int main(int argc, char **argv)
{
    ct_init_threads(&argc, &argv);
    MTestArgList *args = MTestArgListCreate(argc, argv);
    int rounds = MTestArgListGetInt_with_default(args, "rounds", 50);
    MTestArgListDestroy(args);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ct_me = rank;
    for (int round = 0; round < rounds; round++) {
        check_own(round);
        check_same(round);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
