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
 * the end of all ids (ctxid_return.c).  A member that is ahead may have made a duplicate, sent
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

static void *note_of(const MPIR_Comm *parent)
{
    return MPIR_ctxid_note(CTXID_NOTE_BLOCK, MPIR_ctxid_prefix_of(parent));
}

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
static uint32_t find(const ctxid_store_t *store, const MPIR_Comm *parent, uint32_t n)
{
    ctxid_kept_t kept = MPIR_ctxid_kept(parent);
    uint32_t freed[2], hint = kept.next, found;
    uint32_t bound =
        kept.differed ? MPL_MAX(MPIR_ctxid_bound(store), hint) : MPIR_ctxid_bound(store);
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
    uint32_t first = 0;

    if (creation->is_short || store->blocked + n > store->most_blocked)
        return;
    first = find(store, creation->parent, n);
    if (first == 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        store->blocked++;
        if (MPIR_cid_claim(store->calm, first + i, claimed) != CID_OK) {
            store->blocked--;
            release(store, first, i);
            return;
        }
    }
    creation->block = first;
    creation->block_ids = n;
}

void MPIR_ctxid_block_unclaim(ctxid_store_t *store, MPIR_Ctxid_t *creation)
{
    release(store, creation->block, creation->block_ids);
    creation->block = creation->block_ids = 0;
}

/* ---- the parent's block ---------------------------------------------------------------------- */

/* Written with the lock, read also without it. */
static void set_ahead(ctxid_store_t *store, uint32_t ahead)
{
    __atomic_store_n(&store->ahead, ahead, __ATOMIC_RELAXED);
}

/* The first id is the child's, except in doubt: the others may have the child, and this member has
 * none. */
static void give(ctxid_store_t *store, MPIR_Ctxid_t *creation, bool in_doubt)
{
    MPIR_Comm *parent = creation->parent;
    uint32_t of_child = in_doubt ? 0 : 1;
    uint32_t first = creation->block, n = creation->block_ids;
    ctxid_kept_t block = MPIR_ctxid_kept(parent);

    for (uint32_t id = first; id < first + n; id++) {
        MPIR_cid_replace(store->calm, id, note_of(parent));
        MPIR_ctxid_leaves_order(store, id);
    }
    block.next = first + of_child;
    block.left = n - of_child;
    block.in_doubt = in_doubt;
    block.differed = 0;
    MPIR_ctxid_keep(parent, block);
    set_ahead(store, store->ahead + block.left);
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

void MPIR_ctxid_block_ask_more(MPIR_Ctxid_t *creation, uint32_t claims, uint32_t end)
{
    uint32_t next = claims & ((1u << CTXID_NEXT_BITS) - 1);
    ctxid_kept_t block = MPIR_ctxid_kept(creation->parent);
    bool asked = block.stage > 0;

    if (asked && (next == 0 || block.differed) && end < creation->store->calm_limit)
        next = end;
    block.stage = MPL_MIN(block.stage + 1, MOST_STAGE);
    if (block.left == 0 && next != 0) {
        block.next = next;
        block.differed = 1;
    }
    MPIR_ctxid_keep(creation->parent, block);
}

static ctxid_kept_t look_up(ctxid_store_t *store, const MPIR_Comm *parent)
{
    ctxid_kept_t block;

    pthread_mutex_lock(&store->mutex);
    block = MPIR_ctxid_kept(parent);
    pthread_mutex_unlock(&store->mutex);
    return block;
}

uint32_t MPIR_ctxid_block_size(ctxid_store_t *store, const MPIR_Comm *parent, uint32_t most)
{
    return MPL_MIN(1u << (2 * look_up(store, parent).stage), most);
}

bool MPIR_ctxid_block_has_next(ctxid_store_t *store, const MPIR_Comm *parent)
{
    return look_up(store, parent).left > 0;
}

static void free_id(ctxid_store_t *store, uint32_t id)
{
    release(store, id, 1);
    MPIR_ctxid_freed_prepend(&store->freed, id);
}

static void give_back(ctxid_store_t *store, const MPIR_Comm *parent, uint32_t id)
{
    if (parent->revoked || MPIR_ctxid_kept(parent).in_doubt) {
        MPIR_cid_replace(store->calm, id, MPIR_ctxid_note(CTXID_NOTE_BLOCK, CTXID_BLOCK_BURNED));
    } else {
        free_id(store, id);
    }
}

bool MPIR_ctxid_block_drop(ctxid_store_t *store, MPIR_Comm *parent)
{
    ctxid_kept_t block = MPIR_ctxid_kept(parent);
    bool has_any = block.left > 0;

    for (uint32_t id = block.next + block.left; block.left > 0; block.left--) {
        set_ahead(store, store->ahead - 1);
        give_back(store, parent, --id);
    }
    block.stage = 0;
    block.in_doubt = 0;
    block.differed = 0;
    MPIR_ctxid_keep(parent, block);
    return has_any;
}

void MPIR_ctxid_block_shorten(ctxid_store_t *store, MPIR_Comm *parent)
{
    ctxid_kept_t block = MPIR_ctxid_kept(parent);

    block.left--;
    MPIR_ctxid_keep(parent, block);
    set_ahead(store, store->ahead - 1);
    free_id(store, block.next + block.left);
}

/* ---- duplicates ------------------------------------------------------------------------------ */

static bool take_next(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *prefix)
{
    ctxid_kept_t block = MPIR_ctxid_kept(parent);

    if (block.left == 0)
        return false;
    *prefix = block.next++;
    block.left--;
    MPIR_ctxid_keep(parent, block);
    set_ahead(store, store->ahead - 1);
    MPIR_ctxid_take(store, *prefix);
    MPIR_cid_replace(store->calm, *prefix, MPIR_ctxid_note(CTXID_NOTE_PENDING, CTXID_BLOCK_MADE));
    return true;
}

static ctxid_block_t block_take(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *prefix)
{
    ctxid_kept_t block = MPIR_ctxid_kept(parent);

    if (block.left > 0 && block.in_doubt)
        return CTXID_BLOCK_DOUBT;
    if (!take_next(store, parent, prefix))
        return CTXID_BLOCK_EMPTY;
    store->silent++;
    return CTXID_BLOCK_ID;
}

ctxid_block_t MPIR_ctxid_block_take(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *prefix)
{
    bool is_locked = MPIR_ctxid_enter(store);
    ctxid_block_t result = block_take(store, parent, prefix);

    MPIR_ctxid_leave(store, is_locked);
    return result;
}

/* What the others have of the block, they have in this order. */
bool MPIR_ctxid_block_take_rest(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *first,
                                uint32_t *n)
{
    uint32_t next;
    bool can;

    pthread_mutex_lock(&store->mutex);
    can = store->shown == NULL || !store->shown->returns;
    *first = MPIR_ctxid_kept(parent).next;
    *n = 0;
    if (can) {
        while (take_next(store, parent, &next))
            ++*n;
        MPIR_ctxid_block_drop(store, parent);
    }
    pthread_mutex_unlock(&store->mutex);
    return can;
}

uint32_t MPIR_ctxid_block_ahead(ctxid_store_t *store)
{
    return __atomic_load_n(&store->ahead, __ATOMIC_RELAXED);
}

void MPIR_ctxid_block_burn(ctxid_store_t *store, uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table;

    pthread_mutex_lock(&store->mutex);
    table = MPIR_ctxid_table_of(store, prefix, &id);
    MPIR_cid_replace(table, id, MPIR_ctxid_note(CTXID_NOTE_BLOCK, CTXID_BLOCK_BURNED));
    if (table == store->calm) {
        store->used--;
        store->blocked++;
    }
    pthread_mutex_unlock(&store->mutex);
}
