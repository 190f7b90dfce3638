/* SPDX-License-Identifier: BSD-3-Clause */

#include "comm_survive.h"
#include "../mpicomm.h"
#include "mpir_intercomm.h"

/* What the result of an agreement means for MPIX_Comm_agree and MPIX_Comm_shrink. */

int MPIR_Agree_read_flag(MPIR_Comm *comm, agree_value_t *result, int *flag)
{
    const int members = MPIDIG_agree_members(comm);

    *flag = (int) result->flag;
    for (int i = 0; i < MPIR_agree_words(members); i++) {
        if (MPIR_agree_dead(result)[i] & ~MPIR_agree_acked(result, members)[i])
            return MPIX_ERR_PROC_FAILED;
    }
    return MPI_SUCCESS;
}

/* The ranks of those that live: `number_of` says which member a rank is. */
static int rank_living(const MPIR_Comm *comm, agree_value_t *result, int size,
                       int (*number_of)(const MPIR_Comm *, int), int *ranks)
{
    int n = 0;

    for (int rank = 0; rank < size; rank++) {
        if (!MPIR_agree_has(MPIR_agree_dead(result), number_of(comm, rank)))
            ranks[n++] = rank;
    }
    return n;
}

static int group_of_living(MPIR_Comm *comm, agree_value_t *result, MPIR_Group **living)
{
    int mpi_errno = MPI_SUCCESS, n;
    MPIR_Group *group = NULL;
    int *ranks;
    MPIR_CHKLMEM_DECL(1);

    MPIR_CHKLMEM_MALLOC(ranks, int *, comm->local_size * sizeof(int), mpi_errno, "ranks",
                        MPL_MEM_GROUP);
    n = rank_living(comm, result, comm->local_size, MPIDIG_agree_local, ranks);
    mpi_errno = MPIR_Comm_group_impl(comm, &group);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Group_incl_impl(group, n, ranks, living);
    MPIR_Group_release(group);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    MPIR_CHKLMEM_FREEALL();
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* Of the other group, as ranks in it. */
static void find_remote(const MPIR_Comm *comm, agree_value_t *result, MPIR_Remote_group_t *remote)
{
    int *ranks = MPL_malloc((size_t) comm->remote_size * sizeof(int), MPL_MEM_GROUP);
    cmap_status status = CMAP_ERR_NOMEM;

    *remote = (MPIR_Remote_group_t){.error = MPI_SUCCESS, .is_low_group = comm->is_low_group};
    if (ranks) {
        remote->size = rank_living(comm, result, comm->remote_size, MPIDIG_agree_remote, ranks);
        status = MPIR_cmap_from_array((const uint32_t *) ranks, (uint32_t) remote->size,
                                      (uint32_t) comm->remote_size, NULL, &remote->map);
    }
    if (status != CMAP_OK)
        remote->error = MPIR_Map_error(status, "living of a group", comm->remote_size);
    MPL_free(ranks);
}

/* *made stays NULL if nobody of the other group lives. */
static int make_inter(MPIR_Comm *comm, agree_value_t *result, MPIR_Group *living, MPIR_Comm **made)
{
    MPIR_Remote_group_t remote;
    int mpi_errno;

    find_remote(comm, result, &remote);
    mpi_errno = MPIR_Comm_prepare_part(comm, living, &remote, made);
    MPIR_cmap_release(remote.map);
    return mpi_errno;
}

static int commit(MPIR_Comm *made, MPIR_Context_id_t id)
{
    made->context_id = made->recvcontext_id = id;
    return MPIR_Comm_commit(made);
}

/* The new communicator has its id out of the same agreement. */
int MPIR_Agree_make_shrunk(MPIR_Comm *comm, MPIR_Ctxid_t *creation, agree_value_t *result,
                           MPIR_Comm *made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *living = NULL;
    MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;

    mpi_errno = MPIR_Ctxid_decide_group(creation, result->offer, &id);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(!made, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = group_of_living(comm, result, &living);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Comm_fill_group(made, comm, living);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = commit(made, id);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (living)
        MPIR_Group_release(living);
    return mpi_errno;
fn_fail:
    if (made)
        MPIR_Comm_discard(made);
    if (id != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(id);
    goto fn_exit;
}

int MPIR_Agree_make_shrunk_inter(MPIR_Comm *comm, MPIR_Ctxid_t *creation, agree_value_t *result,
                                 MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *living = NULL;
    MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;

    *made = NULL;
    mpi_errno = MPIR_Ctxid_decide_group(creation, result->offer, &id);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = group_of_living(comm, result, &living);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = make_inter(comm, result, living, made);
    MPIR_ERR_CHECK(mpi_errno);
    if (*made)
        mpi_errno = commit(*made, id);
    else
        MPIR_Free_contextid(id);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (living)
        MPIR_Group_release(living);
    return mpi_errno;
fn_fail:
    if (*made)
        MPIR_Comm_discard(*made);
    *made = NULL;
    if (id != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(id);
    goto fn_exit;
}
