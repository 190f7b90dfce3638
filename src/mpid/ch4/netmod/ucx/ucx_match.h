/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Division of the 64 match bits of a message:
 *
 *      context id (22) | rank of the sender (r) | tag (42 - r)
 *
 * r follows from the number of processes, so that small jobs have every tag that MPICH can use and
 * large ones every rank. It is the same in all processes, and fixed before the first message.
 *
 *      processes up to     r    MPI_TAG_UB (3 bits of the tag belong to MPICH)
 *              2,048      11    2^28 - 1
 *             32,768      15    2^24 - 1
 *          1,048,576      20    2^19 - 1
 *         16,777,216      24    2^15 - 1, the least that MPI allows
 *
 * There is no MPI in this file: the unit tests compile it alone.
 */

#ifndef UCX_MATCH_H_INCLUDED
#define UCX_MATCH_H_INCLUDED

#include <stdint.h>

#define MPIDI_UCX_CONTEXT_ID_BITS 22
#define MPIDI_UCX_CONTEXT_ID_SHIFT (64 - MPIDI_UCX_CONTEXT_ID_BITS)
/* leaves 31 bits to the tag, all that fit into MPICH's int */
#define MPIDI_UCX_RANK_BITS_LEAST 11
#define MPIDI_UCX_RANK_BITS_MOST 24 /* leaves 18 */

typedef struct {
    uint64_t rank_mask;
    uint64_t tag_mask;
    uint32_t rank_bits;
    uint32_t tag_bits;
} MPIDI_UCX_match_t;

typedef enum {
    MPIDI_UCX_MATCH_OK,
    MPIDI_UCX_MATCH_BITS_OUT_OF_RANGE,
    MPIDI_UCX_MATCH_TOO_MANY_RANKS
} MPIDI_UCX_match_status;

static inline uint64_t MPIDI_UCX_match_most_ranks(const MPIDI_UCX_match_t *m)
{
    return UINT64_C(1) << m->rank_bits;
}

static inline int MPIDI_UCX_match_rank_bits_for(uint64_t processes)
{
    int bits = MPIDI_UCX_RANK_BITS_LEAST;

    while (bits < MPIDI_UCX_RANK_BITS_MOST && (UINT64_C(1) << bits) < processes)
        bits++;
    return bits;
}

/* forced: this many bits for the rank, or 0. When the ranks do not fit, *m is the division that is
 * too small for them. */
static inline MPIDI_UCX_match_status MPIDI_UCX_match_divide(uint64_t processes, int forced,
                                                            MPIDI_UCX_match_t *m)
{
    if (forced < 0 || forced > MPIDI_UCX_RANK_BITS_MOST)
        return MPIDI_UCX_MATCH_BITS_OUT_OF_RANGE;
    m->rank_bits = forced ? forced : MPIDI_UCX_match_rank_bits_for(processes);
    m->tag_bits = MPIDI_UCX_CONTEXT_ID_SHIFT - m->rank_bits;
    m->tag_mask = (UINT64_C(1) << m->tag_bits) - 1;
    m->rank_mask = (MPIDI_UCX_match_most_ranks(m) - 1) << m->tag_bits;
    return processes <= MPIDI_UCX_match_most_ranks(m) ? MPIDI_UCX_MATCH_OK
                                                      : MPIDI_UCX_MATCH_TOO_MANY_RANKS;
}

static inline uint64_t MPIDI_UCX_match_join(const MPIDI_UCX_match_t *m, uint32_t context_id,
                                            uint32_t rank, uint64_t tag)
{
    return (uint64_t) context_id << MPIDI_UCX_CONTEXT_ID_SHIFT | (uint64_t) rank << m->tag_bits |
           (tag & m->tag_mask);
}

static inline int MPIDI_UCX_match_rank(const MPIDI_UCX_match_t *m, uint64_t bits)
{
    return (int) ((bits & m->rank_mask) >> m->tag_bits);
}

static inline int MPIDI_UCX_match_tag(const MPIDI_UCX_match_t *m, uint64_t bits)
{
    return (int) (bits & m->tag_mask);
}

#endif /* UCX_MATCH_H_INCLUDED */
