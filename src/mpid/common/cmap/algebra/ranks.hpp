// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks as ascending grids, and sequences of members that are indexed by them.
#ifndef CMAP_ALGEBRA_RANKS_HPP_INCLUDED
#define CMAP_ALGEBRA_RANKS_HPP_INCLUDED

#include "algebra/grid.hpp"

namespace cmap {

enum class Settled {
    ok,
    duplicate,  // a rank twice
    too_much    // out of budget, or of memory
};

// Sorts ascending grids of ranks so that each ends before the next begins.  Grids that interleave
// are taken apart, first into rows, then into single ranks, as far as the budget goes.
Settled settle(Grids &ranks, Budget &budget);

// The ranks of 0 .. size-1 that are not in `ranks`, settled as those must be.
bool complement(const Grids &ranks, int64_t size, Grids &out, Budget &budget);

int64_t members_of(const Grids &grids);

// The members of a map as grids in rank order, addressed by rank.
class Sequence {
  public:
    // Takes `map` in at most `limit` pieces.  False when that cannot be, or when memory ends.
    bool load(const cmap_t *map, size_t limit);
    bool append(const Grid &grid);

    size_t pieces() const { return grids_.size(); }
    const Grid &operator[](size_t k) const { return grids_[k]; }
    int64_t start(size_t k) const { return starts_[k]; }
    int64_t size() const { return size_; }

    // Appends the members at `ranks` (any order, any grids), in that order.  REQUIRES every rank
    // below size().
    bool pick(const Grids &ranks, Grids &out, Budget &budget) const;

  private:
    size_t piece_with(int64_t rank) const;
    bool pick_run(const Grid &ranks, Grids &out, Budget &budget) const;
    bool pick_grid(const Grid &ranks, Grids &out, Budget &budget) const;

    Grids grids_;
    Buffer<int64_t> starts_;
    int64_t size_ = 0;
};

// The ranks in `a` of the members that `b` has, settled.
bool common_ranks(const Sequence &a, const Sequence &b, Grids &out, Budget &budget);

}  // namespace cmap

#endif  // CMAP_ALGEBRA_RANKS_HPP_INCLUDED
