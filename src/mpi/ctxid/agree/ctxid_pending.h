/* SPDX-License-Identifier: BSD-3-Clause */

/* Pending creations of communicators: the progress engine advances each of them step by step. */
#ifndef CTXID_PENDING_H_INCLUDED
#define CTXID_PENDING_H_INCLUDED

#include "../ctxid_holders.h"
#include "ctxid_rounds.h"

typedef struct ctxid_pending {
    struct ctxid_pending *next;
    bool is_used; /* one of the reserve */
    MPIR_Comm *parent;
    /* NULL: this process cannot make its communicator, so no member can */
    MPIR_Comm *newcomm;
    ctxid_holder_t holder; /* the call that wants newcomm */
    MPIR_Request *request; /* the caller's; NULL without newcomm */
    MPIR_Ctxid_t creation;
    bool is_offered; /* and not decided */
    uint32_t spares; /* communicators for the block that the offer asks for */
    MPIR_Context_id_t own;
    int why_none;
    ctxid_rounds_t rounds;
    void (*then)(struct ctxid_pending *); /* the step after these rounds */
    bool is_done;
    void (*if_revoked)(MPIR_Comm *parent); /* after the last step, or NULL */
    int mpi_errno;
} ctxid_pending_t;

/* Never NULL: without memory it is one of a reserve.  first: the first step. */
ctxid_pending_t *MPIR_ctxid_pending_new(MPIR_Comm *parent, int tag,
                                        void (*first)(ctxid_pending_t *));
/* Advances it as far as it goes.  The progress engine does the rest, completes the request and
 * frees it. */
void MPIR_ctxid_pending_start(ctxid_pending_t *pending);
/* Leaves all of it to the progress engine. */
void MPIR_ctxid_pending_append(ctxid_pending_t *pending);
/* Is there a pending creation on `parent` before this one, or if this is NULL, any? */
bool MPIR_ctxid_pending_is_behind(const MPIR_Comm *parent, const ctxid_pending_t *pending);
/* The agreement on a block is over. */
void MPIR_ctxid_pending_end_asking(ctxid_pending_t *pending);
/* The last step: on an error gives back id and communicator. */
void MPIR_ctxid_pending_finish(ctxid_pending_t *pending, int mpi_errno);

#endif /* CTXID_PENDING_H_INCLUDED */
