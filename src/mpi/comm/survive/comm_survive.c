/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "../mpicomm.h"
#include "mpir_ctxid_group.h"
#include "mpir_revoke.h"
#include "comm_agree.h"

/* MPIX_Comm_agree and MPIX_Comm_shrink where members may die: each is one agreement of the device
 * (comm_agree.h). */

int MPIR_Comm_agree_of_living(MPIR_Comm *comm, int *flag)
{
    int mpi_errno = MPI_SUCCESS;
    const uint64_t nothing[2] = {0, 0};
    agree_value_t *result;

    mpi_errno = MPIDIG_agree(comm, (uint32_t) *flag, nothing, &result);
    MPIR_ERR_CHKRETURN(mpi_errno);
    *flag = (int) result->flag;
    for (int i = 0; i < MPIR_agree_words(comm->local_size); i++) {
        uint64_t acked = MPIR_agree_acked(result, comm->local_size)[i];

        if (MPIR_agree_dead(result)[i] & ~acked)
            MPIR_ERR_SETANDSTMT(mpi_errno, MPIX_ERR_PROC_FAILED, break, "**proc_failed");
    }
    return mpi_errno;
}

static int group_without(MPIR_Comm *comm, agree_value_t *result, MPIR_Group **survivors)
{
    int mpi_errno = MPI_SUCCESS, n = 0;
    MPIR_Group *group = NULL;
    int *ranks;
    MPIR_CHKLMEM_DECL(1);

    MPIR_CHKLMEM_MALLOC(ranks, int *, comm->local_size * sizeof(int), mpi_errno, "ranks",
                        MPL_MEM_GROUP);
    for (int rank = 0; rank < comm->local_size; rank++) {
        if (MPIR_agree_has(MPIR_agree_dead(result), rank))
            ranks[n++] = rank;
    }
    mpi_errno = MPIR_Comm_group_impl(comm, &group);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Group_excl_impl(group, n, ranks, survivors);
    MPIR_Group_release(group);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPIR_CHKLMEM_FREEALL();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* The new communicator has its id out of the same agreement. */
static int complete_shrink(MPIR_Comm *comm, MPIR_Ctxid_t *creation, agree_value_t *result,
                           MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *survivors = NULL;
    MPIR_Context_id_t id;

    *made = NULL;
    mpi_errno = MPIR_Ctxid_decide_group(creation, result->offer, &id);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = group_without(comm, result, &survivors);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Comm_prepare_group(comm, survivors, made);
    MPIR_ERR_CHECK(mpi_errno);
    (*made)->context_id = (*made)->recvcontext_id = id;
    mpi_errno = MPIR_Comm_commit(*made);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (survivors)
        MPIR_Group_release(survivors);
    return mpi_errno;
fn_fail:
    MPIR_Free_contextid(id);
    goto fn_exit;
}

int MPIR_Comm_shrink_to_living(MPIR_Comm *comm, MPIR_Comm **made)
{
    int mpi_errno;
    MPIR_Ctxid_t creation;
    agree_value_t *result;
    MPIR_Group *group = NULL;
    uint64_t offer[2];

    mpi_errno = MPIR_Comm_group_impl(comm, &group);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_Ctxid_begin_group(&creation, comm, group, MPIR_SHRINK_TAG, offer);
    mpi_errno = MPIDIG_agree(comm, UINT32_MAX, offer, &result);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = complete_shrink(comm, &creation, result, made);
    else
        MPIR_Ctxid_abandon(&creation);
    MPIR_Group_release(group);

    return mpi_errno;
}
