/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_intercomm.h"

/* Communicators made before their context ids are agreed on (mpir_comm_parts.h,
 * mpir_intercomm.h). */

static void join_group(MPIR_Comm *comm, MPIR_Group *group)
{
    comm->rank = group->rank;
    comm->local_size = comm->remote_size = group->size;
    comm->local_group = comm->remote_group = group;
    MPIR_Group_add_ref(group);
    MPIR_Group_add_ref(group);
}

/* The end of what makes a communicator: the caller's, or gone when there is an error. */
static int hand_out(MPIR_Comm *made, int mpi_errno, MPIR_Comm **comm)
{
    if (mpi_errno == MPI_SUCCESS)
        *comm = made;
    else if (made)
        MPIR_Comm_discard(made);
    return mpi_errno;
}

/* Commits what has its ids; `made` is NULL where this process is no member.  Without a communicator
 * the own id is free again. */
static int commit_or_free(MPIR_Comm *made, MPIR_Context_id_t id, MPIR_Context_id_t own_id)
{
    int mpi_errno = MPI_SUCCESS;

    if (made) {
        made->context_id = id;
        made->recvcontext_id = own_id;
        mpi_errno = MPIR_Comm_commit(made);
    }
    if (!made || mpi_errno)
        MPIR_Free_contextid(own_id);
    return mpi_errno;
}

int MPIR_Comm_fill_group(MPIR_Comm *made, MPIR_Comm *parent, MPIR_Group *group)
{
    made->comm_kind = parent->comm_kind;
    made->tainted = parent->tainted;
    join_group(made, group);
    MPIR_TRY(MPIR_Comm_map_from_group(made, MPIR_MAP_LOCAL, group));
    return MPIR_Find_nodes(made);
}

int MPIR_Comm_prepare_group(MPIR_Comm *parent, MPIR_Group *group, MPIR_Comm **comm)
{
    MPIR_Comm *made;

    MPIR_TRY(MPIR_Comm_create(&made));
    return hand_out(made, MPIR_Comm_fill_group(made, parent, group), comm);
}

/* An intracommunicator of so many members, of which this process is that one, without its map. */
static int create_intra(int rank, int size, int tainted, MPIR_Comm **comm)
{
    MPIR_TRY(MPIR_Comm_create(comm));
    (*comm)->comm_kind = MPIR_COMM_KIND__INTRACOMM;
    (*comm)->rank = rank;
    (*comm)->local_size = (*comm)->remote_size = size;
    (*comm)->tainted = tainted;
    return MPI_SUCCESS;
}

static int fill_ranks(MPIR_Comm *made, MPIR_Comm *parent, const cmap_t *ranks)
{
    MPIR_TRY(MPIR_Comm_map_compose(made, MPIR_MAP_LOCAL, parent, MPIR_MAP_LOCAL, ranks));
    MPIR_Comm_inherit_errhandler(made, parent);
    return MPIR_Copy_nodes(made, parent);
}

/* Some ranks of the parent, in the order of `ranks`. */
static int prepare_ranks(MPIR_Comm *parent, const cmap_t *ranks, int rank, MPIR_Comm **comm)
{
    MPIR_Comm *made;

    MPIR_TRY(create_intra(rank, (int) MPIR_cmap_size(ranks), parent->tainted, &made));
    return hand_out(made, fill_ranks(made, parent, ranks), comm);
}

int MPIR_Comm_make_ranks(MPIR_Comm *parent, const cmap_t *ranks, int rank, int error,
                         MPIR_Comm **comm)
{
    int mpi_errno = error;
    MPIR_Comm *made = NULL;
    MPIR_Context_id_t id = MPIR_INVALID_CONTEXT_ID;

    *comm = NULL;
    if (mpi_errno == MPI_SUCCESS && rank != MPI_UNDEFINED)
        mpi_errno = prepare_ranks(parent, ranks, rank, &made);
    if (mpi_errno != MPI_SUCCESS) {
        MPIR_Ctxid_refuse(parent, NULL, 0);
        MPIR_ERR_RETURN(mpi_errno);
    }
    mpi_errno = MPIR_Get_contextid_sparse(parent, &id, false);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = commit_or_free(made, id, id);
    return hand_out(made, mpi_errno, comm);
}

/* Without the maps of its groups. */
static void begin_inter(MPIR_Comm *made, int rank, int local_size,
                        const MPIR_Remote_group_t *remote)
{
    made->comm_kind = MPIR_COMM_KIND__INTERCOMM;
    made->rank = rank;
    made->local_size = local_size;
    made->remote_size = remote->size;
    made->is_low_group = remote->is_low_group;
}

int MPIR_Comm_prepare_local(MPIR_Comm *inter)
{
    int mpi_errno;
    MPIR_Comm *local;

    MPIR_TRY(create_intra(inter->rank, inter->local_size, 1, &local));
    mpi_errno = MPIR_Comm_map_share(local, MPIR_MAP_LOCAL, inter, MPIR_MAP_LOCAL);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Find_nodes(local);
    return hand_out(local, mpi_errno, &inter->local_comm);
}

int MPIR_Comm_commit_local(MPIR_Comm *inter)
{
    MPIR_Comm *local = inter->local_comm;
    int mpi_errno;

    local->context_id = MPIR_CONTEXT_SET_FIELD(IS_LOCALCOMM, inter->recvcontext_id, 1);
    local->recvcontext_id = local->context_id;
    mpi_errno = MPIR_Comm_commit(local);
    if (mpi_errno) {
        inter->local_comm = NULL;
        MPIR_Comm_discard(local);
    }
    return mpi_errno;
}

static int fill_inter(MPIR_Comm *made, MPIR_Comm *local_comm, const MPIR_Remote_group_t *remote)
{
    made->tainted = 1;
    MPIR_TRY(MPIR_Comm_map_set(made, MPIR_MAP_REMOTE, remote->map));
    MPIR_TRY(MPIR_Comm_map_share(made, MPIR_MAP_LOCAL, local_comm, MPIR_MAP_LOCAL));
    MPIR_TRY(MPIR_Comm_prepare_local(made));
    MPIR_Comm_inherit_errhandler(made, local_comm);
    return MPI_SUCCESS;
}

int MPIR_Comm_prepare_inter(MPIR_Comm *local_comm, const MPIR_Remote_group_t *remote,
                            MPIR_Comm **comm)
{
    MPIR_Comm *made;

    MPIR_TRY(remote->error);
    MPIR_TRY(MPIR_Comm_create(&made));
    begin_inter(made, local_comm->rank, local_comm->local_size, remote);
    return hand_out(made, fill_inter(made, local_comm, remote), comm);
}

int MPIR_Comm_finish_inter(MPIR_Comm *group, int leader, MPIR_Comm *peers, int remote_leader,
                           int tag, int refusal, MPIR_Comm **comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *made = *comm;
    MPIR_Context_id_t remote_id, own_id;

    *comm = NULL;
    mpi_errno = MPIR_Ctxid_get_by_leaders(group, leader, peers, remote_leader, tag, refusal,
                                          &remote_id, &own_id);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = commit_or_free(made, remote_id, own_id);
    return hand_out(made, mpi_errno, comm);
}

int MPIR_Comm_fill_part(MPIR_Comm *made, MPIR_Comm *inter, MPIR_Group *group,
                        const MPIR_Remote_group_t *remote)
{
    begin_inter(made, group->rank, group->size, remote);
    made->local_group = group;
    MPIR_Group_add_ref(group);
    made->tainted = inter->tainted;
    MPIR_TRY(MPIR_Comm_map_from_group(made, MPIR_MAP_LOCAL, group));
    MPIR_TRY(MPIR_Comm_map_compose(made, MPIR_MAP_REMOTE, inter, MPIR_MAP_REMOTE, remote->map));
    return MPIR_Comm_prepare_local(made);
}

int MPIR_Comm_prepare_part(MPIR_Comm *inter, MPIR_Group *group, const MPIR_Remote_group_t *remote,
                           MPIR_Comm **comm)
{
    MPIR_Comm *made;

    MPIR_TRY(remote->error);
    MPIR_TRY(MPIR_Comm_map_check_group(inter, group));
    if (group->rank == MPI_UNDEFINED || remote->size == 0) {
        *comm = NULL;
        return MPI_SUCCESS;
    }
    MPIR_TRY(MPIR_Comm_create(&made));
    return hand_out(made, MPIR_Comm_fill_part(made, inter, group, remote), comm);
}

static int prepare_merged(MPIR_Comm *inter, int local_high, MPIR_Comm **comm)
{
    int mpi_errno, rank = inter->rank + (local_high ? inter->remote_size : 0);
    MPIR_Comm *made;

    MPIR_TRY(create_intra(rank, inter->local_size + inter->remote_size, 1, &made));
    mpi_errno = MPIR_Comm_map_merge(made, inter, local_high ? MPIR_MAP_REMOTE : MPIR_MAP_LOCAL);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_Find_nodes(made);
    return hand_out(made, mpi_errno, comm);
}

/* Does the remote group come first?  Each leader knows what both say; if they say the same, the low
 * group comes first. */
static int agree_on_order(MPIR_Comm *inter, int *local_high)
{
    int mpi_errno = MPI_SUCCESS, sent = MPI_SUCCESS, remote_high;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (inter->rank == 0) {
        sent = MPIC_Sendrecv(local_high, 1, MPI_INT, 0, 0, &remote_high, 1, MPI_INT, 0, 0, inter,
                             MPI_STATUS_IGNORE, &errflag);
        if (sent != MPI_SUCCESS)
            errflag = MPIR_ERR_OTHER; /* tells the group */
        else if (*local_high == remote_high)
            *local_high = !inter->is_low_group;
    }
    mpi_errno = MPIR_Bcast(local_high, 1, MPI_INT, 0, inter->local_comm, &errflag);
    MPIR_Err_keep_first(&sent, mpi_errno);
    mpi_errno = sent;
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);

    return mpi_errno;
}

int MPIR_Intercomm_merge_impl(MPIR_Comm *inter, int high, MPIR_Comm **merged)
{
    int mpi_errno, local_high = high;
    MPIR_Comm *made = NULL;
    MPIR_Context_id_t id;

    if (!inter->local_comm)
        MPIR_TRY(MPII_Setup_intercomm_localcomm(inter));
    mpi_errno = agree_on_order(inter, &local_high);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = prepare_merged(inter, local_high, &made);
    /* who has failed refuses, so that nobody waits */
    mpi_errno = MPIR_Ctxid_get_merged(inter, mpi_errno, &id);
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = commit_or_free(made, id, id);
    return hand_out(made, mpi_errno, merged);
}
