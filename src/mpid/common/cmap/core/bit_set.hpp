// SPDX-License-Identifier: BSD-3-Clause
// A set as bits in memory of somebody else's: the currency between the bitmap, the builder and the
// algebra where members are worked on 64 at a time.
#ifndef CMAP_CORE_BIT_SET_HPP_INCLUDED
#define CMAP_CORE_BIT_SET_HPP_INCLUDED

#include "core/pieces.hpp"

namespace cmap {

struct BitSet {
    const uint64_t *words = nullptr;
    uint32_t count = 0;  // of words
    uint32_t base = 0;   // index of bit 0 of the first word, a multiple of 64

    // Without the empty words at both ends.
    BitSet trimmed() const noexcept {
        BitSet set = *this;
        while (set.count > 0 && set.words[set.count - 1] == 0)
            set.count--;
        while (set.count > 0 && set.words[0] == 0)
            set.words++, set.count--, set.base += 64;
        return set;
    }
    // REQUIRES a member, and no empty words at the ends.
    uint32_t min() const noexcept {
        return base + static_cast<uint32_t>(__builtin_ctzll(words[0]));
    }
    uint32_t max() const noexcept {
        return base + (count - 1) * 64 + 63 -
               static_cast<uint32_t>(__builtin_clzll(words[count - 1]));
    }

    // visit(uint32_t first, uint32_t n): the intervals within each word; false stops.
    template <class Visit>
    bool each_interval(Visit &&visit) const noexcept {
        for (uint32_t w = 0; w < count; w++)
            for (uint64_t word = words[w]; word != 0;) {
                const uint32_t position = static_cast<uint32_t>(__builtin_ctzll(word));
                const uint64_t rest = ~(word >> position);
                const uint32_t n = rest == 0 ? 64 : static_cast<uint32_t>(__builtin_ctzll(rest));
                if (!visit(base + w * 64 + position, n)) return false;
                word = position + n == 64 ? 0 : word & ~uint64_t{0} << (position + n);
            }
        return true;
    }

    // Writes the members of the word number w (at most 64) and returns how many.
    uint32_t decode_word(uint32_t w, uint32_t *out) const noexcept {
        uint32_t n = 0;
        const uint32_t first = base + w * 64;
        for (uint64_t word = words[w]; word != 0; word &= word - 1)
            out[n++] = first + static_cast<uint32_t>(__builtin_ctzll(word));
        return n;
    }
};

inline bool same_words(const BitSet &a, const BitSet &b) noexcept {
    return a.base == b.base && a.count == b.count &&
           std::memcmp(a.words, b.words, a.count * sizeof *a.words) == 0;
}

}  // namespace cmap

#endif  // CMAP_CORE_BIT_SET_HPP_INCLUDED
