/* SPDX-License-Identifier: BSD-3-Clause */

/* What the files of a store call of each other.  REQUIRES for each function: the caller holds the
 * store's mutex. */
#ifndef CTXID_PARTS_H_INCLUDED
#define CTXID_PARTS_H_INCLUDED

#include "ctxid_store.h"

/* The store's mutex for a duplicate and its end: without other threads, no atomic operation.  A
 * tool may read MPI_T variables in a thread of its own. */
static inline pthread_mutex_t *MPIR_ctxid_mutex_if_threaded(ctxid_store_t *store)
{
    return MPIR_IS_THREADED || MPIR_T_is_threaded ? &store->mutex : NULL;
}

/* ---- who has an id --------------------------------------------------------------------------- */

/* The owner of an id is its communicator, or a note; the low bits tell which: */
typedef enum {
    CTXID_NOTE_NONE = 0, /* a communicator */
    /* decided, not committed; number: the cursor that the communicator will have */
    CTXID_NOTE_PENDING = 1,
    CTXID_NOTE_RESERVED = 2, /* a communicator's cursor; number: the id of that communicator */
    CTXID_NOTE_PROBE = 3,    /* claimed by an offer */
    /* number: the communicator whose next duplicates have it, or one of those below */
    CTXID_NOTE_BLOCK = 4
} ctxid_note_t;

/* Numbers that are no ids */
enum {
    CTXID_BLOCK_CLAIMED = 1 << MPIR_CONTEXT_PREFIX_WIDTH, /* by an offer */
    CTXID_BLOCK_BURNED,                                   /* never used again */
    CTXID_BLOCK_MADE                                      /* decided without an agreement */
};

static inline void *MPIR_ctxid_note(ctxid_note_t kind, uint32_t number)
{
    return (void *) (((uintptr_t) number << 3) | kind);
}

static inline ctxid_note_t MPIR_ctxid_note_kind(const void *owner)
{
    return (ctxid_note_t) ((uintptr_t) owner & 7);
}

static inline uint32_t MPIR_ctxid_note_number(const void *owner)
{
    return (uint32_t) ((uintptr_t) owner >> 3);
}

static inline cid_table_t *MPIR_ctxid_table_of(const ctxid_store_t *store, uint32_t prefix,
                                               uint32_t *id)
{
    bool is_calm = (prefix < store->calm_limit);

    *id = is_calm ? prefix : prefix - store->calm_limit;
    return is_calm ? store->calm : store->busy;
}

static inline void *MPIR_ctxid_owner_of(const ctxid_store_t *store, uint32_t prefix)
{
    uint32_t id;
    cid_table_t *table = MPIR_ctxid_table_of(store, prefix, &id);

    return MPIR_cid_owner(table, id);
}

static inline uint32_t MPIR_ctxid_prefix_of(const MPIR_Comm *comm)
{
    return MPIR_CONTEXT_READ_FIELD(PREFIX, comm->recvcontext_id);
}

/* Is it another communicator's id, with a mark? */
static inline bool MPIR_ctxid_is_derived(MPIR_Context_id_t id)
{
    return MPIR_CONTEXT_READ_FIELD(SUBCOMM, id) || MPIR_CONTEXT_READ_FIELD(IS_LOCALCOMM, id);
}

/* ---- the order of calm ids (ctxid_order.c) --------------------------------------------------- */

/* The id is free: the next one that is used again, or the last one. */
void MPIR_ctxid_joins_order(ctxid_store_t *store, uint32_t id, bool is_next);
/* A calm id is not free any more, although it is nobody's yet. */
void MPIR_ctxid_leaves_order(ctxid_store_t *store, uint32_t id);
/* The calm ids freed longest ago; 0 for none, and before the process has used its share of new
 * ids. */
void MPIR_ctxid_find_freed(const ctxid_store_t *store, uint32_t ids[2]);
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

/* A reservation is a hint.  If there is no memory for it, this process will object to the
 * cursor. */
void MPIR_ctxid_reserve(ctxid_store_t *store, uint32_t prefix, uint32_t cursor);
void MPIR_ctxid_end_reservation(ctxid_store_t *store, uint32_t cursor);
/* The communicators of this process will object to their cursors. */
void MPIR_ctxid_drop_reservations(ctxid_store_t *store);

static inline bool MPIR_ctxid_has_reserved(const ctxid_store_t *store, uint32_t prefix,
                                           uint32_t cursor)
{
    return cursor != 0 &&
           MPIR_ctxid_owner_of(store, cursor) == MPIR_ctxid_note(CTXID_NOTE_RESERVED, prefix);
}

/* A communicator that ends or moves on gives back its reserved cursor.  The test is inline: most
 * communicators have none. */
static inline void MPIR_ctxid_drop_reservation(ctxid_store_t *store, uint32_t prefix,
                                               uint32_t cursor)
{
    if (MPIR_ctxid_has_reserved(store, prefix, cursor))
        MPIR_ctxid_end_reservation(store, cursor);
}

/* ---- blocks (ctxid_block.c) ------------------------------------------------------------------ */

enum { CTXID_NEXT_BITS = MPIR_CONTEXT_PREFIX_WIDTH, CTXID_LEFT_BITS = 9, CTXID_STAGE_BITS = 3 };

/* MPIR_Comm.ctxid_block.  A communicator without a block pays for tests of one word. */
typedef struct {
    uint32_t next : CTXID_NEXT_BITS;   /* the id of the next duplicate, or if none is left, where
                                         * the next block may begin */
    uint32_t left : CTXID_LEFT_BITS;   /* ids of the block */
    uint32_t stage : CTXID_STAGE_BITS; /* the next block has 4 ^ stage ids */
    uint32_t in_doubt : 1;             /* see CTXID_BLOCK_DOUBT */
    uint32_t differed : 1; /* members claimed different blocks; `next` is for all of them */
} __attribute__((may_alias)) ctxid_kept_t;

static inline ctxid_kept_t *MPIR_ctxid_kept(MPIR_Comm *comm)
{
    MPL_COMPILE_TIME_ASSERT(sizeof(ctxid_kept_t) == sizeof(comm->ctxid_block));
    return (ctxid_kept_t *) &comm->ctxid_block;
}

/* Claims `n` > 1 successive ids for the creation, which has the token.  Where there is no memory,
 * or no such ids are free, or others have too many of them, it claims none. */
void MPIR_ctxid_block_claim(ctxid_store_t *store, MPIR_Ctxid_t *creation, uint32_t n);

/* How the claim is told to the others; 0 for none. */
static inline uint32_t MPIR_ctxid_block_of(const MPIR_Ctxid_t *creation)
{
    MPL_COMPILE_TIME_ASSERT(CTXID_NEXT_BITS + CTXID_LEFT_BITS <= 32);
    return creation->block_ids << CTXID_NEXT_BITS | creation->block;
}

/* All members have claimed the same block: it is the parent's now.  Returns its first id, for the
 * child.  It needs no memory. */
uint32_t MPIR_ctxid_block_grant(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* The block is not needed: gives the claim back, if there is one. */
void MPIR_ctxid_block_release(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* The collective failed at this process, which does not know whether the block was granted. */
void MPIR_ctxid_block_lose(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* The agreement gave an id: the next one for a duplicate asks for more.  `claims` and `end`: the
 * largest of all members.  If the claims differ, all members look from the largest one on next.  If
 * they then differ again, or no member has found any, all look from the end on, where every id is
 * free.  `end` is 0 if the members could not look, as other creations were under way. */
void MPIR_ctxid_block_grow(MPIR_Ctxid_t *creation, uint32_t claims, uint32_t end);
/* The communicator goes: gives the ids back.  False if there were none. */
bool MPIR_ctxid_block_drop(ctxid_store_t *store, MPIR_Comm *parent);

/* At the end of the ids: sets the bits of the ids of a calm window that blocks can give to this
 * creation. */
void MPIR_ctxid_return_show(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                            uint32_t first, uint32_t n, uint32_t mask[]);
/* The search has chosen this id: if a block lends it, the id is free afterwards. */
void MPIR_ctxid_return_take(ctxid_store_t *store, const MPIR_Ctxid_t *creation, uint32_t prefix);
/* The collective failed at this process, after it had shown a window. */
void MPIR_ctxid_return_doubt(ctxid_store_t *store, const MPIR_Ctxid_t *creation);

/* ---- what a creation holds (ctxid_creation.c) ------------------------------------------------ */

/* The next state: what the one before held is given back. */
void MPIR_ctxid_enter(MPIR_Ctxid_t *creation, ctxid_state_t next);
/* The members have chosen this id, and this process takes it if it takes part. */
void MPIR_ctxid_choose(MPIR_Ctxid_t *creation, uint32_t prefix);

/* Until the creation makes an offer, no id is promised to it.  False if another creation has the
 * token. */
bool MPIR_ctxid_take_token(ctxid_store_t *store, const MPIR_Ctxid_t *creation);
/* False if another creation has the probe, or might take it. */
bool MPIR_ctxid_claim_probe(ctxid_store_t *store, MPIR_Ctxid_t *creation);
/* Afterwards the probe is free, or its communicator's. */
void MPIR_ctxid_end_probe(ctxid_store_t *store, MPIR_Ctxid_t *creation, bool is_free);
/* Until the next state the creation can take an id of the table below the result.  That is at least
 * `end` if there is memory. */
uint32_t MPIR_ctxid_hold(ctxid_store_t *store, MPIR_Ctxid_t *creation, cid_table_t *table,
                         uint32_t end);

/* The window that the search of a creation has reached: `n` ids from `first` on, all calm or all
 * busy. */
static inline void MPIR_ctxid_window_of(const ctxid_store_t *store, const MPIR_Ctxid_t *creation,
                                        uint32_t *first, uint32_t *n)
{
    uint32_t limit = store->calm_limit + store->busy_limit, end;

    *first = (creation->start + creation->offset) % limit;
    end = (*first < store->calm_limit) ? store->calm_limit : limit;
    *n = MPL_MIN(MPL_MIN(32 * CTXID_WINDOW_WORDS, end - *first), limit - creation->offset);
}

/* If all members have the token: the new cursors of parent and child, which are the same on all
 * members.  Where they are free, this process reserves them. */
void MPIR_ctxid_move_cursors(ctxid_store_t *store, MPIR_Ctxid_t *creation,
                             const uint32_t cursors[2]);

#endif /* CTXID_PARTS_H_INCLUDED */
