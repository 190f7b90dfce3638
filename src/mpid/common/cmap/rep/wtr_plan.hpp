// SPDX-License-Identifier: BSD-3-Clause
// Before a wavelet tree is built: the runs that are to be its leaves, its shape and its size.
//
// A permutation and its inverse are told by the same tree, read upwards or downwards, and either
// may be the one with few ascending runs: a matrix of R rows and C columns that is read column by
// column has C runs of R members, and its inverse R runs of C.
#ifndef CMAP_REP_WTR_PLAN_HPP_INCLUDED
#define CMAP_REP_WTR_PLAN_HPP_INCLUDED

#include "rep/wtr_tree.hpp"

namespace cmap {

struct WtrPlan {
    bool inverted = false;     // the runs are the inverse's
    Buffer<uint32_t> lengths;  // of the runs
    WtrShape shape;
    WtrLayout layout;

    // False: there are too many runs, the tree would be too large, or there is no memory.
    bool make(const Analysis &analysis) noexcept;
    // Of a member, on average.
    double levels() const noexcept {
        return static_cast<double>(shape.bits) / static_cast<double>(shape.weight[0]);
    }
};

// The plan that is kept with what it is made from, by the estimate or before it; made again when
// the runs of the inverse have become known since.  nullptr: none can be made.
const WtrPlan *wtr_plan_of(const Analysis &analysis) noexcept;

// Could a plan be worth making?  Its tree has no fewer bits than the entropy of the runs' lengths:
// in a shuffled list that shows without it.
bool worth_planning(const Analysis &analysis) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_WTR_PLAN_HPP_INCLUDED
