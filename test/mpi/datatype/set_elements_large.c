/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Status_set_elements_c: counts above 2^31, of predefined datatypes and of others.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void check_count(MPI_Datatype type, MPI_Count count)
{
    MPI_Status status;
    MPI_Count got = -1;

    memset(&status, 0, sizeof(status));
    MPI_Status_set_elements_c(&status, type, count);
    MPI_Get_elements_c(&status, type, &got);
    CT_CHECK(got == count, "%lld elements were set, %lld are there", (long long) count,
             (long long) got);
}

int main(int argc, char **argv)
{
    MPI_Datatype pairs;

    MTest_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    for (int bits = 0; bits < 40; bits++) {
        check_count(MPI_INT, (MPI_Count) 1 << bits);
        check_count(pairs, ((MPI_Count) 1 << bits) + 1);
    }
    MPI_Type_free(&pairs);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
