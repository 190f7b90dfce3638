/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/*
 * Blocks of successive calm ids for the duplicates of a communicator.
 *
 * An offer for a duplicate claims a block before the collective, and names it.  If all members have
 * claimed the same block, it is the parent's.  Then nothing is left to do that could fail: each
 * member has the ids in its table already.  If the claims differ, all members give them back, and
 * agree on one id as without blocks.
 *
 * Afterwards the number of a duplicate decides its id, and members need no messages.  A block ends
 * when its ids are taken, or when the parent is freed.  A search does not get its ids, except at
 * the end of all ids.  A member that is ahead may have made a duplicate, sent
 * messages, and freed it again; for a member behind, the id is still that duplicate's.
 *
 * The collective may fail at one member alone.  This member then does not know whether the block
 * was granted.  Another collective would not settle it, as that may fail in turn.  So the member
 * marks its block as in doubt.  Its next duplicate revokes the parent (CTXID_BLOCK_DOUBT), and no
 * member waits for it.
 *
 * A member makes no duplicate of a parent after it has learned that the parent is revoked.  Other
 * members may have made some already.  So the member revokes whatever they make of the ids that it
 * has left, and no member waits for it.
 *
 * If the parent is freed while it is revoked, or its block is in doubt, other members may have
 * duplicates that this member has not made.  Their ids are not used again.
 */

enum { MOST_RUNS = 64, MORE_ROOM = 4, MOST_STAGE = 4 };

/* ---- claims ---------------------------------------------------------------------------------- */

/* The first `n` free ids in a row from `first` on and below `limit`; 0 if there are none, or not
 * after a few runs of free ids. */
static uint32_t find_from(const ctxid_store_t *store, uint32_t first, uint32_t n, uint32_t limit)
{
    for (int runs = 0; runs < MOST_RUNS && first < limit && limit - first >= n; runs++) {
        uint32_t id = MPIR_cid_next_free(store->calm, first);

        first = MPIR_cid_next_used(store->calm, id);
        if (first - id >= n)
            return limit >= n && id <= limit - n ? id : 0;
    }
    return 0;
}

/* Where members have last met, or differed, they all look first.  A communicator then uses an id
 * again only after all others below the limit.  Room beyond the bound is for programs with few
 * communicators, whose free ids are seldom in a row.  If members differed, those with few ids
 * follow the others beyond their own bound. */
static uint32_t block_find(const ctxid_store_t *store, MPIR_Comm *parent, uint32_t n)
{
    const ctxid_kept_t *kept = MPIR_ctxid_kept(parent);
    uint32_t freed[2], hint = kept->next, found;
    uint32_t bound =
        kept->differed ? MPL_MAX(MPIR_ctxid_bound(store), hint) : MPIR_ctxid_bound(store);
    uint32_t limit = MPL_MIN(bound + MORE_ROOM * n, store->calm_limit);

    MPIR_ctxid_find_freed(store, freed);
    if (hint == 0)
        hint = freed[0] ? freed[0] : MPIR_ctxid_next_end(store);
    found = find_from(store, hint, n, limit);
    return found ? found : find_from(store, 1, n, limit);
}

static void release(ctxid_store_t *store, uint32_t first, uint32_t n)
{
    for (uint32_t id = first; id < first + n; id++)
        MPIR_cid_release(store->calm, id);
    store->blocked -= n;
}

void MPIR_ctxid_block_claim(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t n)
{
    void *claimed = MPIR_ctxid_note(CTXID_NOTE_BLOCK, CTXID_BLOCK_CLAIMED);
    uint32_t first = 0, i;

    if (!creation->is_short && store->blocked + n <= store->most_blocked)
        first = block_find(store, creation->parent, n);
    if (first == 0)
        return;
    for (i = 0; i < n && MPIR_cid_claim(store->calm, first + i, claimed) == CID_OK; i++)
        store->blocked++;
    if (i < n) {
        release(store, first, i);
        return;
    }
    creation->block = first;
    creation->block_ids = n;
}

void MPIR_ctxid_block_release(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    if (creation->block_ids == 0)
        return;
    release(store, creation->block, creation->block_ids);
    creation->block = creation->block_ids = 0;
}

/* ---- the parent's block ---------------------------------------------------------------------- */

/* Changes how many ids are left in all blocks, which is also read without the lock. */
static void add_ahead(ctxid_store_t *store, int n)
{
    __atomic_store_n(&store->ahead, store->ahead + (uint32_t) n, __ATOMIC_RELAXED);
}

/* One id is not in the block any more. */
static void block_leave(ctxid_store_t *store, ctxid_kept_t *block)
{
    block->left--;
    add_ahead(store, -1);
}

/* The first id is the child's, except in doubt: the others may have the child, and this member has
 * none. */
static void give(ctxid_store_t *store, MPIR_Ctxid_t *creation, bool in_doubt)
{
    uint32_t of_child = in_doubt ? 0 : 1, first = creation->block, n = creation->block_ids;
    ctxid_kept_t *block = MPIR_ctxid_kept(creation->parent);
    void *owner = MPIR_ctxid_note(CTXID_NOTE_BLOCK, MPIR_ctxid_prefix_of(creation->parent));

    for (uint32_t id = first; id < first + n; id++) {
        MPIR_cid_replace(store->calm, id, owner);
        MPIR_ctxid_leaves_order(store, id);
    }
    block->next = first + of_child;
    block->left = n - of_child;
    block->in_doubt = in_doubt;
    block->differed = 0;
    add_ahead(store, (int) block->left);
    creation->block_ids = 0;
}

uint32_t MPIR_ctxid_block_grant(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    give(store, creation, false);
    MPIR_ctxid_take(store, creation->block);
    return creation->block;
}

void MPIR_ctxid_block_lose(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    if (creation->block_ids > 0)
        give(store, creation, true);
    MPIR_ctxid_block_grow(creation, 0, 0);
}

void MPIR_ctxid_block_grow(MPIR_Ctxid_t *creation, uint32_t claims, uint32_t end)
{
    uint32_t next = claims & ((1u << CTXID_NEXT_BITS) - 1);
    ctxid_kept_t *block = MPIR_ctxid_kept(creation->parent);

    if (creation->ids == 0) /* no duplicate */
        return;
    if (block->stage > 0 && (next == 0 || block->differed) && end < creation->store->calm_limit)
        next = end;
    block->stage = MPL_MIN(block->stage + 1, MOST_STAGE);
    if (block->left == 0 && next != 0) {
        block->next = next;
        block->differed = 1;
    }
}

uint32_t MPIR_ctxid_block_size(ctxid_store_t *store, MPIR_Comm *parent, uint32_t most)
{
    CTXID_LOCKED(&store->mutex);
    return MPL_MIN(1u << (2 * MPIR_ctxid_kept(parent)->stage), most);
}

bool MPIR_ctxid_block_has_next(ctxid_store_t *store, MPIR_Comm *parent)
{
    CTXID_LOCKED(&store->mutex);
    return MPIR_ctxid_kept(parent)->left > 0;
}

static void free_id(ctxid_store_t *store, uint32_t id)
{
    release(store, id, 1);
    MPIR_ctxid_joins_order(store, id, true);
}

static void burn(cid_table_t *table, uint32_t id)
{
    MPIR_cid_replace(table, id, MPIR_ctxid_note(CTXID_NOTE_BLOCK, CTXID_BLOCK_BURNED));
}

bool MPIR_ctxid_block_drop(ctxid_store_t *store, MPIR_Comm *parent)
{
    ctxid_kept_t *block = MPIR_ctxid_kept(parent);
    bool has_any = block->left > 0, others_may_use = parent->ended || block->in_doubt;

    while (block->left > 0) {
        block_leave(store, block);
        if (others_may_use)
            burn(store->calm, block->next + block->left);
        else
            free_id(store, block->next + block->left);
    }
    block->stage = block->in_doubt = block->differed = 0;
    return has_any;
}

/* ---- duplicates ------------------------------------------------------------------------------ */

static bool take_next(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *prefix)
{
    ctxid_kept_t *block = MPIR_ctxid_kept(parent);

    if (block->left == 0)
        return false;
    *prefix = block->next++;
    block_leave(store, block);
    MPIR_ctxid_take(store, *prefix);
    MPIR_cid_replace(store->calm, *prefix, MPIR_ctxid_note(CTXID_NOTE_PENDING, CTXID_BLOCK_MADE));
    return true;
}

ctxid_block_t MPIR_ctxid_block_take(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *prefix)
{
    const ctxid_kept_t *block = MPIR_ctxid_kept(parent);
    CTXID_LOCKED(MPIR_ctxid_mutex_if_threaded(store));

    if (block->left > 0 && block->in_doubt)
        return CTXID_BLOCK_DOUBT;
    if (!take_next(store, parent, prefix))
        return CTXID_BLOCK_EMPTY;
    store->silent++;
    return CTXID_BLOCK_ID;
}

/* What the others have of the block, they have in this order. */
bool MPIR_ctxid_block_take_rest(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *first,
                                uint32_t *n)
{
    uint32_t next;
    CTXID_LOCKED(&store->mutex);

    *first = MPIR_ctxid_kept(parent)->next;
    *n = 0;
    if (store->shown != NULL && store->shown->returns)
        return false;
    while (take_next(store, parent, &next))
        ++*n;
    MPIR_ctxid_block_drop(store, parent);
    return true;
}

void MPIR_ctxid_block_burn(ctxid_store_t *store, uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table;
    CTXID_LOCKED(&store->mutex);

    table = MPIR_ctxid_table_of(store, prefix, &id);
    burn(table, id);
    if (table == store->calm) {
        store->used--;
        store->blocked++;
    }
}

/* ---- ids that blocks give back at the end of the ids ----------------------------------------- */

/*
 * A search that finds no free id makes another pass.  In that pass a member also shows the last id
 * of each block whose communicator has only members that take part in the search.  If the id is
 * chosen, all these members shorten the block by it.
 *
 * The id is then in the block at all members.  A member that took it made a duplicate without a
 * message.  MPI lets each duplicate wait for all members.  So in a correct program the others make
 * theirs before they call the search's creation, too, if every process makes one creation at a
 * time.  This does not hold with threads, or if MPI_Comm_idup was ever called: such a process
 * allows no such pass (MPIR_Ctxid_t.contains).
 *
 * If the collective fails at one member alone, the member does not know whether the blocks whose
 * ids it showed are shorter now.  It marks them as in doubt.
 */

/* The communicator whose block ends with this id, if all its members are in the search.  NULL for
 * none. */
static MPIR_Comm *lender_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t id)
{
    void *owner = MPIR_cid_owner(store->calm, id);
    uint32_t number = MPIR_ctxid_note_number(owner);
    MPIR_Comm *lender;

    if (MPIR_ctxid_note_kind(owner) != CTXID_NOTE_BLOCK || number >= CTXID_BLOCK_CLAIMED)
        return NULL;
    lender = MPIR_ctxid_owner_of(store, number);
    if ((uint32_t) MPIR_ctxid_kept(lender)->next + MPIR_ctxid_kept(lender)->left != id + 1)
        return NULL;
    return creation->contains(creation, lender) ? lender : NULL;
}

/* The lender of the first such id from *id on, which becomes *id.  NULL if there is none below
 * `end`. */
static MPIR_Comm *next_lender(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                              uint32_t *id, uint32_t end)
{
    for (; *id < end; ++*id) {
        MPIR_Comm *lender;

        *id = MPIR_cid_next_used(store->calm, *id);
        lender = *id < end ? lender_of(store, creation, *id) : NULL;
        if (lender != NULL)
            return lender;
    }
    return NULL;
}

void MPIR_ctxid_return_show(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                            uint32_t first, uint32_t n, uint32_t mask[])
{
    MPIR_Comm *lender;

    for (uint32_t id = first; (lender = next_lender(store, creation, &id, first + n)); id++)
        if (!lender->ended && !MPIR_ctxid_kept(lender)->in_doubt)
            mask[(id - first) / 32] |= 1u << ((id - first) % 32);
}

/* The others have shortened the block, so this member does, too.  That holds if it has learned
 * since that the communicator is revoked.  It also holds if the block is in doubt here, and this
 * member takes no part in the new communicator. */
void MPIR_ctxid_return_take(ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t prefix)
{
    MPIR_Comm *lender = prefix < store->calm_limit ? lender_of(store, creation, prefix) : NULL;

    if (lender == NULL)
        return;
    block_leave(store, MPIR_ctxid_kept(lender));
    free_id(store, prefix);
}

void MPIR_ctxid_return_doubt(ctxid_store_t *store, const MPIR_Ctxid_t *creation)
{
    uint32_t id, n, end;
    MPIR_Comm *lender;

    MPIR_ctxid_window_of(store, creation, &id, &n);
    end = MPL_MIN(id + n, store->calm_limit);
    for (; (lender = next_lender(store, creation, &id, end)); id++)
        MPIR_ctxid_kept(lender)->in_doubt = 1;
}
