/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_parts.h"

/* What follows from the offers of all members.  Every member of a new communicator reaches the
 * same result. */

/* If members differ in which id was freed longest ago, they agree on ids for the next time.  The
 * end is taken now. */
static void choose_cursors(ctxid_fields_t all, uint32_t cursors[2])
{
    cursors[0] = cursors[1] = 0;
    if (!all.differ)
        return;
    cursors[0] = (all.free1 == all.end) ? all.free2 : all.free1;
    if (all.free2 != all.end && all.free2 != cursors[0])
        cursors[1] = all.free2;
}

/* The parent's cursor, or the id that all members freed longest ago, or the end. */
static uint32_t choose(const MPIR_Ctxid_t *creation, ctxid_fields_t own)
{
    if (!own.cursor_taken)
        return creation->cursor;
    return (own.free1 == 0 || own.differ) ? own.end : own.free1;
}

/* Is the id below the limit, and have all members memory for it? */
static bool is_possible(const ctxid_store_t *store, uint32_t id, ctxid_fields_t all)
{
    return id < store->calm_limit && id < MPIR_ctxid_room(all.lack);
}

static ctxid_outcome_t settle_calm(ctxid_store_t *store, MPIR_Ctxid_t *creation, ctxid_fields_t own,
                                   ctxid_fields_t all, uint32_t *prefix)
{
    uint32_t chosen = choose(creation, own), cursors[2];

    if (creation->block_ids > 0 && !all.blocks_differ) {
        *prefix = MPIR_ctxid_block_grant(store, creation);
        return CTXID_DECIDED;
    }
    MPIR_ctxid_block_release(store, creation); /* the id may be one of them */
    if (!is_possible(store, choose(creation, all), all)) {
        creation->start = all.end < store->calm_limit ? all.end : all.free1;
        return CTXID_SEARCH;
    }
    if (creation->takes_part)
        MPIR_ctxid_take(store, chosen);
    *prefix = creation->takes_part ? chosen : MPIR_CTXID_NONE;
    choose_cursors(all, cursors);
    MPIR_ctxid_move_cursors(store, creation, *prefix, cursors);
    return CTXID_DECIDED;
}

static ctxid_outcome_t settle_busy(ctxid_store_t *store, MPIR_Ctxid_t *creation, ctxid_fields_t all,
                                   uint32_t number, uint32_t *prefix)
{
    store->was_busy = true;
    if (all.scarce) {
        creation->start = all.free1 ? all.free1 : all.end;
        return CTXID_SEARCH;
    }
    if (all.probe_taken) {
        creation->start = store->calm_limit + MPIR_ctxid_probe_of(store, creation, number);
        return CTXID_SEARCH;
    }
    if (!creation->takes_part)
        return CTXID_DECIDED;
    *prefix = store->calm_limit + creation->probe;
    MPIR_ctxid_end_probe(store, creation, false);
    MPIR_ctxid_take(store, *prefix);
    return CTXID_DECIDED;
}

static ctxid_outcome_t settle(ctxid_store_t *store, MPIR_Ctxid_t *creation, ctxid_fields_t own,
                              ctxid_fields_t all, uint64_t numbers, uint32_t *prefix)
{
    uint32_t number = (uint32_t) numbers;
    ctxid_outcome_t outcome;

    if (all.failed)
        return creation->is_short ? CTXID_NO_MEMORY : CTXID_FAILED;
    if (!creation->keeps_cursor) {
        uint32_t *counter = MPIR_ctxid_partial_counter(store, creation);

        *counter = MPL_MAX(*counter, number);
    }
    outcome = all.busy ? settle_busy(store, creation, all, number, prefix)
                       : settle_calm(store, creation, own, all, prefix);
    if (outcome == CTXID_SEARCH)
        MPIR_ctxid_enqueue(store, creation);
    else
        MPIR_ctxid_block_grow(creation, (uint32_t) (numbers >> 32), all.busy ? 0 : all.end);
    return outcome;
}

ctxid_outcome_t MPIR_ctxid_settle(MPIR_Ctxid_t *creation, uint64_t own, ctxid_offer_t all,
                                  uint32_t *prefix)
{
    ctxid_store_t *store = creation->store;
    ctxid_outcome_t outcome;

    *prefix = MPIR_CTXID_NONE;
    pthread_mutex_lock(&store->mutex);
    outcome = settle(store, creation, MPIR_ctxid_unpack(own), MPIR_ctxid_unpack(all.packed),
                     all.number, prefix);
    MPIR_ctxid_release_claims(store, creation);
    pthread_mutex_unlock(&store->mutex);
    if (outcome != CTXID_DECIDED)
        *prefix = MPIR_CTXID_NONE;
    return outcome;
}
