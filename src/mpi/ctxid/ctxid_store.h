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
    uint32_t end;               /* highest calm id used + 1 */
    uint32_t free1, free2;      /* lowest free calm ids */
} ctxid_offer_t;

uint64_t ctxid_pack(const ctxid_offer_t * offer);
ctxid_offer_t ctxid_unpack(uint64_t offer);

/* For a reduction by maximum.  Where somebody is busy the other fields of that word are not looked at. */
#define CTXID_OFFER_WORDS 3
void ctxid_to_words(uint64_t offer, uint32_t words[CTXID_OFFER_WORDS]);
uint64_t ctxid_from_words(const uint32_t words[CTXID_OFFER_WORDS]);

/* `call` numbers the creations of the parent; 0 when not all of its members take part. */
uint64_t ctxid_offer(MPIR_Ctxid_t * creation, MPIR_Comm * parent, uint32_t tag, uint32_t call,
                     bool takes_part);

typedef enum {
    CTXID_DECIDED,
    CTXID_TRY_MASKS,            /* exchange masks (again) */
    CTXID_EXHAUSTED,
    CTXID_FAILED,               /* another member could not make its communicator */
    CTXID_NO_MEMORY
} ctxid_outcome_t;

/* `prefix` is set when decided, to MPIR_CTXID_NONE for who takes no part. */
ctxid_outcome_t ctxid_settle(MPIR_Ctxid_t * creation, uint64_t own, uint64_t all, uint32_t * prefix);

/* Words of the masks of the next exchange (by AND), the same on all members. */
int ctxid_mask_words(const MPIR_Ctxid_t * creation);
void ctxid_show_masks(MPIR_Ctxid_t * creation, uint32_t words[]);
ctxid_outcome_t ctxid_settle_masks(MPIR_Ctxid_t * creation, const uint32_t words[],
                                   uint32_t * prefix);

/* MPI's words for an outcome that is no id (ctxid_agree.c), a context id for a prefix, the number of a parent's creation. */
int ctxid_error(ctxid_outcome_t outcome);
MPIR_Context_id_t ctxid_of_prefix(uint32_t prefix);
uint32_t ctxid_next_call(MPIR_Comm * parent);
void ctxid_refuse_inter(MPIR_Comm * inter);

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
