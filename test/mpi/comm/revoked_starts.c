/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Persistent sends and receives of a communicator that is known to be revoked: their start fails
 * with the class MPIX_ERR_REVOKED, and nothing is waited for.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { KINDS = 5 };

static int buffer[1 << 16];

static void init(int kind, int other, MPI_Comm comm, MPI_Request *request)
{
    int count = kind % 2 ? 1 : 1 << 16;

    if (kind < 2)
        MPI_Recv_init(buffer, count, MPI_INT, kind ? other : MPI_ANY_SOURCE, 0, comm, request);
    else if (kind == 2)
        MPI_Send_init(buffer, count, MPI_INT, other, 0, comm, request);
    else if (kind == 3)
        MPI_Ssend_init(buffer, count, MPI_INT, other, 0, comm, request);
    else
        MPI_Ssend_init(buffer, count, MPI_INT, ct_me, 0, comm, request);
}

int main(int argc, char **argv)
{
    MPI_Request requests[KINDS];
    MPI_Comm comm;
    int size, class;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < KINDS; kind++)
        init(kind, (ct_me + 1) % size, comm, &requests[kind]);
    MPI_Barrier(MPI_COMM_WORLD); /* all requests are made */
    MPIX_Comm_revoke(comm);
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Error_class(MPI_Start(&requests[kind]), &class);
        CT_CHECK(class == MPIX_ERR_REVOKED, "kind %d: the class of the start is %d", kind, class);
        MPI_Wait(&requests[kind], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[kind]);
    }
    MPI_Comm_free(&comm);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
