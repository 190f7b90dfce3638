// SPDX-License-Identifier: BSD-3-Clause
// The ranks that two sequences share: a sweep over the pieces by the intervals of their indices.
#include "algebra/hits.hpp"
#include "algebra/ranks.hpp"

#include <algorithm>

#include "core/bisection.hpp"

namespace cmap {

namespace {

// The members of a sequence regardless of order, as ascending grids sorted by their least member.
class Sweep {
  public:
    bool load(const Sequence &all, Budget &budget);
    // Calls `visit(grid)` for every grid that reaches into low .. high.
    template <class Visit>
    bool each_within(int64_t low, int64_t high, Visit visit) const;

  private:
    bool add(const Grid &grid, Budget &budget);
    bool fuse();

    Grids grids_;
    Buffer<int64_t> reach_;  // the greatest member of the grids so far
};

bool starts_before(const Grid &a, const Grid &b) { return a.base < b.base; }

bool Sweep::add(const Grid &grid, Budget &budget) {
    Grid sorted;
    if (ascending(grid, sorted)) return grids_.push(sorted);
    if (!budget.spend(size_t(grid.rows))) return false;
    for (int64_t j = 0; j < grid.rows; j++)
        if (!ascending(row_of(grid, j), sorted) || !grids_.push(sorted)) return false;
    return true;
}

// Equal lines at equal distances become one grid, so that what was built piece by piece
// (interleaved strides, a mesh of three levels) is met in closed form again.
bool Sweep::fuse() {
    size_t kept = 0;
    for (size_t k = 0, end; k < grids_.size(); k = end) {
        Grid fused = grids_[k];
        for (end = k + 1; end < grids_.size(); end++) {
            const Grid &next = grids_[end];
            const bool alike =
                fused.step == next.step && fused.count == next.count && next.rows == 1;
            if (!alike || grids_[k].rows > 1) break;
            if (end > k + 1 && next.base - grids_[end - 1].base != fused.pitch) break;
            fused.pitch = next.base - grids_[end - 1].base;
            fused.rows++;
        }
        Grid sorted;
        if (!ascending(fused, sorted)) {
            end = k + 1;
            sorted = grids_[k];
        }
        grids_[kept++] = sorted;
    }
    return grids_.resize(kept);
}

bool Sweep::load(const Sequence &all, Budget &budget) {
    for (size_t k = 0; k < all.pieces(); k++)
        if (!add(all[k], budget)) return false;
    std::sort(grids_.begin(), grids_.end(), starts_before);
    if (!fuse() || !reach_.reserve(grids_.size())) return false;
    int64_t reach = -1;
    for (const Grid &grid : grids_) {
        reach = std::max(reach, grid.last());
        if (!reach_.push(reach)) return false;
    }
    return true;
}

template <class Visit>
bool Sweep::each_within(int64_t low, int64_t high, Visit visit) const {
    size_t k = count_reached(uint32_t(reach_.size()), [&](uint32_t i) { return reach_[i] < low; });
    for (; k < grids_.size() && grids_[k].base <= high; k++)
        if (!visit(grids_[k])) return false;
    return true;
}

}  // namespace

bool common_ranks(const Sequence &a, const Sequence &b, Grids &out, Budget &budget) {
    Sweep sweep;
    if (!sweep.load(b, budget)) return false;
    for (size_t k = 0; k < a.pieces(); k++) {
        const Grid &piece = a[k];
        const size_t before = out.size();
        const bool done = sweep.each_within(piece.low(), piece.high(), [&](const Grid &other) {
            return budget.spend() && grid_hits(piece, other, out, budget);
        });
        if (!done) return false;
        for (size_t h = before; h < out.size(); h++)
            out[h].base += a.start(k);
    }
    return settle(out, budget) == Settled::ok;
}

}  // namespace cmap
