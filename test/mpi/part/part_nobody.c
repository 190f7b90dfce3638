/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Partitioned requests to and from MPI_PROC_NULL, of no partitions and of no elements, and null and
 * inactive requests where MPI allows them; errors where it does not.
 */
#include "cmaptest.h"

enum { PARTS = 3, ROUNDS = 3, COUNT = 2 };

static int data[PARTS * COUNT];
static const int others[2] = {1, 2};

static void check_class(const char *what, int code, int class_)
{
    int got = MPI_SUCCESS;

    MPI_Error_class(code, &got);
    CT_CHECK(got == class_, "%s: class %d, not %d", what, got, class_);
}

static void check_empty(const MPI_Status *status, int source, const char *what)
{
    int count = -1;

    MPI_Get_count(status, MPI_INT, &count);
    CT_CHECK(status->MPI_SOURCE == source && status->MPI_TAG == MPI_ANY_TAG && count == 0,
             "%s: from %d, tag %d, count %d", what, status->MPI_SOURCE, status->MPI_TAG, count);
}

static MPI_Request send_init(int partitions, int count, int to)
{
    MPI_Request request;

    MPI_Psend_init(data, partitions, count, MPI_INT, to, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    return request;
}

static MPI_Request receive_init(int partitions, int count, int from)
{
    MPI_Request request;

    MPI_Precv_init(data, partitions, count, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    return request;
}

static int arrived(MPI_Request request, int partition)
{
    int flag = 0;

    check_class("MPI_Parrived", MPI_Parrived(request, partition, &flag), MPI_SUCCESS);
    return flag;
}

static void check_proc_null(void)
{
    MPI_Request request[2] = {send_init(PARTS, COUNT, MPI_PROC_NULL),
                              receive_init(PARTS, COUNT, MPI_PROC_NULL)};
    MPI_Status status[2];

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(2, request);
        MPI_Pready(0, request[0]);
        if (round % 2)
            MPI_Pready_list(2, others, request[0]);
        else
            MPI_Pready_range(1, 2, request[0]);
        CT_CHECK(arrived(request[1], PARTS - 1), "nothing arrives from MPI_PROC_NULL");
        MPI_Waitall(2, request, status);
        check_empty(&status[1], MPI_PROC_NULL, "from MPI_PROC_NULL");
        MPI_Start(&request[1]);
        MPI_Wait(&request[1], &status[1]);
        check_empty(&status[1], MPI_PROC_NULL, "from MPI_PROC_NULL alone");
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* Waiting for a request that was not started, or that was waited for */
static void check_waits(MPI_Request request, const char *what)
{
    MPI_Status status;
    int flag = 0, index = 0;

    MPI_Wait(&request, &status);
    check_empty(&status, MPI_ANY_SOURCE, what);
    MPI_Test(&request, &flag, &status);
    CT_CHECK(flag, "%s: MPI_Test says no", what);
    check_empty(&status, MPI_ANY_SOURCE, what);
    MPI_Waitany(1, &request, &index, &status);
    CT_CHECK(index == MPI_UNDEFINED, "%s: MPI_Waitany finds one", what);
    MPI_Waitall(1, &request, &status);
    check_empty(&status, MPI_ANY_SOURCE, what);
}

static void check_inactive(void)
{
    MPI_Request send = send_init(PARTS, COUNT, ct_me), receive = receive_init(PARTS, COUNT, ct_me);

    CT_CHECK(arrived(MPI_REQUEST_NULL, 0), "MPI_Parrived of a null request says no");
    CT_CHECK(arrived(receive, 0), "MPI_Parrived of an inactive request says no");
    check_waits(send, "a new send");
    check_waits(receive, "a new receive");
    check_class("MPI_Pready, inactive", MPI_Pready(0, send), MPI_ERR_REQUEST);
    check_class("MPI_Pready_range, inactive", MPI_Pready_range(0, 1, send), MPI_ERR_REQUEST);
    check_class("MPI_Pready_list, inactive", MPI_Pready_list(2, others, send), MPI_ERR_REQUEST);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Start(&receive);
        MPI_Start(&send);
        MPI_Pready_range(0, PARTS - 1, send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        check_waits(send, "a send that is over");
        check_waits(receive, "a receive that is over");
        CT_CHECK(arrived(receive, 0), "MPI_Parrived of a receive that is over says no");
    }
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

/* Of no partitions, or of no elements; partitions of a started request that are none of it */
static void check_sizes(int partitions, int count)
{
    MPI_Request send = send_init(partitions, count, ct_me);
    MPI_Request receive = receive_init(partitions, count, ct_me);
    int wrong[2] = {0, partitions}, flag;

    for (int round = 0; round < ROUNDS; round++) {
        if (round % 2)
            MPI_Start(&receive);
        MPI_Start(&send);
        if (round % 2 == 0)
            MPI_Start(&receive);
        check_class("MPI_Pready beyond", MPI_Pready(partitions, send), MPI_ERR_OTHER);
        check_class("MPI_Pready before", MPI_Pready(-1, send), MPI_ERR_OTHER);
        check_class("MPI_Pready_range beyond", MPI_Pready_range(0, partitions, send),
                    MPI_ERR_OTHER);
        check_class("MPI_Pready_list beyond", MPI_Pready_list(2, wrong, send), MPI_ERR_OTHER);
        check_class("MPI_Parrived beyond", MPI_Parrived(receive, partitions, &flag), MPI_ERR_OTHER);
        for (int i = 0; i < partitions; i++) {
            MPI_Pready(i, send);
            check_class("MPI_Pready again", MPI_Pready(i, send), MPI_ERR_ARG);
            check_class("MPI_Pready_range again", MPI_Pready_range(0, i, send), MPI_ERR_ARG);
        }
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

static void check_wrong(void)
{
    MPI_Request request = MPI_REQUEST_NULL, send, receive;
    int flag;

    check_class("MPI_Pready of none", MPI_Pready(0, request), MPI_ERR_REQUEST);
    check_class("MPI_Pready_range of none", MPI_Pready_range(0, 0, request), MPI_ERR_REQUEST);
    check_class("MPI_Pready_list of none", MPI_Pready_list(2, others, request), MPI_ERR_REQUEST);
    check_class("MPI_Start of none", MPI_Start(&request), MPI_ERR_REQUEST);
    check_class("MPI_Startall of none", MPI_Startall(1, &request), MPI_ERR_REQUEST);
    check_class("MPI_Request_free of none", MPI_Request_free(&request), MPI_ERR_REQUEST);
    check_class(
        "MPI_Psend_init of -1 partitions",
        MPI_Psend_init(data, -1, 0, MPI_INT, ct_me, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
        MPI_ERR_ARG);
    check_class("MPI_Precv_init without a type",
                MPI_Precv_init(data, 1, 0, MPI_DATATYPE_NULL, ct_me, 0, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request),
                MPI_ERR_TYPE);
    send = send_init(PARTS, COUNT, MPI_PROC_NULL);
    receive = receive_init(PARTS, COUNT, MPI_PROC_NULL);
    MPI_Start(&send);
    MPI_Start(&receive);
    check_class("MPI_Start of an active one", MPI_Start(&send), MPI_ERR_REQUEST);
    check_class("MPI_Pready of a receive", MPI_Pready(0, receive), MPI_ERR_REQUEST);
    check_class("MPI_Parrived of a send", MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_proc_null();
    check_inactive();
    check_sizes(PARTS, COUNT);
    check_sizes(PARTS, 0);
    check_sizes(0, COUNT);
    check_sizes(0, 0);
    check_wrong();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
