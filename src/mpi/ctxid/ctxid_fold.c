/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* What the members exchange, and how it is folded. */

/* The fields of a packed offer: lack (4 bits, all of which are set if the member failed), busy,
 * cursor taken, probe taken, differ, scarce, blocks differ (a bit each), end, free1, free2
 * (NUMBER_BITS each) */
#define NUMBER_BITS CTXID_NUMBER_BITS
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1)
#define LACK_SHIFT 60
#define FAILED 15u
#define BUSY_BIT (UINT64_C(1) << 59)
#define CURSOR_BIT (UINT64_C(1) << 58)
#define PROBE_BIT (UINT64_C(1) << 57)
#define DIFFER_BIT (UINT64_C(1) << 56)
#define SCARCE_BIT (UINT64_C(1) << 55)
#define BLOCKS_BIT (UINT64_C(1) << 54)

uint64_t MPIR_ctxid_pack(const ctxid_fields_t *fields)
{
    MPL_COMPILE_TIME_ASSERT(MPIR_CONTEXT_PREFIX_WIDTH <= NUMBER_BITS);
    uint64_t numbers = ((uint64_t) fields->end << (2 * NUMBER_BITS)) |
                       ((uint64_t) fields->free1 << NUMBER_BITS) | fields->free2;

    return numbers | (uint64_t) (fields->failed ? FAILED : fields->lack) << LACK_SHIFT |
           (fields->busy ? BUSY_BIT : 0) | (fields->cursor_taken ? CURSOR_BIT : 0) |
           (fields->probe_taken ? PROBE_BIT : 0) | (fields->differ ? DIFFER_BIT : 0) |
           (fields->scarce ? SCARCE_BIT : 0) | (fields->blocks_differ ? BLOCKS_BIT : 0);
}

ctxid_fields_t MPIR_ctxid_unpack(uint64_t packed)
{
    ctxid_fields_t fields = {.failed = packed >> LACK_SHIFT == FAILED,
                             .lack = (uint32_t) (packed >> LACK_SHIFT),
                             .busy = (packed & BUSY_BIT) != 0,
                             .cursor_taken = (packed & CURSOR_BIT) != 0,
                             .probe_taken = (packed & PROBE_BIT) != 0,
                             .differ = (packed & DIFFER_BIT) != 0,
                             .scarce = (packed & SCARCE_BIT) != 0,
                             .blocks_differ = (packed & BLOCKS_BIT) != 0,
                             .end = (uint32_t) (packed >> (2 * NUMBER_BITS)) & NUMBER_MASK,
                             .free1 = (uint32_t) (packed >> NUMBER_BITS) & NUMBER_MASK,
                             .free2 = (uint32_t) packed & NUMBER_MASK};
    return fields;
}

uint64_t MPIR_Ctxid_refusal(uint64_t packed) { return packed | (uint64_t) FAILED << LACK_SHIFT; }

void MPIR_Ctxid_fold(uint64_t *all, uint64_t packed)
{
    ctxid_fields_t sum = MPIR_ctxid_unpack(*all);
    ctxid_fields_t one = MPIR_ctxid_unpack(packed);

    if (packed == *all) /* mostly all processes use the same ids */
        return;
    /* a member that takes no part has no end: its free1 does not count */
    sum.differ |= one.differ || (sum.end && one.end && sum.free1 != one.free1);
    sum.failed |= one.failed;
    sum.lack = MPL_MAX(sum.lack, one.lack);
    sum.busy |= one.busy;
    sum.cursor_taken |= one.cursor_taken;
    sum.probe_taken |= one.probe_taken;
    sum.scarce |= one.scarce;
    sum.blocks_differ |= one.blocks_differ;
    sum.end = MPL_MAX(sum.end, one.end);
    sum.free1 = MPL_MAX(sum.free1, one.free1);
    sum.free2 = MPL_MAX(sum.free2, one.free2);
    *all = MPIR_ctxid_pack(&sum);
}

/* Members with different numbers have different probes. */
void MPIR_ctxid_fold_offer(ctxid_offer_t *all, const ctxid_offer_t *offer)
{
    uint64_t block = all->number >> 32, other = offer->number >> 32;

    MPIR_Ctxid_fold(&all->packed, offer->packed);
    if ((uint32_t) all->number != (uint32_t) offer->number)
        all->packed |= PROBE_BIT;
    if (block != other)
        all->packed |= BLOCKS_BIT;
    all->number =
        MPL_MAX(block, other) << 32 | MPL_MAX((uint32_t) all->number, (uint32_t) offer->number);
}

void MPIR_ctxid_fold_window(ctxid_window_t *all, const ctxid_window_t *window)
{
    all->flags &= window->flags;
    all->next = MPL_MAX(all->next, window->next);
    for (uint32_t i = 0; i < CTXID_WINDOW_WORDS; i++)
        all->free[i] &= window->free[i];
}
