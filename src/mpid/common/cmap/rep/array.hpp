// SPDX-License-Identifier: BSD-3-Clause
// array: the canonical list, 4 bytes a member.
//
// Payload 4n bytes; none up to CMAP_INLINE_MEMBERS members, which live in the header, so that
// select has no case for them.  select O(1); rank through the inverse, by bisection when the list
// increases.
#ifndef CMAP_REP_ARRAY_HPP_INCLUDED
#define CMAP_REP_ARRAY_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation array_representation;

}  // namespace cmap

#endif  // CMAP_REP_ARRAY_HPP_INCLUDED
