/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "split_blocks.h"

/* ---- room ------------------------------------------------------------------------------------ */

static void take_zones(split_zones * zones, uint8_t * two, uint8_t * third, size_t room)
{
    zones->mine = two;
    zones->theirs = two + room;
    zones->spare = third;
    zones->room = room;
}

void split_zones_begin(split_zones * zones, uint32_t ranks)
{
    take_zones(zones, zones->few[0], zones->few[2], SPLIT_ZONE);
    zones->ranks = ranks;
    zones->is_short = zones->by_nodes = false;
    zones->owned = zones->third = NULL;
}

void split_zones_trim(split_zones * zones)
{
    uint8_t *smaller;

    if (!zones->owned)
        return;
    memmove(zones->owned, zones->mine, colours_bytes(zones->mine));
    MPL_free(zones->third);
    zones->third = NULL;
    smaller = MPL_realloc(zones->owned, colours_bytes(zones->mine), MPL_MEM_COMM);
    zones->owned = smaller ? smaller : zones->owned;
    zones->mine = zones->owned;
    zones->room = 0;
}

void split_zones_end(split_zones * zones)
{
    MPL_free(zones->owned);
    MPL_free(zones->third);
    zones->owned = zones->third = NULL;
}

static size_t most_room(uint32_t ranks)
{
    return (size_t) ranks * COLOURS_ROW + 2 * COLOURS_EXTRA + COLOURS_SLACK;
}

size_t split_room_for(const uint8_t * low, const uint8_t * high, uint32_t ranks)
{
    size_t room = colours_bytes(low) + colours_bytes(high) + COLOURS_EXTRA + COLOURS_SLACK;

    return MPL_MIN(room, most_room(ranks));
}

/* Two blocks that are freed as long as they were allocated: if a large block shrinks first, glibc
 * does not keep its pages for the next one. */
static bool alloc_zones(split_zones * zones, size_t room)
{
    zones->owned = MPL_malloc(2 * room, MPL_MEM_COMM);
    zones->third = MPL_malloc(room, MPL_MEM_COMM);
    if (zones->owned && zones->third)
        return true;
    split_zones_end(zones);
    return false;
}

/* Moves to zones that hold the description of all ranks, whatever it is. */
static bool grow(split_zones * zones)
{
    size_t room = most_room(zones->ranks);
    uint8_t *mine = zones->mine, *theirs = zones->theirs;

    if (zones->is_short || zones->owned)
        return false;
    room = MPL_ROUND_UP_ALIGN(MPL_MAX(room, (size_t) SPLIT_ZONE), (size_t) 16);
    if (!alloc_zones(zones, room)) {
        zones->is_short = true;
        return false;
    }
    take_zones(zones, zones->owned, zones->third, room);
    memcpy(zones->mine, mine, SPLIT_ZONE);
    memcpy(zones->theirs, theirs, SPLIT_ZONE);
    return true;
}

bool split_zones_hold(split_zones * zones, size_t bytes)
{
    return bytes <= zones->room || (grow(zones) && bytes <= zones->room);
}

/* ---- messages -------------------------------------------------------------------------------- */

static int rest_of(const uint8_t * description)
{
    size_t bytes = colours_bytes(description);

    return bytes > SPLIT_MESSAGE ? (int) (bytes - SPLIT_MESSAGE) : 0;
}

/* A type of so many bytes that all go to one place: a process without room for a message receives
 * it, so that the sender goes on. */
static int make_drain(int bytes, MPI_Datatype * drain)
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

/* What is beyond the first messages; `to` and `from` are MPI_PROC_NULL where there is nothing. */
static int swap_rests(split_zones * zones, MPIR_Comm * comm, int to, int from, int theirs)
{
    int mpi_errno = MPI_SUCCESS, mine = to == MPI_PROC_NULL ? 0 : rest_of(zones->mine);
    bool has_room = split_zones_hold(zones, SPLIT_MESSAGE + (size_t) theirs);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Datatype type = MPI_BYTE;

    if (!has_room) {
        mpi_errno = make_drain(theirs, &type);
        MPIR_ERR_CHECK(mpi_errno);
    }
    to = mine ? to : MPI_PROC_NULL;
    from = theirs ? from : MPI_PROC_NULL;
    mpi_errno = MPIC_Sendrecv(zones->mine + SPLIT_MESSAGE, mine, MPI_BYTE, to, MPIR_ALLGATHERV_TAG,
                              zones->theirs + (has_room ? SPLIT_MESSAGE : 0),
                              has_room ? theirs : 1, type, from, MPIR_ALLGATHERV_TAG, comm,
                              MPI_STATUS_IGNORE, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");
    if (!has_room)
        colours_failure(zones->theirs, 0, COLOURS_LARGE);

  fn_exit:
    if (type != MPI_BYTE && type != MPI_DATATYPE_NULL)
        MPIR_Type_free_impl(&type);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static bool is_of(const split_block * block, const uint8_t * description)
{
    size_t bytes = colours_bytes(description);

    return block->is_most ? colours_check_most(description, bytes, (uint32_t) block->count) :
        colours_check(description, bytes, (uint32_t) block->count);
}

int split_swap_blocks(split_zones * zones, MPIR_Comm * comm, int to, const split_block * from)
{
    int mpi_errno = MPI_SUCCESS, theirs = 0;
    size_t mine = to == MPI_PROC_NULL ? 0 : colours_bytes(zones->mine);
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Status status;
    MPI_Aint received = 0;

    mpi_errno = MPIC_Sendrecv(zones->mine, (MPI_Aint) MPL_MIN(mine, (size_t) SPLIT_MESSAGE),
                              MPI_BYTE, to, MPIR_ALLGATHERV_TAG, zones->theirs, SPLIT_MESSAGE,
                              MPI_BYTE, from->rank, MPIR_ALLGATHERV_TAG, comm, &status, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(errflag, mpi_errno, MPI_ERR_OTHER, "**coll_fail");
    if (from->rank != MPI_PROC_NULL) {
        received = (MPI_Aint) MPIR_STATUS_GET_COUNT(status);
        MPIR_ERR_CHKANDJUMP2(!colours_check_header(zones->theirs, (size_t) received,
                                                   (uint32_t) from->count),
                             mpi_errno, MPI_ERR_OTHER, "**splitbytes", "**splitbytes %d %d",
                             from->rank, (int) received);
        theirs = rest_of(zones->theirs);
    }
    if (theirs || mine > SPLIT_MESSAGE)
        mpi_errno = swap_rests(zones, comm, to, from->rank, theirs);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP2(from->rank != MPI_PROC_NULL && !is_of(from, zones->theirs), mpi_errno,
                         MPI_ERR_OTHER, "**splitbytes", "**splitbytes %d %d", from->rank,
                         (int) colours_bytes(zones->theirs));

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- merging --------------------------------------------------------------------------------- */

static void rotate(split_zones * zones)
{
    uint8_t *merged = zones->spare;

    zones->spare = zones->mine;
    zones->mine = merged;
}

void split_fail(split_zones * zones)
{
    uint64_t offer = MPIR_Ctxid_refusal(colours_offer(zones->mine));

    colours_failure(zones->mine, offer, colours_flags(zones->mine));
}

/* Both sides need the same room, so that they set the same flag. */
void split_merge(split_zones * zones, bool is_mine_low)
{
    size_t bytes = split_room_for(zones->mine, zones->theirs, zones->ranks);

    if (!split_zones_hold(zones, bytes)) {
        uint64_t offer = colours_offer(zones->mine);
        MPIR_Ctxid_fold(&offer, colours_offer(zones->theirs));
        colours_failure(zones->spare, MPIR_Ctxid_refusal(offer),
                        colours_flags(zones->mine) | colours_flags(zones->theirs));
    } else {
        colours_merge(is_mine_low ? zones->mine : zones->theirs,
                      is_mine_low ? zones->theirs : zones->mine, MPIR_Ctxid_fold, zones->spare);
    }
    if (bytes > SPLIT_ZONE)
        colours_set_flags(zones->spare, COLOURS_LARGE);
    rotate(zones);
}

/* ---- the tree -------------------------------------------------------------------------------- */

split_tree split_tree_of(int ranks)
{
    split_tree tree = {.units = 1 };

    while (ranks / 2 >= tree.units)
        tree.units *= 2;
    tree.singles = 2 * tree.units - ranks;
    return tree;
}

int split_first_rank(split_tree tree, int unit)
{
    return unit <= tree.singles ? unit : 2 * unit - tree.singles;
}

int split_unit_of(split_tree tree, int rank)
{
    return rank < tree.singles ? rank : (rank + tree.singles) / 2;
}

split_block split_block_of(split_tree tree, int unit, int step)
{
    int low = unit >> step << step, first = split_first_rank(tree, low);
    split_block block = {.first = first,.step = step,.rank = split_first_rank(tree, unit),
        .count = split_first_rank(tree, low + (1 << step)) - first
    };

    return block;
}

/* The other blocks of nodes have no more ranks than this process's block leaves. */
static split_block known_of(const split_zones * zones, split_block block)
{
    if (zones->by_nodes) {
        block.count = (int) (zones->ranks - colours_ranks(zones->mine));
        block.is_most = true;
    }
    return block;
}

static int take_steps(split_zones * zones, MPIR_Comm * comm, split_tree tree)
{
    int mpi_errno = MPI_SUCCESS, unit = split_unit_of(tree, comm->rank);

    for (int step = 0; 1 << step < tree.units; step++) {
        int other = unit ^ 1 << step;
        split_block block = known_of(zones, split_block_of(tree, other, step));
        mpi_errno = MPIR_Others->swap_blocks(zones, comm, block.rank, &block);
        MPIR_ERR_CHECK(mpi_errno);
        split_merge(zones, unit < other);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* A pair's ranks tell each other theirs. */
static int merge_pair(split_zones * zones, MPIR_Comm * comm, bool is_first)
{
    int other = is_first ? comm->rank + 1 : comm->rank - 1;
    split_block one = {.first = other,.count = 1,.rank = other,.step = SPLIT_OF_PAIR };
    split_block block = known_of(zones, one);
    int mpi_errno = MPIR_Others->swap_blocks(zones, comm, other, &block);

    if (mpi_errno == MPI_SUCCESS)
        split_merge(zones, is_first);
    return mpi_errno;
}

/* From a pair's first rank to its second. */
static int hand_on(split_zones * zones, MPIR_Comm * comm, bool is_first)
{
    int mpi_errno = MPI_SUCCESS;
    split_block all = {.first = 0,.count = (int) zones->ranks,.step = SPLIT_OF_ALL,
        .rank = is_first ? MPI_PROC_NULL : comm->rank - 1
    };

    mpi_errno = MPIR_Others->swap_blocks(zones, comm, is_first ? comm->rank + 1 : MPI_PROC_NULL,
                                         &all);
    if (mpi_errno == MPI_SUCCESS && !is_first) {
        uint8_t *mine = zones->theirs;
        zones->theirs = zones->mine;
        zones->mine = mine;
    }
    return mpi_errno;
}

/* A member without memory on the way could not tell all others then. */
int split_agree(split_zones * zones, MPIR_Comm * comm)
{
    unsigned long long failed = (colours_flags(zones->mine) & COLOURS_FAILED) != 0;
    int mpi_errno = MPI_SUCCESS;

    if (MPIR_Others->count(comm->local_size) > 1)
        mpi_errno = MPIR_Aggr_agree(comm, &failed, 1);
    if (failed)
        split_fail(zones);
    return mpi_errno;
}

int split_merge_blocks(split_zones * zones, MPIR_Comm * comm)
{
    int mpi_errno = MPI_SUCCESS;
    split_tree tree = split_tree_of(comm->local_size);
    bool is_pair = comm->rank >= tree.singles;
    bool is_first = !is_pair || (comm->rank - tree.singles) % 2 == 0;

    if (is_pair)
        mpi_errno = merge_pair(zones, comm, is_first);
    MPIR_ERR_CHECK(mpi_errno);
    if (is_first)
        mpi_errno = take_steps(zones, comm, tree);
    MPIR_ERR_CHECK(mpi_errno);
    if (is_pair)
        mpi_errno = hand_on(zones, comm, is_first);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
