/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_aggr_nodes.h"
#include "split_at_once.h"

/* ---- messages -------------------------------------------------------------------------------- */

/* A rest is on its way together with what precedes it. */
enum { REST_TAG = MPIR_ALLGATHER_TAG };

static int rest_of(const uint8_t *description)
{
    size_t bytes = MPIR_colours_bytes(description);

    return bytes > SPLIT_MESSAGE ? (int) (bytes - SPLIT_MESSAGE) : 0;
}

int MPIR_split_make_drain(int bytes, MPI_Datatype *drain)
{
    int mpi_errno = MPI_SUCCESS;
    MPI_Datatype byte = MPI_DATATYPE_NULL;

    *drain = MPI_DATATYPE_NULL;
    mpi_errno = MPIR_Type_create_resized_impl(MPI_BYTE, 0, 0, &byte);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Type_contiguous_impl(bytes, byte, drain);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Type_commit_impl(drain);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (byte != MPI_DATATYPE_NULL)
        MPIR_Type_free_impl(&byte);
    return mpi_errno;
fn_fail:
    if (*drain != MPI_DATATYPE_NULL)
        MPIR_Type_free_impl(drain);
    goto fn_exit;
}

/* What is beyond the first message. */
static int receive_rest(split_zones *zones, MPIR_Comm *comm, int from, int theirs)
{
    int mpi_errno = MPI_SUCCESS;
    bool has_room = MPIR_split_zones_hold(zones, SPLIT_MESSAGE + (size_t) theirs);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Datatype drain = MPI_DATATYPE_NULL;

    if (has_room) {
        mpi_errno = MPIC_Recv(zones->theirs + SPLIT_MESSAGE, theirs, MPI_BYTE, from, REST_TAG, comm,
                              MPI_STATUS_IGNORE, &errflag);
    } else {
        mpi_errno = MPIR_split_make_drain(theirs, &drain);
        MPIR_ERR_CHKRETURN(mpi_errno);
        mpi_errno =
            MPIC_Recv(zones->theirs, 1, drain, from, REST_TAG, comm, MPI_STATUS_IGNORE, &errflag);
        MPIR_Type_free_impl(&drain);
        MPIR_colours_failure(zones->theirs, 0, 0);
    }
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);

    return mpi_errno;
}

static bool is_of(const split_block *block, const uint8_t *description)
{
    size_t bytes = MPIR_colours_bytes(description);

    return block->is_most ? MPIR_colours_check_most(description, bytes, (uint32_t) block->count)
                          : MPIR_colours_check(description, bytes, (uint32_t) block->count);
}

static int swap_firsts(split_zones *zones, MPIR_Comm *comm, int to, const split_block *from)
{
    int mpi_errno = MPI_SUCCESS;
    size_t mine = to == MPI_PROC_NULL ? 0 : MPIR_colours_bytes(zones->mine), received;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Status status;

    mpi_errno = MPIC_Sendrecv(zones->mine, (MPI_Aint) MPL_MIN(mine, (size_t) SPLIT_MESSAGE),
                              MPI_BYTE, to, MPIR_ALLGATHERV_TAG, zones->theirs, SPLIT_MESSAGE,
                              MPI_BYTE, from->rank, MPIR_ALLGATHERV_TAG, comm, &status, &errflag);
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);
    if (from->rank == MPI_PROC_NULL)
        return mpi_errno;
    received = (size_t) MPIR_STATUS_GET_COUNT(status);
    return MPIR_split_zones_check(
        MPIR_colours_check_header(zones->theirs, received, (uint32_t) from->count), from->rank,
        received);
}

static int receive_block(split_zones *zones, MPIR_Comm *comm, const split_block *from)
{
    int theirs;

    if (from->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    theirs = rest_of(zones->theirs);
    if (theirs)
        MPIR_TRY(receive_rest(zones, comm, from->rank, theirs));
    return MPIR_split_zones_check(is_of(from, zones->theirs), from->rank,
                                  MPIR_colours_bytes(zones->theirs));
}

int MPIR_split_swap_blocks(split_zones *zones, MPIR_Comm *comm, int to, const split_block *from)
{
    int mpi_errno = MPI_SUCCESS, mine = to == MPI_PROC_NULL ? 0 : rest_of(zones->mine);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPIR_Request *rest = NULL;

    if (mine)
        mpi_errno = MPIC_Isend(zones->mine + SPLIT_MESSAGE, mine, MPI_BYTE, to, REST_TAG, comm,
                               &rest, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = swap_firsts(zones, comm, to, from);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = receive_block(zones, comm, from);
    MPIR_ERR_CHECK(mpi_errno);
    if (rest)
        mpi_errno = MPIC_Wait(rest, &errflag);
    MPIR_ERR_CHECK(mpi_errno);

fn_exit:
    if (rest)
        MPIR_Request_free(rest);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

/* ---- merging --------------------------------------------------------------------------------- */

static void rotate(split_zones *zones)
{
    uint8_t *merged = zones->spare;

    zones->spare = zones->mine;
    zones->mine = merged;
}

/* This member cannot go on. */
static void fail(split_zones *zones)
{
    uint64_t offer = MPIR_Ctxid_refusal(MPIR_colours_offer(zones->mine));

    MPIR_colours_failure(zones->mine, offer, MPIR_colours_flags(zones->mine));
}

/* zones->mine, then zones->theirs, or the other way round; the result becomes zones->mine. */
static void merge(split_zones *zones, bool is_mine_low)
{
    size_t bytes = MPIR_split_room_for(zones->mine, zones->theirs, zones->ranks);

    if (!MPIR_split_zones_hold(zones, bytes)) {
        uint64_t offer = MPIR_colours_offer(zones->mine);
        MPIR_Ctxid_fold(&offer, MPIR_colours_offer(zones->theirs));
        MPIR_colours_failure(zones->spare, MPIR_Ctxid_refusal(offer), 0);
    } else {
        MPIR_colours_merge(is_mine_low ? zones->mine : zones->theirs,
                           is_mine_low ? zones->theirs : zones->mine, MPIR_Ctxid_fold,
                           zones->spare);
    }
    rotate(zones);
}

/* ---- the tree -------------------------------------------------------------------------------- */

split_tree MPIR_split_tree_of(int ranks)
{
    split_tree tree = {.units = 1};

    while (ranks / 2 >= tree.units)
        tree.units *= 2;
    tree.singles = 2 * tree.units - ranks;
    return tree;
}

int MPIR_split_first_rank(split_tree tree, int unit)
{
    return unit <= tree.singles ? unit : 2 * unit - tree.singles;
}

int MPIR_split_unit_of(split_tree tree, int rank)
{
    return rank < tree.singles ? rank : (rank + tree.singles) / 2;
}

/* The 2^step units with this one among them; the unit's first rank sends their description. */
static split_block block_of(split_tree tree, int unit, int step)
{
    int low = unit >> step << step, first = MPIR_split_first_rank(tree, low);
    split_block block = {.first = first,
                         .step = step,
                         .rank = MPIR_split_first_rank(tree, unit),
                         .count = MPIR_split_first_rank(tree, low + (1 << step)) - first};

    return block;
}

/* The other blocks of nodes have no more ranks than this process's block leaves. */
static split_block known_of(const split_zones *zones, split_block block)
{
    if (zones->by_nodes) {
        block.count = (int) (zones->ranks - MPIR_colours_ranks(zones->mine));
        block.is_most = true;
    }
    return block;
}

static int take_steps(split_zones *zones, MPIR_Comm *comm, split_tree tree)
{
    int unit = MPIR_split_unit_of(tree, comm->rank);

    for (int step = 0; 1 << step < tree.units; step++) {
        int other = unit ^ 1 << step;
        split_block block = known_of(zones, block_of(tree, other, step));
        MPIR_TRY(MPIR_Others->swap_blocks(zones, comm, block.rank, &block));
        merge(zones, unit < other);
    }

    return MPI_SUCCESS;
}

/* A pair's ranks tell each other theirs. */
static int merge_pair(split_zones *zones, MPIR_Comm *comm, bool is_first)
{
    int other = is_first ? comm->rank + 1 : comm->rank - 1;
    split_block one = {.first = other, .count = 1, .rank = other, .step = SPLIT_OF_PAIR};
    split_block block = known_of(zones, one);
    int mpi_errno = MPIR_Others->swap_blocks(zones, comm, other, &block);

    if (mpi_errno == MPI_SUCCESS)
        merge(zones, is_first);
    return mpi_errno;
}

/* From a pair's first rank to its second. */
static int hand_on(split_zones *zones, MPIR_Comm *comm, bool is_first)
{
    int mpi_errno = MPI_SUCCESS;
    split_block all = {.first = 0,
                       .count = (int) zones->ranks,
                       .step = SPLIT_OF_ALL,
                       .rank = is_first ? MPI_PROC_NULL : comm->rank - 1};

    mpi_errno =
        MPIR_Others->swap_blocks(zones, comm, is_first ? comm->rank + 1 : MPI_PROC_NULL, &all);
    if (mpi_errno == MPI_SUCCESS && !is_first)
        MPIR_split_zones_swap(zones);
    return mpi_errno;
}

/* zones->mine is the description of this rank, or of its node. */
static int merge_blocks(split_zones *zones, MPIR_Comm *comm)
{
    split_tree tree = MPIR_split_tree_of(comm->local_size);
    bool is_pair = comm->rank >= tree.singles;
    bool is_first = !is_pair || (comm->rank - tree.singles) % 2 == 0;

    if (is_pair)
        MPIR_TRY(merge_pair(zones, comm, is_first));
    if (is_first)
        MPIR_TRY(take_steps(zones, comm, tree));
    return is_pair ? hand_on(zones, comm, is_first) : MPI_SUCCESS;
}

/* ---- by nodes: which way --------------------------------------------------------------------- */

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

/* ---- rows to the first process of the node --------------------------------------------------- */

enum { CHUNK = COLOURS_PARSE - 1 };

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
        merge(zones, true);
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

/* In chunks: the leaves need no memory by their number. */
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

static int leaf_gather(split_zones *zones, MPIR_Comm *node, const split_leaf *own)
{
    bool is_done;
    split_leaf leaves[SPLIT_LEAVES_MOST];
    int mpi_errno = MPIR_split_gather_at_once(node, own, leaves, &is_done);

    MPIR_ERR_CHKRETURN(mpi_errno);
    if (!is_done)
        mpi_errno = gather_in_chunks(zones, node, own);
    else if (node->rank == 0)
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
        MPIR_split_zones_swap(zones);
    return mpi_errno;
}

/* zones->mine of the first process becomes the description of its node. */
static int describe_node(split_zones *zones, MPIR_Comm *comm, const split_leaf *own)
{
    if (!comm->node_comm)
        return MPI_SUCCESS;
    return MPIR_Do_others_exist() ? leaf_gather(zones, comm->node_comm, own)
                                  : foresee_node(zones, comm);
}

/* ---- between the nodes ----------------------------------------------------------------------- */

static int roots_exchange(split_zones *zones, MPIR_Comm *roots)
{
    bool is_done;
    int mpi_errno = MPIR_split_swap_at_once(zones, roots, &is_done);

    if (mpi_errno == MPI_SUCCESS && !is_done)
        mpi_errno = merge_blocks(zones, roots);
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
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);

    return mpi_errno;
}

static int spread(split_zones *zones, MPIR_Comm *node)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    if (node->rank == 0)
        MPIR_split_zones_pad(zones);
    mpi_errno = MPIR_Bcast_impl(zones->mine, SPLIT_MESSAGE, MPI_BYTE, 0, node, &errflag);
    MPIR_ERR_COLL_CHKRETURN(mpi_errno, errflag);
    MPIR_TRY(MPIR_split_zones_check(
        MPIR_colours_check_header(zones->mine, SPLIT_MESSAGE, zones->ranks), 0, SPLIT_MESSAGE));
    return MPIR_colours_bytes(zones->mine) > SPLIT_MESSAGE ? spread_rest(zones, node) : MPI_SUCCESS;
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
        MPIR_split_zones_swap(zones);
    return mpi_errno;
}

static int hand_to_node(split_zones *zones, MPIR_Comm *comm)
{
    if (!comm->node_comm)
        return MPI_SUCCESS;
    return MPIR_Do_others_exist() ? spread(zones, comm->node_comm) : foresee_all(zones, comm);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int merge_nodes(split_zones *zones, MPIR_Comm *comm, const split_leaf *own)
{
    int mpi_errno = MPI_SUCCESS;

    zones->by_nodes = true;
    MPIR_Err_keep_first(&mpi_errno, describe_node(zones, comm, own));
    if (mpi_errno != MPI_SUCCESS)
        fail(zones);
    if (comm->node_roots_comm) {
        MPIR_Err_keep_first(&mpi_errno, roots_exchange(zones, comm->node_roots_comm));
        if (mpi_errno != MPI_SUCCESS)
            fail(zones);
    }
    MPIR_Err_keep_first(&mpi_errno, hand_to_node(zones, comm));
    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = MPIR_split_zones_check(
            MPIR_colours_check(zones->mine, MPIR_colours_bytes(zones->mine), zones->ranks), 0,
            MPIR_colours_bytes(zones->mine));
    return mpi_errno;
}

int MPIR_split_exchange(split_zones *zones, MPIR_Comm *comm, const split_leaf *own, bool by_nodes)
{
    MPIR_colours_leaf(zones->mine, own->row, own->offer, own->flags);
    MPIR_Coll_count(comm);
    return by_nodes ? merge_nodes(zones, comm, own) : merge_blocks(zones, comm);
}
