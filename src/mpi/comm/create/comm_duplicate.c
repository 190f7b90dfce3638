/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "../mpicomm.h"
#include "mpir_duplicate.h"

/* MPI_Comm_dup with blocks of context ids (mpir_duplicate.h). */

/* Do the others have the duplicate with this id, or will they have it? */
static bool others_have(MPIR_Context_id_t id) { return id != 0 && id != MPIR_INVALID_CONTEXT_ID; }

/* `id`: taken from the block, or 0. */
static int copy_data(MPIR_Comm *parent, MPIR_Info *info, MPIR_Context_id_t id, MPIR_Comm **newcomm)
{
    int mpi_errno = MPII_Comm_copy_data(parent, parent->local_size, info, newcomm);

    if (mpi_errno != MPI_SUCCESS && MPIR_Ctxid_has_blocks(parent) &&
        MPIR_Ctxid_make_spare(parent, others_have(id)))
        mpi_errno = MPII_Comm_copy_data(parent, parent->local_size, info, newcomm);
    return mpi_errno;
}

int MPIR_Comm_duplicate_data(MPIR_Comm *parent, MPIR_Info *info, MPIR_Comm **newcomm)
{
    return copy_data(parent, info, 0, newcomm);
}

static int complete(MPIR_Comm *made, MPIR_Context_id_t id)
{
    made->context_id = made->recvcontext_id = id;
    return MPIR_Comm_commit(made);
}

/* All that takes memory comes before the collective, if there is one. */
static int duplicate(MPIR_Comm *parent, MPIR_Info *info, MPIR_Context_id_t *id, MPIR_Comm **made)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = MPIR_Ctxid_take_duplicate(parent, id);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = copy_data(parent, info, *id, made);
    if (mpi_errno != MPI_SUCCESS && *id == 0)
        MPIR_Ctxid_refuse(parent, NULL, 0);
    else if (mpi_errno == MPI_SUCCESS && *id == 0)
        mpi_errno = MPIR_Ctxid_get_duplicate(parent, id);
    /* meanwhile: the block that this call has brought came too late to be ended by that */
    if (parent->ended)
        MPIR_Ctxid_end_duplicates(parent);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = complete(*made, *id);
    return mpi_errno;
}

static int duplicate_by_block(MPIR_Comm *parent, MPIR_Info *info, MPIR_Comm **newcomm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Context_id_t id;
    MPIR_Comm *made = NULL;

    mpi_errno = duplicate(parent, info, &id, &made);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    *newcomm = made;
    return mpi_errno;
fn_fail:
    if (made)
        MPIR_Comm_discard(made);
    made = NULL;
    if (others_have(id))
        MPIR_Comm_duplicates_broken(parent, id, 1);
    goto fn_exit;
}

int MPIR_Comm_duplicate(MPIR_Comm *parent, MPIR_Info *info, MPIR_Comm **newcomm)
{
    return MPIR_Ctxid_has_blocks(parent)
               ? duplicate_by_block(parent, info, newcomm)
               : MPII_Comm_copy(parent, parent->local_size, info, newcomm);
}

void MPIR_Comm_duplicate_refuse(MPIR_Comm *parent)
{
    MPIR_Context_id_t id = 0;

    if (MPIR_Ctxid_has_blocks(parent))
        (void) MPIR_Ctxid_take_duplicate(parent, &id);
    if (others_have(id))
        MPIR_Comm_duplicates_broken(parent, id, 1);
    else if (id == 0)
        MPIR_Ctxid_refuse(parent, NULL, 0);
}
