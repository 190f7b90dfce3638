// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/membership.hpp"

#include <algorithm>

namespace cmap {
namespace {

bool worth_bits(const cmap_t *map, uint64_t queries) noexcept {
    const uint64_t span = uint64_t{map->max} - map->min + 1;
    return map->size < queries * ALGEBRA_DECODES_PER_LOOKUP &&
           span <= (queries + map->size) * ALGEBRA_BITS_PER_MEMBER;
}

}  // namespace

bool Bits::start(uint32_t base, uint64_t n) noexcept {
    base_ = base;
    size_ = uint32_t(n);
    return words_.resize_zeroed(size_t((n + 63) / 64));
}

void Bits::set_range(uint32_t first, uint32_t count) noexcept {
    uint64_t at = first - base_, end = at + count;
    for (; at < end && at % 64 != 0; at++)
        words_[at / 64] |= uint64_t{1} << (at % 64);
    for (; at + 64 <= end; at += 64)
        words_[at / 64] = ~uint64_t{0};
    if (at < end) words_[at / 64] |= (uint64_t{1} << (end - at)) - 1;
}

// Neighbours in a dense set share a word: it is kept in a register until the next one begins.
void Bits::set_block(const uint32_t *numbers, uint32_t n) noexcept {
    uint64_t word = 0;
    uint32_t position = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = numbers[i] - base_;
        if (at / 64 != position) {
            words_[position] |= word;
            word = 0;
            position = at / 64;
        }
        word |= uint64_t{1} << (at % 64);
    }
    if (n != 0) words_[position] |= word;
}

void Bits::set_members(const cmap_t *map) noexcept {
    Pieces pieces;
    if (!pieces_of(map, piece_limit(map->size), pieces)) {
        each_block(map, [&](const uint32_t *members, uint32_t n) {
            set_block(members, n);
            return true;
        });
        return;
    }
    for (const Piece &piece : pieces)
        for (uint32_t j = 0; j < piece.repeats; j++) {
            const Run run = piece.repeat(j);
            if (run.step == 1 || run.step == -1)
                set_range(run.low(), run.count);
            else
                for (uint32_t i = 0; i < run.count; i++)
                    set(run.at(i));
        }
}

BitSet Bits::view() const noexcept {
    BitSet set;
    set.words = words_.data();
    set.count = uint32_t(words_.size());
    set.base = base_;
    return set;
}

Membership::Membership(const cmap_t *map, uint64_t queries) noexcept : map_(map) {
    if (is_interval(map)) {
        mode_ = Mode::interval;
    } else if (map->size != 0 && worth_bits(map, queries) &&
               bits_.start(map->min, uint64_t{map->max} - map->min + 1)) {
        bits_.set_members(map);
        mode_ = Mode::bits;
    } else {
        ranker_.emplace(map, queries);
    }
}

uint32_t Membership::filter(const uint32_t *indices, uint32_t n, bool wanted,
                            uint32_t *out) const noexcept {
    // The copy is unconditional: which members stay is not predictable.
    uint32_t kept = 0;
    switch (mode_) {
        case Mode::interval:
            for (uint32_t i = 0; i < n; i++) {
                out[kept] = indices[i];
                kept += (indices[i] - map_->min < map_->size) == wanted;
            }
            break;
        case Mode::bits:
            for (uint32_t i = 0; i < n; i++) {
                out[kept] = indices[i];
                kept += bits_.test(indices[i]) == wanted;
            }
            break;
        case Mode::rank:
            for (uint32_t i = 0; i < n; i++) {
                out[kept] = indices[i];
                kept += ((*ranker_)(indices[i]) != CMAP_NONE) == wanted;
            }
            break;
    }
    return kept;
}

uint32_t Membership::first_missing(const uint32_t *indices, uint32_t n) const noexcept {
    uint32_t missing[ALGEBRA_BLOCK];
    for (uint32_t first = 0; first < n; first += ALGEBRA_BLOCK) {
        const uint32_t some = std::min(n - first, ALGEBRA_BLOCK);
        if (filter(indices + first, some, false, missing) == 0) continue;
        for (uint32_t i = first;; i++)
            if (indices[i] == missing[0]) return i;
    }
    return n;
}

}  // namespace cmap
