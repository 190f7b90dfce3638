/* SPDX-License-Identifier: BSD-3-Clause */

/* Statuses of the aggregates as errors of MPI. */

#include "mpiimpl.h"
#include "aggr_comm.h"
#include "mpir_deaths.h"

int MPIR_Aggr_lengths_differ(uint64_t sent, uint64_t received)
{
    int mpi_errno = MPI_SUCCESS;

    MPIR_ERR_SETANDSTMT2(mpi_errno, MPI_ERR_TRUNCATE, ;, "**collective_size_mismatch",
                                                       "**collective_size_mismatch %d %d",
                                                       (int) sent, (int) received);
    return mpi_errno;
}

/* Of the root, which says no more: a process on another node may have died. */
static int errclass_of_failure(void)
{
    return MPIR_Deaths_any() ? MPIX_ERR_PROC_FAILED : MPI_ERR_OTHER;
}

int MPIR_Aggr_error(int status, uint64_t bytes, const aggr_group_t *group)
{
    int mpi_errno = MPI_SUCCESS;

    if (likely(status == AGGR_OK))
        return MPI_SUCCESS;

    if (status == AGGR_ERR_LENGTH)
        mpi_errno = MPIR_Aggr_lengths_differ(group->length, bytes);
    else if (status == AGGR_ERR_ROOT)
        MPIR_ERR_SETANDSTMT(mpi_errno, errclass_of_failure(), ;, "**coll_fail");
    else
        mpi_errno = status; /* of the progress engine */
    return mpi_errno;
}
