/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_aggr_nodes.h"
#include "split_nodes.h"

/* ---- which way ------------------------------------------------------------------------------- */

int MPIR_split_choose_nodes(MPIR_Comm *comm, bool *by_nodes)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_first, has_comms;

    *by_nodes = false;
    if (comm->hierarchy_kind != MPIR_COMM_HIERARCHY_KIND__PARENT || comm->node_count == 1 ||
        !comm->is_node_consecutive)
        return MPI_SUCCESS;
    is_first = !MPIR_Aggr_mark_collective(comm);
    has_comms = MPL_atomic_acquire_load_int(&comm->node_comms_made) == MPIR_NODE_COMMS_SETTLED;
    if (is_first && !has_comms)
        return MPI_SUCCESS;
    mpi_errno = MPIR_Comm_need_node_comms(comm);
    *by_nodes = (mpi_errno == MPI_SUCCESS);
    return mpi_errno;
}

static void swap_zones(split_zones *zones)
{
    uint8_t *mine = zones->theirs;

    zones->theirs = zones->mine;
    zones->mine = mine;
}

/* ---- rows to the first process of the node --------------------------------------------------- */

enum {
    CHUNK = COLOURS_PARSE - 1,
    /* leaves on the stack; with more processes a node's leaves come one by one */
    MOST_AT_ONCE = 128
};

/* Chunks of fewer than COLOURS_PARSE / 2 rows would stay rows beside a piece. */
uint32_t MPIR_split_next_leaves(uint32_t left)
{
    return left < COLOURS_PARSE ? left : COLOURS_PARSE / 2;
}

void MPIR_split_add_leaves(split_zones *zones, const split_leaf leaves[], uint32_t n, bool is_first)
{
    colours_row rows[CHUNK];
    uint64_t offer = 0;
    uint32_t flags = 0;

    for (uint32_t i = 0; i < n; i++) {
        rows[i] = leaves[i].row;
        flags |= leaves[i].flags & COLOURS_FAILED;
        MPIR_Ctxid_fold(&offer, leaves[i].offer);
    }
    MPIR_colours_rows(is_first ? zones->mine : zones->theirs, rows, n, offer, flags);
    if (!is_first)
        MPIR_split_merge(zones, true);
}

static void add_all(split_zones *zones, const split_leaf leaves[], uint32_t n)
{
    for (uint32_t i = 0, next; i < n; i += next) {
        next = MPIR_split_next_leaves(n - i);
        MPIR_split_add_leaves(zones, leaves + i, next, i == 0);
    }
}

/* Some of a node's leaves, at its first process. */
static int receive_leaves(split_leaf leaves[], int first, int n, MPIR_Comm *node,
                          const split_leaf *own)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    for (int i = 0; i < n; i++) {
        if (first + i == 0)
            leaves[0] = *own;
        else
            MPIR_Err_keep_first(&mpi_errno,
                                MPIC_Recv(&leaves[i], sizeof(leaves[i]), MPI_BYTE, first + i,
                                          MPIR_GATHER_TAG, node, MPI_STATUS_IGNORE, &errflag));
    }
    if (mpi_errno == MPI_SUCCESS && errflag)
        MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**coll_fail");
    return mpi_errno;
}

/* On a node of many processes, in chunks: the leaves need no memory by their number. */
static int gather_in_chunks(split_zones *zones, MPIR_Comm *node, const split_leaf *own)
{
    int mpi_errno = MPI_SUCCESS, next;
    split_leaf leaves[CHUNK];
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (node->rank > 0)
        return MPIC_Send(own, sizeof(*own), MPI_BYTE, 0, MPIR_GATHER_TAG, node, &errflag);
    for (int i = 0; i < node->local_size; i += next) {
        next = (int) MPIR_split_next_leaves((uint32_t) (node->local_size - i));
        int status = receive_leaves(leaves, i, next, node, own);
        MPIR_Err_keep_first(&mpi_errno, status);
        if (mpi_errno == MPI_SUCCESS)
            MPIR_split_add_leaves(zones, leaves, (uint32_t) next, i == 0);
    }
    return mpi_errno;
}

static int gather(split_zones *zones, MPIR_Comm *node, const split_leaf *own)
{
    int mpi_errno;
    split_leaf leaves[MOST_AT_ONCE];

    if (node->local_size > MOST_AT_ONCE)
        return gather_in_chunks(zones, node, own);
    mpi_errno = MPIR_Aggr_gather_node(node, own, sizeof(*own), leaves);
    if (node->rank == 0 && mpi_errno == MPI_SUCCESS)
        add_all(zones, leaves, (uint32_t) node->local_size);
    return mpi_errno;
}

/* Where the other processes do not exist. */
static int foresee_node(split_zones *zones, MPIR_Comm *comm)
{
    bool is_first = comm->node_roots_comm != NULL;
    split_block node = {.first = comm->rank,
                        .count = MPIR_Comm_node_size(comm),
                        .step = SPLIT_OF_NODE,
                        .rank = is_first ? comm->rank : MPI_PROC_NULL};
    int mpi_errno = MPIR_Others->swap_blocks(zones, comm, is_first ? MPI_PROC_NULL : 0, &node);

    if (is_first && mpi_errno == MPI_SUCCESS)
        swap_zones(zones);
    return mpi_errno;
}

/* zones->mine of the first process becomes the description of its node. */
static int describe_node(split_zones *zones, MPIR_Comm *comm, const split_leaf *own)
{
    if (!comm->node_comm)
        return MPI_SUCCESS;
    return MPIR_Do_others_exist() ? gather(zones, comm->node_comm, own) : foresee_node(zones, comm);
}

/* ---- between the nodes ----------------------------------------------------------------------- */

/* What is sent beyond the description. */
static void clear_rest(uint8_t *description)
{
    size_t bytes = MPIR_colours_bytes(description);

    if (bytes < SPLIT_MESSAGE)
        memset(description + bytes, 0, SPLIT_MESSAGE - bytes);
}

typedef uint8_t message[SPLIT_MESSAGE];

/* Are these descriptions of nodes, with as many ranks in all as there are, or fewer? */
static int check_all(const message all[], int n, uint32_t ranks, bool *are_short)
{
    int mpi_errno = MPI_SUCCESS;

    *are_short = true;
    for (int i = 0; i < n; i++) {
        size_t bytes = MPIR_colours_bytes(all[i]);
        bool is_short = bytes <= SPLIT_MESSAGE;
        bool is_right = is_short ? MPIR_colours_check_most(all[i], bytes, ranks)
                                 : MPIR_colours_check_header(all[i], SPLIT_MESSAGE, ranks);
        MPIR_ERR_CHKANDSTMT2(!is_right, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**splitbytes",
                             "**splitbytes %d %d", i, (int) bytes);
        ranks -= is_short ? MPIR_colours_ranks(all[i]) : 0;
        *are_short = *are_short && is_short;
    }

    return mpi_errno;
}

/* Neighbours first, as in the tree of many nodes: blocks of equal size have the shortest
 * descriptions.  The result is all[0] and what follows; a merged description is no longer than its
 * two parts. */
static void merge_all(message all[], int n)
{
    uint8_t merged[MPIR_AGGR_DIRECT_MOST * SPLIT_MESSAGE + COLOURS_EXTRA + COLOURS_SLACK];

    for (int width = 1; width < n; width *= 2) {
        for (int i = 0; i + width < n; i += 2 * width) {
            size_t most = MPIR_colours_bytes(all[i]) + MPIR_colours_bytes(all[i + width]);
            size_t bytes = MPIR_colours_merge(all[i], all[i + width], MPIR_Ctxid_fold, merged);
            MPIR_Assert(bytes <= most);
            memcpy(all[i], merged, bytes);
        }
    }
}

/* A long description has all ranks, none of which has failed: there is a reserve for it. */
static void take_result(split_zones *zones, const uint8_t *result)
{
    size_t bytes = MPIR_colours_bytes(result);

    if (MPIR_split_zones_hold(zones, bytes))
        memcpy(zones->mine, result, bytes);
    else
        MPIR_colours_failure(zones->mine, MPIR_Ctxid_refusal(MPIR_colours_offer(result)), 0);
}

/* *is_done: false if a description is longer than a message, which all see. */
static int exchange_at_once(split_zones *zones, MPIR_Comm *roots, bool *is_done)
{
    int mpi_errno = MPI_SUCCESS, n = roots->local_size;
    message all[MPIR_AGGR_DIRECT_MOST];
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    *is_done = true;
    clear_rest(zones->mine);
    mpi_errno =
        MPIR_Aggr_exchange(roots, zones->mine, SPLIT_MESSAGE, all, MPIR_ALLGATHERV_TAG, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    mpi_errno = check_all(all, n, zones->ranks, is_done);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (*is_done) {
        merge_all(all, n);
        take_result(zones, all[0]);
    }

    return mpi_errno;
}

static int exchange(split_zones *zones, MPIR_Comm *roots)
{
    int mpi_errno = MPI_SUCCESS;
    bool is_done = false;

    if (MPIR_Aggr_is_direct(roots))
        mpi_errno = exchange_at_once(zones, roots, &is_done);
    if (mpi_errno == MPI_SUCCESS && !is_done)
        mpi_errno = MPIR_split_merge_blocks(zones, roots);
    return mpi_errno;
}

/* ---- to the processes of the node ------------------------------------------------------------ */

/* What is beyond the first message.  If a process had no reserve, the description has failed and
 * is short. */
static int spread_rest(split_zones *zones, MPIR_Comm *node)
{
    int mpi_errno = MPI_SUCCESS;
    size_t bytes = MPIR_colours_bytes(zones->mine);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    bool has_room = MPIR_split_zones_hold(zones, bytes);

    MPIR_Assert(has_room);
    mpi_errno = MPIR_Bcast_impl(zones->mine + SPLIT_MESSAGE, (MPI_Aint) (bytes - SPLIT_MESSAGE),
                                MPI_BYTE, 0, node, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");

    return mpi_errno;
}

static int spread(split_zones *zones, MPIR_Comm *node)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (node->rank == 0)
        clear_rest(zones->mine);
    mpi_errno = MPIR_Bcast_impl(zones->mine, SPLIT_MESSAGE, MPI_BYTE, 0, node, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");
    MPIR_ERR_CHKANDSTMT2(!MPIR_colours_check_header(zones->mine, SPLIT_MESSAGE, zones->ranks),
                         mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**splitbytes",
                         "**splitbytes %d %d", 0, SPLIT_MESSAGE);
    if (MPIR_colours_bytes(zones->mine) > SPLIT_MESSAGE)
        mpi_errno = spread_rest(zones, node);

    return mpi_errno;
}

/* Where the other processes do not exist. */
static int foresee_all(split_zones *zones, MPIR_Comm *comm)
{
    bool is_first = comm->node_roots_comm != NULL;
    split_block all = {.first = 0,
                       .count = (int) zones->ranks,
                       .step = SPLIT_OF_ALL,
                       .rank = is_first ? MPI_PROC_NULL : 0};
    int mpi_errno = MPIR_Others->swap_blocks(zones, comm, is_first ? 1 : MPI_PROC_NULL, &all);

    if (!is_first && mpi_errno == MPI_SUCCESS)
        swap_zones(zones);
    return mpi_errno;
}

static int hand_to_node(split_zones *zones, MPIR_Comm *comm)
{
    if (!comm->node_comm)
        return MPI_SUCCESS;
    return MPIR_Do_others_exist() ? spread(zones, comm->node_comm) : foresee_all(zones, comm);
}

/* ---- all of it ------------------------------------------------------------------------------- */

int MPIR_split_merge_nodes(split_zones *zones, MPIR_Comm *comm, const split_leaf *own)
{
    int mpi_errno = MPI_SUCCESS;

    zones->by_nodes = true;
    MPIR_Err_keep_first(&mpi_errno, describe_node(zones, comm, own));
    if (mpi_errno != MPI_SUCCESS)
        MPIR_split_fail(zones);
    if (comm->node_roots_comm) {
        MPIR_Err_keep_first(&mpi_errno, exchange(zones, comm->node_roots_comm));
        if (mpi_errno != MPI_SUCCESS)
            MPIR_split_fail(zones);
    }
    MPIR_Err_keep_first(&mpi_errno, hand_to_node(zones, comm));
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT2(
        !MPIR_colours_check(zones->mine, MPIR_colours_bytes(zones->mine), zones->ranks), mpi_errno,
        MPI_ERR_OTHER, return mpi_errno, "**splitbytes", "**splitbytes %d %d", 0,
        (int) MPIR_colours_bytes(zones->mine));

    return mpi_errno;
}
