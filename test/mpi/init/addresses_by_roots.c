/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every process has a message from every other one, and itself, also where the roots of the nodes
 * alone may use the process manager in MPI_Init (MPIR_CVAR_CH4_ROOTS_ONLY_PMI=1) and gather the
 * addresses of the others.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

int main(int argc, char **argv)
{
    int size, *from_all;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    from_all = ct_alloc(size, sizeof(int));
    for (int on = 0; on < size; on++) {
        int source = (ct_me + size - on) % size;

        MPI_Sendrecv(&ct_me, 1, MPI_INT, (ct_me + on) % size, 0, &from_all[source], 1, MPI_INT,
                     source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CT_CHECK(from_all[source] == source, "the message of %d says %d", source, from_all[source]);
    }
    free(from_all);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
