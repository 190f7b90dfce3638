/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_disconnect does not wait for persistent and partitioned requests that are not active:
 * those of messages, which were started or not, and of collectives. They are freed afterwards.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MANY = 3000, KINDS = 5 };

static int sent, got, part;

static void make_requests(MPI_Comm comm, int size, MPI_Request requests[])
{
    int right = (ct_me + 1) % size, left = (ct_me + size - 1) % size;

    MPI_Send_init(&sent, 1, MPI_INT, right, 0, comm, &requests[0]);
    MPI_Recv_init(&got, 1, MPI_INT, left, 0, comm, &requests[1]);
    MPI_Bcast_init(&got, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[2]);
    MPI_Psend_init(&part, 1, 1, MPI_INT, right, 1, comm, MPI_INFO_NULL, &requests[3]);
    MPI_Ssend_init(&sent, 1, MPI_INT, right, 2, comm, &requests[4]);
}

static void disconnect(int size, int started, int many)
{
    static MPI_Request others[MANY];
    MPI_Request requests[KINDS];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make_requests(comm, size, requests);
    for (int i = 0; i < many; i++)
        MPI_Send_init(&sent, 1, MPI_INT, 0, i, comm, &others[i]);
    if (started) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_disconnect(&comm);
    CT_CHECK(comm == MPI_COMM_NULL, "the communicator is still there");
    for (int i = 0; i < KINDS; i++)
        MPI_Request_free(&requests[i]);
    for (int i = 0; i < many; i++)
        MPI_Request_free(&others[i]);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; i++)
        disconnect(size, i % 2, i == 7 ? MANY : 0);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
