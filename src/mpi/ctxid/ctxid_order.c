/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* Which calm id comes next, and which ids are reserved as cursors. */

/* Ids that were freed while the list had no room for them */
static void list_freed(ctxid_store_t *store, uint32_t from, uint32_t to)
{
    for (uint32_t id = MPIR_cid_next_free(store->calm, from); id < to;
         id = MPIR_cid_next_free(store->calm, id + 1))
        MPIR_ctxid_freed_append(&store->freed, id);
}

/* If there is no memory for the list, the ids beyond it are used again only when the highest
 * ones are free. */
static void raise_peak(ctxid_store_t *store)
{
    uint32_t capacity = store->freed.capacity;

    store->peak = MPL_MAX(store->peak, store->used + store->blocked);
    if (MPIR_ctxid_bound(store) > capacity &&
        MPIR_ctxid_freed_make_room(&store->freed, MPIR_ctxid_bound(store)))
        list_freed(store, capacity, MPL_MIN(store->freed.capacity, store->fresh));
}

/* The fresh ids below it are listed as free. */
void MPIR_ctxid_leaves_order(ctxid_store_t *store, uint32_t id)
{
    MPIR_ctxid_freed_remove(&store->freed, id);
    while (store->fresh <= id)
        MPIR_ctxid_freed_append(&store->freed, store->fresh++);
    MPIR_ctxid_freed_remove(&store->freed, id);
}

void MPIR_ctxid_end_reservation(ctxid_store_t *store, uint32_t cursor)
{
    MPIR_cid_release(store->calm, cursor);
    store->reserved--;
    MPIR_ctxid_freed_prepend(&store->freed, cursor);
}

void MPIR_ctxid_reserve(ctxid_store_t *store, uint32_t prefix, uint32_t cursor)
{
    if (cursor == 0 ||
        MPIR_cid_claim(store->calm, cursor, MPIR_ctxid_note(CTXID_NOTE_RESERVED, prefix)) != CID_OK)
        return;
    store->reserved++;
    MPIR_ctxid_leaves_order(store, cursor);
}

void MPIR_ctxid_drop_reservations(ctxid_store_t *store)
{
    for (uint32_t id = MPIR_cid_next_used(store->calm, 0); store->reserved > 0;
         id = MPIR_cid_next_used(store->calm, id + 1)) {
        void *owner = MPIR_cid_owner(store->calm, id);

        if (MPIR_ctxid_note_kind(owner) == CTXID_NOTE_RESERVED)
            MPIR_ctxid_end_reservation(store, id);
    }
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
