/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"
#include "mpir_aggr.h"
#include "mpir_intercomm.h"
#include "../../comm/mpicomm.h"

/* Blocking agreement on an intercommunicator, and refusals on any communicator. */

#define EXCHANGE_TAG 31567

int MPIR_ctxid_need_local_comm(MPIR_Comm *inter)
{
    return inter->local_comm ? MPI_SUCCESS : MPII_Setup_intercomm_localcomm(inter);
}

bool (*MPIR_Leaders_port)(const MPIR_Comm *peers, const void *own, size_t bytes, void *theirs,
                          size_t room, size_t *got, int *error);

int MPIR_Leaders_trade(const void *own, MPI_Aint bytes, void *theirs, MPI_Aint room, MPI_Aint *got,
                       int remote_leader, int tag, MPIR_Comm *peers)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Status status;
    size_t n = 0;
    int mpi_errno = MPI_SUCCESS;

    *got = 0;
    if (MPIR_Leaders_port &&
        MPIR_Leaders_port(peers, own, (size_t) bytes, theirs, (size_t) room, &n, &mpi_errno)) {
        *got = (MPI_Aint) n;
        return mpi_errno;
    }
    mpi_errno = MPIC_Sendrecv(own, bytes, MPI_BYTE, own ? remote_leader : MPI_PROC_NULL, tag,
                              theirs, room, MPI_BYTE, theirs ? remote_leader : MPI_PROC_NULL, tag,
                              peers, &status, &errflag);
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);
    *got = (MPI_Aint) MPIR_STATUS_GET_COUNT(status);

    return mpi_errno;
}

/* Each group sends its id to the other one, or MPIR_INVALID_CONTEXT_ID if it has none, so that the
 * other one does not wait.  If a leader fails, its group learns that there is no id.  The
 * group's messages need no memory, so no member fails alone. */
static int inter_exchange(MPIR_Comm *group, int leader, MPIR_Comm *peers, int remote_leader,
                          int tag, MPIR_Context_id_t own, MPIR_Context_id_t *remote)
{
    int mpi_errno = MPI_SUCCESS, result;
    unsigned long long id = 0;
    MPI_Aint got;

    *remote = own;
    if (!MPIR_Do_others_exist())
        return mpi_errno;
    *remote = MPIR_INVALID_CONTEXT_ID;
    if (group->rank == leader) {
        mpi_errno = MPIR_Leaders_trade(&own, sizeof(own), remote, sizeof(*remote), &got,
                                       remote_leader, tag, peers);
        id = mpi_errno || own == MPIR_INVALID_CONTEXT_ID ? MPIR_INVALID_CONTEXT_ID : *remote;
    }
    result = MPIR_Aggr_agree(group, &id, 1);
    *remote = result == MPI_SUCCESS ? (MPIR_Context_id_t) id : MPIR_INVALID_CONTEXT_ID;
    MPIR_ERR_CHKRETURN(mpi_errno);
    return result;
}

/* The group's id; MPIR_INVALID_CONTEXT_ID after an error. */
static int get_own(MPIR_Comm *group, int refusal, MPIR_Context_id_t *own)
{
    int mpi_errno = refusal;

    if (refusal)
        MPIR_Ctxid_refuse(group, NULL, 0);
    else
        mpi_errno = MPIR_Get_contextid_sparse(group, own, false);
    if (mpi_errno)
        *own = MPIR_INVALID_CONTEXT_ID;
    return mpi_errno;
}

/* On an error *own is given back. */
int MPIR_Ctxid_get_by_leaders(MPIR_Comm *group, int leader, MPIR_Comm *peers, int remote_leader,
                              int tag, int refusal, MPIR_Context_id_t *remote,
                              MPIR_Context_id_t *own)
{
    int mpi_errno = get_own(group, refusal, own);
    int result = inter_exchange(group, leader, peers, remote_leader, tag, *own, remote);

    mpi_errno = mpi_errno ? mpi_errno : result;
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(*remote == MPIR_INVALID_CONTEXT_ID, mpi_errno, MPI_ERR_OTHER,
                        "**ctxid_refused");

fn_exit:
    return mpi_errno;
fn_fail:
    if (*own != MPIR_INVALID_CONTEXT_ID)
        MPIR_Free_contextid(*own);
    goto fn_exit;
}

static int get_inter(MPIR_Comm *inter, int refusal, MPIR_Context_id_t *remote,
                     MPIR_Context_id_t *own)
{
    MPIR_TRY(MPIR_ctxid_need_local_comm(inter));
    return MPIR_Ctxid_get_by_leaders(inter->local_comm, 0, inter, 0, EXCHANGE_TAG, refusal, remote,
                                     own);
}

int MPIR_Get_intercomm_contextid(MPIR_Comm *comm_ptr, MPIR_Context_id_t *context_id,
                                 MPIR_Context_id_t *recvcontext_id)
{
    return get_inter(comm_ptr, MPI_SUCCESS, context_id, recvcontext_id);
}

void MPIR_Ctxid_refuse(MPIR_Comm *comm, MPIR_Group *group, int tag)
{
    MPIR_Context_id_t remote, own;

    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        (void) get_inter(comm, MPIR_ctxid_error(CTXID_FAILED), &remote, &own);
    else
        MPIR_ctxid_refuse_among(comm, group, tag);
}
