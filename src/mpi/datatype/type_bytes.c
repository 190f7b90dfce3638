/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The bytes that one copy of a datatype selects, for ROMIO, which keeps them with a datatype.
 */
#include "mpiimpl.h"

int MPIR_Type_bytes(MPI_Datatype type, MPI_Aint max, MPI_Offset *disps, MPI_Offset *lengths,
                    MPI_Aint *count);

/* The displacements and lengths of all blocks in the order of the type map, if `max` have room.
 * `count` is then how many there are, without empty ones, else how much room they need. */
int MPIR_Type_bytes(MPI_Datatype type, MPI_Aint max, MPI_Offset *disps, MPI_Offset *lengths,
                    MPI_Aint *count)
{
    int mpi_errno = MPI_SUCCESS;
    struct iovec *iov = NULL;
    MPI_Aint size, n, bytes;

    MPIR_Datatype_get_size_macro(type, size);
    mpi_errno = MPIR_Typerep_iov_len(1, type, size, &n);
    MPIR_ERR_CHECK(mpi_errno);
    *count = n;
    if (n > max)
        goto fn_exit;

    iov = MPL_malloc(MPL_MAX(n, 1) * sizeof(*iov), MPL_MEM_DATATYPE);
    MPIR_ERR_CHKANDJUMP(!iov, mpi_errno, MPI_ERR_OTHER, "**nomem");
    mpi_errno = MPIR_Typerep_to_iov(NULL, 1, type, 0, iov, n, size, &n, &bytes);
    MPIR_ERR_CHECK(mpi_errno);

    *count = 0;
    for (MPI_Aint i = 0; i < n; i++) {
        if (iov[i].iov_len == 0)
            continue;
        disps[*count] = (MPI_Aint) iov[i].iov_base;
        lengths[*count] = iov[i].iov_len;
        (*count)++;
    }

fn_exit:
    MPL_free(iov);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}
