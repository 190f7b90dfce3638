// SPDX-License-Identifier: BSD-3-Clause
// bitmap: a dense set as bits, with directories for rank and select.
//
// Payload (max - base + 1) / 8 bytes, base = min rounded down to 64, and directories of at most 4 %
// (plus a few entries): for every 2048 bits one 64-bit word with the ones before it and, in 10 + 11
// + 11 bits, the ones in its first one, two and three quarters (3.1 %: Zhou, Andersen and Kaminsky,
// "Space-efficient, high-performance rank and select structures on uncompressed bit sequences", SEA
// 2013); and a hint, every so many ones that there is one per 4096 bits, of the block to start from
// (0.8 %).  Sets within 2048 bits have no directories; none up to CMAP_INLINE_MEMBERS has payload.
// select O(1) but for very uneven sets, popcount and pdep where the CPU has them; rank O(1).
#ifndef CMAP_REP_BITMAP_HPP_INCLUDED
#define CMAP_REP_BITMAP_HPP_INCLUDED

#include "core/bit_set.hpp"
#include "core/registry.hpp"

namespace cmap {

extern const Representation bitmap_representation;

// The bits of a bitmap, for as long as it lives.
BitSet bits_of(const cmap_t *map) noexcept;

// For tests: take the portable instructions even where the CPU has better ones.  Returns what was
// set before.
bool bitmap_use_portable(bool portable) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_BITMAP_HPP_INCLUDED
