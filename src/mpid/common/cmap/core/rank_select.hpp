// SPDX-License-Identifier: BSD-3-Clause
// A string of bits with directories for rank and select, in one piece of memory:
//
//   words       the bits, and behind them, for strings of more than 2048 bits:
//   blocks      for every 2048 bits one 64-bit word with the ones before it and, in 10 + 11 + 11
//               bits, the ones in its first one, two and three quarters (3.1 %: Zhou, Andersen and
//               Kaminsky, "Space-efficient, high-performance rank and select structures on
//               uncompressed bit sequences", SEA 2013), and two guards
//   zero hints  when asked for, every so many zeros that there is one per 4096 bits, the block to
//               start from (0.8 %)
//   hints       the same for ones (0.8 %); or for strings of evenly spread ones *samples*, the
//               positions of every 2^shift-th one: select has one directory to look into, not two
//
// rank O(1); select O(1) but for very uneven strings, popcount and pdep where the CPU has them.
// Less than 2^32 - 1 ones, less than 2^38 bits.
#ifndef CMAP_CORE_RANK_SELECT_HPP_INCLUDED
#define CMAP_CORE_RANK_SELECT_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

#include "core/processor.hpp"

namespace cmap {

constexpr uint64_t RANK_SELECT_MAX_BITS = uint64_t{1} << 38;
constexpr uint64_t RANK_SELECT_MAX_ONES = 0xfffffffe;

// What the memory is made of: a pure function of the numbers of bits and of ones.
struct RankSelectLayout {
    uint32_t words = 0, blocks = 0, zero_hints = 0, hints = 0;
    uint8_t zero_shift = 0, hint_shift = 0;
    bool sampled = false;

    uint64_t bytes() const noexcept;  // a multiple of 4
};

// `zeros`: for select0(), too.  REQUIRES the maxima above.
RankSelectLayout rank_select_layout(uint64_t bits, uint64_t ones, bool zeros) noexcept;

// With samples instead of hints, and for zeros.  REQUIRES less than 2^32 bits.
RankSelectLayout rank_select_sampled(uint64_t bits, uint64_t ones, unsigned shift) noexcept;

struct RankSelect {
    uint64_t *words = nullptr;
    uint64_t *blocks = nullptr;  // nullptr: there are no directories
    uint32_t *hints = nullptr;
    uint32_t word_count = 0;
    uint8_t hint_shift = 0, zero_shift = 0;
    bool sampled = false;

    // Bit `position`.
    bool operator[](uint64_t position) const noexcept {
        return (words[position / 64] >> position % 64 & 1) != 0;
    }
    // Takes its place in memory of layout.bytes() bytes.
    void lay_out(uint64_t *memory, const RankSelectLayout &layout) noexcept;
    // Fills the directories.  REQUIRES the words, and in them as many ones as the layout was made
    // for.
    void fill_directories() noexcept;
    // Its memory comes to lie elsewhere: `move` changes each pointer into it (Relocation).
    template <class Move>
    void relocate(Move &&move) noexcept {
        move(words);
        move(blocks);
        move(hints);
    }
    // nullptr, or which directory is wrong.
    const char *validate(uint64_t ones) const noexcept;
};

namespace rank_select {
// Each lookup twice, for CPUs with and without pdep and popcnt.
namespace portable {
uint64_t select1(const RankSelect &bits, uint32_t k) noexcept;
uint64_t select1_sampled(const RankSelect &bits, uint32_t k) noexcept;
uint64_t select0(const RankSelect &bits, uint64_t k) noexcept;
uint32_t select_side(const RankSelect &bits, bool one, uint32_t k) noexcept;
void select_increasing(const RankSelect &bits, bool one, uint32_t *k, uint32_t n) noexcept;
uint32_t rank1(const RankSelect &bits, uint64_t position) noexcept;
}  // namespace portable
namespace bmi2 {
uint64_t select1(const RankSelect &bits, uint32_t k) noexcept;
uint64_t select1_sampled(const RankSelect &bits, uint32_t k) noexcept;
uint64_t select0(const RankSelect &bits, uint64_t k) noexcept;
uint32_t select_side(const RankSelect &bits, bool one, uint32_t k) noexcept;
void select_increasing(const RankSelect &bits, bool one, uint32_t *k, uint32_t n) noexcept;
uint32_t rank1(const RankSelect &bits, uint64_t position) noexcept;
}  // namespace bmi2
}  // namespace rank_select

// Position of the one number k, from 0.  REQUIRES that there is one, and a layout without samples.
inline uint64_t select1(const RankSelect &bits, uint32_t k) noexcept {
    using namespace rank_select;
    return fast_deposit ? bmi2::select1(bits, k) : portable::select1(bits, k);
}

// The same with samples.
inline uint64_t select1_sampled(const RankSelect &bits, uint32_t k) noexcept {
    using namespace rank_select;
    return fast_deposit ? bmi2::select1_sampled(bits, k) : portable::select1_sampled(bits, k);
}

// Position of the zero number k, from 0.  REQUIRES that there is one, and a layout for zeros.
inline uint64_t select0(const RankSelect &bits, uint64_t k) noexcept {
    using namespace rank_select;
    return fast_deposit ? bmi2::select0(bits, k) : portable::select0(bits, k);
}

// Position of the one or the zero number k in a string of less than 2^32 bits, for those to whom
// either may be next.  REQUIRES what select1() or select0() does.
inline uint32_t select_side(const RankSelect &bits, bool one, uint32_t k) noexcept {
    using namespace rank_select;
    return fast_deposit ? bmi2::select_side(bits, one, k) : portable::select_side(bits, one, k);
}

// The same for n increasing numbers, in their place.
inline void select_increasing(const RankSelect &bits, bool one, uint32_t *k, uint32_t n) noexcept {
    using namespace rank_select;
    return fast_deposit ? bmi2::select_increasing(bits, one, k, n)
                        : portable::select_increasing(bits, one, k, n);
}

// Ones before a position.  REQUIRES a bit there.
inline uint32_t rank1(const RankSelect &bits, uint64_t position) noexcept {
    using namespace rank_select;
    return fast_deposit ? bmi2::rank1(bits, position) : portable::rank1(bits, position);
}

inline uint64_t rank0(const RankSelect &bits, uint64_t position) noexcept {
    return position - rank1(bits, position);
}

// The positions of the ones from a position on, one after the other.
class OnesReader {
  public:
    OnesReader(const uint64_t *words, uint64_t position) noexcept
        : words_(words), at_(position / 64), word_(words[at_] & ~uint64_t{0} << position % 64) {}

    // REQUIRES another one.
    uint64_t next() noexcept {
        while (word_ == 0)
            word_ = words_[++at_];
        const uint64_t position = at_ * 64 + static_cast<unsigned>(__builtin_ctzll(word_));
        word_ &= word_ - 1;
        return position;
    }

  private:
    const uint64_t *words_;
    uint64_t at_, word_;
};

// For tests: take the portable instructions even where the CPU has better ones.  Returns what was
// set before.
bool rank_select_use_portable(bool portable) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_RANK_SELECT_HPP_INCLUDED
