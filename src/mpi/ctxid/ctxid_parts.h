/* SPDX-License-Identifier: BSD-3-Clause */

/* What the files of a store call of each other.  REQUIRES for each function: the caller holds
 * the store's mutex. */
#ifndef CTXID_PARTS_H_INCLUDED
#define CTXID_PARTS_H_INCLUDED

#include "ctxid_store.h"

/* ---- owners ----------------------------------------------------------------------------------
 * The owner of an id is its communicator, or a note; the low bits tell which: */

typedef enum {
    CTXID_NOTE_NONE = 0,        /* a communicator */
    /* decided, not committed; number: the cursor that the communicator will have */
    CTXID_NOTE_PENDING = 1,
    CTXID_NOTE_RESERVED = 2,    /* a communicator's cursor; number: the id of that communicator */
    CTXID_NOTE_PROBE = 3,       /* claimed by an offer */
    /* number: the communicator whose next duplicates have it, or one of those below */
    CTXID_NOTE_BLOCK = 4
} ctxid_note_t;

/* Numbers that are no ids */
enum {
    CTXID_BLOCK_CLAIMED = 1 << MPIR_CONTEXT_PREFIX_WIDTH,       /* by an offer */
    CTXID_BLOCK_BURNED,         /* never used again */
    CTXID_BLOCK_MADE            /* decided without an agreement */
};

static inline void *ctxid_note(ctxid_note_t kind, uint32_t number)
{
    return (void *) (((uintptr_t) number << 3) | kind);
}

static inline ctxid_note_t ctxid_note_kind(const void *owner)
{
    return (ctxid_note_t) ((uintptr_t) owner & 7);
}

static inline uint32_t ctxid_note_number(const void *owner)
{
    return (uint32_t) ((uintptr_t) owner >> 3);
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

/* A calm id is not free any more, although it is nobody's yet. */
void ctxid_leaves_order(ctxid_store_t * store, uint32_t id);
/* Claims the agreed id, which may be a cursor or of a block; false without memory. */
bool ctxid_take(ctxid_store_t * store, uint32_t prefix);
/* Is there memory for the id that comes next?  The process asks while it can still tell the
 * others. */
bool ctxid_has_room(ctxid_store_t * store, uint32_t id);
/* A process uses new ids up to this one. */
uint32_t ctxid_bound(const ctxid_store_t * store);
/* The calm id that has never been used, or is beyond all in use. */
uint32_t ctxid_next_end(const ctxid_store_t * store);
/* The calm ids freed longest ago; 0 for none, and before the process has used its share of new
 * ids. */
void ctxid_find_freed(const ctxid_store_t * store, uint32_t ids[2]);

/* ---- blocks (ctxid_block.c) ------------------------------------------------------------------ */

/* Claims `n` successive ids for the creation, which has the token.  Where it has none, there is no
 * memory, or no such ids are free, or others have too many of them. */
void ctxid_block_claim(ctxid_store_t * store, MPIR_Ctxid_t * creation, uint32_t n);
/* How the claim is told to the others; 0 for none. */
uint32_t ctxid_block_of(const MPIR_Ctxid_t * creation);
/* All members have claimed the same block: it is the parent's now.  Returns its first id, for the
 * child.  It needs no memory. */
uint32_t ctxid_block_grant(ctxid_store_t * store, MPIR_Ctxid_t * creation);
/* The block is not needed: gives the claim back, if there is one. */
void ctxid_block_release(ctxid_store_t * store, MPIR_Ctxid_t * creation);
/* The collective failed at this process, which does not know whether the block was granted. */
void ctxid_block_lose(ctxid_store_t * store, MPIR_Ctxid_t * creation);
/* The others may have given this owner's id away, for the same reason. */
void ctxid_block_doubt(ctxid_store_t * store, const void *owner);
/* The agreement gave an id: the next one asks for more.  `claims`: the largest of all members;
 * where they differ, all try that one next. */
void ctxid_block_grow(MPIR_Ctxid_t * creation, uint32_t claims);
/* The communicator goes, or some of its ids went: gives the others back.  False if there is no
 * block. */
bool ctxid_block_drop(ctxid_store_t * store, MPIR_Comm * parent);
/* Starts what the communicator keeps.  Returns its cursor, from the note of its id. */
uint32_t ctxid_block_commit(MPIR_Comm * comm, const void *owner);
/* Did this process take the owner's id from a block, without an agreement? */
bool ctxid_block_made(const void *owner);
/* May the search of a creation give this owner's id away?  All whose block it is of take part
 * then, and find it gone when they come to it. */
bool ctxid_block_may_go(const MPIR_Ctxid_t * creation, const void *owner);

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
