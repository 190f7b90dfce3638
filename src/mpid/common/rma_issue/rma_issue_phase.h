/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of a window between its fences.  All processes compute the same state from the same
 * exchange, and therefore agree without further messages.
 *
 * A fence ends with an exchange (rma_issue_sums.h).  After the exchange a process knows that all
 * have entered the fence.  It does not know whether messages to other processes are still in
 * flight.  A message of the next epoch carries the epoch's number.  A process in an earlier epoch
 * defers such a message.  A native operation cannot be deferred.  It may go out only in a clear
 * epoch, which means that no message of an earlier epoch is in flight.  An epoch is clear if no
 * process had messages for others, or if a barrier followed the exchange.  A process that needs
 * native operations in another epoch enters the exchange early and says so.  After the exchange
 * they go out, and a barrier ends the fence.
 *
 * A program that had native operations is likely to have them again.  Some of the next fences are
 * therefore a flush and a barrier, without an exchange.  Their number grows each time.  All epochs
 * between them are clear.
 */
#ifndef RMA_ISSUE_PHASE_H_INCLUDED
#define RMA_ISSUE_PHASE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include "rma_issue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* fences so far, and so the number of the epoch behind the latest */
    uint32_t epoch;
    bool entered_by_all; /* the latest */
    bool clear;
    bool exchanges;    /* false: every fence is a barrier */
    unsigned barriers; /* the number of next fences that are barriers */
    unsigned next_barriers;
} rma_issue_phase_t;

/* Flags of the exchange. */
enum {
    RF_MESSAGES = 1, /* this process has sent messages, which the exchange counts */
    RF_NATIVE = 2,   /* it had native operations, and they are done */
    RF_BARRIER = 4   /* it will have native operations: a barrier has to follow */
};

/* The number of fences that are barriers after native operations: the first time, and at most. */
enum { RF_BARRIERS_LEAST = 4, RF_BARRIERS_MOST = 64 };

/* Without exchanges all fences are barriers. */
void MPIR_rma_issue_phase_init(rma_issue_phase_t *phase, bool exchanges);

static inline bool MPIR_rma_issue_phase_is_barrier(const rma_issue_phase_t *phase)
{
    return !phase->exchanges || phase->barriers > 0;
}

/* The permission of this epoch: RI_MESSAGES, or RI_GRANTED if native operations may go out too. */
static inline rma_issue_permission_t MPIR_rma_issue_phase_permission(const rma_issue_phase_t *phase)
{
    return phase->clear ? RI_GRANTED : RI_MESSAGES;
}

/* Is `epoch` an epoch that this process has not reached?  (The numbers may wrap around.) */
static inline bool MPIR_rma_issue_phase_is_ahead(const rma_issue_phase_t *phase, uint32_t epoch)
{
    return (int32_t) (epoch - phase->epoch) > 0;
}

/* The next epoch begins.
 *   passed_barrier    after a barrier; REQUIRES: MPIR_rma_issue_phase_is_barrier()
 *   passed_nothing    without any message, for a fence that no epoch precedes
 *   passed_exchange   after an exchange with these flags; true: a barrier has to follow */
void MPIR_rma_issue_phase_passed_barrier(rma_issue_phase_t *phase);
void MPIR_rma_issue_phase_passed_nothing(rma_issue_phase_t *phase);
bool MPIR_rma_issue_phase_passed_exchange(rma_issue_phase_t *phase, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
