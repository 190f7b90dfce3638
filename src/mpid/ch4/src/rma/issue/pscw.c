/* SPDX-License-Identifier: BSD-3-Clause */

/* Epochs of MPI_Win_start and MPI_Win_complete. */

#include "rma/issue/issue_internal.h"

static bool covers_all(MPIR_Win *win MPL_UNUSED, int rank MPL_UNUSED) { return true; }

static rma_issue_permission_t asked(const MPIR_Win *win MPL_UNUSED) { return RI_ASKED; }

/* A post that has arrived is the target's permission. */
static void take_post(MPIR_Win *win, MPIDIG_rma_target_t *target)
{
    MPIDIG_win_target_t *known = MPIDIG_win_target_find(win, target->rank);

    if (known && known->sync.posts > 0) {
        known->sync.posts--;
        MPIR_rma_issue_granted(&target->issue);
    }
}

static unsigned flags(MPIR_Win *win MPL_UNUSED, const MPIDIG_rma_target_t *target MPL_UNUSED)
{
    return MPIDIG_RMA_PSCW;
}

static const MPIDIG_rma_epoch_t started = {.covers = covers_all,
                                           .permission = asked,
                                           .look = take_post,
                                           .go_on = MPIDIG_rma_just_go_on,
                                           .flags = flags,
                                           .has_requests = true,
                                           .cause = MPIDIG_RMA_WAIT_POST};

void MPIDIG_rma_posted(MPIR_Win *win, int rank)
{
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIDIG_rma_target_t *target =
        issue && issue->epoch == &started ? MPIDIG_rma_target_find(win, rank) : NULL;

    if (target && target->issue.permission == RI_ASKED)
        MPIDIG_rma_ready(target);
}

/* The ranks of the group in the window, which the caller frees; NULL without memory. */
static int *ranks_of(MPIR_Win *win, MPIR_Group *group, int *mpi_errno)
{
    int *ranks = MPL_malloc(sizeof(int) * (group->size + 1), MPL_MEM_RMA);

    if (ranks)
        *mpi_errno = MPIDIG_fill_ranks_in_win_grp(win, group, ranks);
    else
        MPIR_ERR_SET(*mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    return ranks;
}

/* Has the group peers?  Stores to a peer cannot wait for its post, so MPI_Win_start does. */
static bool has_peers(MPIR_Win *win, MPIR_Group *group, int *mpi_errno)
{
    const MPIDIG_rma_shared_t *shared = MPIDIG_WIN(win, shared);
    bool found = false;
    int *ranks;

    if (!shared || shared->is_whole)
        return shared && group->size > 0;
    ranks = ranks_of(win, group, mpi_errno);
    for (int i = 0; ranks && !*mpi_errno && i < group->size; i++)
        found |= MPIDIG_rma_peer(win, ranks[i]) != NULL;
    MPL_free(ranks);
    return found;
}

/* Without peers MPI_Win_start waits for no post: an operation waits for that of its target. */
int MPIDIG_rma_issue_start(MPIR_Win *win, MPIR_Group *group, int assert)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_rma_issue_of(win);

    if (!issue || assert & MPI_MODE_NOCHECK || has_peers(win, group, &mpi_errno))
        return MPIDI_NM_mpi_win_start(group, assert, win);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIDIG_ACCESS_EPOCH_CHECK_NONE(win, mpi_errno, return mpi_errno);
    MPIR_ERR_CHKANDSTMT(MPIDIG_WIN(win, sync).sc.group, mpi_errno, MPI_ERR_GROUP, return mpi_errno,
                        "**group");
    MPIR_Group_add_ref(group);
    MPIDIG_WIN(win, sync).sc.group = group;
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_START;
    issue->epoch = &started;
    MPIDIG_WIN(win, waiting_epochs)++;

    return mpi_errno;
}

/* Members of the group that received no operation have to learn of the end as well. */
static int open_rest(MPIR_Win *win, MPIR_Group *group)
{
    int mpi_errno = MPI_SUCCESS, *ranks = ranks_of(win, group, &mpi_errno);

    MPIR_ERR_CHECK(mpi_errno);
    for (int i = 0; i < group->size; i++) {
        MPIDIG_rma_target_t *target = MPIDIG_rma_target(win, ranks[i]);

        MPIR_ERR_CHKANDJUMP(!target, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
        if (target->issue.permission == RI_CLOSED)
            MPIDIG_rma_open(target, RI_ASKED);
    }

fn_exit:
    MPL_free(ranks);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIDIG_rma_issue_complete(MPIR_Win *win)
{
    int mpi_errno = MPI_SUCCESS;
    MPIDIG_rma_issue_t *issue = MPIDIG_WIN(win, issue);
    MPIR_Group *group = MPIDIG_WIN(win, sync).sc.group;

    if (!issue || issue->epoch != &started)
        return MPIDI_NM_mpi_win_complete(win);
    MPIDIG_ACCESS_EPOCH_CHECK(win, MPIDIG_EPOTYPE_START, mpi_errno, return mpi_errno);
    MPIR_TRY(open_rest(win, group));
    MPIR_TRY(MPIDIG_rma_end_all(win));
    issue->epoch = NULL;
    MPIDIG_WIN(win, waiting_epochs)--;
    if (MPIR_CVAR_CH4_RMA_MEM_EFFICIENT)
        MPIDIG_win_target_cleanall(win);
    MPIDIG_WIN(win, sync).access_epoch_type = MPIDIG_EPOTYPE_NONE;
    MPIDIG_WIN(win, sync).sc.group = NULL;
    MPIR_Group_release(group);
    return MPIDIG_rma_failure(&issue->failed);
}
