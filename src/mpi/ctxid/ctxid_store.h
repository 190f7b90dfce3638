/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A process's knowledge of context ids, and the steps of a creation between its collectives
 * (ctxid_state_t in mpir_ctxid.h).  Nothing here communicates.
 *
 *   ctxid_store.c     the ids of communicators, figures
 *   ctxid_order.c     which calm id comes next, reservations
 *   ctxid_block.c     several ids for the duplicates of a communicator
 *   ctxid_creation.c  the states of a creation, and what it holds: token, probe, memory, cursor
 *   ctxid_offer.c     what a member offers, and what follows from the offers of all members
 *   ctxid_search.c    what follows if the offers do not suffice
 *
 * A store is a value: a test may have many.  Its mutex protects every field, and each function
 * below locks it.
 */
#ifndef CTXID_STORE_H_INCLUDED
#define CTXID_STORE_H_INCLUDED

#include "cid.h"
#include "ctxid_lock.h"

/* Free ids in the order in which they were freed: a list whose links are in an array over the
 * ids. */
typedef struct {
    /* of each id: before it, after it; of id 0, which is never freed: last, first */
    uint32_t (*links)[2];
    /* ids from here on are not listed */
    uint32_t capacity;
} ctxid_freed_t;

/* Creations in which only some of a parent's members take part are counted for the last parents
 * and tags. */
#define CTXID_PARTIAL_COUNTERS 64u

typedef struct {
    uint64_t order;
    uint32_t number;
} ctxid_partial_t;

#define CTXID_MOST_BLOCK 256

typedef struct MPIR_Ctxid_store {
    pthread_mutex_t mutex;
    cid_table_t *calm, *busy; /* NULL before MPIR_ctxid_open and after MPIR_ctxid_close */
    uint32_t calm_limit, busy_limit;
    uint32_t used;             /* calm ids of communicators */
    uint32_t peak;             /* the most that were used at once */
    uint32_t reserved;         /* calm ids that are cursors */
    uint32_t blocked;          /* calm ids of blocks, without a communicator */
    uint32_t most_blocked;     /* no block is made that would exceed this */
    uint32_t ahead;            /* duplicates that need no agreement, of all communicators */
    uint64_t silent;           /* duplicates so far that needed none */
    uint32_t fresh;            /* no calm id from here on was ever used or reserved */
    ctxid_freed_t freed;       /* calm ids */
    const MPIR_Ctxid_t *token; /* the creation that has it, or NULL */
    /* if that creation made an offer: it may receive a calm id from here on, */
    uint32_t promised;
    uint32_t promised_free; /* or this one; 0 for none */
    uint32_t wanted;        /* for this one a member had no memory: the next offer has some */
    uint32_t probes;        /* claimed by offers */
    bool was_busy;          /* there were offers without the token */
    /* of the creation with the token, not in the table; or MPIR_CTXID_NONE */
    uint32_t held_probe;
    const MPIR_Ctxid_t *shown; /* the creation whose window is being exchanged, or NULL */
    /* creations that search: those with the fewest passes first, then the lowest order */
    MPIR_Ctxid_t *queue;
    ctxid_partial_t partial[CTXID_PARTIAL_COUNTERS];
} ctxid_store_t;

/* ---- what members exchange ------------------------------------------------------------------- */

/* An offer, or offers folded.  The lower half of `number` is the number of the creation, from which
 * the probe follows; the upper half is the block that the member has claimed.  The rows of
 * MPI_Comm_split hold only `packed`:  all members of the parent take part in a split, so their
 * numbers are equal, and a split claims no block. */
typedef struct {
    uint64_t packed;
    uint64_t number;
} ctxid_offer_t;

void MPIR_ctxid_fold_offer(ctxid_offer_t *all, const ctxid_offer_t *offer);

/* Which ids of a window are free. */
#define CTXID_WINDOW_WORDS 128u
typedef struct {
    uint32_t flags;                    /* folded by AND; 0: the member shows nothing */
    uint32_t next;                     /* folded by maximum: where the next window may begin */
    uint32_t free[CTXID_WINDOW_WORDS]; /* folded by AND */
} ctxid_window_t;

void MPIR_ctxid_fold_window(ctxid_window_t *all, const ctxid_window_t *window);

/* ---- steps of a creation --------------------------------------------------------------------- */

/* The caller has set the fields of the call; the others are 0. */
ctxid_offer_t MPIR_ctxid_make_offer(MPIR_Ctxid_t *creation);
/* What follows from all offers: the state is CTXID_QUEUED, or the creation has ended.  `own`: the
 * packed offers folded over the members of this process's new communicator.  `all`: folded over
 * all members. */
ctxid_state_t MPIR_ctxid_settle(MPIR_Ctxid_t *creation, uint64_t own, ctxid_offer_t all);
/* In CTXID_QUEUED: what this member shows; then what follows from that of all members. */
void MPIR_ctxid_show_window(MPIR_Ctxid_t *creation, ctxid_window_t *window);
ctxid_state_t MPIR_ctxid_settle_window(MPIR_Ctxid_t *creation, const ctxid_window_t *window);

/* Has it made an offer, and not ended? */
static inline bool MPIR_ctxid_is_under_way(const MPIR_Ctxid_t *creation)
{
    return creation->state >= CTXID_OFFERED && creation->state <= CTXID_SHOWN;
}

/* ---- blocks of ids for duplicates ------------------------------------------------------------ */

/* How many ids the next agreement on a duplicate of `parent` asks for: 1, 4, 16 and so on, at most
 * `most`.  The same on all members. */
uint32_t MPIR_ctxid_block_size(ctxid_store_t *store, MPIR_Comm *parent, uint32_t most);

typedef enum {
    CTXID_BLOCK_EMPTY, /* on all members: they agree on an id, and maybe on a block */
    CTXID_BLOCK_ID,    /* the next id; all members have it or will take it */
    /* This process failed alone in a collective.  It does not know whether the others have the next
     * ids, or agree.  It revokes the parent, and thereby takes all ids that are left. */
    CTXID_BLOCK_DOUBT
} ctxid_block_t;

/* Ids that all communicators together may take of their blocks.  Reads without the lock, because
 * each silent duplicate asks.  An id just granted to another thread may be missing. */
static inline uint32_t MPIR_ctxid_block_ahead(const ctxid_store_t *store)
{
    return __atomic_load_n(&store->ahead, __ATOMIC_RELAXED);
}

bool MPIR_ctxid_block_has_next(ctxid_store_t *store, MPIR_Comm *parent);
ctxid_block_t MPIR_ctxid_block_take(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *prefix);
/* All ids that are left, *n from *first on, maybe none.  The block is empty then.  The caller
 * revokes whatever communicators the others make of them.  False, and nothing is done, while a
 * creation may get one of them: the caller tries again. */
bool MPIR_ctxid_block_take_rest(ctxid_store_t *store, MPIR_Comm *parent, uint32_t *first,
                                uint32_t *n);
/* The id of a duplicate that this process alone could not make.  It is not used again. */
void MPIR_ctxid_block_burn(ctxid_store_t *store, uint32_t prefix);

/* ---- communicators --------------------------------------------------------------------------- */

/* The first ids are those of predefined communicators. */
int MPIR_ctxid_open(ctxid_store_t *store, cid_kind kind, uint32_t limit, uint32_t predefined);
void MPIR_ctxid_close(ctxid_store_t *store);

/* As MPIR_Ctxid_commit, MPIR_Ctxid_forget and MPIR_Free_contextid.  If the store is not open they
 * do nothing.  The first returns true if the id is the communicator's alone. */
bool MPIR_ctxid_commit(ctxid_store_t *store, MPIR_Comm *comm);
/* True if ids of a block were given back. */
bool MPIR_ctxid_forget(ctxid_store_t *store, MPIR_Comm *comm);
void MPIR_ctxid_free(ctxid_store_t *store, MPIR_Context_id_t id);

typedef struct {
    uint64_t used;     /* by communicators, or claimed for them */
    uint64_t reserved; /* cursors, and ids of blocks */
    uint64_t silent;   /* duplicates that took an id of a block */
    uint64_t limit;
    uint64_t end;       /* highest used or reserved + 1 */
    uint64_t allocated; /* elements of the tables */
    uint64_t bytes;
} ctxid_figures_t;

/* All 0 if the store is not open. */
void MPIR_ctxid_get_figures(ctxid_store_t *store, ctxid_figures_t *figures);
/* Calls `visit` for each id in use with its communicator, or with NULL if it has none yet.
 * `visit` may call MPI. */
void MPIR_ctxid_visit(ctxid_store_t *store, void (*visit)(uint32_t prefix, MPIR_Comm *comm));

#endif /* CTXID_STORE_H_INCLUDED */
