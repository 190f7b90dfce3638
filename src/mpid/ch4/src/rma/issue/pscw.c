/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma/issue/internal.h"

/* The ranks of the group in the window, to be freed; NULL without memory. */
static int *ranks_of(MPIR_Win * win, MPIR_Group * group, int *mpi_errno)
{
    int *ranks = MPL_malloc(sizeof(int) * (group->size + 1), MPL_MEM_RMA);

    if (ranks)
        *mpi_errno = MPIDIG_fill_ranks_in_win_grp(win, group, ranks);
    else
        MPIR_ERR_SET(*mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    return ranks;
}

/* Stores to a peer do not wait for its post: then the epoch does, at its start. */
static bool has_peers(MPIR_Win * win, MPIR_Group * group, int *mpi_errno)
{
    bool found = false;
    int *ranks = MPIDIG_WIN(win, shared) ? ranks_of(win, group, mpi_errno) : NULL;

    for (int i = 0; ranks && !*mpi_errno && i < group->size; i++)
        found |= MPIDIG_rma_peer(win, ranks[i]) != NULL;
    MPL_free(ranks);
    return found;
}

/* Otherwise nobody waits for posts here: operations wait for those of their targets. */
bool MPIDIG_rma_start(MPIR_Win * win, int *mpi_errno_ptr, MPIR_Group * group, int assert)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_of(win);

    if (!issue || assert & MPI_MODE_NOCHECK || has_peers(win, group, &mpi_errno))
        return false;
    MPIR_ERR_CHECK(mpi_errno);
    MPIDIG_ACCESS_EPOCH_CHECK_NONE(win, mpi_errno, goto fn_fail);
    MPIR_ERR_CHKANDJUMP(MPIDIG_WIN(win, sync).sc.group, mpi_errno, MPI_ERR_GROUP, "**group");
    MPIR_Group_add_ref(group);
    MPIDIG_WIN(win, sync).sc.group = group;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_START;
    issue->pscw = true;
    issue->open++;

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}

void MPIDIG_rma_take_post(MPIR_Win * win, MPIDIG_rma_target_t * target)
{
    MPIDIG_win_target_t *known = MPIDIG_win_target_find(win, target->rank);

    if (known && known->sync.posts > 0) {
        known->sync.posts--;
        rma_issue_granted(&target->issue);
    }
}

/* Members of the group that got no operation hear of the end, too. */
static int open_rest(MPIR_Win * win, MPIR_Group * group)
{
    int mpi_errno = MPI_SUCCESS, *ranks = ranks_of(win, group, &mpi_errno);

    MPIR_ERR_CHECK(mpi_errno);
    for (int i = 0; i < group->size; i++) {
        MPIDIG_rma_target_t *target = MPIDIG_rma_target(win, ranks[i]);

        MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
        if (target->issue.permission == RI_CLOSED)
            rma_issue_open(&target->issue, RI_ASKED);
    }

  fn_exit:
    MPL_free(ranks);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

bool MPIDIG_rma_complete(MPIR_Win * win, int *mpi_errno_ptr)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIR_Group *group = MPIDIG_WIN(win, sync).sc.group;

    if (!issue || !issue->pscw)
        return false;
    MPIDIG_ACCESS_EPOCH_CHECK(win, MPIDIG_EPOTYPE_START, mpi_errno, goto fn_fail);
    mpi_errno = open_rest(win, group);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIDIG_rma_end_all(win);
    MPIR_ERR_CHECK(mpi_errno);
    issue->pscw = false;
    issue->open--;
    if (MPIR_CVAR_CH4_RMA_MEM_EFFICIENT)
        MPIDIG_win_target_cleanall(win);
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
    MPIDIG_WIN(win, sync).sc.group = NULL;
    MPIR_Group_release(group);
    mpi_errno = MPIDIG_rma_failure(&issue->failed);

  fn_exit:
    *mpi_errno_ptr = mpi_errno;
    return true;
  fn_fail:
    goto fn_exit;
}
