/* SPDX-License-Identifier: BSD-3-Clause */

#include "comm_survive.h"
#include "../mpicomm.h"
#include "mpir_intercomm.h"

/* What the result of an agreement means for MPIX_Comm_agree and MPIX_Comm_shrink. */

int MPIR_Agree_read_flag(const agree_value_t *result, int *flag)
{
    *flag = (int) result->flag;
    return MPIR_agree_set_is_equal(MPIR_agree_dead(result), MPIR_agree_acked(result))
               ? MPI_SUCCESS
               : MPIX_ERR_PROC_FAILED;
}

/* Those of the dead that are in a group of `size` from this member on, as ranks in it.  Answers how
 * many ranges they are. */
static uint32_t find_ranges(agree_set_t dead, uint32_t first, uint32_t size,
                            cmap_rank_range *ranges)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < dead.n; i++) {
        const uint32_t begin = MPL_MAX(dead.runs[i].first, first);
        const uint32_t end = MPL_MIN(dead.runs[i].first + dead.runs[i].length, first + size);

        if (begin < end)
            ranges[n++] = (cmap_rank_range){begin - first, end - 1 - first, 1};
    }
    return n;
}

/* The living of a group, whose rank 0 is this member. */
static int exclude_dead(const cmap_t *group, int first, const agree_value_t *result,
                        cmap_t **living)
{
    const agree_set_t dead = MPIR_agree_dead(result);
    cmap_status status = CMAP_ERR_NOMEM;
    cmap_rank_range *ranges = MPL_malloc((dead.n + 1) * sizeof(*ranges), MPL_MEM_GROUP);
    uint32_t n;

    *living = NULL;
    if (ranges) {
        n = find_ranges(dead, (uint32_t) first, MPIR_cmap_size(group), ranges);
        status = MPIR_cmap_range_excl(group, ranges, n, NULL, living);
    }
    MPL_free(ranges);
    return status == CMAP_OK
               ? MPI_SUCCESS
               : MPIR_Map_error(status, "living of a group", (int) MPIR_cmap_size(group));
}

static int group_of_living(MPIR_Comm *comm, const agree_value_t *result, MPIR_Group **living)
{
    cmap_t *map;

    MPIR_TRY(exclude_dead(MPIR_Comm_map(comm, MPIR_MAP_LOCAL), MPIDIG_agree_local(comm, 0), result,
                          &map));
    return MPIR_Group_create_from_map(map, MPIR_Map_own_rank(map), living);
}

/* Of the other group, as ranks in it. */
static void find_remote(const MPIR_Comm *comm, const agree_value_t *result,
                        MPIR_Remote_group_t *remote)
{
    const uint32_t size = (uint32_t) comm->remote_size;
    cmap_t *ranks;
    cmap_status status = MPIR_cmap_from_range(0, 1, size, size, NULL, &ranks);

    *remote = (MPIR_Remote_group_t){.error = MPI_SUCCESS, .is_low_group = comm->is_low_group};
    if (status != CMAP_OK) {
        remote->error = MPIR_Map_error(status, "living of a group", comm->remote_size);
        return;
    }
    remote->error = exclude_dead(ranks, MPIDIG_agree_remote(comm, 0), result, &remote->map);
    MPIR_cmap_release(ranks);
    if (remote->map)
        remote->size = (int) MPIR_cmap_size(remote->map);
}

/* *is_empty: nobody of the other group lives, and `made` stays as it is. */
static int fill_inter(MPIR_Comm *comm, const agree_value_t *result, MPIR_Group *living,
                      MPIR_Comm *made, bool *is_empty)
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

static int fill(MPIR_Comm *comm, const agree_value_t *result, MPIR_Comm *made, bool *is_empty)
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

/* `error`: of the choice of the id. */
static int make(MPIR_Comm *comm, const agree_value_t *result, MPIR_Context_id_t id, int error,
                MPIR_Comm **made)
{
    int mpi_errno = error;
    MPIR_Comm *shrunk = *made;
    bool is_empty = false;

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

/* The new communicator has its id out of the same agreement. */
bool MPIR_Agree_make_shrunk(MPIR_Comm *comm, MPIR_Ctxid_t *creation, const agree_value_t *result,
                            int tries, MPIR_Comm **made, int *mpi_errno)
{
    MPIR_Context_id_t id = 0; /* none */

    *mpi_errno = MPIR_Ctxid_decide_group(creation, result->offer, tries >= MPIR_SHRINK_TRIES, &id);
    if (*mpi_errno == MPI_SUCCESS && id == 0)
        return true;
    *mpi_errno = make(comm, result, id, *mpi_errno, made);
    return false;
}
