/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* If the offers do not suffice, the members show each other their free ids, one window of ids in
 * each collective. */

/* Flags of a window */
enum {
    SHOWN = 1, /* the member shows its ids */
    HAS_TOKEN = 2,
    HAS_ROOM = 4,         /* and has memory to take any of them */
    WITHHELD_NOTHING = 8, /* `free` has all free ids of this window */
    MAY_RETURN = 16,      /* blocks may give ids back to this creation */
    LENDS_NOTHING = 32    /* but the member has no block */
};

void MPIR_ctxid_fold_window(ctxid_window_t *all, const ctxid_window_t *window)
{
    all->flags &= window->flags;
    all->next = MPL_MAX(all->next, window->next);
    for (uint32_t i = 0; i < CTXID_WINDOW_WORDS; i++)
        all->free[i] &= window->free[i];
}

/* ---- what a process shows -------------------------------------------------------------------- */

/* The lowest free id that is not below `prefix`, or the limit. */
static uint32_t next_free(const ctxid_store_t *store, uint32_t prefix)
{
    uint32_t id = store->calm_limit;

    if (prefix < store->calm_limit)
        id = MPIR_cid_next_free(store->calm, prefix);
    if (id < store->calm_limit)
        return id;
    return store->calm_limit + MPIR_cid_next_free(store->busy, prefix > store->calm_limit
                                                                   ? prefix - store->calm_limit
                                                                   : 0);
}

/* How far the search may skip: to the next free id, or to its end. */
static uint32_t next_offset(const ctxid_store_t *store, const MPIR_Ctxid_t *creation)
{
    uint32_t limit = store->calm_limit + store->busy_limit;
    uint32_t first, n, prefix, id;

    MPIR_ctxid_window_of(store, creation, &first, &n);
    prefix = creation->start + creation->offset + n;
    if (prefix < limit) {
        id = next_free(store, prefix);
        if (id < limit)
            return id - creation->start;
        prefix = limit;
    }
    id = next_free(store, prefix - limit);
    return (id < creation->start) ? id + limit - creation->start : limit;
}

static void show_ids(const cid_table_t *table, uint32_t first, uint32_t n, uint32_t mask[])
{
    MPIR_cid_free_mask(table, first, (n + 31) / 32, mask);
    if (n % 32)
        mask[n / 32] &= (1u << (n % 32)) - 1;
}

static void hide(uint32_t id, uint32_t first, uint32_t n, uint32_t mask[])
{
    if (id >= first && id - first < n)
        mask[(id - first) / 32] &= ~(1u << ((id - first) % 32));
}

/* If another creation has already made an offer, the search hides the ids that this creation might
 * receive.  A cursor that it might receive is reserved, so it is hidden anyway. */
static void show_calm(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t first,
                      uint32_t n, uint32_t mask[])
{
    uint32_t end = (store->token == creation) ? store->calm_limit : store->promised;

    if (first < end)
        show_ids(store->calm, first, MPL_MIN(n, end - first), mask);
    if (store->token != creation && store->promised_free != 0)
        hide(store->promised_free, first, n, mask);
    if (creation->returns && store->token == creation)
        MPIR_ctxid_return_show(store, creation, first, n, mask);
}

static void show_busy(const ctxid_store_t *store, uint32_t first, uint32_t n, uint32_t mask[])
{
    show_ids(store->busy, first, n, mask);
    hide(store->held_probe, first, n, mask);
}

static bool has_room(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t first, uint32_t n)
{
    uint32_t id;
    cid_table_t *table = MPIR_ctxid_table_of(store, first, &id);

    return MPIR_ctxid_hold(store, creation, table, id + n) >= id + n;
}

static void show(ctxid_store_t *store, MPIR_Ctxid_t *creation, ctxid_window_t *window)
{
    bool has_token = MPIR_ctxid_take_token(store, creation);
    uint32_t first, n;

    MPIR_ctxid_window_of(store, creation, &first, &n);
    creation->is_short = creation->takes_part && !has_room(store, creation, first, n);
    if (has_token && creation->takes_part && creation->passes > 0)
        MPIR_ctxid_drop_reservations(store);
    window->next = creation->offset + n;
    if (creation->takes_part && !creation->returns)
        window->next = next_offset(store, creation);
    window->flags = SHOWN | (has_token ? HAS_TOKEN : 0) | (creation->is_short ? 0 : HAS_ROOM) |
                    (creation->contains ? MAY_RETURN : 0) | (store->ahead == 0 ? LENDS_NOTHING : 0);
    if (!creation->takes_part)
        memset(window->free, 0xff, sizeof(window->free)); /* any */
    else if (first < store->calm_limit)
        show_calm(store, creation, first, n, window->free);
    else
        show_busy(store, first - store->calm_limit, n, window->free);
    if (has_token && (!creation->takes_part || (store->reserved == 0 && store->probes == 0)))
        window->flags |= WITHHELD_NOTHING;
}

void MPIR_ctxid_show_window(MPIR_Ctxid_t *creation, ctxid_window_t *window)
{
    ctxid_store_t *store = creation->store;
    CTXID_LOCKED(&store->mutex);

    memset(window, 0, sizeof(*window));
    if (store->shown != NULL || store->queue != creation)
        return;
    MPIR_ctxid_enter(creation, CTXID_SHOWN);
    show(store, creation, window);
}

/* ---- what follows from a window -------------------------------------------------------------- */

/* The lowest id of the window whose bit is not below *bit, and *bit becomes the bit after it.
 * MPIR_CTXID_NONE if there is none. */
static uint32_t next_common(const ctxid_window_t *window, uint32_t first, uint32_t *bit)
{
    while (*bit < 32 * CTXID_WINDOW_WORDS) {
        uint32_t rest = window->free[*bit / 32] >> (*bit % 32);

        if (rest != 0) {
            *bit += (uint32_t) __builtin_ctz(rest) + 1;
            return first + *bit - 1;
        }
        *bit = (*bit / 32 + 1) * 32;
    }
    return MPIR_CTXID_NONE;
}

/* Ids are left for another pass.  A process withheld ids for an offer.  Late members of the offer
 * may be in the search that is next in the queue, so that one goes first now. */
static void begin_pass(MPIR_Ctxid_t *creation)
{
    creation->withheld = false;
    creation->offset = 0;
    creation->passes++;
}

/* No id of this window is free at all members. */
static ctxid_state_t go_on(const ctxid_store_t *store, MPIR_Ctxid_t *creation,
                           const ctxid_window_t *window)
{
    if (!(window->flags & WITHHELD_NOTHING))
        creation->withheld = true;
    creation->offset = window->next;
    if (creation->offset < store->calm_limit + store->busy_limit)
        return CTXID_QUEUED;
    if (!creation->withheld) {
        if (creation->returns || !(window->flags & MAY_RETURN) || (window->flags & LENDS_NOTHING))
            return CTXID_EXHAUSTED;
        creation->returns = true;
    }
    begin_pass(creation);
    return CTXID_QUEUED;
}

/* The next free ids of a calm window become cursors. */
static void move_cursors(ctxid_store_t *store, MPIR_Ctxid_t *creation, const ctxid_window_t *window,
                         uint32_t first, uint32_t bit)
{
    uint32_t cursors[2] = {0, 0};

    for (int i = 0; i < 2 && first < store->calm_limit; i++) {
        uint32_t id = next_common(window, first, &bit);

        cursors[i] = (id == MPIR_CTXID_NONE) ? 0 : id;
    }
    MPIR_ctxid_move_cursors(store, creation, cursors);
}

/* The next state. */
static ctxid_state_t settle(ctxid_store_t *store, MPIR_Ctxid_t *creation,
                            const ctxid_window_t *window)
{
    uint32_t first, n, bit = 0, chosen;

    if (!(window->flags & HAS_ROOM))
        return creation->is_short ? CTXID_NO_MEMORY : CTXID_FAILED;
    MPIR_ctxid_window_of(store, creation, &first, &n);
    chosen = next_common(window, first, &bit);
    if (chosen == MPIR_CTXID_NONE)
        return go_on(store, creation, window);
    if (creation->returns)
        MPIR_ctxid_return_take(store, creation, chosen);
    MPIR_ctxid_choose(creation, chosen);
    if (window->flags & HAS_TOKEN)
        move_cursors(store, creation, window, first, bit);
    return CTXID_DECIDED;
}

ctxid_state_t MPIR_ctxid_settle_window(MPIR_Ctxid_t *creation, const ctxid_window_t *window)
{
    ctxid_store_t *store = creation->store;
    ctxid_state_t next = CTXID_QUEUED;
    CTXID_LOCKED(&store->mutex);

    if (window->flags & SHOWN)
        next = settle(store, creation, window);
    else if (creation->offset > 0)
        creation->withheld = true; /* ids that were shown in use may be free by now */
    MPIR_ctxid_enter(creation, next);
    if (next != CTXID_QUEUED)
        MPIR_ctxid_block_grow(creation, 0, 0);
    return next;
}
