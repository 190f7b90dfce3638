/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fences of a window mean for the epoch that follows: all processes compute the same from
 * what they have exchanged, and so agree without asking.
 *
 * A fence ends by an exchange (rma_issue_sums.h), behind which nobody knows more than that all have
 * entered it: messages to others may be on their way.  Those of the next epoch carry its number,
 * and a process that is not so far puts them aside.  Native operations cannot be put aside.  They
 * may go out in an epoch that is clear: nothing of an earlier one is on its way to anybody, since
 * nobody had messages for others, or since a barrier came behind the exchange.  A process that
 * needs them in another epoch says so in the exchange, which it may enter early; behind it they may
 * go out, and all end the fence with a barrier.
 *
 * Whose programs have native operations will have them again: some fences that follow are a flush
 * and a barrier, without an exchange, more of them each time.  All epochs among them are clear.
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
    bool entered_by_all;        /* the latest */
    bool clear;
    bool exchanges;             /* never, or as below */
    unsigned barriers;          /* so many of the next fences are barriers */
    unsigned next_barriers;
} rma_issue_phase_t;

/* Of the exchange. */
enum {
    RF_MESSAGES = 1,            /* I have sent messages, which are counted in it */
    RF_NATIVE = 2,              /* I had native operations; they are done */
    RF_BARRIER = 4              /* I will have some: a barrier has to follow */
};

/* How many fences are barriers after native operations: the first time, and at most. */
enum { RF_BARRIERS_LEAST = 4, RF_BARRIERS_MOST = 64 };

/* Without exchanges all fences are barriers. */
void rma_issue_phase_init(rma_issue_phase_t * phase, bool exchanges);

static inline bool rma_issue_phase_is_barrier(const rma_issue_phase_t * phase)
{
    return !phase->exchanges || phase->barriers > 0;
}

/* What operations of this epoch may do: go out as messages, RI_MESSAGES, or natively, too,
 * RI_GRANTED. */
static inline rma_issue_permission_t rma_issue_phase_permission(const rma_issue_phase_t * phase)
{
    return phase->clear ? RI_GRANTED : RI_MESSAGES;
}

/* Is the number that of an epoch which this process has not come to?  (The numbers may begin
 * anew.) */
static inline bool rma_issue_phase_is_ahead(const rma_issue_phase_t * phase, uint32_t epoch)
{
    return (int32_t) (epoch - phase->epoch) > 0;
}

/* The next epoch begins: after a barrier, REQUIRES rma_issue_phase_is_barrier(); after nothing at
 * all, for a fence with nothing before it; or after an exchange with these flags, which answers
 * whether a barrier has to follow. */
void rma_issue_phase_passed_barrier(rma_issue_phase_t * phase);
void rma_issue_phase_passed_nothing(rma_issue_phase_t * phase);
bool rma_issue_phase_passed_exchange(rma_issue_phase_t * phase, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
