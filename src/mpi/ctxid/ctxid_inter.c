/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"

/* Blocking agreement on an intercommunicator, and refusals of either kind. */

#define EXCHANGE_TAG 31567

int ctxid_need_local_comm(MPIR_Comm * inter)
{
    return inter->local_comm ? MPI_SUCCESS : MPII_Setup_intercomm_localcomm(inter);
}

/* The ids of the groups, MPIR_INVALID_CONTEXT_ID from a group that has none: it does not let the other one wait. */
static int exchange(MPIR_Comm * inter, MPIR_Context_id_t own, MPIR_Context_id_t * remote)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    *remote = MPIR_INVALID_CONTEXT_ID;
    if (inter->rank == 0) {
        mpi_errno = MPIC_Sendrecv(&own, 1, MPIR_CONTEXT_ID_T_DATATYPE, 0, EXCHANGE_TAG, remote, 1,
                                  MPIR_CONTEXT_ID_T_DATATYPE, 0, EXCHANGE_TAG, inter,
                                  MPI_STATUS_IGNORE, &errflag);
        MPIR_ERR_CHECK(mpi_errno);
    }
    mpi_errno = MPIR_Bcast(remote, 1, MPIR_CONTEXT_ID_T_DATATYPE, 0, inter->local_comm, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static void refuse_inter(MPIR_Comm * inter)
{
    MPIR_Context_id_t remote;

    if (ctxid_need_local_comm(inter) != MPI_SUCCESS)
        return;
    ctxid_refuse_among(inter->local_comm, NULL, 0);
    exchange(inter, MPIR_INVALID_CONTEXT_ID, &remote);
}

void MPIR_Ctxid_refuse(MPIR_Comm * comm, MPIR_Group * group, int tag)
{
    if (!MPIR_Ctxid_is_highest())
        return;
    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        refuse_inter(comm);
    else
        ctxid_refuse_among(comm, group, tag);
}

int MPIR_Ctxid_get_inter(MPIR_Comm * inter, MPIR_Context_id_t * remote, MPIR_Context_id_t * own)
{
    int mpi_errno = MPI_SUCCESS, undecided;

    *own = MPIR_INVALID_CONTEXT_ID;
    mpi_errno = ctxid_need_local_comm(inter);
    MPIR_ERR_CHECK(mpi_errno);
    undecided = MPIR_Ctxid_get(inter->local_comm, NULL, 0, true, own);
    if (undecided)
        *own = MPIR_INVALID_CONTEXT_ID;
    mpi_errno = exchange(inter, *own, remote);
    if (undecided)
        mpi_errno = undecided;
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(*remote == MPIR_INVALID_CONTEXT_ID, mpi_errno, MPI_ERR_OTHER,
                        "**ctxid_refused");

  fn_exit:
    return mpi_errno;
  fn_fail:
    if (*own != MPIR_INVALID_CONTEXT_ID)
        MPIR_Ctxid_free(*own);
    goto fn_exit;
}
