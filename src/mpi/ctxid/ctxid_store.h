/* SPDX-License-Identifier: BSD-3-Clause */

/* What a process knows of context ids, and one creation's steps between its collectives.  Nothing here communicates. */
#ifndef CTXID_STORE_H_INCLUDED
#define CTXID_STORE_H_INCLUDED

#include "cid.h"
#include "ctxid_names.h"

/* The fields of an offer, and of offers folded by maximum. */
typedef struct {
    bool failed;                /* somebody cannot make the communicator: nobody gets an id */
    bool busy;                  /* somebody had another creation under way */
    bool cursor_taken;          /* somebody has no use for the parent's cursor */
    bool probe_taken;           /* somebody could not claim the probe */
    bool scarce;                /* somebody has too few ids left to withhold any: search */
    bool differ;                /* in free1; who takes no part in the communicator does not count */
    uint32_t end;               /* highest calm id used + 1 */
    uint32_t free1, free2;      /* calm ids freed longest ago, 0 for none */
} ctxid_offer_t;

uint64_t ctxid_pack(const ctxid_offer_t * offer);
ctxid_offer_t ctxid_unpack(uint64_t offer);

/* An offer in a reduction: with the number of the creation, from which its probe follows.  In a split it goes without: all
 * members of the parent are there, and count alike. */
typedef struct {
    uint64_t offer;
    uint64_t number;
} ctxid_ballot_t;

void ctxid_fold_ballot(ctxid_ballot_t * all, const ctxid_ballot_t * ballot);

/* Which ids of a window are free. */
#define CTXID_WINDOW_WORDS 128u
typedef struct {
    uint32_t flags;             /* by AND */
    uint32_t next;              /* by maximum: where the next window may begin */
    uint32_t free[CTXID_WINDOW_WORDS];  /* by AND */
} ctxid_window_t;

void ctxid_fold_window(ctxid_window_t * all, const ctxid_window_t * window);

/* How its members number a creation: of `whole` ones all of the parent's take part and count alike, and they share a cursor.
 * Others count for themselves, and find out when they differ. */
typedef struct {
    bool whole;
    uint32_t tag;
    uint32_t number;            /* of whole ones */
    MPIR_Context_id_t parent;   /* where the members know the parent by different ids: one for all of them.  Else 0 */
} ctxid_call_t;

ctxid_ballot_t ctxid_offer(MPIR_Ctxid_t * creation, MPIR_Comm * parent, ctxid_call_t call,
                           bool takes_part);

typedef enum {
    CTXID_DECIDED,
    CTXID_SEARCH,               /* exchange a window (again) */
    CTXID_EXHAUSTED,
    CTXID_FAILED,               /* another member could not make its communicator */
    CTXID_NO_MEMORY
} ctxid_outcome_t;

/* `prefix` is set when decided, to MPIR_CTXID_NONE for who takes no part.  `own`: the fold over the members of one's own new
 * communicator; `all`: over all members. */
ctxid_outcome_t ctxid_settle(MPIR_Ctxid_t * creation, uint64_t own, ctxid_ballot_t all,
                             uint32_t * prefix);

void ctxid_show_window(MPIR_Ctxid_t * creation, ctxid_window_t * window);
ctxid_outcome_t ctxid_settle_window(MPIR_Ctxid_t * creation, const ctxid_window_t * window,
                                    uint32_t * prefix);

typedef struct {
    uint64_t used;              /* by communicators, or claimed for them */
    uint64_t reserved;          /* cursors */
    uint64_t limit;
    uint64_t end;               /* highest used or reserved + 1 */
    uint64_t allocated;         /* elements of the tables */
    uint64_t bytes;
} ctxid_figures_t;

/* The first ids are those of predefined communicators. */
int ctxid_open(cid_kind kind, uint32_t limit, uint32_t predefined);
void ctxid_close(void);
void ctxid_get_figures(ctxid_figures_t * figures);
/* Calls `visit` for each id in use with its communicator, NULL while there is none. */
void ctxid_visit(void (*visit) (uint32_t prefix, MPIR_Comm * comm));

#endif /* CTXID_STORE_H_INCLUDED */
