/* SPDX-License-Identifier: BSD-3-Clause */

#include "comm_survive.h"
#include "mpir_revoke.h"

/* MPIX_Comm_agree and MPIX_Comm_shrink where members may die: each is one agreement of the device
 * (comm_agree.h). */

int MPIR_Comm_agree_of_living(MPIR_Comm *comm, int *flag)
{
    int mpi_errno = MPI_SUCCESS;
    const uint64_t nothing[2] = {0, 0};
    const agree_value_t *result;

    mpi_errno = MPIR_Comm_survive_wait(comm);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIDIG_agree(comm, (uint32_t) *flag, nothing, &result);
    MPIR_ERR_CHKRETURN(mpi_errno);
    return MPIR_Agree_read_flag(result, flag);
}

/* Takes `shrunk`, which may be NULL: without memory, too, the others get this process's part. */
static int shrink(MPIR_Comm *comm, MPIR_Group *group, MPIR_Comm *shrunk, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Ctxid_t creation;
    const agree_value_t *result;
    uint64_t offer[2];
    int tries = 0;

    do {
        MPIR_Ctxid_begin_group(&creation, comm, group, MPIR_SHRINK_TAG, offer);
        mpi_errno = MPIDIG_agree(comm, UINT32_MAX, offer, &result);
        if (mpi_errno != MPI_SUCCESS) {
            MPIR_Ctxid_abandon(&creation);
            if (shrunk)
                MPIR_Comm_discard(shrunk);
            return mpi_errno;
        }
    } while (MPIR_Agree_make_shrunk(comm, &creation, result, ++tries, &shrunk, &mpi_errno));
    *made = shrunk;
    return mpi_errno;
}

int MPIR_Comm_shrink_to_living(MPIR_Comm *comm, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *group = NULL;
    MPIR_Comm *shrunk = NULL;

    *made = NULL;
    mpi_errno = MPIR_Comm_survive_wait(comm);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_Comm_group_impl(comm, &group);
    MPIR_ERR_CHKRETURN(mpi_errno);
    (void) MPIR_Comm_create(&shrunk);
    mpi_errno = shrink(comm, group, shrunk, made);
    MPIR_Group_release(group);

    return mpi_errno;
}
