/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of a map's header and the inline lookup: C99 and C++17.
 *
 * A header is two whole cache lines.  The first holds everything a select touches in an affine map
 * of up to four levels, in a packed list and in an array, so that the send path reads one line and
 * then at most one more of the payload.  A holder may keep a copy of the header by value as long as
 * it keeps its reference: a copy answers MPIR_cmap_select() as the original does.  Nobody outside
 * the module reads the fields.
 */
#ifndef CMAP_LOOKUP_H_INCLUDED
#define CMAP_LOOKUP_H_INCLUDED

#include <string.h>

#include "cmap.h"

#define CMAP_AFFINE_LEVELS 6
#define CMAP_BODY_BYTES 72
#define CMAP_HEADER_BYTES 128
#define CMAP_LINE_BYTES 64

/* idx(r) = base + r * step + sum over k = 1 .. levels-1 of floor(r / w_k) * jump_k, everything
 * modulo 2^32, where w_k is the product of the counts below level k and jump_k = stride_k -
 * count_(k-1) * stride_(k-1).  This is base + sum_k ((r / w_k) mod count_k) * stride_k with the
 * "mod" multiplied out, so that no term waits for another.  The floor is the high half of r *
 * recip_k, recip_k = floor((2^64 - 1) / w_k) + 1: exact for r < 2^32 and 2 <= w_k < 2^32
 * (Granlund and Montgomery, PLDI 1994). */
struct cmap_affine_body {
    uint32_t base;
    uint32_t step; /* stride of level 0, modulo 2^32 */
    uint32_t jump[CMAP_AFFINE_LEVELS - 1];
    uint32_t order; /* levels by decreasing |stride|, 3 bits each: for rank */
    uint64_t recip[CMAP_AFFINE_LEVELS - 1];
};

/* Member r is bits [r * width, (r + 1) * width) of a little-endian bit string, plus base. */
struct cmap_packed_body {
    uint32_t base;
    uint32_t mask;
    const unsigned char *bits;
    unsigned char inside[40]; /* the bits of a small map */
};

struct cmap_array_body {
    const uint32_t *members;
    uint32_t inside[CMAP_INLINE_MEMBERS];
};

struct cmap_s {
    uint32_t size;
    uint8_t kind;  /* cmap_rep */
    uint8_t width; /* affine: levels; packed: bits a member; gap: of a gap, or 0 */
    uint8_t flags;
    uint8_t strategy;
    union {
        struct cmap_affine_body affine;
        struct cmap_packed_body packed;
        struct cmap_array_body array;
        unsigned char opaque[CMAP_BODY_BYTES]; /* the others: see each header under rep/ */
    } body;
    uint32_t min, max;
    uint32_t refs; /* atomic */
    uint8_t force;
    uint8_t skipped;     /* bytes of its memory in front of it */
    uint16_t time;       /* estimated, of a select: eighths of a ns */
    uint64_t hash;       /* of the content and the policy */
    struct cmap_s *next; /* in its bucket of the intern table */
    void *inverse;       /* atomic; see core/inverse.hpp */
    double alpha;
};

#ifdef __cplusplus
static_assert(sizeof(struct cmap_s) <= CMAP_HEADER_BYTES, "a header is two cache lines");
#endif

/* High half of a 64 x 32 bit product. */
static inline uint32_t MPIR_cmap_mulhi(uint64_t a, uint32_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(CMAP_NO_INT128)
    __extension__ typedef unsigned __int128 wide;
    return (uint32_t) (((wide) a * b) >> 64);
#else
    uint64_t low = (a & 0xffffffffu) * b;
    uint64_t high = (a >> 32) * b;
    return (uint32_t) ((high + (low >> 32)) >> 32);
#endif
}

static inline uint64_t MPIR_cmap_load64le(const unsigned char *p)
{
    uint64_t v;
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&v, p, sizeof v);
#else
    int i;
    for (v = 0, i = 7; i >= 0; i--)
        v = v << 8 | p[i];
#endif
    return v;
}

static inline uint32_t MPIR_cmap_affine_select(const cmap_t *map, uint32_t rank)
{
    const struct cmap_affine_body *a = &map->body.affine;
    uint32_t index = a->base + rank * a->step;
    int k;
    for (k = 0; k < map->width - 1; k++)
        index += MPIR_cmap_mulhi(a->recip[k], rank) * a->jump[k];
    return index;
}

static inline uint32_t MPIR_cmap_packed_select(const cmap_t *map, uint32_t rank)
{
    const struct cmap_packed_body *p = &map->body.packed;
    uint64_t bit = (uint64_t) rank * map->width;
    return p->base + ((uint32_t) (MPIR_cmap_load64le(p->bits + (bit >> 3)) >> (bit & 7)) & p->mask);
}

/* Does MPIR_cmap_select() answer without a call?  These are not worth a cache in front of them. */
static inline int MPIR_cmap_select_is_inline(const cmap_t *map)
{
    return map->kind <= CMAP_REP_ARRAY;
}

/* base, base + step, ...: what most communicators of most programs are.  One comparison, since
 * kind and width are neighbours. */
static inline int MPIR_cmap_is_arithmetic(const cmap_t *map)
{
    return map->kind == CMAP_REP_AFFINE && map->width == 1;
}

static inline uint32_t MPIR_cmap_arithmetic_select(const cmap_t *map, uint32_t rank)
{
    return map->body.affine.base + rank * map->body.affine.step;
}

/* Index of `rank`.  REQUIRES rank < size.  The one place that switches on the representation; those
 * which are not worth the caller's instruction cache go through the table of core/registry.cpp. */
static inline uint32_t MPIR_cmap_select(const cmap_t *map, uint32_t rank)
{
    switch (map->kind) {
        case CMAP_REP_AFFINE: return MPIR_cmap_affine_select(map, rank);
        case CMAP_REP_PACKED: return MPIR_cmap_packed_select(map, rank);
        case CMAP_REP_ARRAY: return map->body.array.members[rank];
        default: return MPIR_cmap_select_outlined(map, rank);
    }
}

#endif /* CMAP_LOOKUP_H_INCLUDED */
