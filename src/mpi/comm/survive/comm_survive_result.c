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

/* *is_empty: nobody of the other group lives, and `made` stays as it is. */
static int fill_inter(MPIR_Comm *comm, agree_value_t *result, MPIR_Group *living, MPIR_Comm *made,
                      bool *is_empty)
{
    MPIR_Remote_group_t remote;
    int mpi_errno;

    find_remote(comm, result, &remote);
    mpi_errno = remote.error;
    *is_empty = mpi_errno == MPI_SUCCESS && remote.size == 0;
    if (mpi_errno == MPI_SUCCESS && !*is_empty)
        mpi_errno = MPIR_Comm_fill_part(made, comm, living, &remote);
    MPIR_cmap_release(remote.map);
    return mpi_errno;
}

static int fill(MPIR_Comm *comm, agree_value_t *result, MPIR_Comm *made, bool *is_empty)
{
    MPIR_Group *living;
    int mpi_errno = group_of_living(comm, result, &living);

    *is_empty = false;
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        mpi_errno = fill_inter(comm, result, living, made, is_empty);
    else
        mpi_errno = MPIR_Comm_fill_group(made, comm, living);
    MPIR_Group_release(living);
    return mpi_errno;
}

/* The new communicator has its id out of the same agreement. */
int MPIR_Agree_make_shrunk(MPIR_Comm *comm, MPIR_Ctxid_t *creation, agree_value_t *result,
                           MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *shrunk = *made;
    MPIR_Context_id_t id = 0; /* none */
    bool is_empty = false;

    mpi_errno = MPIR_Ctxid_decide_group(creation, result->offer, &id);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(!shrunk, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    mpi_errno = fill(comm, result, shrunk, &is_empty);
    if (mpi_errno != MPI_SUCCESS || is_empty)
        goto fn_fail;
    shrunk->context_id = shrunk->recvcontext_id = id;
    mpi_errno = MPIR_Comm_commit(shrunk);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    return mpi_errno;
fn_fail:
    *made = NULL;
    if (shrunk)
        MPIR_Comm_discard(shrunk);
    if (id)
        MPIR_Free_contextid(id);
    goto fn_exit;
}
