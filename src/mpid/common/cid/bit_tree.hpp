// SPDX-License-Identifier: BSD-3-Clause
// A string of bits in which the next set and the next clear one are found in O(log n): above each
// 64 words of one level is a word that says which of them have a bit set, and another one for which
// of them are full.  Bits are set and cleared in O(log n), too.
#ifndef CID_BIT_TREE_HPP_INCLUDED
#define CID_BIT_TREE_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

namespace cid {

class BitTree {
  public:
    static constexpr uint64_t none = UINT64_MAX;

    // What a string of that many words needs, in bytes.
    static std::size_t bytes(std::size_t words) noexcept;

    BitTree() noexcept = default;
    // All clear.  The memory is the caller's.
    BitTree(void *memory, std::size_t words) noexcept;

    // Takes over the bits of another string; those beyond the end of this one must be clear.
    void copy(const BitTree &other) noexcept;

    void set(uint64_t i) noexcept;
    void clear(uint64_t i) noexcept;
    uint64_t word(std::size_t w) const noexcept { return level_[0].any[w]; }
    std::size_t words() const noexcept { return level_[0].words; }

    // The first one from i on, or none.
    uint64_t next_set(uint64_t i) const noexcept;
    uint64_t next_clear(uint64_t i) const noexcept;
    uint64_t last_set() const noexcept;

  private:
    static constexpr unsigned most_levels = 6;  // 64^6 bits

    struct Level {
        uint64_t *any;   // of level 0: the bits
        uint64_t *full;  // of level 0: the same words
        std::size_t words;
    };

    void summarise() noexcept;
    template <class Word>
    uint64_t next(uint64_t i, Word &&word) const noexcept;

    Level level_[most_levels] = {};
    unsigned levels_ = 0;
};

}  // namespace cid

#endif  // CID_BIT_TREE_HPP_INCLUDED
