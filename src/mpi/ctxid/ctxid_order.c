/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* Which calm id comes next, and which ids are reserved as cursors. */

/* ---- the list of freed ids ------------------------------------------------------------------- */

#define LEAST_CAPACITY 16u
#define UNLISTED UINT32_MAX
#define ENDS 0 /* the id whose links are the list's ends */

enum { BEFORE, AFTER };

/* Afterwards ids below `ids` can be listed.  False without memory: nothing has changed. */
static bool make_room(ctxid_freed_t *freed, uint32_t ids)
{
    uint32_t capacity = MPL_MAX(freed->capacity, LEAST_CAPACITY);
    void *links;

    while (capacity < ids)
        capacity *= 2;
    links = MPL_realloc(freed->links, capacity * sizeof(*freed->links), MPL_MEM_COMM);
    if (links == NULL)
        return false;
    freed->links = links;
    for (uint32_t id = freed->capacity; id < capacity; id++)
        freed->links[id][BEFORE] = UNLISTED;
    if (freed->capacity == 0)
        freed->links[ENDS][BEFORE] = freed->links[ENDS][AFTER] = ENDS;
    freed->capacity = capacity;
    return true;
}

static bool is_listed(const ctxid_freed_t *freed, uint32_t id)
{
    return id < freed->capacity && freed->links[id][BEFORE] != UNLISTED;
}

/* An id that is listed already stays where it is. */
void MPIR_ctxid_joins_order(ctxid_store_t *store, uint32_t id, bool is_next)
{
    ctxid_freed_t *freed = &store->freed;
    uint32_t before, after;

    if (id >= freed->capacity || is_listed(freed, id))
        return;
    before = is_next ? ENDS : freed->links[ENDS][BEFORE];
    after = freed->links[before][AFTER];
    freed->links[id][BEFORE] = before;
    freed->links[id][AFTER] = after;
    freed->links[before][AFTER] = freed->links[after][BEFORE] = id;
}

static void unlist(ctxid_freed_t *freed, uint32_t id)
{
    uint32_t before, after;

    if (!is_listed(freed, id))
        return;
    before = freed->links[id][BEFORE];
    after = freed->links[id][AFTER];
    freed->links[before][AFTER] = after;
    freed->links[after][BEFORE] = before;
    freed->links[id][BEFORE] = UNLISTED;
}

void MPIR_ctxid_find_freed(const ctxid_store_t *store, uint32_t ids[2])
{
    const ctxid_freed_t *freed = &store->freed;

    ids[0] = ids[1] = 0;
    if (store->fresh < MPIR_ctxid_bound(store) || freed->capacity == 0)
        return;
    ids[0] = freed->links[ENDS][AFTER];
    if (ids[0] != 0)
        ids[1] = freed->links[ids[0]][AFTER];
}

/* ---- the order ------------------------------------------------------------------------------- */

/* Ids that were freed while the list had no room for them */
static void list_freed(ctxid_store_t *store, uint32_t from, uint32_t to)
{
    for (uint32_t id = MPIR_cid_next_free(store->calm, from); id < to;
         id = MPIR_cid_next_free(store->calm, id + 1))
        MPIR_ctxid_joins_order(store, id, false);
}

/* If there is no memory for the list, the ids beyond it are used again only when the highest
 * ones are free. */
static void raise_peak(ctxid_store_t *store)
{
    uint32_t capacity = store->freed.capacity;

    store->peak = MPL_MAX(store->peak, store->used + store->blocked);
    if (MPIR_ctxid_bound(store) > capacity && make_room(&store->freed, MPIR_ctxid_bound(store)))
        list_freed(store, capacity, MPL_MIN(store->freed.capacity, store->fresh));
}

/* The fresh ids below it are listed as free. */
void MPIR_ctxid_leaves_order(ctxid_store_t *store, uint32_t id)
{
    unlist(&store->freed, id);
    while (store->fresh <= id)
        MPIR_ctxid_joins_order(store, store->fresh++, false);
    unlist(&store->freed, id);
}

static cid_status put_owner(ctxid_store_t *store, cid_table_t *table, uint32_t id)
{
    void *owner = MPIR_cid_owner(table, id), *pending = MPIR_ctxid_note(CTXID_NOTE_PENDING, 0);

    if (owner == NULL)
        return MPIR_cid_claim_held(table, id, pending);
    MPIR_Assert(MPIR_ctxid_note_kind(owner) >= CTXID_NOTE_RESERVED);
    if (MPIR_ctxid_note_kind(owner) == CTXID_NOTE_RESERVED)
        store->reserved--;
    else if (MPIR_ctxid_note_kind(owner) == CTXID_NOTE_BLOCK)
        store->blocked--;
    return MPIR_cid_replace(table, id, pending);
}

void MPIR_ctxid_take(ctxid_store_t *store, uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table = MPIR_ctxid_table_of(store, prefix, &id);
    cid_status status = put_owner(store, table, id);

    MPIR_Assertp(status == CID_OK);
    if (table == store->calm) {
        store->used++;
        MPIR_ctxid_leaves_order(store, id);
        raise_peak(store);
    }
}

/* ---- reservations ---------------------------------------------------------------------------- */

void MPIR_ctxid_reserve(ctxid_store_t *store, uint32_t prefix, uint32_t cursor)
{
    if (cursor == 0 ||
        MPIR_cid_claim(store->calm, cursor, MPIR_ctxid_note(CTXID_NOTE_RESERVED, prefix)) != CID_OK)
        return;
    store->reserved++;
    MPIR_ctxid_leaves_order(store, cursor);
}

void MPIR_ctxid_end_reservation(ctxid_store_t *store, uint32_t cursor)
{
    MPIR_cid_release(store->calm, cursor);
    store->reserved--;
    MPIR_ctxid_joins_order(store, cursor, true);
}

void MPIR_ctxid_drop_reservations(ctxid_store_t *store)
{
    for (uint32_t id = MPIR_cid_next_used(store->calm, 0); store->reserved > 0;
         id = MPIR_cid_next_used(store->calm, id + 1)) {
        if (MPIR_ctxid_note_kind(MPIR_cid_owner(store->calm, id)) == CTXID_NOTE_RESERVED)
            MPIR_ctxid_end_reservation(store, id);
    }
}
