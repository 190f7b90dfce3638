/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_agree.h"
#include "mpir_aggr.h"
#include "mpir_intercomm.h"

/* Blocking agreement on an intercommunicator, and refusals on any communicator. */

#define EXCHANGE_TAG 31567

int MPIR_ctxid_need_local_comm(MPIR_Comm *inter)
{
    return inter->local_comm ? MPI_SUCCESS : MPII_Setup_intercomm_localcomm(inter);
}

/* How a group reaches the other one */
typedef struct {
    MPIR_Comm *group;
    int leader;        /* in the group */
    MPIR_Comm *peers;  /* of the leaders */
    int remote_leader; /* in `peers` */
    int tag;
} link_t;

static link_t link_of(MPIR_Comm *inter)
{
    return (link_t){.group = inter->local_comm,
                    .leader = 0,
                    .peers = inter,
                    .remote_leader = 0,
                    .tag = EXCHANGE_TAG};
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
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");
    *got = (MPI_Aint) MPIR_STATUS_GET_COUNT(status);

    return mpi_errno;
}

/* Each group sends its id to the other one, or MPIR_INVALID_CONTEXT_ID if it has none, so that the
 * other one does not wait.  If a leader fails, its group learns that there is no id.  The
 * group's messages need no memory, so no member fails alone. */
static int exchange(link_t to, MPIR_Context_id_t own, MPIR_Context_id_t *remote)
{
    int mpi_errno = MPI_SUCCESS, result;
    unsigned long long id = 0;
    MPI_Aint got;

    *remote = own;
    if (!MPIR_Do_others_exist())
        return mpi_errno;
    *remote = MPIR_INVALID_CONTEXT_ID;
    if (to.group->rank == to.leader) {
        mpi_errno = MPIR_Leaders_trade(&own, sizeof(own), remote, sizeof(*remote), &got,
                                       to.remote_leader, to.tag, to.peers);
        id = mpi_errno || own == MPIR_INVALID_CONTEXT_ID ? MPIR_INVALID_CONTEXT_ID : *remote;
    }
    result = MPIR_Aggr_agree(to.group, &id, 1);
    *remote = result == MPI_SUCCESS ? (MPIR_Context_id_t) id : MPIR_INVALID_CONTEXT_ID;
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = result;

    return mpi_errno;
}

/* `undecided`: the error if the group has no id, or MPI_SUCCESS.  On an error *own is given
 * back. */
static int exchange_decided(link_t to, int undecided, MPIR_Context_id_t *own,
                            MPIR_Context_id_t *remote)
{
    int mpi_errno = MPI_SUCCESS;

    if (undecided)
        *own = MPIR_INVALID_CONTEXT_ID;
    mpi_errno = exchange(to, *own, remote);
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

static void refuse_inter(MPIR_Comm *inter)
{
    MPIR_Context_id_t remote;

    if (MPIR_ctxid_need_local_comm(inter) != MPI_SUCCESS)
        return;
    MPIR_ctxid_refuse_among(inter->local_comm, NULL, 0);
    exchange(link_of(inter), MPIR_INVALID_CONTEXT_ID, &remote);
}

void MPIR_Ctxid_refuse(MPIR_Comm *comm, MPIR_Group *group, int tag)
{
    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        refuse_inter(comm);
    else
        MPIR_ctxid_refuse_among(comm, group, tag);
}

int MPIR_Ctxid_get_inter(MPIR_Comm *inter, MPIR_Context_id_t *remote, MPIR_Context_id_t *own)
{
    int mpi_errno = MPI_SUCCESS;

    mpi_errno = MPIR_ctxid_need_local_comm(inter);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = MPIR_Ctxid_get(inter->local_comm, NULL, 0, true, own);
    mpi_errno = exchange_decided(link_of(inter), mpi_errno, own, remote);

    return mpi_errno;
}

int MPIR_Ctxid_get_by_leaders(MPIR_Comm *group, int leader, MPIR_Comm *peers, int remote_leader,
                              int tag, int refusal, MPIR_Context_id_t *remote,
                              MPIR_Context_id_t *own)
{
    link_t to = {.group = group,
                 .leader = leader,
                 .peers = peers,
                 .remote_leader = remote_leader,
                 .tag = tag};
    int undecided = refusal;

    if (refusal)
        MPIR_Ctxid_refuse(group, NULL, 0);
    else
        undecided = MPIR_Ctxid_get(group, NULL, 0, true, own);
    return exchange_decided(to, undecided, own, remote);
}
