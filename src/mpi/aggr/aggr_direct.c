/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_comm.h"

/*
 * Few processes, none of them on the node of another: each sends to each.  A step in which processes wait for each other is what costs,
 * and most where they wait for a core, too; this is one step, where by dissemination there are ceil(lg size) of them.
 */

/* Of a request that is complete. */
static int check_length(const MPIR_Request * request, size_t bytes)
{
    MPI_Aint received = MPIR_STATUS_GET_COUNT(request->status);

    if (request->status.MPI_ERROR != MPI_SUCCESS)
        return request->status.MPI_ERROR;
    return (size_t) received == bytes ? MPI_SUCCESS : MPIR_Aggr_lengths_differ((uint64_t) received, bytes);
}

int MPIR_Aggr_exchange(MPIR_Comm * comm, const void *mine, size_t bytes, void *all, int tag, MPIR_Errflag_t * errflag)
{
    MPIR_Request *requests[2 * MPIR_AGGR_DIRECT_MOST];
    int mpi_errno = MPI_SUCCESS, n = 0, size = comm->local_size;

    MPL_atomic_fetch_add_uint64(&MPIR_Aggr_counts.direct, 1);
    for (int step = 1; step < size; step++) {
        int from = (comm->rank - step + size) % size;
        int status = MPIC_Irecv((char *) all + (size_t) from * bytes, (MPI_Aint) bytes, MPI_BYTE, from, tag, comm,
                                &requests[n]);
        n += status == MPI_SUCCESS;
        MPIR_Aggr_note(status, &mpi_errno, errflag);
    }
    for (int step = 1; step < size; step++) {
        int status = MPIC_Isend(mine, (MPI_Aint) bytes, MPI_BYTE, (comm->rank + step) % size, tag, comm, &requests[n], errflag);
        n += status == MPI_SUCCESS;
        MPIR_Aggr_note(status, &mpi_errno, errflag);
    }
    if (bytes > 0)
        memcpy((char *) all + (size_t) comm->rank * bytes, mine, bytes);
    for (int i = 0; i < n; i++) {
        int status = MPIC_Wait(requests[i], errflag);
        if (status == MPI_SUCCESS && requests[i]->kind == MPIR_REQUEST_KIND__RECV)
            status = check_length(requests[i], bytes);
        MPIR_Aggr_note(status, &mpi_errno, errflag);
        MPIR_Request_free(requests[i]);
    }
    if (mpi_errno == MPI_SUCCESS && *errflag)
        MPIR_ERR_SET(mpi_errno, *errflag, "**coll_fail");
    return mpi_errno;
}
