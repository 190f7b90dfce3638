// SPDX-License-Identifier: BSD-3-Clause
// pperm: a set, which is a map of its own and shared by all permutations of it, and a packed
// permutation.
//
// Payload n * ceil(lg n) / 8 bytes (and up to 8), and the set with its header unless it is shared:
// a communicator and its reordered relatives pay for their members once.  select O(1) and the
// set's; rank the set's and one access to the inverse. (Mir Taheri 2011, section 3.4.)
#ifndef CMAP_REP_PPERM_HPP_INCLUDED
#define CMAP_REP_PPERM_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation pperm_representation;

}  // namespace cmap

#endif  // CMAP_REP_PPERM_HPP_INCLUDED
