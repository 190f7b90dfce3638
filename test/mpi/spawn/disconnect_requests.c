/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_disconnect waits for communication, and for nothing else: neither for persistent and
 * partitioned requests that are inactive, nor for a request that is complete and not freed yet.
 */
#include "cmaptest.h"

enum { MANY = 1500, TAG = 1, LATE = 2, LATER = 3 };

static int rank, peer;

/* Persistent requests of each kind, some of which have been started; returns how many. */
static int make_idle(MPI_Comm comm, MPI_Request *requests)
{
    static int data[2], all[2], value;
    MPI_Request late[2];
    int count = 0;

    MPI_Send_init(&data[0], 1, MPI_INT, peer, TAG, comm, &requests[count++]);
    MPI_Recv_init(&data[1], 1, MPI_INT, peer, TAG, comm, &requests[count++]);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[count++]);
    MPI_Startall(count, requests);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    MPI_Allgather_init(&value, 1, MPI_INT, all, 1, MPI_INT, comm, MPI_INFO_NULL,
                       &requests[count++]);
    for (int i = 0; i < 2; i++) {
        MPI_Psend_init(&data[0], 1, 1, MPI_INT, peer, LATE, comm, MPI_INFO_NULL, &late[0]);
        MPI_Precv_init(&data[1], 1, 1, MPI_INT, peer, LATE, comm, MPI_INFO_NULL, &late[1]);
        MPI_Startall(2, late);
        MPI_Pready(0, late[0]);
        MPI_Waitall(2, late, MPI_STATUSES_IGNORE);
        requests[count++] = late[0];
        requests[count++] = late[1];
    }
    while (count < MANY)
        MPI_Ssend_init(&data[0], 1, MPI_INT, peer, TAG, comm, &requests[count++]);
    return count;
}

static void leave_idle(void)
{
    static MPI_Request requests[MANY];
    MPI_Comm comm;
    int count;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    count = make_idle(comm, requests);
    MPI_Comm_disconnect(&comm);
    CT_CHECK(comm == MPI_COMM_NULL, "the handle is left");
    for (int i = 0; i < count; i++)
        MPI_Request_free(&requests[i]);
}

/* Rank 0 receives, by a request of each kind, what rank 1 sends after all other things. */
static void wait_for_active(void)
{
    int data[2] = {0, 0}, complete = 0;
    MPI_Request requests[2];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0) {
        MPI_Recv_init(&data[0], 1, MPI_INT, 1, LATE, comm, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Irecv(&data[1], 1, MPI_INT, 1, LATER, comm, &requests[1]);
    } else {
        int sent = 7;

        usleep(300000);
        MPI_Send(&sent, 1, MPI_INT, 0, LATE, comm);
        MPI_Send(&sent, 1, MPI_INT, 0, LATER, comm);
    }
    MPI_Comm_disconnect(&comm);
    if (rank == 0) {
        CT_CHECK(data[0] == 7 && data[1] == 7, "received %d and %d", data[0], data[1]);
        MPI_Testall(2, requests, &complete, MPI_STATUSES_IGNORE);
        CT_CHECK(complete, "a request is pending after the disconnect");
        MPI_Request_free(&requests[0]);
    }
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    leave_idle();
    wait_for_active();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
