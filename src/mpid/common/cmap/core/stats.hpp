// SPDX-License-Identifier: BSD-3-Clause
// What one pass over the members tells: all that the estimators need.
#ifndef CMAP_CORE_STATS_HPP_INCLUDED
#define CMAP_CORE_STATS_HPP_INCLUDED

#include "core/affine_form.hpp"
#include "core/ascents.hpp"
#include "core/content.hpp"
#include "core/survey.hpp"

namespace cmap {

struct Stats {
    uint32_t size = 0;
    uint32_t min = CMAP_NONE;
    uint32_t max = CMAP_NONE;
    bool is_set = true;        // strictly increasing
    uint32_t split = 0;        // the only descent: rank where the second of two sets begins; else 0
    uint32_t largest_gap = 0;  // of a set: between neighbours
    uint64_t runs = 0;  // canonical arithmetic runs; perhaps less beyond what any map holds as runs
    uint64_t ascents = 0;  // ascending runs: 1 of a set, at most size
    uint64_t hash = 0;     // equal content, equal hash: the fingerprint
    AffineForm affine;     // levels == 0: none

    uint64_t span() const noexcept { return size == 0 ? 0 : uint64_t{max} - min + 1; }
};

// The statistics that need canonical pieces, in order.
class ShapePass {
  public:
    // Of `size` members, with at least so many runs.
    ShapePass(uint32_t size, uint64_t least_runs) noexcept;
    void feed(const Piece &piece) noexcept {
        runs_ += piece.repeats;
        detector_.feed(piece);
    }
    // Whatever comes, no estimator will tell the difference.
    bool settled() const noexcept;
    void result(Stats &stats) const noexcept;

  private:
    const uint64_t least_, most_;
    uint64_t runs_ = 0;
    AffineDetector detector_;
};

Stats stats_of(const Content &content) noexcept;
// The same of a whole closed form, but only what maps are recognized by, whether they are a set,
// and the form.  REQUIRES a member.
Stats stats_of(const AffineForm &form) noexcept;
// The same of a content that is this run, but only what maps are recognized by: size, min, max and
// hash.  REQUIRES a member, and a step if there are two.
Stats key_stats_of(const Run &run) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_STATS_HPP_INCLUDED
