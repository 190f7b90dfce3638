/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program need not free its datatypes: MPI_Finalize says nothing about them. A warning is another
 * line of output, which the suite takes for a failure.
 */
#include "cmaptest.h"

int main(int argc, char **argv)
{
    MPI_Datatype vector, nested, unused;
    int from[6] = {1, 2, 3, 4, 5, 6}, to[6] = {0};

    MTest_Init(&argc, &argv);
    MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
    MPI_Type_contiguous(1, vector, &nested);
    MPI_Type_commit(&nested);
    MPI_Type_indexed(2, (int[2]){1, 2}, (int[2]){0, 3}, MPI_DOUBLE, &unused);
    MPI_Sendrecv(from, 1, nested, 0, 0, to, 1, nested, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CT_CHECK(to[0] == 1 && to[1] == 0 && to[4] == 5, "%d, %d, ..., %d", to[0], to[1], to[4]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
