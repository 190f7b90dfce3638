// SPDX-License-Identifier: BSD-3-Clause
// Where the members of one progression stand in another.
#ifndef CMAP_ALGEBRA_HITS_HPP_INCLUDED
#define CMAP_ALGEBRA_HITS_HPP_INCLUDED

#include "algebra/grid.hpp"

namespace cmap {

// Appends the positions (i + count*j) of those values of `a` that `b` has, as ascending grids of
// positions, in no order among each other.  REQUIRES `b` from ascending().  Constant time unless
// periods are foreign to each other; then row by row.  False when the budget or the memory ends.
bool grid_hits(const Grid &a, const Grid &b, Grids &out, Budget &budget);

}  // namespace cmap

#endif  // CMAP_ALGEBRA_HITS_HPP_INCLUDED
