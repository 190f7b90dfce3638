// SPDX-License-Identifier: BSD-3-Clause
// concat: other maps one after the other.
//
// Payload 12 bytes a part, and the parts with their headers; none up to CMAP_INLINE_MEMBERS
// members.  select O(log k) and the part's; rank asks the parts whose [min, max] holds the index,
// one by one.  For maps made of others that exist anyway (unions, merged intercommunicators): a
// builder that was filled by whole maps alone offers them as parts.
#ifndef CMAP_REP_CONCAT_HPP_INCLUDED
#define CMAP_REP_CONCAT_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation concat_representation;

}  // namespace cmap

#endif  // CMAP_REP_CONCAT_HPP_INCLUDED
