/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "ctxid_store.h"

/* failed, busy, cursor taken, probe taken (a bit each), end, free1, free2 (NUMBER_BITS each) */
#define NUMBER_BITS 20
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1)
#define FAILED_BIT (UINT64_C(1) << 63)
#define BUSY_BIT (UINT64_C(1) << 62)
#define CURSOR_BIT (UINT64_C(1) << 61)
#define PROBE_BIT (UINT64_C(1) << 60)
/* Not the highest bit: MPI_MAX of MPICH 4.0.2 takes MPI_UINT32_T for signed. */
#define FLAG_OF_WORD (1u << 30)
#define LOWER_FLAG_OF_WORD (1u << 29)

uint64_t ctxid_pack(const ctxid_offer_t * offer)
{
    MPL_COMPILE_TIME_ASSERT(MPIR_CONTEXT_PREFIX_WIDTH < NUMBER_BITS);
    uint64_t numbers = ((uint64_t) offer->end << (2 * NUMBER_BITS)) |
        ((uint64_t) offer->free1 << NUMBER_BITS) | offer->free2;

    return numbers | (offer->failed ? FAILED_BIT : 0) | (offer->busy ? BUSY_BIT : 0) |
        (offer->cursor_taken ? CURSOR_BIT : 0) | (offer->probe_taken ? PROBE_BIT : 0);
}

ctxid_offer_t ctxid_unpack(uint64_t packed)
{
    ctxid_offer_t offer = {
        .failed = (packed & FAILED_BIT) != 0,
        .busy = (packed & BUSY_BIT) != 0,
        .cursor_taken = (packed & CURSOR_BIT) != 0,
        .probe_taken = (packed & PROBE_BIT) != 0,
        .end = (uint32_t) (packed >> (2 * NUMBER_BITS)) & NUMBER_MASK,
        .free1 = (uint32_t) (packed >> NUMBER_BITS) & NUMBER_MASK,
        .free2 = (uint32_t) packed & NUMBER_MASK
    };
    return offer;
}

uint64_t MPIR_Ctxid_refusal(uint64_t packed)
{
    return packed | FAILED_BIT;
}

void MPIR_Ctxid_fold(uint64_t * all, uint64_t packed)
{
    ctxid_offer_t sum = ctxid_unpack(*all);
    ctxid_offer_t offer = ctxid_unpack(packed);

    if (packed == *all)         /* mostly all processes use the same ids */
        return;
    sum.failed |= offer.failed;
    sum.busy |= offer.busy;
    sum.cursor_taken |= offer.cursor_taken;
    sum.probe_taken |= offer.probe_taken;
    sum.end = MPL_MAX(sum.end, offer.end);
    sum.free1 = MPL_MAX(sum.free1, offer.free1);
    sum.free2 = MPL_MAX(sum.free2, offer.free2);
    *all = ctxid_pack(&sum);
}

/* A flag above a number: the maximum has the flag when anybody had it, and then only their numbers.  The end counts only
 * when nobody is busy, and that only when nobody has failed; the others are guesses in any case, the same on all members. */
void ctxid_to_words(uint64_t packed, uint32_t words[CTXID_OFFER_WORDS])
{
    ctxid_offer_t offer = ctxid_unpack(packed);

    words[0] = offer.end | (offer.failed ? FLAG_OF_WORD : 0) | (offer.busy ? LOWER_FLAG_OF_WORD : 0);
    words[1] = offer.free1 | (offer.probe_taken ? FLAG_OF_WORD : 0);
    words[2] = offer.free2 | (offer.cursor_taken ? FLAG_OF_WORD : 0);
}

uint64_t ctxid_from_words(const uint32_t words[CTXID_OFFER_WORDS])
{
    ctxid_offer_t offer = {
        .failed = (words[0] & FLAG_OF_WORD) != 0,
        .busy = (words[0] & LOWER_FLAG_OF_WORD) != 0,
        .cursor_taken = (words[2] & FLAG_OF_WORD) != 0,
        .probe_taken = (words[1] & FLAG_OF_WORD) != 0,
        .end = words[0] & NUMBER_MASK,
        .free1 = words[1] & NUMBER_MASK,
        .free2 = words[2] & NUMBER_MASK
    };
    return ctxid_pack(&offer);
}
