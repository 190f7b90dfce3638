/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"

/* A reduction over both groups of an intercommunicator, which MPI does not have. */

#define EXCHANGE_TAG 31568

/* If a leader fails, it continues and marks its message as erroneous. */
static int fold_remote(MPIR_Comm *inter, void *data, MPI_Datatype type, MPI_Op op,
                       MPIR_Errflag_t *errflag)
{
    ctxid_window_t remote; /* no element is larger */
    int mpi_errno = MPIC_Sendrecv(data, 1, type, 0, EXCHANGE_TAG, &remote, 1, type, 0, EXCHANGE_TAG,
                                  inter, MPI_STATUS_IGNORE, errflag);

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Reduce_local(&remote, data, 1, type, op);
    if (mpi_errno != MPI_SUCCESS)
        *errflag = MPIR_ERR_OTHER;
    return mpi_errno;
}

int MPIR_ctxid_reduce_between(MPIR_Comm *inter, void *data, MPI_Datatype type, MPI_Op op,
                              MPIR_Errflag_t *errflag)
{
    int mpi_errno = MPI_SUCCESS, result;

    mpi_errno = MPIR_Allreduce(MPI_IN_PLACE, data, 1, type, op, inter->local_comm, errflag);
    if (mpi_errno != MPI_SUCCESS)
        *errflag = MPIR_ERR_OTHER;
    if (inter->rank == 0) {
        result = fold_remote(inter, data, type, op, errflag);
        mpi_errno = mpi_errno ? mpi_errno : result;
    }
    result = MPIR_Bcast(data, 1, type, 0, inter->local_comm, errflag);
    return mpi_errno ? mpi_errno : result;
}
