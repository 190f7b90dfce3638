/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpicomm.h"

int MPIR_Comm_end_error(const MPIR_Comm *comm)
{
    return comm->revoked ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED;
}

void MPIR_Comm_end_as_ended(MPIR_Comm *comm, int *mpi_errno)
{
    const int error_class = MPIR_ERR_GET_CLASS(*mpi_errno);

    if (comm->ended && !comm->repairing && error_class != MPIX_ERR_REVOKED &&
        error_class != MPIX_ERR_PROC_FAILED)
        *mpi_errno = MPIR_Comm_end_error(comm);
}
