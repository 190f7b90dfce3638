/* SPDX-License-Identifier: BSD-3-Clause */

/* What the files of a store call of each other.  REQUIRES for each function: the caller holds
 * the store's mutex. */
#ifndef CTXID_PARTS_H_INCLUDED
#define CTXID_PARTS_H_INCLUDED

#include "ctxid_store.h"

/* ---- owners
 * ------------------------------------------------------------------------------------------------------
 * The owner of an id is its communicator, or a note; the low bits tell which: */

typedef enum {
    CTXID_NOTE_NONE = 0,        /* a communicator */
    /* decided, not committed; number: the cursor that the communicator will have */
    CTXID_NOTE_PENDING = 1,
    CTXID_NOTE_RESERVED = 2,    /* a communicator's cursor; number: the id of that communicator */
    CTXID_NOTE_PROBE = 3        /* claimed by an offer */
} ctxid_note_t;

static inline void *ctxid_note(ctxid_note_t kind, uint32_t number)
{
    return (void *) (((uintptr_t) number << 2) | kind);
}

static inline ctxid_note_t ctxid_note_kind(const void *owner)
{
    return (ctxid_note_t) ((uintptr_t) owner & 3);
}

static inline uint32_t ctxid_note_number(const void *owner)
{
    return (uint32_t) ((uintptr_t) owner >> 2);
}

static inline cid_table_t *ctxid_table_of(const ctxid_store_t *store, uint32_t prefix, uint32_t *id)
{
    bool is_calm = (prefix < store->calm_limit);

    *id = is_calm ? prefix : prefix - store->calm_limit;
    return is_calm ? store->calm : store->busy;
}

static inline void *ctxid_owner_of(const ctxid_store_t * store, uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table = ctxid_table_of(store, prefix, &id);

    return cid_owner(table, id);
}

static inline uint32_t ctxid_prefix_of(const MPIR_Comm * comm)
{
    return MPIR_CONTEXT_READ_FIELD(PREFIX, comm->recvcontext_id);
}

/* ---- the order of calm ids (ctxid_order.c) --------------------------------------------------- */

bool ctxid_has_reserved(const ctxid_store_t * store, uint32_t prefix, uint32_t cursor);
/* A reservation is a hint.  If there is no memory for it, this process will object to the
 * cursor. */
void ctxid_reserve(ctxid_store_t * store, uint32_t prefix, uint32_t cursor);
void ctxid_drop_reservation(ctxid_store_t * store, uint32_t prefix, uint32_t cursor);
/* The communicators of this process will object to their cursors. */
void ctxid_drop_reservations(ctxid_store_t * store);

/* Claims the agreed id, which may be a cursor; false without memory. */
bool ctxid_take(ctxid_store_t * store, uint32_t prefix);
/* Is there memory for the id that comes next?  The process asks while it can still tell the
 * others. */
bool ctxid_has_room(ctxid_store_t * store, uint32_t id);
/* The calm id that has never been used, or is beyond all in use. */
uint32_t ctxid_next_end(const ctxid_store_t * store);
/* The calm ids freed longest ago; 0 for none, and before the process has used its share of new
 * ids. */
void ctxid_find_freed(const ctxid_store_t * store, uint32_t ids[2]);

/* ---- what a creation holds (ctxid_claims.c) -------------------------------------------------- */

/* Until the creation makes an offer, no id is promised to it.  False if another creation has the
 * token. */
bool ctxid_take_token(ctxid_store_t * store, const MPIR_Ctxid_t * creation);
/* False if another creation has the probe, or might take it. */
bool ctxid_claim_probe(ctxid_store_t * store, MPIR_Ctxid_t * creation);
/* Afterwards the probe is free, or its communicator's. */
void ctxid_end_probe(ctxid_store_t * store, MPIR_Ctxid_t * creation, bool is_free);
/* Between two exchanges a creation holds nothing. */
void ctxid_release_claims(ctxid_store_t * store, MPIR_Ctxid_t * creation);

/* The window that the search of a creation has reached: `n` ids from `first` on, all calm or all
 * busy. */
void ctxid_window_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t *first,
                     uint32_t *n);

/* If all members have the token: the new cursors of parent and child, which are the same on all
 * members.  Where they are free, this process reserves them.  `prefix`: of the child,
 * MPIR_CTXID_NONE for none. */
void ctxid_move_cursors(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t prefix,
                        const uint32_t cursors[2]);
/* After a failure of this process alone: the others may have agreed on another cursor for the
 * parent. */
void ctxid_lose_cursor(ctxid_store_t * store, MPIR_Ctxid_t * creation);

/* ---- offers (ctxid_offer.c) ------------------------------------------------------------------ */

/* What this process counted for the creation's order. */
uint32_t *ctxid_partial_counter(ctxid_store_t * store, const MPIR_Ctxid_t * creation);
/* The busy id that follows from the order and the number. */
uint32_t ctxid_probe_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t number);

/* ---- the queue of searches (ctxid_search.c) -------------------------------------------------- */

void ctxid_enqueue(ctxid_store_t * store, MPIR_Ctxid_t * creation);

#endif /* CTXID_PARTS_H_INCLUDED */
