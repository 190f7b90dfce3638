/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpicomm.h"
#include "mpir_deaths.h"

static bool has_dead(const MPIR_Group *group)
{
    for (uint32_t i = 0; i < MPIR_Deaths_seen; i++) {
        if (MPIR_Deaths_rank_in(group->map, i) != CMAP_NONE)
            return true;
    }
    return false;
}

void MPIR_Comm_group_call_begins(MPIR_Comm *comm, MPIR_Group *group)
{
    if (!MPIR_Deaths_watched || comm->call_group || comm->repairing)
        return;
    comm->call_ended = comm->revoked || has_dead(group);
    comm->call_group = group;
}

void MPIR_Comm_group_call_ends(MPIR_Comm *comm, MPIR_Group *group)
{
    if (comm->call_group == group)
        comm->call_group = NULL;
}

int MPIR_Comm_end_error(const MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    if (comm->revoked)
        MPIR_ERR_SET(mpi_errno, MPIX_ERR_REVOKED, "**revoked");
    else
        MPIR_ERR_SET(mpi_errno, MPIX_ERR_PROC_FAILED, "**proc_failed");
    return mpi_errno;
}

void MPIR_Comm_end_as_ended(MPIR_Comm *comm, int *mpi_errno)
{
    const int error_class = MPIR_ERR_GET_CLASS(*mpi_errno);

    if (MPIR_Comm_is_over(comm) && error_class != MPIX_ERR_REVOKED &&
        error_class != MPIX_ERR_PROC_FAILED)
        *mpi_errno = MPIR_Comm_end_error(comm);
}
