// SPDX-License-Identifier: BSD-3-Clause
// wtr: a set, which is a map of its own and shared by all permutations of it, and a permutation as
// a wavelet tree on the ascending runs of the list.
//
// The leaves of the tree are the runs.  An inner node has a bit for every position of the set whose
// member lies in a run below it, in increasing order: to which side that run is.  From a position
// down to the rank it takes a rank query a level, from a rank up to its position a select query.
// The shape is Huffman's (rep/wtr_shape.hpp): of all trees with these leaves it has the fewest
// bits, at most n (H + 1) where H <= lg(runs) is the entropy of the lengths of the runs, and n
// lg(runs) when they are equal and a power of two in number.
//
// Payload: those bits with the directories of core/rank_select.hpp (3.9 to 4.7 %), about 18 bytes a
// run, and the set with its header unless it is shared.  select: O(levels) after a search among the
// runs that starts from a hint, on average H + 1 levels at most; rank: the set's and O(levels).
// Neither needs an inverse.  Up to cmap_limits' wtr_runs runs.  (Barbay and Navarro, "Compressed
// representations of permutations, and applications", STACS 2009; Mir Taheri 2011, section 4.2.1.)
#ifndef CMAP_REP_WTR_HPP_INCLUDED
#define CMAP_REP_WTR_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation wtr_representation;

}  // namespace cmap

#endif  // CMAP_REP_WTR_HPP_INCLUDED
