/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Process 0 has no memory when the last partitions of a message are ready: that is an error, and they are sent when they are
 * made ready again.  Each allocation of the call fails once.  (A call that comes before the receiver is known sends nothing.)
 * The requests that MPICH makes once, by the hundred, are there after the first round.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"
#include "cmaptest_malloc.h"

#include <sched.h>

#ifdef CT_HAVE_MALLOC

enum { PARTS = 4, COUNT = 25, ROUNDS = 24, MOST = 4 };

static __thread int countdown;  /* to the allocation of this thread that fails; 0: none does */
static int failed_calls;

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

static int make_ready(int round, MPI_Request request)
{
    int last[2] = { 2, 3 };

    if (round % 2)
        return MPI_Pready_list(2, last, request);
    return MPI_Pready_range(2, 3, request);
}

static void make_all_ready(int round, MPI_Request request)
{
    int result, class;

    MPI_Pready(0, request);
    MPI_Pready(1, request);
    countdown = round > 0 ? 1 + round / 2 % MOST : 0;
    result = make_ready(round, request);
    countdown = 0;
    if (result == MPI_SUCCESS)
        return;
    failed_calls++;
    MPI_Error_class(result, &class);
    CT_CHECK(class == MPI_ERR_NO_MEM || class == MPI_ERR_OTHER, "MPI_Pready without memory: class %d", class);
    result = make_ready(round, request);
    CT_CHECK(result == MPI_SUCCESS, "MPI_Pready fails with all the memory");
}

/* The receiver's answer to a new round makes the partitions go at once. */
static void let_answers_arrive(void)
{
    int flag;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 1000; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (i % 50 == 0)
            sched_yield();
    }
}

static void send_all(int *data)
{
    MPI_Request request;

    MPI_Psend_init(data, PARTS, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PARTS * COUNT; i++)
            data[i] = 1000 * round + i;
        MPI_Start(&request);
        let_answers_arrive();
        make_all_ready(round, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    CT_CHECK(failed_calls > 0, "no call lacked memory");
}

static void receive_all(int *data)
{
    MPI_Request request;

    MPI_Precv_init(data, PARTS, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < ROUNDS; round++) {
        int wrong = 0;

        MPI_Start(&request);
        let_answers_arrive();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < PARTS * COUNT; i++)
            wrong += (data[i] != 1000 * round + i);
        CT_CHECK(wrong == 0, "%d wrong numbers in round %d", wrong, round);
    }
    MPI_Request_free(&request);
}

static void check_all(void)
{
    int data[PARTS * COUNT];

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (ct_me == 0)
        send_all(data);
    else
        receive_all(data);
}

#else

static void check_all(void)
{
    MTestPrintfMsg(1, "skipped: the names of the C library's own allocator are not known here\n");
}

#endif

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check_all();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
