/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Process 0 has no memory when the last partitions of a message are ready: that is an error, and
 * they are sent when they are made ready again.  Each allocation of the call fails once.  (A call
 * that comes before the receiver is known sends nothing.) The requests that MPICH makes once, by
 * the hundred, are there after the first round.
 */
#include "cmaptest_poor.h"

#include <sched.h>

enum { PARTS = 4, COUNT = 25, ROUNDS = 24, MOST = 4 };

static int make_ready(int round, MPI_Request request)
{
    int last[2] = {2, 3};

    if (round % 2)
        return MPI_Pready_list(2, last, request);
    return MPI_Pready_range(2, 3, request);
}

static void make_all_ready(int round, MPI_Request request)
{
    int nth = round > 0 ? 1 + round / 2 % MOST : 0;

    MPI_Pready(0, request);
    MPI_Pready(1, request);
    for (ct_try t = ct_without("MPI_Pready", nth, 2); ct_goes_on(&t);)
        ct_tried(&t, make_ready(round, request));
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
    CT_CHECK(ct_failed_calls > 0, "no call lacked memory");
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

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    if (ct_can_be_poor())
        check_all();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
