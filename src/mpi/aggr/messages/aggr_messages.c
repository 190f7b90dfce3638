/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_aggr.h"
#include "mpir_arrivals.h"

/* What a library without aggregates has, too. */

unsigned MPIR_Arrivals;

/* By dissemination: in each step the largest of twice as many members. */
int MPIR_Aggr_agree(MPIR_Comm *comm, unsigned long long numbers[], int n)
{
    int mpi_errno = MPI_SUCCESS, size = comm->local_size;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    unsigned long long theirs[MPIR_AGGR_AGREE_MOST];

    MPIR_Assert(n <= MPIR_AGGR_AGREE_MOST);
    for (int step = 1; step < size; step *= 2) {
        MPIR_TRY(MPIC_Sendrecv(numbers, n, MPI_UNSIGNED_LONG_LONG, (comm->rank + step) % size,
                               MPIR_ALLREDUCE_TAG, theirs, n, MPI_UNSIGNED_LONG_LONG,
                               (comm->rank - step + size) % size, MPIR_ALLREDUCE_TAG, comm,
                               MPI_STATUS_IGNORE, &errflag));
        for (int i = 0; i < n; i++)
            numbers[i] = MPL_MAX(numbers[i], theirs[i]);
    }
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");

    return mpi_errno;
}
