/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Something fails between two nodes: the processes of a node hear of it, or none of them does.  Odd
 * and even ranks are nodes (MPIR_CVAR_NUM_CLIQUES=2), and do not agree on how much they reduce;
 * each process compares with the next of its node.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { TIMES = 6, MOST = 64 };

static void compare(int err, int size, const char *what)
{
    int mine = err != MPI_SUCCESS, theirs;

    MPI_Sendrecv(&mine, 1, MPI_INT, (ct_me + 2) % size, 0, &theirs, 1, MPI_INT,
                 (ct_me - 2 + size) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CT_CHECK(mine == theirs, "%s: %s here, %s at another process of the node", what,
             mine ? "an error" : "none", theirs ? "an error" : "none");
}

static void reduce(MPI_Comm comm, int even, int odd, int size)
{
    int in[MOST] = {0}, out[MOST];

    compare(MPI_Allreduce(in, out, ct_me % 2 ? odd : even, MPI_INT, MPI_SUM, comm), size,
            "MPI_Allreduce");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < TIMES; k++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (int before = 0; before < k; before++)
            reduce(comm, 1, 1, size);
        reduce(comm, 4, 8, size);
        reduce(comm, 8, 4, size);
        reduce(comm, 32, 33, size);
        reduce(comm, 1, 1, size);
        MPI_Comm_free(&comm);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
