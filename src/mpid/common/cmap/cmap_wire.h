/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The head of the words that MPIR_cmap_to_words() writes.  On the wire a word is little-endian:
 *
 *     0   the format: "CM", two bytes, and the version, two bytes
 *     1   how many words follow
 *
 * A reader refuses words of another format or number.
 */
#ifndef CMAP_WIRE_H_INCLUDED
#define CMAP_WIRE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CMAP_WIRE_HEAD = 2, /* words */
    CMAP_WIRE_FORMAT = 'C' | 'M' << 8 | 1 << 16
};

/* From this machine's order to that of the wire, or back. */
static inline uint32_t MPIR_cmap_wire_order(uint32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(word);
#else
    return word;
#endif
}

/* Of n words that follow. */
static inline void MPIR_cmap_wire_head(uint32_t *words, uint32_t n)
{
    words[0] = MPIR_cmap_wire_order(CMAP_WIRE_FORMAT);
    words[1] = MPIR_cmap_wire_order(n);
}

/* Do these n words begin with a head, and are they all? */
static inline bool MPIR_cmap_wire_has_head(const uint32_t *words, uint32_t n)
{
    return n > CMAP_WIRE_HEAD && MPIR_cmap_wire_order(words[0]) == CMAP_WIRE_FORMAT &&
           MPIR_cmap_wire_order(words[1]) == n - CMAP_WIRE_HEAD;
}

#ifdef __cplusplus
}
#endif
#endif /* CMAP_WIRE_H_INCLUDED */
