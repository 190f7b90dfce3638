/* SPDX-License-Identifier: BSD-3-Clause */

#include "comm_survive.h"
#include "../mpicomm.h"

/* What the result of an agreement means for MPIX_Comm_agree and MPIX_Comm_shrink. */

int MPIR_Agree_read_flag(MPIR_Comm *comm, agree_value_t *result, int *flag)
{
    *flag = (int) result->flag;
    for (int i = 0; i < MPIR_agree_words(comm->local_size); i++) {
        if (MPIR_agree_dead(result)[i] & ~MPIR_agree_acked(result, comm->local_size)[i])
            return MPIX_ERR_PROC_FAILED;
    }
    return MPI_SUCCESS;
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
int MPIR_Agree_make_shrunk(MPIR_Comm *comm, MPIR_Ctxid_t *creation, agree_value_t *result,
                           MPIR_Comm *made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *survivors = NULL;
    MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;

    mpi_errno = MPIR_Ctxid_decide_group(creation, result->offer, &id);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(!made, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = group_without(comm, result, &survivors);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Comm_fill_group(made, comm, survivors);
    MPIR_ERR_CHECK(mpi_errno);
    made->context_id = made->recvcontext_id = id;
    mpi_errno = MPIR_Comm_commit(made);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (survivors)
        MPIR_Group_release(survivors);
    return mpi_errno;
fn_fail:
    if (made)
        MPIR_Comm_discard(made);
    if (id != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(id);
    goto fn_exit;
}
