// SPDX-License-Identifier: BSD-3-Clause
// packed: a list of fixed-width offsets from the least index.
//
// Payload ceil(n * ceil(lg(max - min + 1)) / 8) bytes, and up to 8 so that one unaligned 64-bit
// load reads any member; none up to CMAP_INLINE_MEMBERS members.  select O(1): meets the
// information bound n lg u of a random permutation. rank through the inverse; by bisection when the
// list increases.  (Mir Taheri 2011, section 3.3.)
#ifndef CMAP_REP_PACKED_HPP_INCLUDED
#define CMAP_REP_PACKED_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation packed_representation;

}  // namespace cmap

#endif  // CMAP_REP_PACKED_HPP_INCLUDED
