/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reduce-scatter by dissemination: each of `size` processes has a number for every other and gets
 * the sum of those for it.  Flags go with the numbers, and all processes get those that any of them
 * has set.  Who has the last message knows that all have begun.
 *
 * In the round with distance d each process sends to those d, 2d, ... (radix - 1) * d ranks on and
 * hears from those as far back: the sums whose way ahead, written to the base `radix`, has the
 * digit 1, 2, ... there (Bruck's all-to-all, which adds on the way).  That makes ceil(log size)
 * rounds to the base, and size - 1 numbers that each process sends in all.  A radix of `size` is
 * one round of a message to each.
 *
 * This file sends nothing: for each message of a round, 1 .. MPIR_rma_issue_sums_messages(), the
 * caller sends what MPIR_rma_issue_sums_pack() writes and gives MPIR_rma_issue_sums_merge() what
 * has come, in any order.
 */
#ifndef RMA_ISSUE_SUMS_H_INCLUDED
#define RMA_ISSUE_SUMS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t size, radix, distance; /* the last, of this round */
    uint32_t flags;
    /* for the process so many ranks on; the first is the caller's own */
    uint32_t *sums;
} rma_issue_sums_t;

/* `numbers`: the caller's, of `size`, which may be set before the first round.  REQUIRES radix
 * >= 2. */
static inline void MPIR_rma_issue_sums_begin(rma_issue_sums_t *sums, uint32_t size, uint32_t radix,
                                             uint32_t *numbers)
{
    *sums = (rma_issue_sums_t){
        .size = size, .radix = radix, .distance = 1, .flags = 0, .sums = numbers};
}

/* No round is left: sums->flags and sums->sums[0] are what was wanted. */
static inline bool MPIR_rma_issue_sums_over(const rma_issue_sums_t *sums)
{
    return sums->distance >= sums->size;
}

/* Of this round; of each later one as many or fewer.  The i-th, from 1 on, goes i * distance
 * ranks on.  REQUIRES: it is not over. */
static inline uint32_t MPIR_rma_issue_sums_messages(const rma_issue_sums_t *sums)
{
    uint32_t all = (sums->size - 1) / sums->distance;

    return all < sums->radix ? all : sums->radix - 1;
}

/* Words of the i-th message of this round; none later or in a later round is longer.  REQUIRES i
 * as above. */
static inline size_t MPIR_rma_issue_sums_words(const rma_issue_sums_t *sums, uint32_t i)
{
    return 2 + ((sums->size - 1) / sums->distance - i) / sums->radix;
}

/* REQUIRES i as above. */
void MPIR_rma_issue_sums_pack(const rma_issue_sums_t *sums, uint32_t i, uint32_t *message);
void MPIR_rma_issue_sums_merge(rma_issue_sums_t *sums, uint32_t i, const uint32_t *message);

/* REQUIRES: this round's messages were packed and merged. */
void MPIR_rma_issue_sums_end_round(rma_issue_sums_t *sums);

#ifdef __cplusplus
}
#endif
#endif
