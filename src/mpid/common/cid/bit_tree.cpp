// SPDX-License-Identifier: BSD-3-Clause
#include "bit_tree.hpp"

#include <algorithm>

namespace cid {
namespace {

constexpr uint64_t all = UINT64_MAX;

uint64_t bit(uint64_t i) noexcept { return uint64_t{1} << (i & 63); }
unsigned lowest(uint64_t word) noexcept { return static_cast<unsigned>(__builtin_ctzll(word)); }
unsigned highest(uint64_t word) noexcept {
    return 63u - static_cast<unsigned>(__builtin_clzll(word));
}
std::size_t above(std::size_t words) noexcept { return (words + 63) / 64; }

}  // namespace

std::size_t BitTree::bytes(std::size_t words) noexcept {
    std::size_t sum = words;
    while (words > 1) {
        words = above(words);
        sum += 2 * words;
    }
    return sum * sizeof(uint64_t);
}

BitTree::BitTree(void *memory, std::size_t words) noexcept {
    auto *at = static_cast<uint64_t *>(memory);
    level_[0] = Level{at, at, words};
    at += words;
    for (levels_ = 1; words > 1; levels_++) {
        words = above(words);
        level_[levels_] = Level{at, at + words, words};
        at += 2 * words;
    }
    std::fill_n(level_[0].any, level_[0].words, 0);
    summarise();
}

void BitTree::copy(const BitTree &other) noexcept {
    std::copy_n(other.level_[0].any, std::min(words(), other.words()), level_[0].any);
    summarise();
}

// A word that is not there counts as full, so that nobody looks for a clear bit in it.
void BitTree::summarise() noexcept {
    for (unsigned k = 1; k < levels_; k++) {
        const Level &below = level_[k - 1];
        std::fill_n(level_[k].any, level_[k].words, 0);
        std::fill_n(level_[k].full, level_[k].words, all);
        for (std::size_t w = 0; w < below.words; w++) {
            if (below.any[w] != 0) level_[k].any[w >> 6] |= bit(w);
            if (below.full[w] != all) level_[k].full[w >> 6] &= ~bit(w);
        }
    }
}

void BitTree::set(uint64_t i) noexcept {
    uint64_t child = i;
    for (unsigned k = 0; k < levels_; k++, child >>= 6) {
        uint64_t &word = level_[k].any[child >> 6];
        const bool had_any = word != 0;
        word |= bit(child);
        if (had_any) break;
    }
    child = i;
    for (unsigned k = 0; k < levels_; k++, child >>= 6) {
        uint64_t &word = level_[k].full[child >> 6];
        word |= bit(child);
        if (word != all) break;
    }
}

// The full ones first: at level 0 both are one word.
void BitTree::clear(uint64_t i) noexcept {
    uint64_t child = i;
    for (unsigned k = 0; k < levels_; k++, child >>= 6) {
        uint64_t &word = level_[k].full[child >> 6];
        const bool was_full = word == all;
        word &= ~bit(child);
        if (!was_full) break;
    }
    child = i;
    for (unsigned k = 0; k < levels_; k++, child >>= 6) {
        uint64_t &word = level_[k].any[child >> 6];
        word &= ~bit(child);
        if (word != 0) break;
    }
}

// word(level, w) has the bits to look for.  Up until a word has one at or behind i, then down.
template <class Word>
uint64_t BitTree::next(uint64_t i, Word &&word) const noexcept {
    for (unsigned k = 0; k < levels_ && i >> 6 < level_[k].words; k++) {
        const uint64_t found = word(level_[k], i >> 6) & all << (i & 63);
        if (found == 0) {
            i = (i >> 6) + 1;
            continue;
        }
        i = (i & ~uint64_t{63}) + lowest(found);
        while (k-- > 0)
            i = (i << 6) + lowest(word(level_[k], i));
        return i;
    }
    return none;
}

uint64_t BitTree::next_set(uint64_t i) const noexcept {
    return next(i, [](const Level &level, uint64_t w) { return level.any[w]; });
}

uint64_t BitTree::next_clear(uint64_t i) const noexcept {
    return next(i, [](const Level &level, uint64_t w) { return ~level.full[w]; });
}

uint64_t BitTree::last_set() const noexcept {
    uint64_t i = 0;
    for (unsigned k = levels_; k-- > 0;) {
        const uint64_t word = level_[k].any[i];
        if (word == 0) return none;
        i = (i << 6) + highest(word);
    }
    return i;
}

}  // namespace cid
