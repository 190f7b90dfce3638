/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* How a process makes an offer. */

/* A probe is one of at least this many busy ids, and of 16 for each creation of its parent so far.
 * The table stays small, and the first probe is mostly free. */
#define LEAST_SPREAD 1024u
/* An offer withholds ids from the searches of other creations.  If a late member of the offer takes
 * part in such a search, that search needs ids: this many busy ones, and a quarter of all.  With
 * fewer left, the process withholds nothing, and the creation searches. */
#define LEAST_LEFT 16u

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* One counter may serve several orders: it forgets the count of the previous one. */
uint32_t *MPIR_ctxid_partial_counter(ctxid_store_t *store, const MPIR_Ctxid_t *creation)
{
    ctxid_partial_t *counter = &store->partial[mix(creation->order) % CTXID_PARTIAL_COUNTERS];

    if (counter->order != creation->order)
        *counter = (ctxid_partial_t){.order = creation->order};
    return &counter->number;
}

uint32_t MPIR_ctxid_probe_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                             uint32_t number)
{
    uint64_t hash = mix(creation->order ^ (number * UINT64_C(0x9e3779b97f4a7c15)));
    uint64_t spread = MPL_MAX((uint64_t) LEAST_SPREAD, 16 * (uint64_t) number);

    return (uint32_t) (hash % MPL_MIN(spread, (uint64_t) store->busy_limit));
}

static bool is_scarce(const ctxid_store_t *store)
{
    cid_figures_t busy;

    MPIR_cid_figures(store->busy, &busy);
    return store->busy_limit - busy.used < LEAST_LEFT + store->busy_limit / 4;
}

/* How much less than all calm ids this process has memory for, and whether it is too little for the
 * ids that it proposes. */
static void hold(ctxid_store_t *store, MPIR_Ctxid_t *creation, ctxid_fields_t *fields)
{
    uint32_t end = MPL_MIN(MPL_MAX(fields->end, fields->free1) + 1, store->calm_limit);
    uint32_t room = MPIR_ctxid_hold(store, creation, store->calm, end);

    fields->failed = creation->is_short = room < end;
    if (room < store->calm_limit && !fields->failed)
        while (MPIR_ctxid_room(fields->lack) > room)
            fields->lack++;
}

/* Objections and proposals of a member of the new communicator */
static void propose(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t ids,
                    ctxid_fields_t *fields)
{
    uint32_t freed[2];

    fields->cursor_taken =
        !MPIR_ctxid_has_reserved(store, MPIR_ctxid_prefix_of(creation->parent), creation->cursor);
    fields->probe_taken = fields->scarce || !MPIR_ctxid_claim_probe(store, creation);
    fields->end = MPIR_ctxid_next_end(store);
    MPIR_ctxid_find_freed(store, freed);
    fields->free1 = freed[0];
    fields->free2 = freed[1];
    if (fields->busy)
        return;
    store->promised = fields->end;
    store->promised_free = fields->free1;
    hold(store, creation, fields);
    if (ids > 1)
        MPIR_ctxid_block_claim(store, creation, ids);
}

/* If a creation of this process searches, the token is left to the search.  A member that takes no
 * part in the new communicator objects to no id.  But while it is busy, no cursor may move. */
static ctxid_fields_t make_fields(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t ids)
{
    ctxid_fields_t fields = {.scarce = is_scarce(store)};

    if (store->queue == NULL && !fields.scarce)
        MPIR_ctxid_take_token(store, creation);
    fields.busy = (store->token != creation);
    if (creation->takes_part)
        propose(store, creation, ids, &fields);
    return fields;
}

ctxid_offer_t MPIR_ctxid_make_offer(ctxid_store_t *store, MPIR_Ctxid_t *creation, MPIR_Comm *parent,
                                    ctxid_call_t call, bool takes_part)
{
    ctxid_fields_t fields;

    *creation = (MPIR_Ctxid_t){
        .store = store,
        .parent = parent,
        .takes_part = takes_part,
        .order = ((uint64_t) (call.parent ? call.parent : parent->context_id) << 32) | call.tag,
        .number = call.number,
        .keeps_cursor = call.whole,
        .claimed = MPIR_CTXID_NONE,
        .is_duplicate = call.ids > 0,
        .contains = call.contains,
        .members = call.members};
    pthread_mutex_lock(&store->mutex);
    if (creation->keeps_cursor)
        creation->cursor = parent->ctxid_cursor;
    else
        creation->number = ++*MPIR_ctxid_partial_counter(store, creation);
    creation->probe = MPIR_ctxid_probe_of(store, creation, creation->number);
    fields = make_fields(store, creation, call.ids);
    pthread_mutex_unlock(&store->mutex);
    return (ctxid_offer_t){.packed = MPIR_ctxid_pack(&fields),
                           .number =
                               (uint64_t) MPIR_ctxid_block_of(creation) << 32 | creation->number};
}
