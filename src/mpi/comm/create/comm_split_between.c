/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_return.h"
#include "../mpicomm.h"

/*
 * MPI_Comm_split_type between groups, as MPI_Comm_split: the processes of both groups that share
 * what the type names are connected by an intercommunicator.  A process with which none of the
 * other group shares it gets MPI_COMM_NULL.
 *
 * The two groups are merged, and the type divides the merged communicator.  The first process of
 * each part names the colour by which the intercommunicator is split.
 */

/* The rank in `merged` of the first process of `part`. */
static int colour_of(MPIR_Comm *part, MPIR_Comm *merged, int *colour)
{
    int mpi_errno = MPI_SUCCESS;
    const int first = 0;
    MPIR_Group *of_part = NULL, *of_merged = NULL;

    mpi_errno = MPIR_Comm_group_impl(part, &of_part);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Comm_group_impl(merged, &of_merged);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Group_translate_ranks_impl(of_part, 1, &first, of_merged, colour);
    if (of_part)
        MPIR_Group_free_impl(of_part);
    if (of_merged)
        MPIR_Group_free_impl(of_merged);
    return mpi_errno;
}

/* The colour of this process in `merged`; MPI_UNDEFINED if it is in no part. */
static int find_colour(MPIR_Comm *merged, int split_type, MPIR_Info *info, int *colour)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *part = NULL;

    *colour = MPI_UNDEFINED;
    mpi_errno = MPIR_Comm_split_type_impl(merged, split_type, 0, info, &part);
    MPIR_ERR_CHECK(mpi_errno);
    if (part) {
        mpi_errno = colour_of(part, merged, colour);
        MPIR_ERR_CHECK(mpi_errno);
    }

fn_exit:
    if (part)
        MPIR_Comm_free_impl(part);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* An error of one process becomes one of all. */
static int share_error(MPIR_Comm *merged, int own_errno)
{
    int mpi_errno = MPI_SUCCESS, has_failed = own_errno != MPI_SUCCESS, any = 0;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    mpi_errno = MPIR_Allreduce(&has_failed, &any, 1, MPI_INT, MPI_MAX, merged, &errflag);
    if (own_errno != MPI_SUCCESS)
        mpi_errno = own_errno;
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(any || errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");

    return mpi_errno;
}

int MPIR_Comm_split_type_between(MPIR_Comm *inter, int split_type, int key, MPIR_Info *info,
                                 MPIR_Comm **newcomm)
{
    int mpi_errno = MPI_SUCCESS, colour;
    MPIR_Comm *merged = NULL;

    *newcomm = NULL;
    mpi_errno = MPIR_Intercomm_merge_impl(inter, !inter->is_low_group, &merged);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = share_error(merged, find_colour(merged, split_type, info, &colour));
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Comm_split_impl(inter, colour, key, newcomm);
    if (merged)
        MPIR_Comm_free_impl(merged);
    return mpi_errno;
}
