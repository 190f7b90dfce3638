/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue_sums.h"

#include <assert.h>

/* The sums with the digit `i` in their way, whose lower digits earlier rounds have cleared. */
#define FOR_EACH_ON_THE_WAY(ahead, sums, i) \
    for (uint64_t ahead = (uint64_t) (i) * (sums)->distance; ahead < (sums)->size; \
         ahead += (uint64_t) (sums)->radix * (sums)->distance)

void MPIR_rma_issue_sums_pack(const rma_issue_sums_t *sums, uint32_t i, uint32_t *message)
{
    assert(!MPIR_rma_issue_sums_over(sums) && i - 1 < MPIR_rma_issue_sums_messages(sums));
    *message++ = sums->flags;
    FOR_EACH_ON_THE_WAY(ahead, sums, i)
    *message++ = sums->sums[ahead];
}

void MPIR_rma_issue_sums_merge(rma_issue_sums_t *sums, uint32_t i, const uint32_t *message)
{
    assert(!MPIR_rma_issue_sums_over(sums) && i - 1 < MPIR_rma_issue_sums_messages(sums));
    sums->flags |= *message++;
    FOR_EACH_ON_THE_WAY(ahead, sums, i)
    sums->sums[ahead - (uint64_t) i * sums->distance] += *message++;
}

void MPIR_rma_issue_sums_end_round(rma_issue_sums_t *sums)
{
    /* the product may not fit */
    sums->distance =
        sums->distance > sums->size / sums->radix ? sums->size : sums->radix * sums->distance;
}
