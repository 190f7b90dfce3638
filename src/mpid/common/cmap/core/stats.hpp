// SPDX-License-Identifier: BSD-3-Clause
// What one pass over the members tells: all that the estimators need.
#ifndef CMAP_CORE_STATS_HPP_INCLUDED
#define CMAP_CORE_STATS_HPP_INCLUDED

#include "core/affine_form.hpp"
#include "core/ascents.hpp"
#include "core/content.hpp"

namespace cmap {

struct Stats {
    uint32_t size = 0;
    uint32_t min = CMAP_NONE;
    uint32_t max = CMAP_NONE;  // also where a member of a list is CMAP_MAX_SIZE or more
    bool is_set = true;        // strictly increasing
    uint32_t border = 0;       // rank where the second of two sets in a row begins; 0: no such list
    uint32_t largest_gap = 0;  // of a set: between neighbours
    uint64_t runs = 0;         // canonical arithmetic runs; beyond RUNS_LIMIT perhaps less
    uint64_t ascents = 0;      // ascending runs: 1 of a set, at most size
    uint64_t hash = 0;  // equal content, equal hash: of one or two sets in a row by the sums of
                        // their members, of other lists by the canonical pieces
    AffineForm affine;  // levels == 0: none

    uint64_t span() const noexcept { return size == 0 ? 0 : uint64_t{max} - min + 1; }
};

// The statistics that need canonical pieces, in order.
class ShapePass {
  public:
    void feed(const Piece &piece) noexcept {
        runs_ += piece.repeats;
        detector_.feed(piece);
    }
    // Whatever comes, no estimator will tell the difference.
    bool settled() const noexcept;
    void result(Stats &stats) const noexcept;

  private:
    uint64_t runs_ = 0;
    AffineDetector detector_;
};

// Gathers all statistics from canonical pieces in order.
class StatsPass {
  public:
    void feed(const Piece &piece) noexcept;
    Stats result() const noexcept;

  private:
    void feed_sets(const Piece &piece) noexcept;
    void feed_increasing(const Piece &piece) noexcept;

    Stats stats_;
    ShapePass shape_;
    FallCounter falls_;
    SetSums sets_[2];
    bool outside_ = false;  // a member is CMAP_MAX_SIZE or more
    unsigned set_ = 0;      // where members go; 2: there are more than two sets in a row
};

Stats stats_of(const Content &content) noexcept;
// The same of a content that is this run, but only what maps are recognized by: size, min, max and
// hash.  REQUIRES a member, and a step if there are two.
Stats key_stats_of(const Run &run) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_STATS_HPP_INCLUDED
