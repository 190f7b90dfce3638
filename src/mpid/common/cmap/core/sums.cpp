// SPDX-License-Identifier: BSD-3-Clause
#include "core/sums.hpp"

#include "core/sequence.hpp"

namespace cmap {
namespace {

// For each byte of a word and each value of it: ones, sum of their places, sum of the squares of
// their places, in fields that hold what a whole word adds up to.
constexpr unsigned SQUARE_BITS = 20, PLACE_BITS = 20;

struct ByteSums {
    uint64_t of[8][256];
};

constexpr ByteSums byte_sums() noexcept {
    ByteSums sums{};
    for (unsigned byte = 0; byte < 8; byte++)
        for (unsigned value = 0; value < 256; value++)
            for (unsigned bit = 0; bit < 8; bit++) {
                const uint64_t place = byte * 8 + bit;
                if ((value >> bit & 1) != 0)
                    sums.of[byte][value] += uint64_t{1} << (SQUARE_BITS + PLACE_BITS) |
                                            place << SQUARE_BITS | place * place;
            }
    return sums;
}

constexpr ByteSums table = byte_sums();

uint64_t sums_of(uint64_t word) noexcept {
    uint64_t sums = 0;
    for (unsigned byte = 0; byte < 8; byte++)
        sums += table.of[byte][word >> (byte * 8) & 0xff];
    return sums;
}

// 0 + 1 + ... + (n - 1), and the same of the squares.  REQUIRES n < 2^31.
uint64_t sum_below(uint64_t n) noexcept { return n * (n - 1) / 2; }

uint64_t squares_below(uint64_t n) noexcept {
    const uint64_t half = n * (n - 1) / 2, odd = 2 * n - 1;  // one of them is a multiple of 3
    return half % 3 == 0 ? half / 3 * odd : half * (odd / 3);
}

}  // namespace

// The members are f + i s + j p, 0 <= i < c, 0 <= j < r: multiplied out and summed up.
void SetSums::add(const Piece &piece) noexcept {
    const uint64_t f = piece.run.first, s = static_cast<uint64_t>(int64_t{piece.run.step});
    const uint64_t p = static_cast<uint64_t>(int64_t{piece.pitch});
    const uint64_t c = piece.run.count, r = piece.repeats;
    const uint64_t columns = s * sum_below(c), rows = p * sum_below(r);
    sum_ += r * (c * f + columns) + c * rows;
    squares_ += r * (c * f * f + s * s * squares_below(c) + 2 * f * columns) +
                c * (p * p * squares_below(r) + 2 * f * rows) + 2 * columns * rows;
    if (c > 1) see_gap(static_cast<uint32_t>(piece.run.step));
    if (r > 1) see_gap(piece.repeat(1).first - piece.run.last());
    grow(piece.run.first, piece.repeat(piece.repeats - 1).last(), piece.members());
}

uint32_t SetSums::add_increasing(const uint32_t *members, uint32_t n) noexcept {
    SequenceSums sums;
    const uint32_t taken = sums_while_increasing(members, n, sums);
    if (taken == 0) return 0;
    sum_ += sums.sum, squares_ += sums.squares;
    see_gap(sums.largest_gap);
    grow(members[0], members[taken - 1], taken);
    return taken;
}

// The gaps within a word, unless they are all known to be small: each one is smeared over as many
// places as the largest gap has, and where a place remains empty below another one, there is a
// larger gap.
void SetSums::see_gaps(uint64_t word) noexcept {
    if ((word & (word - 1)) == 0) return;
    see_gap(1);
    while (largest_gap_ < 63) {
        uint64_t smeared = word;
        unsigned places = 1;
        for (; places * 2 <= largest_gap_; places *= 2)
            smeared |= smeared << places;
        smeared |= smeared << (largest_gap_ - places);
        const uint64_t empty = ~smeared & ~((word & ~(word - 1)) - 1);  // none below the first one
        if (empty == 0) return;
        const uint64_t above = word >> __builtin_ctzll(empty);
        if (above == 0) return;
        largest_gap_ += static_cast<unsigned>(__builtin_ctzll(above));
    }
}

void SetSums::add(const BitSet &set) noexcept {
    constexpr uint64_t PLACES = (uint64_t{1} << PLACE_BITS) - 1;
    constexpr uint64_t SQUARES = (uint64_t{1} << SQUARE_BITS) - 1;
    if (set.count == 0) return;
    uint64_t members = 0;
    uint32_t last = set.min();
    for (uint32_t w = 0; w < set.count; w++) {
        const uint64_t sums = sums_of(set.words[w]), base = set.base + uint64_t{w} * 64;
        const uint64_t ones = sums >> (SQUARE_BITS + PLACE_BITS);
        const uint64_t places = sums >> SQUARE_BITS & PLACES;
        members += ones;
        sum_ += ones * base + places;
        squares_ += base * (ones * base + 2 * places) + (sums & SQUARES);
        if (ones == 0) continue;
        const uint32_t first = static_cast<uint32_t>(base);
        see_gap(first + static_cast<unsigned>(__builtin_ctzll(set.words[w])) - last);
        see_gaps(set.words[w]);
        last = first + 63 - static_cast<unsigned>(__builtin_clzll(set.words[w]));
    }
    grow(set.min(), set.max(), members);
}

uint64_t SetSums::hash() const noexcept {
    const uint64_t ends = uint64_t{min_} << 32 | max_;
    return hash_step(hash_step(hash_step(hash_step(0, size_), ends), sum_), squares_);
}

}  // namespace cmap
