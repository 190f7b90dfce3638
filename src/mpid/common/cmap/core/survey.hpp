// SPDX-License-Identifier: BSD-3-Clause
// One pass over members in rank order, however they are given: what tells sets from lists, and what
// maps are recognized by.
#ifndef CMAP_CORE_SURVEY_HPP_INCLUDED
#define CMAP_CORE_SURVEY_HPP_INCLUDED

#include "core/fingerprint.hpp"

namespace cmap {

class Survey {
  public:
    // REQUIRES that there were none before.
    void add(const uint32_t *members, uint32_t n) noexcept;
    void add(const Piece &piece) noexcept;
    void add(const BitSet &set) noexcept;

    uint32_t size() const noexcept { return size_; }
    uint32_t min() const noexcept { return min_; }
    uint32_t max() const noexcept { return size_ == 0 ? CMAP_NONE : max_; }
    // Of an increasing sequence: between neighbours; 0 for less than two members.
    uint32_t largest_gap() const noexcept { return largest_gap_; }
    // Members that are not above the one before.
    uint64_t descents() const noexcept { return descents_; }
    // The rank of the first of them.
    uint32_t first_descent() const noexcept { return first_descent_; }
    // Of an array: there are at least so many arithmetic runs; beyond RUNS_LIMIT of a set not all
    // are counted.
    uint64_t least_runs() const noexcept { return size_ == 0 ? 0 : bends_ / 2 + 1; }
    // ... and is it one of them?
    bool is_progression() const noexcept { return bends_ == 0; }
    uint64_t hash() const noexcept { return hash_.value(); }

  private:
    void add_singly(const uint32_t *members, uint32_t first, uint32_t end) noexcept;
    bool add_blocks(const uint32_t *members, uint32_t first, uint32_t n) noexcept;
    void add_progression(const uint32_t *members, uint32_t first, uint32_t n) noexcept;
    void see_descents_from(const uint32_t *members, uint32_t rank, uint32_t n) noexcept;
    void see_step(uint32_t from, uint32_t to, uint32_t rank, uint64_t times) noexcept;
    void see_descents(uint32_t rank, uint64_t n) noexcept {
        if (descents_ == 0) first_descent_ = rank;
        descents_ += n;
    }
    void see_gap(uint32_t gap) noexcept { largest_gap_ = gap > largest_gap_ ? gap : largest_gap_; }
    void see_gaps(uint64_t word) noexcept;
    void widen(uint32_t low, uint32_t high) noexcept {
        min_ = low < min_ ? low : min_;
        max_ = high > max_ ? high : max_;
    }

    uint32_t size_ = 0, largest_gap_ = 0;
    uint32_t min_ = CMAP_NONE, max_ = 0, last_ = 0, first_descent_ = 0;
    uint64_t descents_ = 0;
    uint64_t bends_ = 0;  // members whose distance to the one before is not that one's
    Fingerprint hash_;
};

}  // namespace cmap

#endif  // CMAP_CORE_SURVEY_HPP_INCLUDED
