// SPDX-License-Identifier: BSD-3-Clause
// sub: a map in the ranks of another one, its parent: select(r) = parent.select(inner.select(r)).
//
// Payload: none where the ranks have a closed form of up to 4 levels, which is then in the header;
// else the inner map with its header.  The parent is kept alive by a reference and is counted for
// itself.  select the two selects and a step between them; rank the parent's and the inner map's,
// so a list needs no inverse of its own beside its parent's.
//
// A subset of a shuffled communicator costs nothing here and its whole list anywhere else; one of a
// sparse set costs what it is worth in the smaller world of that set.  Only for those whose builder
// was told of the parent (incl, excl, intersection and the like), and only where
//  - the parent's payload is at most a plain array of the child: if the parent is kept alive by its
//    child alone, that is never more than what an array would take;
//  - select takes at most 1.5 times as long as in the best map without a parent, unless it is a
//    permutation;
//  - the chain stays short: a child of a sub refers to that one's parent unless its ranks there
//    take more than a quarter more bytes, and never are there more than two references in a row.
// A permutation of all the parent's members refers to their set, past the permutation that the
// parent may be itself.
// When it is forced and no parent is known, that is the identity up to the greatest member.
// (Mir Taheri 2011, section 4, "hierarchical"; Chaarawi and Gabriel, "Evaluating sparse data
// storage techniques for MPI groups and communicators", ICCS 2008, section 2.)
#ifndef CMAP_REP_SUB_HPP_INCLUDED
#define CMAP_REP_SUB_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

constexpr unsigned SUB_DEPTH = 2;

// The map a sub refers to; nullptr for every other.
const cmap_t *sub_parent(const cmap_t *map) noexcept;
// References in a row from this map on: 0 for one that is no sub.
unsigned sub_depth(const cmap_t *map) noexcept;
// REQUIRES a sub.
uint32_t sub_rank_in_parent(const cmap_t *map, uint32_t rank) noexcept;
// Ranks whose closed form the header of a sub has room for.
bool sub_fits_header(const Stats &ranks) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_SUB_HPP_INCLUDED
