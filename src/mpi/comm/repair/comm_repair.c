/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "../mpicomm.h"
#include "mpir_revoke.h"
#include "mpir_deaths.h"

/*
 * MPIX_Comm_agree and MPIX_Comm_shrink.
 *
 * Where somebody says which processes die (mpir_deaths.h), the members come to an agreement that
 * survives deaths (comm_agree.h), those of both groups of an intercommunicator to one.
 *
 * Elsewhere no process dies: the process manager ends a job in which one does.  So the group stays
 * as it is.  Their messages have tags of their own, with which they pass on a revoked communicator
 * and meet no message that an interrupted collective left.
 *
 * Between groups, each group then comes to its result on its local communicator, and the first
 * members exchange it.
 */

static bool has_others(const MPIR_Comm *comm)
{
    return comm->comm_kind == MPIR_COMM_KIND__INTERCOMM || comm->local_size > 1;
}

/* ---- in a group ---- */

static int agree_in_group(MPIR_Comm *comm, int *flag)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *group = NULL;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    mpi_errno = MPIR_Comm_group_impl(comm, &group);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPII_Allreduce_group(MPI_IN_PLACE, flag, 1, MPI_INT, MPI_BAND, comm, group,
                                     MPIR_AGREE_TAG, &errflag);
    MPIR_Group_release(group);

    return mpi_errno;
}

static int shrink_group(MPIR_Comm *comm, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Group *group = NULL;

    mpi_errno = MPIR_Comm_group_impl(comm, &group);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_Comm_create_group_impl(comm, group, MPIR_SHRINK_TAG, made);
    MPIR_Group_release(group);

    return mpi_errno;
}

/* ---- between groups ---- */

/* What the other group has come to; all bits where this process does not hear it. */
static int exchange_flags(MPIR_Comm *inter, int own, int *theirs)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    *theirs = ~0;
    if (inter->rank != 0)
        return MPI_SUCCESS;
    return MPIC_Sendrecv(&own, 1, MPI_INT, 0, MPIR_AGREE_TAG, theirs, 1, MPI_INT, 0, MPIR_AGREE_TAG,
                         inter, MPI_STATUS_IGNORE, &errflag);
}

static int agree_between(MPIR_Comm *inter, int *flag)
{
    int theirs;

    MPIR_TRY(agree_in_group(inter->local_comm, flag));
    MPIR_TRY(exchange_flags(inter, *flag, &theirs));
    MPIR_TRY(agree_in_group(inter->local_comm, &theirs));
    *flag &= theirs;

    return MPI_SUCCESS;
}

/* Neither group goes on without the other one. */
static int shrink_between(MPIR_Comm *inter, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS, own, both;
    MPIR_Comm *half = NULL;

    own = shrink_group(inter->local_comm, &half);
    both = own == MPI_SUCCESS;
    mpi_errno = agree_between(inter, &both);
    if (own != MPI_SUCCESS)
        mpi_errno = own;
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(!both, mpi_errno, MPI_ERR_OTHER, "**ctxid_refused");
    mpi_errno = MPIR_Intercomm_create_impl(half, 0, inter, 0, MPIR_SHRINK_TAG, made);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (half)
        MPIR_Comm_free_impl(half);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* ---- both ---- */

int MPIR_Comm_agree_impl(MPIR_Comm *comm, int *flag)
{
    int mpi_errno;

    if (MPIR_Deaths_watched && has_others(comm))
        return MPIR_Comm_agree_of_living(comm, flag);
    mpi_errno = MPIR_Comm_repair_begins(comm);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = comm->comm_kind == MPIR_COMM_KIND__INTRACOMM ? agree_in_group(comm, flag)
                                                             : agree_between(comm, flag);
    MPIR_Comm_repair_ends(comm);

    return mpi_errno;
}

int MPIR_Comm_shrink_impl(MPIR_Comm *comm, MPIR_Comm **made)
{
    int mpi_errno;

    if (MPIR_Deaths_watched && has_others(comm)) {
        mpi_errno = MPIR_Comm_shrink_to_living(comm, made);
    } else {
        mpi_errno = MPIR_Comm_repair_begins(comm);
        MPIR_ERR_CHKRETURN(mpi_errno);
        mpi_errno = comm->comm_kind == MPIR_COMM_KIND__INTRACOMM ? shrink_group(comm, made)
                                                                 : shrink_between(comm, made);
        MPIR_Comm_repair_ends(comm);
    }
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (*made)
        MPIR_Comm_inherit_errhandler(*made, comm);

    return mpi_errno;
}
