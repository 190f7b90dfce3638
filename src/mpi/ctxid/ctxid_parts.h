/* SPDX-License-Identifier: BSD-3-Clause */

/* What the files of a store call of each other.  REQUIRES for each function: the caller holds
 * the store's mutex. */
#ifndef CTXID_PARTS_H_INCLUDED
#define CTXID_PARTS_H_INCLUDED

#include "ctxid_block.h"

/* The store's mutex for a duplicate and its end: without other threads, no atomic operation.  A
 * tool may read MPI_T variables in a thread of its own.  Returns what MPIR_ctxid_leave needs. */
static inline bool MPIR_ctxid_enter(ctxid_store_t *store)
{
    bool has_threads = MPIR_IS_THREADED || MPIR_T_is_threaded;

    if (has_threads)
        pthread_mutex_lock(&store->mutex);
    return has_threads;
}

static inline void MPIR_ctxid_leave(ctxid_store_t *store, bool is_locked)
{
    if (is_locked)
        pthread_mutex_unlock(&store->mutex);
}

/* ---- the order of calm ids (ctxid_order.c) --------------------------------------------------- */

static inline bool MPIR_ctxid_has_reserved(const ctxid_store_t *store, uint32_t prefix,
                                           uint32_t cursor)
{
    return cursor != 0 &&
           MPIR_ctxid_owner_of(store, cursor) == MPIR_ctxid_note(CTXID_NOTE_RESERVED, prefix);
}

/* A reservation is a hint.  If there is no memory for it, this process will object to the
 * cursor. */
void MPIR_ctxid_reserve(ctxid_store_t *store, uint32_t prefix, uint32_t cursor);
void MPIR_ctxid_end_reservation(ctxid_store_t *store, uint32_t cursor);

/* The communicators of this process will object to their cursors. */
void MPIR_ctxid_drop_reservations(ctxid_store_t *store);

/* A calm id is not free any more, although it is nobody's yet. */
void MPIR_ctxid_leaves_order(ctxid_store_t *store, uint32_t id);
/* Claims the agreed id, which may be a cursor or of a block.  The creation holds memory for it. */
void MPIR_ctxid_take(ctxid_store_t *store, uint32_t prefix);
/* A process uses new ids up to this one.  Then it uses those that were freed longest ago. */
static inline uint32_t MPIR_ctxid_bound(const ctxid_store_t *store)
{
    return MPL_MIN(2 * store->peak, store->calm_limit);
}

/* The calm id that has never been used, or is beyond all in use. */
static inline uint32_t MPIR_ctxid_next_end(const ctxid_store_t *store)
{
    return (store->fresh < MPIR_ctxid_bound(store)) ? store->fresh : MPIR_cid_end(store->calm);
}

/* The calm ids freed longest ago; 0 for none, and before the process has used its share of new
 * ids. */
static inline void MPIR_ctxid_find_freed(const ctxid_store_t *store, uint32_t ids[2])
{
    ids[0] = ids[1] = 0;
    if (store->fresh >= MPIR_ctxid_bound(store))
        MPIR_ctxid_freed_oldest(&store->freed, ids);
}

/* ---- what a creation holds (ctxid_claims.c) -------------------------------------------------- */

/* Until the creation makes an offer, no id is promised to it.  False if another creation has the
 * token. */
bool MPIR_ctxid_take_token(ctxid_store_t *store, const MPIR_Ctxid_t *creation);
/* False if another creation has the probe, or might take it. */
bool MPIR_ctxid_claim_probe(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* Until MPIR_ctxid_release_claims the creation can take an id of the table below the result.
 * That is at least `end` if there is memory. */
uint32_t MPIR_ctxid_hold(ctxid_store_t *store, MPIR_Ctxid_t *creation, cid_table_t *table,
                         uint32_t end);
/* Afterwards the probe is free, or its communicator's. */
void MPIR_ctxid_end_probe(ctxid_store_t *store, MPIR_Ctxid_t *creation, bool is_free);
/* Between two exchanges a creation holds nothing. */
void MPIR_ctxid_release_claims(ctxid_store_t *store, MPIR_Ctxid_t *creation);

/* The window that the search of a creation has reached: `n` ids from `first` on, all calm or all
 * busy. */
void MPIR_ctxid_window_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t *first,
                          uint32_t *n);

/* If all members have the token: the new cursors of parent and child, which are the same on all
 * members.  Where they are free, this process reserves them.  `prefix`: of the child,
 * MPIR_CTXID_NONE for none. */
void MPIR_ctxid_move_cursors(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t prefix,
                             const uint32_t cursors[2]);
/* After a failure of this process alone: the others may have agreed on another cursor for the
 * parent. */
void MPIR_ctxid_lose_cursor(ctxid_store_t *store, MPIR_Ctxid_t *creation);

/* ---- offers (ctxid_offer.c) ------------------------------------------------------------------ */

/* What this process counted for the creation's order. */
uint32_t *MPIR_ctxid_partial_counter(ctxid_store_t *store, const MPIR_Ctxid_t *creation);
/* The busy id that follows from the order and the number. */
uint32_t MPIR_ctxid_probe_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                             uint32_t number);

/* ---- the queue of searches (ctxid_search.c) -------------------------------------------------- */

void MPIR_ctxid_enqueue(ctxid_store_t *store, MPIR_Ctxid_t *creation);

/* ---- ids that blocks give back (ctxid_return.c) ---------------------------------------------- */

/* Sets the bits of the ids of a calm window that blocks can give to this creation. */
void MPIR_ctxid_return_show(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                            uint32_t first, uint32_t n, uint32_t mask[]);
/* The search has chosen this id: if a block lends it, the id is free afterwards. */
void MPIR_ctxid_return_take(ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t prefix);
/* The collective failed at this process, after it had shown a window. */
void MPIR_ctxid_return_doubt(ctxid_store_t *store, const MPIR_Ctxid_t *creation);

#endif /* CTXID_PARTS_H_INCLUDED */
