// SPDX-License-Identifier: BSD-3-Clause
// Sums over the members of a set: what its hash is made of.  They come to the same however the set
// is given - O(1) for a piece, a few ns for a word of bits - so that nothing need be brought into
// canonical form to be recognized.
#ifndef CMAP_CORE_SUMS_HPP_INCLUDED
#define CMAP_CORE_SUMS_HPP_INCLUDED

#include "core/bit_set.hpp"

namespace cmap {

class SetSums {
  public:
    // Increasing members, beyond those already there.
    void add(const Piece &piece) noexcept;
    // Takes the first members of an array as long as they increase, in one pass, and returns how
    // many that were.  REQUIRES that there were none before.
    uint32_t add_increasing(const uint32_t *members, uint32_t n) noexcept;
    void add(const BitSet &set) noexcept;

    uint32_t size() const noexcept { return size_; }
    uint32_t min() const noexcept { return min_; }
    uint32_t max() const noexcept { return max_; }
    // Between neighbours; 0 for less than two members.
    uint32_t largest_gap() const noexcept { return largest_gap_; }
    uint64_t hash() const noexcept;

  private:
    void grow(uint32_t first, uint32_t last, uint64_t n) noexcept {
        if (size_ != 0) see_gap(first - max_);
        min_ = size_ == 0 ? first : min_;
        max_ = last;
        size_ += static_cast<uint32_t>(n);
    }

    void see_gap(uint32_t gap) noexcept { largest_gap_ = gap > largest_gap_ ? gap : largest_gap_; }
    void see_gaps(uint64_t word) noexcept;

    uint32_t size_ = 0, largest_gap_ = 0;
    uint32_t min_ = CMAP_NONE, max_ = CMAP_NONE;
    uint64_t sum_ = 0, squares_ = 0;  // modulo 2^64
};

// One step of a hash: order matters.
inline uint64_t hash_step(uint64_t hash, uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

}  // namespace cmap

#endif  // CMAP_CORE_SUMS_HPP_INCLUDED
