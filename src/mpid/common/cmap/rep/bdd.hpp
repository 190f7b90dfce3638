// SPDX-License-Identifier: BSD-3-Clause
// bdd: a set as the binary decision diagram of its membership function, the variables being the
// bits of the index, most significant first, within the smallest aligned block of 2^v indices that
// holds the set.  Made from the core's own diagram, which has measured it; what combines two such
// sets is a private BuDDy (algebra/diagrams.hpp).  Of two forms the smaller is stored:
//
//   cells   8 bytes for each node above the lowest six variables, with its number of members, and
//           for each different truth table of the lowest six.  select and rank O(v), a division
//           where levels are left out.
//   paths   2v bits for each path to true (what it demands, what does not matter to it) and, where
//           there are several, ceil(lg n) bits for the members before it.  select and rank O(v)
//           steps with a binary search among the paths in each.
//
// Up to 40 bytes of either lie in the header.  For binary patterns: unions of hypercube faces,
// sub-meshes of power-of-two sizes, thresholds. (Mir Taheri 2011, section 4.1.2; J. Lind-Nielsen,
// BuDDy; R. E. Bryant, "Graph-based algorithms for Boolean function manipulation", 1986.)
#ifndef CMAP_REP_BDD_HPP_INCLUDED
#define CMAP_REP_BDD_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation bdd_representation;

}  // namespace cmap

#endif  // CMAP_REP_BDD_HPP_INCLUDED
