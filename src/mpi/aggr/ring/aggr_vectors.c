/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "aggr_operation.h"

/* Scatterv, gatherv, alltoallv and alltoallw as exchanges of parts. */

bool MPIR_Aggr_post_scatterv(const void *sendbuf, const MPI_Aint sendcounts[],
                             const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
                             MPI_Aint recvcount, MPI_Datatype recvtype, int root, MPIR_Comm *comm,
                             MPIR_Request **request, int *mpi_errno)
{
    bool is_root = comm->rank == root;

    return MPIR_Aggr_exchange_parts(
        comm,
        is_root ? MPIR_Aggr_parts_with(sendbuf, sendcounts, displs, sendtype) : MPIR_Aggr_no_part(),
        MPIR_Aggr_parts_of(recvbuf, recvcount, recvtype, root),
        MPIR_Aggr_row_for(comm->local_size - 1), request, mpi_errno);
}

bool MPIR_Aggr_post_gatherv(const void *sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint displs[],
                            MPI_Datatype recvtype, int root, MPIR_Comm *comm,
                            MPIR_Request **request, int *mpi_errno)
{
    bool is_root = comm->rank == root;

    return MPIR_Aggr_exchange_parts(
        comm, MPIR_Aggr_parts_of(sendbuf, sendcount, sendtype, root),
        is_root ? MPIR_Aggr_parts_with(recvbuf, recvcounts, displs, recvtype) : MPIR_Aggr_no_part(),
        MPIR_Aggr_row_for(1), request, mpi_errno);
}

/* In place goes another way: data would be received where data for messages lie.  All members say
 * it, or none. */
bool MPIR_Aggr_post_alltoallv(const void *sendbuf, const MPI_Aint sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                              const MPI_Aint recvcounts[], const MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPIR_Comm *comm, MPIR_Request **request,
                              int *mpi_errno)
{
    return sendbuf != MPI_IN_PLACE &&
           MPIR_Aggr_exchange_parts(comm,
                                    MPIR_Aggr_parts_with(sendbuf, sendcounts, sdispls, sendtype),
                                    MPIR_Aggr_parts_with(recvbuf, recvcounts, rdispls, recvtype),
                                    MPIR_Aggr_row_for(comm->local_size - 1), request, mpi_errno);
}

bool MPIR_Aggr_post_alltoallw(const void *sendbuf, const MPI_Aint sendcounts[],
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void *recvbuf, const MPI_Aint recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPIR_Comm *comm,
                              MPIR_Request **request, int *mpi_errno)
{
    return sendbuf != MPI_IN_PLACE &&
           MPIR_Aggr_exchange_parts(
               comm, MPIR_Aggr_parts_of_types(sendbuf, sendcounts, sdispls, sendtypes),
               MPIR_Aggr_parts_of_types(recvbuf, recvcounts, rdispls, recvtypes),
               MPIR_Aggr_row_for(comm->local_size - 1), request, mpi_errno);
}
