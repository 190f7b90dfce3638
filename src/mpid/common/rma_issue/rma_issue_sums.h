/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reduce-scatter by dissemination: each of `size` processes has a number for every other and gets the sum of those for it.
 * Flags go with the numbers, and all processes get those that any of them has set.  Who has the last message knows that all have
 * begun.
 *
 * In the round with distance d each process sends one message to the process d ranks on and gets one from the process d ranks
 * back: all sums whose way ahead has the bit d go along (Bruck's all-to-all, which adds on the way).  That makes
 * ceil(lg size) rounds, and size - 1 numbers that each process sends in all.
 *
 * This file sends nothing: for each round the caller sends what rma_issue_sums_pack() writes and gives rma_issue_sums_merge() what has come.
 */
#ifndef RMA_ISSUE_SUMS_H_INCLUDED
#define RMA_ISSUE_SUMS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "rma_issue_names.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t size, distance;    /* of this round */
    uint32_t flags;
    uint32_t *sums;             /* for the process so many ranks on; the first is the caller's own */
} rma_issue_sums_t;

/* `sums`: the caller's, of `size` numbers, which may be set before the first round. */
static inline void rma_issue_sums_begin(rma_issue_sums_t * sums, uint32_t size, uint32_t * numbers)
{
    *sums = (rma_issue_sums_t) {.size = size,.distance = 1,.flags = 0,.sums = numbers};
}

/* No round is left: sums->flags and sums->sums[0] are what was wanted. */
static inline bool rma_issue_sums_over(const rma_issue_sums_t * sums)
{
    return sums->distance >= sums->size;
}

/* Words of this round's message; no later round has more.  REQUIRES: it is not over. */
static inline size_t rma_issue_sums_words(const rma_issue_sums_t * sums)
{
    return 1 + ((sums->size - 1) / sums->distance + 1) / 2;
}

void rma_issue_sums_pack(const rma_issue_sums_t * sums, uint32_t * message);

/* REQUIRES: this round's message was packed. */
void rma_issue_sums_merge(rma_issue_sums_t * sums, const uint32_t * message);

#ifdef __cplusplus
}
#endif
#endif
