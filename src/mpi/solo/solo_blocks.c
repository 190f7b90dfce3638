/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "mpir_tvars.h"
#include "solo_world.h"

/*
 * MPI_Comm_split by descriptions: what the ranks that do not exist would send, by the same merges.
 * That takes time in the number of ranks, which counts as supply.  MPI_T variables have how many
 * descriptions came and went, and how long the longest was.
 */

static struct {
    const solo_call *calls;
    const MPIR_Comm *comm;
    uint32_t ranks;
    uint64_t offer;
    cmap_t *firsts; /* in an exchange by nodes: the first rank of each node */
} foreseen;

/* What comes in the steps that follow.  All is made before the first step, so that between two
 * steps this rank's caches stay as they are, as in a real exchange. */
enum { STEPS = 32 };

static uint8_t *ready[STEPS];

static unsigned long long exchanges, longest;

void MPIR_Solo_blocks_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "solo_exchanges", &exchanges, NULL, "SOLO",
                       "descriptions that this rank exchanged with others in MPI_Comm_split");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_LEVEL, "solo_longest", &longest, NULL, "SOLO",
                       "bytes of the longest of these descriptions");
}

static void block_count(const uint8_t *description)
{
    longest = MPL_MAX(longest, MPIR_colours_bytes(description));
}

static void forget(void)
{
    for (int step = 0; step < STEPS; step++) {
        MPL_free(ready[step]);
        ready[step] = NULL;
    }
}

int MPIR_Solo_foresee(const split_call *call, MPIR_Comm *local, bool *takes_part)
{
    unsigned long long start = MPIR_Solo_now();
    int mpi_errno = MPIR_Solo_foresee_calls(call, local, &foreseen.calls, takes_part);

    foreseen.comm = local;
    foreseen.ranks = (uint32_t) local->local_size;
    forget();
    MPIR_Solo_count_supply(start);
    return mpi_errno;
}

/* The description of a rank; NULL without memory, as in the other functions.  The caller frees
 * it.  A rank that takes no part offers nothing. */
static uint8_t *describe_rank(int rank)
{
    const solo_call *call = &foreseen.calls[rank];
    colours_row row = {.colour = call->colour, .key = call->key};
    uint64_t offer = call->colour == MPI_UNDEFINED ? 0 : foreseen.offer;
    uint8_t *out = MPL_malloc(COLOURS_HEADER + COLOURS_EXTRA, MPL_MEM_COMM);

    if (out)
        MPIR_colours_leaf(out, row, offer, 0);
    return out;
}

/* Frees both. */
static uint8_t *merge(uint8_t *low, uint8_t *high)
{
    uint8_t *out = NULL;

    if (low && high) {
        size_t room = MPIR_split_room_for(low, high, foreseen.ranks);
        out = MPL_malloc(room, MPL_MEM_COMM);
        if (out)
            MPIR_colours_merge(low, high, MPIR_Ctxid_fold, out);
    }
    MPL_free(low);
    MPL_free(high);
    return out;
}

/* ---- what the exchange is between: ranks, or nodes of consecutive ranks ---- */

static int count_leaves(bool by_nodes)
{
    return by_nodes ? foreseen.comm->node_count : (int) foreseen.ranks;
}

/* The first rank of a leaf; behind the last one, the number of ranks. */
static uint32_t first_rank(int leaf, bool by_nodes)
{
    if (!by_nodes)
        return (uint32_t) leaf;
    return leaf < foreseen.comm->node_count ? MPIR_cmap_select(foreseen.firsts, (uint32_t) leaf)
                                            : foreseen.ranks;
}

static void take_leaves(split_zones *zones, uint32_t rank, uint32_t n, bool is_first)
{
    split_leaf leaves[COLOURS_PARSE];

    for (uint32_t i = 0; i < n; i++) {
        const solo_call *call = &foreseen.calls[rank + i];
        leaves[i] = (split_leaf){.row = {.colour = call->colour, .key = call->key},
                                 .offer = call->colour == MPI_UNDEFINED ? 0 : foreseen.offer};
    }
    MPIR_split_add_leaves(zones, leaves, n, is_first);
}

/* What the first process of a node finds. */
static uint8_t *describe_ranks(uint32_t first, uint32_t end)
{
    split_zones zones;
    uint8_t *out = NULL;

    if (!MPIR_split_zones_begin(&zones, end - first))
        return NULL;
    for (uint32_t rank = first, n; rank < end; rank += n) {
        n = MPIR_split_next_leaves(end - rank);
        take_leaves(&zones, rank, n, rank == first);
    }
    out = MPL_malloc(MPIR_colours_bytes(zones.mine), MPL_MEM_COMM);
    if (out)
        memcpy(out, zones.mine, MPIR_colours_bytes(zones.mine));
    MPIR_split_zones_end(&zones);
    return out;
}

static uint8_t *describe_leaf(int leaf, bool by_nodes)
{
    if (!by_nodes)
        return describe_rank(leaf);
    return describe_ranks(first_rank(leaf, true), first_rank(leaf + 1, true));
}

/* As many units as step says, from this one on. */
static uint8_t *describe_units(split_tree tree, int unit, int step, bool by_nodes)
{
    int first = MPIR_split_first_rank(tree, unit);

    if (step > 0)
        return merge(describe_units(tree, unit, step - 1, by_nodes),
                     describe_units(tree, unit + (1 << (step - 1)), step - 1, by_nodes));
    if (MPIR_split_first_rank(tree, unit + 1) - first == 1)
        return describe_leaf(first, by_nodes);
    return merge(describe_leaf(first, by_nodes), describe_leaf(first + 1, by_nodes));
}

static uint8_t *describe_all(bool by_nodes)
{
    split_tree tree = MPIR_split_tree_of(count_leaves(by_nodes));
    int step = 0;

    while (1 << step < tree.units)
        step++;
    return describe_units(tree, 0, step, by_nodes);
}

/* The steps of the tree from this one on, for this process's leaf. */
static void block_prepare(int leaf, int step, bool by_nodes)
{
    split_tree tree = MPIR_split_tree_of(count_leaves(by_nodes));
    int unit = MPIR_split_unit_of(tree, leaf);

    for (; 1 << step < tree.units; step++) {
        int other = (unit ^ 1 << step) >> step << step;
        ready[step] = describe_units(tree, other, step, by_nodes);
    }
}

/* The block's description; the caller frees it. */
static uint8_t *block_take(const split_block *block, const MPIR_Comm *comm, bool by_nodes)
{
    uint8_t *theirs;

    switch (block->step) {
        case SPLIT_OF_PAIR: return describe_leaf(block->first, by_nodes);
        case SPLIT_OF_ALL: return describe_all(by_nodes);
        case SPLIT_OF_NODE:
            return describe_ranks((uint32_t) block->first,
                                  (uint32_t) (block->first + block->count));
    }
    if (!ready[block->step])
        block_prepare(comm->rank, block->step, by_nodes);
    theirs = ready[block->step];
    ready[block->step] = NULL;
    return theirs;
}

static int supply(const split_zones *zones, const MPIR_Comm *comm, const split_block *block,
                  uint8_t **theirs)
{
    int mpi_errno = MPI_SUCCESS;

    foreseen.offer = MPIR_colours_offer(zones->mine); /* all ranks make the same */
    if (zones->by_nodes)
        mpi_errno = MPIR_Find_node_order(foreseen.comm, NULL, &foreseen.firsts);
    MPIR_ERR_CHECK(mpi_errno);
    *theirs = block_take(block, comm, zones->by_nodes);
    MPIR_ERR_CHKANDJUMP(!*theirs, mpi_errno, MPI_ERR_NO_MEM, "**nomem");

fn_exit:
    MPIR_cmap_release(foreseen.firsts);
    foreseen.firsts = NULL;
    return mpi_errno;
fn_fail:
    goto fn_exit;
}

int MPIR_Solo_swap_blocks(split_zones *zones, MPIR_Comm *comm, int to, const split_block *from)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned long long start = MPIR_Solo_now();
    uint8_t *theirs = NULL;

    exchanges++;
    if (to != MPI_PROC_NULL)
        block_count(zones->mine);
    if (from->rank == MPI_PROC_NULL)
        goto fn_exit;
    mpi_errno = supply(zones, comm, from, &theirs);
    MPIR_ERR_CHECK(mpi_errno);
    MPIR_ERR_CHKANDJUMP(!MPIR_split_zones_hold(zones, MPIR_colours_bytes(theirs)), mpi_errno,
                        MPI_ERR_NO_MEM, "**nomem");
    memcpy(zones->theirs, theirs, MPIR_colours_bytes(theirs));
    block_count(theirs);

fn_exit:
    MPL_free(theirs);
    MPIR_Solo_count_supply(start);
    return mpi_errno;
fn_fail:
    goto fn_exit;
}
