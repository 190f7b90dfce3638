/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A persistent collective that cannot be made leaves no reference of its communicator: the context
 * ids of many such communicators can be used again. The algorithm that the environment asks for
 * does not fit a number of processes that is no power of 2, and MPI is told not to choose another.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

int main(int argc, char **argv)
{
    int from = 1, to[3];

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 300; i++) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Request request;

        CT_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS, "no communicator %d", i);
        if (comm == MPI_COMM_NULL)
            break;
        CT_CHECK(MPI_Allgather_init(&from, 1, MPI_INT, to, 1, MPI_INT, comm, MPI_INFO_NULL,
                                    &request) != MPI_SUCCESS,
                 "the algorithm is accepted");
        MPI_Comm_free(&comm);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
