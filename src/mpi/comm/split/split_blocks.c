/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "split_blocks.h"

/* ---- room ------------------------------------------------------------------------------------ */

static void take_zones(split_zones *zones, uint8_t *two, uint8_t *third, size_t room)
{
    zones->mine = two;
    zones->theirs = two + room;
    zones->spare = third;
    zones->room = room;
}

void MPIR_split_zones_begin(split_zones *zones, uint32_t ranks)
{
    take_zones(zones, zones->few[0], zones->few[2], SPLIT_ZONE);
    zones->ranks = ranks;
    zones->by_nodes = false;
    zones->reserve = (split_reserve){0};
    zones->used = 0;
}

static size_t most_room(uint32_t ranks)
{
    return (size_t) ranks * COLOURS_ROW + 2 * COLOURS_EXTRA + COLOURS_SLACK;
}

/* Of each of three zones */
static size_t reserved_room(const split_zones *zones)
{
    return MPL_ROUND_UP_ALIGN(most_room(zones->ranks), (size_t) 16);
}

static bool has_moved(const split_zones *zones) { return zones->room > SPLIT_ZONE; }

bool MPIR_split_zones_reserve(split_zones *zones)
{
    if (most_room(zones->ranks) <= SPLIT_ZONE)
        return true;
    zones->reserve = MPIR_split_reserve_take(3 * reserved_room(zones));
    return zones->reserve.memory != NULL;
}

void MPIR_split_zones_end(split_zones *zones)
{
    if (zones->reserve.memory)
        MPIR_split_reserve_settle(&zones->reserve, zones->used);
    MPIR_split_reserve_put(zones->reserve);
    zones->reserve.memory = NULL;
}

void MPIR_split_zones_give_up(split_zones *zones)
{
    if (has_moved(zones))
        return;
    MPIR_split_reserve_free(zones->reserve);
    zones->reserve.memory = NULL;
}

/* The two zones beside zones->mine, or the first two. */
void *MPIR_split_zones_lend(split_zones *zones)
{
    size_t room = reserved_room(zones);
    uint8_t *first = zones->reserve.memory, *second = first + room, *third = second + room;

    zones->used = has_moved(zones) ? 3 * room : 2 * room;
    MPIR_split_reserve_fill(&zones->reserve, 2 * room);
    if (zones->mine == first)
        return second;
    if (zones->mine == second) {
        memcpy(third, second, MPIR_colours_bytes(second));
        zones->mine = third;
    }
    return first;
}

size_t MPIR_split_room_for(const uint8_t *low, const uint8_t *high, uint32_t ranks)
{
    size_t room =
        MPIR_colours_bytes(low) + MPIR_colours_bytes(high) + COLOURS_EXTRA + COLOURS_SLACK;

    return MPL_MIN(room, most_room(ranks));
}

/* Moves to zones that hold the description of all ranks, whatever it is. */
static bool grow(split_zones *zones)
{
    uint8_t *mine = zones->mine, *theirs = zones->theirs;
    size_t room = reserved_room(zones);

    if (!zones->reserve.memory || has_moved(zones))
        return false;
    take_zones(zones, zones->reserve.memory, zones->reserve.memory + 2 * room, room);
    zones->used = 3 * room;
    memcpy(zones->mine, mine, SPLIT_ZONE);
    memcpy(zones->theirs, theirs, SPLIT_ZONE);
    return true;
}

bool MPIR_split_zones_hold(split_zones *zones, size_t bytes)
{
    if (bytes > zones->room && (!grow(zones) || bytes > zones->room))
        return false;
    if (has_moved(zones))
        MPIR_split_reserve_fill(&zones->reserve, bytes);
    return true;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A rest is on its way together with what precedes it. */
enum { REST_TAG = MPIR_ALLGATHER_TAG };

static int rest_of(const uint8_t *description)
{
    size_t bytes = MPIR_colours_bytes(description);

    return bytes > SPLIT_MESSAGE ? (int) (bytes - SPLIT_MESSAGE) : 0;
}

/* A type of so many bytes that all go to one place: a process without room for a message receives
 * it, so that the sender goes on. */
static int make_drain(int bytes, MPI_Datatype *drain)
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
    goto fn_exit;
}

/* What is beyond the first message. */
static int receive_rest(split_zones *zones, MPIR_Comm *comm, int from, int theirs)
{
    int mpi_errno = MPI_SUCCESS;
    bool has_room = MPIR_split_zones_hold(zones, SPLIT_MESSAGE + (size_t) theirs);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Datatype type = MPI_BYTE;

    if (!has_room) {
        mpi_errno = make_drain(theirs, &type);
        MPIR_ERR_CHECK(mpi_errno);
    }
    mpi_errno = MPIC_Recv(zones->theirs + (has_room ? SPLIT_MESSAGE : 0), has_room ? theirs : 1,
                          type, from, REST_TAG, comm, MPI_STATUS_IGNORE, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");
    if (!has_room)
        MPIR_colours_failure(zones->theirs, 0, 0);

fn_exit:
    if (type != MPI_BYTE && type != MPI_DATATYPE_NULL)
        MPIR_Type_free_impl(&type);
    return mpi_errno;
fn_fail:
    goto fn_exit;
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
    size_t mine = to == MPI_PROC_NULL ? 0 : MPIR_colours_bytes(zones->mine);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Status status;
    MPI_Aint received = 0;

    mpi_errno = MPIC_Sendrecv(zones->mine, (MPI_Aint) MPL_MIN(mine, (size_t) SPLIT_MESSAGE),
                              MPI_BYTE, to, MPIR_ALLGATHERV_TAG, zones->theirs, SPLIT_MESSAGE,
                              MPI_BYTE, from->rank, MPIR_ALLGATHERV_TAG, comm, &status, &errflag);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT(errflag, mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**coll_fail");
    if (from->rank != MPI_PROC_NULL) {
        received = (MPI_Aint) MPIR_STATUS_GET_COUNT(status);
        MPIR_ERR_CHKANDSTMT2(
            !MPIR_colours_check_header(zones->theirs, (size_t) received, (uint32_t) from->count),
            mpi_errno, MPI_ERR_OTHER, return mpi_errno, "**splitbytes", "**splitbytes %d %d",
            from->rank, (int) received);
    }

    return mpi_errno;
}

static int receive_block(split_zones *zones, MPIR_Comm *comm, const split_block *from)
{
    int mpi_errno = MPI_SUCCESS, theirs;

    if (from->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    theirs = rest_of(zones->theirs);
    if (theirs)
        mpi_errno = receive_rest(zones, comm, from->rank, theirs);
    MPIR_ERR_CHKRETURN(mpi_errno);
    MPIR_ERR_CHKANDSTMT2(!is_of(from, zones->theirs), mpi_errno, MPI_ERR_OTHER, return mpi_errno,
                         "**splitbytes", "**splitbytes %d %d", from->rank,
                         (int) MPIR_colours_bytes(zones->theirs));

    return mpi_errno;
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

void MPIR_split_fail(split_zones *zones)
{
    uint64_t offer = MPIR_Ctxid_refusal(MPIR_colours_offer(zones->mine));

    MPIR_colours_failure(zones->mine, offer, MPIR_colours_flags(zones->mine));
}

void MPIR_split_merge(split_zones *zones, bool is_mine_low)
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

split_block MPIR_split_block_of(split_tree tree, int unit, int step)
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
    int mpi_errno = MPI_SUCCESS, unit = MPIR_split_unit_of(tree, comm->rank);

    for (int step = 0; 1 << step < tree.units; step++) {
        int other = unit ^ 1 << step;
        split_block block = known_of(zones, MPIR_split_block_of(tree, other, step));
        mpi_errno = MPIR_Others->swap_blocks(zones, comm, block.rank, &block);
        MPIR_ERR_CHKRETURN(mpi_errno);
        MPIR_split_merge(zones, unit < other);
    }

    return mpi_errno;
}

/* A pair's ranks tell each other theirs. */
static int merge_pair(split_zones *zones, MPIR_Comm *comm, bool is_first)
{
    int other = is_first ? comm->rank + 1 : comm->rank - 1;
    split_block one = {.first = other, .count = 1, .rank = other, .step = SPLIT_OF_PAIR};
    split_block block = known_of(zones, one);
    int mpi_errno = MPIR_Others->swap_blocks(zones, comm, other, &block);

    if (mpi_errno == MPI_SUCCESS)
        MPIR_split_merge(zones, is_first);
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
    if (mpi_errno == MPI_SUCCESS && !is_first) {
        uint8_t *mine = zones->theirs;
        zones->theirs = zones->mine;
        zones->mine = mine;
    }
    return mpi_errno;
}

int MPIR_split_merge_blocks(split_zones *zones, MPIR_Comm *comm)
{
    int mpi_errno = MPI_SUCCESS;
    split_tree tree = MPIR_split_tree_of(comm->local_size);
    bool is_pair = comm->rank >= tree.singles;
    bool is_first = !is_pair || (comm->rank - tree.singles) % 2 == 0;

    if (is_pair)
        mpi_errno = merge_pair(zones, comm, is_first);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (is_first)
        mpi_errno = take_steps(zones, comm, tree);
    MPIR_ERR_CHKRETURN(mpi_errno);
    if (is_pair)
        mpi_errno = hand_on(zones, comm, is_first);

    return mpi_errno;
}
