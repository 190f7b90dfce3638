/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Reduce between nodes: if the root expects less than the others send, it gets an error,
 * whichever root it is. All processes get an answer.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MORE = 100000, LESS = 50000 };

static int in[MORE], out[MORE];

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < size; root++) {
        int result;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        result = MPI_Reduce(in, out, ct_me == root ? LESS : MORE, MPI_INT, MPI_SUM, root, comm);
        CT_CHECK(ct_me != root || result != MPI_SUCCESS, "root %d gets no error", root);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_free(&comm);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
