/* SPDX-License-Identifier: BSD-3-Clause */

#include "rma_issue_sums.h"

#include <assert.h>

/* The sums with the bit `distance` in their way, whose lower bits earlier rounds have cleared. */
#define FOR_EACH_ON_THE_WAY(ahead, sums) \
    for (uint64_t ahead = (sums)->distance; ahead < (sums)->size; ahead += 2 * (uint64_t) (sums)->distance)

void rma_issue_sums_pack(const rma_issue_sums_t * sums, uint32_t * message)
{
    assert(!rma_issue_sums_over(sums));
    *message++ = sums->flags;
    FOR_EACH_ON_THE_WAY(ahead, sums)
        *message++ = sums->sums[ahead];
}

void rma_issue_sums_merge(rma_issue_sums_t * sums, const uint32_t * message)
{
    assert(!rma_issue_sums_over(sums));
    sums->flags |= *message++;
    FOR_EACH_ON_THE_WAY(ahead, sums)
        sums->sums[ahead - sums->distance] += *message++;
    /* half of 2^32 doubles to zero */
    sums->distance = sums->distance > sums->size / 2 ? sums->size : 2 * sums->distance;
}
