// SPDX-License-Identifier: BSD-3-Clause
// concat: other maps one after the other.
//
// Payload 12 bytes a part, and the parts with their headers; none up to CMAP_INLINE_MEMBERS
// members.  select O(log k) and the part's; rank asks the parts whose [min, max] holds the index,
// one by one.  For two sets in a row, each in its own best form: the union of two sets in MPI's
// order is the first and what the second adds, and the first is mostly alive already.  Any other
// list is cut in halves, only when that is asked for.
#ifndef CMAP_REP_CONCAT_HPP_INCLUDED
#define CMAP_REP_CONCAT_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation concat_representation;

}  // namespace cmap

#endif  // CMAP_REP_CONCAT_HPP_INCLUDED
