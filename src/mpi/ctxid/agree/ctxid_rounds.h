/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A nonblocking exchange among the members of a communicator, by dissemination (D. Hensgen, R.
 * Finkel, U. Manber: Two Algorithms for Barrier Synchronization).  In each round a member sends all
 * that it knows to the member at a distance.  It folds in what comes from the member at that
 * distance before it, and doubles the distance.  A fold must allow that a member's data comes
 * twice.
 *
 * A member without memory must not leave the others blocked.  So a round allocates nothing of ours,
 * and a message for which MPICH has no memory is tried again at the next progress.
 */
#ifndef CTXID_ROUNDS_H_INCLUDED
#define CTXID_ROUNDS_H_INCLUDED

#include "../ctxid_store.h"

typedef union {
    ctxid_offer_t offer;
    ctxid_window_t window;
    struct {
        bool is_known;
        MPIR_Context_id_t id; /* MPIR_INVALID_CONTEXT_ID: the group has found none */
    } remote;
} ctxid_message_t;

typedef void (*ctxid_fold_fn)(ctxid_message_t *mine, const ctxid_message_t *theirs);

/* All 0: no round is left. */
typedef struct {
    MPIR_Comm *comm; /* whose members exchange */
    int tag;
    ctxid_message_t mine, theirs;
    size_t bytes;
    ctxid_fold_fn fold;
    uint32_t distance, reach;
    MPIR_Request *recv, *send; /* of this round; the send is posted last */
    int failures;              /* to post them */
    bool rests;                /* until the next progress */
    int mpi_errno;
} ctxid_rounds_t;

/* Members of `comm` exchange `bytes` of `mine`.  Between two groups the roots exchange.  fold:
 * NULL for a barrier. */
void MPIR_ctxid_rounds_start(ctxid_rounds_t *rounds, MPIR_Comm *comm, size_t bytes,
                             ctxid_fold_fn fold);
/* Is there a round to begin or to end?  If not, the exchange is complete, or has failed with
 * rounds->mpi_errno. */
bool MPIR_ctxid_rounds_are_left(const ctxid_rounds_t *rounds);
/* Begins or ends a round.  REQUIRES that one is left. */
void MPIR_ctxid_rounds_go_on(ctxid_rounds_t *rounds);

/* Does MPICH have a request to give?  If not, MPICH's own functions would end the job. */
bool MPIR_ctxid_has_request(void);
/* After an error: rests and returns true, or returns false if a retry is useless. */
bool MPIR_ctxid_rounds_try_again(ctxid_rounds_t *rounds, int mpi_errno);

#endif /* CTXID_ROUNDS_H_INCLUDED */
