// SPDX-License-Identifier: BSD-3-Clause
// What one pass over the members tells: all that the estimators need.
#ifndef CMAP_CORE_STATS_HPP_INCLUDED
#define CMAP_CORE_STATS_HPP_INCLUDED

#include "core/affine_form.hpp"
#include "core/content.hpp"

namespace cmap {

struct Stats {
    uint32_t size = 0;
    uint32_t min = CMAP_NONE;
    uint32_t max = CMAP_NONE;
    bool is_set = true;   // strictly increasing
    uint64_t runs = 0;    // canonical arithmetic runs
    uint64_t pieces = 0;  // canonical pieces
    uint64_t hash = 0;    // of the canonical pieces: equal content, equal hash
    AffineForm affine;    // levels == 0: none

    uint64_t span() const noexcept { return size == 0 ? 0 : uint64_t{max} - min + 1; }
};

// Gathers the statistics from canonical pieces in order.
class StatsPass {
  public:
    void feed(const Piece &piece) noexcept;
    Stats result() const noexcept;

  private:
    Stats stats_;
    AffineDetector detector_;
    uint32_t last_ = 0;
};

Stats stats_of(const Content &content) noexcept;

// One step of the hash: order matters.
inline uint64_t hash_step(uint64_t hash, uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

}  // namespace cmap

#endif  // CMAP_CORE_STATS_HPP_INCLUDED
