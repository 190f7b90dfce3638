// SPDX-License-Identifier: BSD-3-Clause
// bitmap: a dense set as bits, with directories for rank and select.
//
// Payload (max - base + 1) / 8 bytes, base = min rounded down to 64, and directories of at most 4 %
// (plus a few entries): see core/rank_select.hpp.  Sets within 2048 bits have no directories; none
// up to CMAP_INLINE_MEMBERS has payload.  select and rank as there.
#ifndef CMAP_REP_BITMAP_HPP_INCLUDED
#define CMAP_REP_BITMAP_HPP_INCLUDED

#include "core/bit_set.hpp"
#include "core/registry.hpp"

namespace cmap {

// The bits of a bitmap, for as long as it lives.
BitSet bits_of(const cmap_t *map) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_BITMAP_HPP_INCLUDED
