/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Request_get_status of a partitioned receive, of a persistent send that was cancelled, and of
 * a generalized request that has a function to poll. Their MPI_Wait says the same.
 */
#include "cmaptest.h"

static int rank, size;

static void spoil(MPI_Status *status) { memset(status, 0x5a, sizeof(*status)); }

static void get_status(MPI_Request request, MPI_Status *status)
{
    int flag = 0;

    for (long i = 0; i < 100000000 && !flag; i++) {
        spoil(status);
        MPI_Request_get_status(request, &flag, status);
    }
    CT_CHECK(flag, "a request does not complete");
}

static void check_same(MPI_Request *request, const char *what)
{
    MPI_Status seen, waited;
    int counts[2] = {-1, -1};

    get_status(*request, &seen);
    spoil(&waited);
    MPI_Wait(request, &waited);
    MPI_Get_count(&seen, MPI_BYTE, &counts[0]);
    MPI_Get_count(&waited, MPI_BYTE, &counts[1]);
    CT_CHECK(seen.MPI_SOURCE == waited.MPI_SOURCE && seen.MPI_TAG == waited.MPI_TAG &&
                 counts[0] == counts[1],
             "%s: source %d, tag %d, count %d; MPI_Wait: %d, %d, %d", what, seen.MPI_SOURCE,
             seen.MPI_TAG, counts[0], waited.MPI_SOURCE, waited.MPI_TAG, counts[1]);
}

static void check_partitioned(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, in[4], out[4] = {1, 2, 3, 4};
    MPI_Request receive, send;
    MPI_Status status;

    MPI_Precv_init(in, 2, 2, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    MPI_Psend_init(out, 2, 2, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    get_status(receive, &status);
    CT_CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE, "inactive: source %d", status.MPI_SOURCE);
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Pready_range(0, 1, send);
    check_same(&receive, "partitioned");
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Request_free(&receive);
    MPI_Request_free(&send);
}

/* The request of a get is complete once its data is there. */
static void check_one_sided(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Win win;
    int *base, got = -1;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    *base = rank;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win, &request);
    get_status(request, &status);
    CT_CHECK(got == (rank + 1) % size, "complete without its data: %d", got);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* ---- generalized requests ---- */

static int polls;
static MPI_Request polled;

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 11);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = 3;
    return MPI_SUCCESS;
}

static int free_state(void *state) { return MPI_SUCCESS; }

static int cancel(void *state, int complete) { return MPI_SUCCESS; }

static int poll_state(void *state, MPI_Status *status)
{
    if (++polls == 3)
        MPI_Grequest_complete(polled);
    return MPI_SUCCESS;
}

static int wait_states(int count, void **states, double timeout, MPI_Status *status)
{
    return MPI_SUCCESS;
}

static void check_polled(void)
{
    MPI_Status status;
    int flag = 0, count = -1;

    MPIX_Grequest_start(query, free_state, cancel, poll_state, wait_states, NULL, &polled);
    for (int i = 0; i < 10 && !flag; i++)
        MPI_Request_get_status(polled, &flag, &status);
    CT_CHECK(flag && polls == 3, "flag %d after %d polls", flag, polls);
    if (!flag)
        MPI_Grequest_complete(polled);
    else
        MPI_Get_count(&status, MPI_BYTE, &count);
    CT_CHECK(!flag || count == 11, "count %d", count);
    MPI_Wait(&polled, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_partitioned();
    check_one_sided();
    check_polled();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
