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
    uint32_t ranks;
    uint64_t offer;
} foreseen;

/* What comes in the steps that follow.  All is made before the first step, so that between two
 * steps this rank's caches stay as they are, as in a real exchange. */
enum { STEPS = 32 };

static uint8_t *ready[STEPS];

static unsigned long long exchanges, longest;

static void read_number(void *address, void *obj_handle, int count, void *buffer)
{
    *(unsigned long long *) buffer = *(const unsigned long long *) address;
}

void solo_blocks_init(void)
{
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_COUNTER, "solo_exchanges", &exchanges, read_number, "SOLO",
                       "descriptions that this rank exchanged with others in MPI_Comm_split");
    MPIR_Pvar_register(MPI_T_PVAR_CLASS_HIGHWATERMARK, "solo_longest", &longest, read_number,
                       "SOLO", "bytes of the longest of these descriptions");
}

static void count(const uint8_t * description)
{
    longest = MPL_MAX(longest, colours_bytes(description));
}

static void forget(void)
{
    for (int step = 0; step < STEPS; step++) {
        MPL_free(ready[step]);
        ready[step] = NULL;
    }
}

int solo_foresee(const split_call * call, MPIR_Comm * local, bool * takes_part)
{
    unsigned long long start = solo_now();
    int mpi_errno = solo_foresee_calls(call, local, &foreseen.calls, takes_part);

    foreseen.ranks = (uint32_t) local->local_size;
    forget();
    solo_count_supply(start);
    return mpi_errno;
}

/* The description of a rank; NULL without memory, as in the other functions.  The caller frees
 * it.  A rank that takes no part offers nothing. */
static uint8_t *describe_rank(int rank)
{
    const solo_call *call = &foreseen.calls[rank];
    colours_row row = {.colour = call->colour,.key = call->key };
    uint64_t offer = call->colour == MPI_UNDEFINED ? 0 : foreseen.offer;
    uint8_t *out = MPL_malloc(COLOURS_HEADER + COLOURS_EXTRA, MPL_MEM_COMM);

    if (out)
        colours_leaf(out, row, offer, 0);
    return out;
}

/* Frees both. */
static uint8_t *merge(uint8_t * low, uint8_t * high)
{
    uint8_t *out = NULL;

    if (low && high) {
        size_t room = split_room_for(low, high, foreseen.ranks);
        out = MPL_malloc(room, MPL_MEM_COMM);
        if (out)
            colours_merge(low, high, MPIR_Ctxid_fold, out);
        if (out && room > SPLIT_ZONE)
            colours_set_flags(out, COLOURS_LARGE);
    }
    MPL_free(low);
    MPL_free(high);
    return out;
}

/* As many units as step says, from this one on. */
static uint8_t *describe_units(split_tree tree, int unit, int step)
{
    int first = split_first_rank(tree, unit);

    if (step > 0)
        return merge(describe_units(tree, unit, step - 1),
                     describe_units(tree, unit + (1 << (step - 1)), step - 1));
    if (split_first_rank(tree, unit + 1) - first == 1)
        return describe_rank(first);
    return merge(describe_rank(first), describe_rank(first + 1));
}

/* All of the world, for the second of a pair, or the other one of the pair */
static uint8_t *describe(const split_block * block, int ranks)
{
    split_tree tree = split_tree_of(ranks);
    int step = block->step;

    if (block->count == 1 && step < 0)
        return describe_rank(block->first);
    if (step < 0)
        for (step = 0; 1 << step < tree.units; step++);
    return describe_units(tree, split_unit_of(tree, block->first), step);
}

/* From this step on. */
static void prepare(const MPIR_Comm * local, int step)
{
    split_tree tree = split_tree_of(local->local_size);
    int unit = split_unit_of(tree, local->rank);

    for (; 1 << step < tree.units; step++) {
        split_block block = split_block_of(tree, unit ^ 1 << step, step);
        ready[step] = describe(&block, local->local_size);
    }
}

/* The block's description; the caller frees it. */
static uint8_t *take(const split_block * block, const MPIR_Comm * local)
{
    uint8_t *theirs;

    if (block->step < 0)
        return describe(block, local->local_size);
    if (!ready[block->step])
        prepare(local, block->step);
    theirs = ready[block->step];
    ready[block->step] = NULL;
    return theirs;
}

int solo_swap_blocks(split_zones * zones, MPIR_Comm * local, int to, const split_block * from)
{
    int mpi_errno = MPI_SUCCESS;
    unsigned long long start = solo_now();
    uint8_t *theirs = NULL;

    exchanges++;
    if (to != MPI_PROC_NULL)
        count(zones->mine);
    if (from->rank == MPI_PROC_NULL)
        goto fn_exit;
    foreseen.offer = colours_offer(zones->mine);        /* all ranks make the same */
    theirs = take(from, local);
    MPIR_ERR_CHKANDJUMP(!theirs, mpi_errno, MPI_ERR_NO_MEM, "**nomem");
    MPIR_ERR_CHKANDJUMP(!split_zones_hold(zones, colours_bytes(theirs)), mpi_errno, MPI_ERR_NO_MEM,
                        "**nomem");
    memcpy(zones->theirs, theirs, colours_bytes(theirs));
    count(theirs);

  fn_exit:
    MPL_free(theirs);
    solo_count_supply(start);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
