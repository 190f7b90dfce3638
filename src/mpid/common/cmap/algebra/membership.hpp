// SPDX-License-Identifier: BSD-3-Clause
// Is an index in a map?  For many questions, by the cheapest way there is.
#ifndef CMAP_ALGEBRA_MEMBERSHIP_HPP_INCLUDED
#define CMAP_ALGEBRA_MEMBERSHIP_HPP_INCLUDED

#include <optional>

#include "algebra/operands.hpp"
#include "core/ranker.hpp"

namespace cmap {

// Bits for the numbers from `base` on.
class Bits {
  public:
    bool start(uint32_t base, uint64_t n) noexcept;  // false: no memory
    bool test(uint32_t number) const noexcept {
        const uint32_t at = number - base_;
        return at < size_ && (words_[at / 64] >> (at % 64) & 1) != 0;
    }
    // REQUIRES the number among those of start().  Returns whether it was there before.
    bool set(uint32_t number) noexcept {
        const uint32_t at = number - base_;
        const uint64_t bit = uint64_t{1} << (at % 64), before = words_[at / 64];
        words_[at / 64] = before | bit;
        return (before & bit) != 0;
    }
    void set_range(uint32_t first, uint32_t count) noexcept;
    void set_block(const uint32_t *numbers, uint32_t n) noexcept;
    void set_members(const cmap_t *map) noexcept;
    // REQUIRES a base that is a multiple of 64.
    BitSet view() const noexcept;

  private:
    uint32_t base_ = 0, size_ = 0;
    Buffer<uint64_t> words_;
};

class Membership {
  public:
    // `queries`: about how many will come.  Memory may be short: then it only takes longer.
    Membership(const cmap_t *map, uint64_t queries) noexcept;

    // Copies those of n indices that are in the map (`wanted`), or that are not, and returns how
    // many.
    uint32_t filter(const uint32_t *indices, uint32_t n, bool wanted, uint32_t *out) const noexcept;
    // The first of n indices that is not in the map; n when all are.
    uint32_t first_missing(const uint32_t *indices, uint32_t n) const noexcept;

  private:
    enum class Mode { interval, bits, rank };

    Mode mode_ = Mode::rank;
    const cmap_t *map_;
    Bits bits_;
    std::optional<Ranker> ranker_;
};

}  // namespace cmap

#endif  // CMAP_ALGEBRA_MEMBERSHIP_HPP_INCLUDED
