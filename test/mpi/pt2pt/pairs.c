/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The predefined pairs of a number and an index are sent, received and broadcast as they are, also
 * where there is a gap in them.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { COUNT = 5, MOST = 64 };

static void check_type(MPI_Datatype type, const char *name)
{
    char sent[COUNT * MOST], got[COUNT * MOST], packed[2][COUNT * MOST];
    int position = 0, n = 0, other = 1 - ct_me;

    for (int i = 0; i < COUNT * MOST; i++) {
        sent[i] = i % 11;
        got[i] = 100;
    }
    if (ct_me == 0)
        MPI_Send(sent, COUNT, type, other, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(got, COUNT, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(ct_me == 0 ? sent : got, COUNT, type, 0, MPI_COMM_WORLD);
    MPI_Pack(sent, COUNT, type, packed[0], COUNT * MOST, &position, MPI_COMM_WORLD);
    MPI_Pack(ct_me == 0 ? sent : got, COUNT, type, packed[1], COUNT * MOST, &n, MPI_COMM_WORLD);
    CT_CHECK(n == position && !memcmp(packed[0], packed[1], n), "%s: wrong data", name);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check_type(MPI_2INT, "MPI_2INT");
    check_type(MPI_SHORT_INT, "MPI_SHORT_INT");
    check_type(MPI_LONG_INT, "MPI_LONG_INT");
    check_type(MPI_FLOAT_INT, "MPI_FLOAT_INT");
    check_type(MPI_DOUBLE_INT, "MPI_DOUBLE_INT");
    check_type(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
