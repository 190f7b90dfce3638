/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Pcontrol may be called before MPI_Init and after MPI_Finalize.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

int main(int argc, char **argv)
{
    CT_CHECK(MPI_Pcontrol(1) == MPI_SUCCESS, "MPI_Pcontrol fails before MPI_Init");
    MTest_Init(&argc, &argv);
    CT_CHECK(MPI_Pcontrol(0, 1, 2) == MPI_SUCCESS, "MPI_Pcontrol fails");
    MTest_Finalize(ct_errs);
    if (MPI_Pcontrol(2) != MPI_SUCCESS)
        return 1;
    return MTestReturnValue(ct_errs);
}
