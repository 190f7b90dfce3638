// SPDX-License-Identifier: BSD-3-Clause
// The members of a list in increasing order, for as long as a map is being made: finds duplicates,
// gives the set below a permutation and the position of a member in it.  A bitmap over [min, max]
// where that is small beside the list, otherwise a sorted copy with the rank of each member.  Where
// every index between them is a member, positions follow from the members alone.
#ifndef CMAP_CORE_SORTER_HPP_INCLUDED
#define CMAP_CORE_SORTER_HPP_INCLUDED

#include "core/content.hpp"

namespace cmap {

class Sorter {
  public:
    // Then add() exactly `size` members between min and max, then finish() once.  False: no memory.
    // `sets`: bits of sets are going to be added, so a bitmap costs little.
    bool start(uint32_t min, uint32_t max, uint32_t size, bool sets = false) noexcept;
    void add(const uint32_t *members, uint32_t n) noexcept;
    // The same for all members of a set at once.  False: they must be added one by one.
    bool add(const BitSet &set) noexcept;
    bool finish() noexcept;
    // REQUIRES finish() before, and no duplicates.  Then position() may be called.  False: no
    // memory.
    bool number() const noexcept;

    bool started() const noexcept { return span_ != 0; }
    // REQUIRES finish() before.
    bool duplicates() const noexcept { return duplicates_; }
    // REQUIRES number() before, and a member.
    uint32_t position(uint32_t member) const noexcept;
    // The inverse: at each position, which of the members that were added is there.  nullptr
    // without a sorted copy.
    const uint32_t *ranks() const noexcept { return ranks_.empty() ? nullptr : ranks_.data(); }
    // Gives the members in increasing order to an empty content, which borrows them.  REQUIRES
    // finish() before, and no duplicates.
    void lend(Content &out) const noexcept;

  private:
    // All indices between min and max, once it is known that none comes twice.
    bool dense() const noexcept { return span_ == size_; }
    bool sort_keys() noexcept;
    bool number_words() const noexcept;
    bool number_keys() const noexcept;

    uint32_t min_ = 0;
    uint64_t span_ = 0;
    uint32_t size_ = 0;  // added so far
    uint32_t base_ = 0;  // of the bitmap, a multiple of 64
    mutable unsigned shift_ = 0;
    bool duplicates_ = false;
    Buffer<uint64_t> words_;  // the bitmap,
    Buffer<uint32_t> keys_;   // or the sorted copy
    Buffer<uint32_t> ranks_;  // of the sorted copy
    // By number(): ones before each word, or keys below 2^shift_ times i.
    mutable Buffer<uint32_t> before_;
};

}  // namespace cmap

#endif  // CMAP_CORE_SORTER_HPP_INCLUDED
