/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Request_get_status_any, _all and _some: null and inactive requests, requests of which some
 * are complete, and an error. The requests stay: MPI_Wait then has the same statuses.
 */
#include "cmaptest.h"

#define NUM 6

static MPI_Comm comm;
static int in[NUM][2];

static void spoil(MPI_Status *statuses, int n)
{
    memset(statuses, 0x5a, n * sizeof(*statuses));
    for (int i = 0; i < n; i++)
        statuses[i].MPI_ERROR = -5;
}

static void check_empty(const MPI_Status *status, const char *what)
{
    int count = -1;

    MPI_Get_count(status, MPI_INT, &count);
    CT_CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0,
             "%s: source %d, tag %d, count %d", what, status->MPI_SOURCE, status->MPI_TAG, count);
}

static void check_received(const MPI_Status *status, int tag, const char *what)
{
    int count = -1;

    MPI_Get_count(status, MPI_INT, &count);
    CT_CHECK(status->MPI_SOURCE == 0 && status->MPI_TAG == tag && count == 1,
             "%s: source %d, tag %d, count %d", what, status->MPI_SOURCE, status->MPI_TAG, count);
}

/* No request, only null ones, and an inactive one among them. */
static void check_nothing(int n, MPI_Request *requests, const char *what)
{
    MPI_Status statuses[NUM];
    int flag = 0, index = 3, out = 3, indices[NUM];

    spoil(statuses, NUM);
    MPI_Request_get_status_any(n, requests, &index, &flag, statuses);
    CT_CHECK(flag && index == MPI_UNDEFINED, "%s: flag %d, index %d", what, flag, index);
    check_empty(statuses, what);
    flag = 0;
    spoil(statuses, NUM);
    MPI_Request_get_status_all(n, requests, &flag, statuses);
    CT_CHECK(flag, "%s: not all", what);
    for (int i = 0; i < n; i++)
        check_empty(&statuses[i], what);
    MPI_Request_get_status_some(n, requests, &out, indices, statuses);
    CT_CHECK(out == MPI_UNDEFINED, "%s: %d are some", what, out);
    MPI_Request_get_status_any(n, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status_all(n, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Request_get_status_some(n, requests, &out, indices, MPI_STATUSES_IGNORE);
}

static void check_nulls(void)
{
    MPI_Request requests[NUM];

    for (int i = 0; i < NUM; i++)
        requests[i] = MPI_REQUEST_NULL;
    check_nothing(0, NULL, "no requests");
    check_nothing(NUM, requests, "null requests");
    MPI_Recv_init(in[0], 1, MPI_INT, 0, 1, comm, &requests[2]);
    check_nothing(NUM, requests, "an inactive request");
    MPI_Request_free(&requests[2]);
}

/* Receives, of which one is a null request. */
static void begin(MPI_Request *requests)
{
    for (int i = 0; i < NUM; i++)
        MPI_Irecv(in[i], 1, MPI_INT, 0, i, comm, &requests[i]);
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void send(int tag, int count)
{
    int out[2] = {tag, tag};

    MPI_Send(out, count, MPI_INT, 0, tag, comm);
}

static int get_some(MPI_Request *requests, int *indices, MPI_Status *statuses, int want)
{
    int out = 0;

    for (long i = 0; i < 10000000 && out < want; i++) {
        spoil(statuses, NUM);
        MPI_Request_get_status_some(NUM, requests, &out, indices, statuses);
    }
    return out;
}

static void check_some_complete(void)
{
    MPI_Request requests[NUM];
    MPI_Status statuses[NUM];
    int flag = 1, index = 3, out = 9, indices[NUM];

    begin(requests);
    MPI_Request_get_status_any(NUM, requests, &index, &flag, statuses);
    CT_CHECK(!flag && index == MPI_UNDEFINED, "none: flag %d, index %d", flag, index);
    MPI_Request_get_status_some(NUM, requests, &out, indices, statuses);
    CT_CHECK(out == 0, "none: %d", out);
    send(4, 1);
    for (flag = 0; !flag;)
        MPI_Request_get_status_any(NUM, requests, &index, &flag, statuses);
    CT_CHECK(index == 4, "any is %d", index);
    check_received(statuses, 4, "any");
    send(2, 1);
    out = get_some(requests, indices, statuses, 2);
    CT_CHECK(out == 2 && indices[0] == 2 && indices[1] == 4, "some: %d, %d, %d", out, indices[0],
             indices[1]);
    check_received(&statuses[0], 2, "some");
    check_received(&statuses[1], 4, "some");
    MPI_Request_get_status_all(NUM, requests, &flag, statuses);
    CT_CHECK(!flag, "all, but three are missing");
    send(0, 1);
    send(3, 1);
    send(5, 1);
    for (flag = 0; !flag;)
        MPI_Request_get_status_all(NUM, requests, &flag, statuses);
    for (int i = 0; i < NUM; i++) {
        if (i == 1)
            check_empty(&statuses[i], "all");
        else
            check_received(&statuses[i], i, "all");
        CT_CHECK(statuses[i].MPI_ERROR == -5 || i == 1, "all: error %d", statuses[i].MPI_ERROR);
    }
    MPI_Waitall(NUM, requests, statuses);
    for (int i = 0; i < NUM; i++) {
        CT_CHECK(requests[i] == MPI_REQUEST_NULL, "request %d stays", i);
        if (i != 1)
            check_received(&statuses[i], i, "waited");
    }
}

static int class_of(int err)
{
    int class = MPI_SUCCESS;

    if (err)
        MPI_Error_class(err, &class);
    return class;
}

static void check_errors(void)
{
    MPI_Request requests[2], copies[2];
    MPI_Status statuses[NUM];
    int err = 0, flag = 0, out = 0, indices[2], index;

    MPI_Irecv(in[0], 1, MPI_INT, 0, 0, comm, &requests[0]);
    MPI_Irecv(in[1], 1, MPI_INT, 0, 1, comm, &requests[1]);
    memcpy(copies, requests, sizeof(copies));
    send(0, 1);
    send(1, 2); /* truncated */
    while (!flag && !err) {
        spoil(statuses, NUM);
        err = MPI_Request_get_status_all(2, requests, &flag, statuses);
    }
    CT_CHECK(class_of(err) == MPI_ERR_IN_STATUS, "all: class %d", class_of(err));
    CT_CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS &&
                 class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE,
             "all: errors %d, %d", statuses[0].MPI_ERROR, statuses[1].MPI_ERROR);
    err = MPI_Request_get_status_some(2, requests, &out, indices, statuses);
    CT_CHECK(class_of(err) == MPI_ERR_IN_STATUS && out == 2 &&
                 class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE,
             "some: class %d, %d", class_of(err), out);
    err = MPI_Request_get_status_any(1, &requests[1], &index, &flag, MPI_STATUS_IGNORE);
    CT_CHECK(class_of(err) == MPI_ERR_TRUNCATE && flag && index == 0, "any: class %d, %d, %d",
             class_of(err), flag, index);
    CT_CHECK(memcmp(copies, requests, sizeof(copies)) == 0, "the requests have changed");
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    err = MPI_Request_get_status_all(-1, requests, &flag, statuses);
    CT_CHECK(class_of(err) == MPI_ERR_ARG || class_of(err) == MPI_ERR_COUNT, "-1 requests: %d",
             class_of(err));
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check_nulls();
    check_some_complete();
    check_errors();
    MPI_Comm_free(&comm);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
