/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"

/* Communicators by nodes, made at first use (mpir_nodes.h).
 *
 * One lock for all of them: it is held for the few microseconds of a creation, in which nobody
 * waits for anything, and each communicator takes it once.  Two threads may well come at once:
 * one in a collective, the other in the progress engine, building the schedule of an
 * MPI_Comm_idup. */

static MPL_initlock_t creation = MPL_INITLOCK_INITIALIZER;
static unsigned long long made; /* under the lock */

void MPIR_Comm_plan_node_comms(MPIR_Comm *comm)
{
    /* No maps: some node is not known.  As many nodes as processes: nothing to gain. */
    if (!comm->intranode_map || comm->node_count == comm->remote_size)
        return;
    comm->hierarchy_kind = MPIR_COMM_HIERARCHY_KIND__PARENT;
    MPL_atomic_release_store_int(&comm->node_comms_made, MPIR_NODE_COMMS_NONE);
}

int MPIR_Comm_node_size(MPIR_Comm *comm)
{
    return MPIR_Comm_is_parent_comm(comm) ? (int) MPIR_cmap_size(comm->intranode_map) : 1;
}

int MPIR_Comm_node_rank(MPIR_Comm *comm)
{
    return MPIR_Comm_is_parent_comm(comm) ? MPIR_Get_intranode_rank(comm, comm->rank) : 0;
}

static void read_made(void *address MPL_UNUSED, void *obj_handle MPL_UNUSED, int count MPL_UNUSED,
                      void *buffer)
{
    MPL_initlock_lock(&creation);
    *(unsigned long long *) buffer = made;
    MPL_initlock_unlock(&creation);
}

void MPIR_Nodes_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "comm_node_comms", &made, read_made, "CMAP",
                       "communicators by nodes made, at the first use of those they belong to");
}

static void inherit(MPIR_Comm *sub, const MPIR_Comm *parent)
{
    static const int inherited[] = {MPIR_COMM_HINT_SENDER_VCI, MPIR_COMM_HINT_RECEIVER_VCI,
                                    MPIR_COMM_HINT_VCI};

    sub->tainted = parent->tainted;
    sub->seq = parent->seq;
    for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++)
        MPIR_Comm_hint_set(sub, inherited[i], parent->hints[inherited[i]]);
}

static int commit(MPIR_Comm *sub)
{
    MPIR_TRY(MPID_Comm_commit_pre_hook(sub));
    MPIR_TRY(MPIR_Find_nodes(sub));
    MPIR_Comm_report_born(sub);
    MPIR_TRY(MPIR_Coll_comm_init(sub));
    return MPID_Comm_commit_post_hook(sub);
}

/* The processes of `parent` whose ranks are in `ranks`.  Of those this process is the one with
 * `rank`. */
static int make_one(MPIR_Comm *parent, MPIR_Comm_hierarchy_kind_t kind, const cmap_t *ranks,
                    int rank, MPIR_Comm **result)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *sub = NULL;
    int offset = (kind == MPIR_COMM_HIERARCHY_KIND__NODE) ? MPIR_CONTEXT_INTRANODE_OFFSET
                                                          : MPIR_CONTEXT_INTERNODE_OFFSET;

    mpi_errno = MPIR_Comm_create(&sub);
    MPIR_ERR_CHKRETURN(mpi_errno);
    sub->comm_kind = MPIR_COMM_KIND__INTRACOMM;
    sub->hierarchy_kind = kind;
    sub->context_id = sub->recvcontext_id = parent->context_id + offset;
    sub->local_comm = NULL;
    sub->local_size = sub->remote_size = MPIR_cmap_size(ranks);
    sub->rank = rank;
    inherit(sub, parent);
    mpi_errno = MPIR_Comm_map_compose(sub, MPIR_MAP_LOCAL, parent, MPIR_MAP_LOCAL, ranks);
    if (mpi_errno != MPI_SUCCESS)
        MPIR_Comm_discard(sub);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = commit(sub);
    MPIR_ERR_CHKRETURN(mpi_errno);
    made++;
    *result = sub;

    return mpi_errno;
}

static int make_both(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Comm *node = NULL, *roots = NULL;
    cmap_t *root_ranks = NULL;

    mpi_errno = MPIR_Find_node_order(comm, comm->internode_map ? NULL : &comm->internode_map,
                                     MPIR_Comm_node_rank(comm) == 0 ? &root_ranks : NULL);
    MPIR_ERR_CHECK(mpi_errno);
    if (MPIR_Comm_node_size(comm) > 1) {
        mpi_errno = make_one(comm, MPIR_COMM_HIERARCHY_KIND__NODE, comm->intranode_map,
                             MPIR_Comm_node_rank(comm), &node);
        MPIR_ERR_CHECK(mpi_errno);
        if (comm->node_count == 1)
            MPIR_Aggr_decline(node);
    }
    if (MPIR_Comm_node_rank(comm) == 0) {
        mpi_errno = make_one(comm, MPIR_COMM_HIERARCHY_KIND__NODE_ROOTS, root_ranks,
                             MPIR_Get_internode_rank(comm, comm->rank), &roots);
        MPIR_ERR_CHECK(mpi_errno);
    }
    comm->node_comm = node;
    comm->node_roots_comm = roots;

fn_exit:
    MPIR_cmap_release(root_ranks);
    return mpi_errno;
fn_fail:
    if (node)
        MPIR_Comm_release(node);
    goto fn_exit;
}

int MPIR_Comm_make_node_comms(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;

    MPL_initlock_lock(&creation);
    if (MPL_atomic_acquire_load_int(&comm->node_comms_made) == MPIR_NODE_COMMS_NONE) {
        mpi_errno = make_both(comm);
        if (mpi_errno == MPI_SUCCESS)
            MPL_atomic_release_store_int(&comm->node_comms_made, MPIR_NODE_COMMS_OWN);
    }
    MPL_initlock_unlock(&creation);
    return mpi_errno;
}

/* which no group has that agrees on a context id by this communicator */
enum { TAG = -1 };

static void fold_failures(uint64_t all[2], const uint64_t one[2]) { all[0] |= one[0]; }

/* Has any member failed?  Needs no memory; and no messages where it can be done in the memory that
 * a node's processes have from the start. */
static int ask_all(MPIR_Comm *comm, bool *failed)
{
    int mpi_errno = MPI_SUCCESS;
    uint64_t numbers[2] = {*failed, 0};
    unsigned long long failures = *failed;

    if (MPIR_Aggr_do_group(comm, comm->map, TAG, numbers, fold_failures, &mpi_errno))
        failures = numbers[0];
    else
        mpi_errno = MPIR_Aggr_agree(comm, &failures, 1);
    *failed = failures != 0;
    return mpi_errno;
}

/* The lock is not held while this process waits for the others. */
int MPIR_Comm_settle_node_comms(MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS, own_errno = MPIR_Comm_make_node_comms(comm);
    bool failed = own_errno != MPI_SUCCESS;

    if (MPIR_Do_others_exist())
        mpi_errno = ask_all(comm, &failed);
    if (own_errno != MPI_SUCCESS)
        mpi_errno = own_errno;
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(failed, mpi_errno, MPI_ERR_NO_MEM, return mpi_errno, "**node_comms_other");
    MPL_atomic_release_store_int(&comm->node_comms_made, MPIR_NODE_COMMS_SETTLED);
    if (unlikely(comm->ended))
        return MPIR_Comm_end_error(comm);

    return mpi_errno;
}
