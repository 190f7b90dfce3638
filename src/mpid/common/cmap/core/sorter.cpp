// SPDX-License-Identifier: BSD-3-Clause
#include "core/sorter.hpp"

#include <algorithm>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/bits.hpp"
#include "core/sequence.hpp"

namespace cmap {
namespace {

constexpr unsigned DIGIT_BITS = 11;
constexpr uint32_t DIGITS = 1u << DIGIT_BITS;

// Stable, by one digit.
void deal(const uint32_t *from, uint32_t *to, std::size_t n, uint32_t base,
          unsigned shift) noexcept {
    uint32_t next[DIGITS] = {};
    for (std::size_t i = 0; i < n; i++)
        next[(from[i] - base) >> shift & (DIGITS - 1)]++;
    uint32_t sum = 0;
    for (uint32_t &place : next) {
        const uint32_t count = place;
        place = sum;
        sum += count;
    }
    for (std::size_t i = 0; i < n; i++)
        to[next[(from[i] - base) >> shift & (DIGITS - 1)]++] = from[i];
}

}  // namespace

bool Sorter::start(uint32_t min, uint32_t max, uint32_t size) noexcept {
    min_ = min;
    base_ = min & ~63u;
    span_ = uint64_t{max} - min + 1;
    const uint64_t bits = uint64_t{max} - base_ + 1;
    if (bits / SORT_BITS_PER_MEMBER > size) return keys_.reserve(size);
    return words_.resize_zeroed(static_cast<std::size_t>((bits + 63) / 64));
}

// A member that is there already is missed when the ones are counted.
void Sorter::add(const uint32_t *members, uint32_t n) noexcept {
    size_ += n;
    if (words_.empty()) {
        const bool room = keys_.append(members, n);
        assert(room);
        static_cast<void>(room);
        return;
    }
    mark_shuffled(words_.data(), members, n, base_);
}

bool Sorter::add(const BitSet &set) noexcept {
    if (words_.empty()) return false;
    uint64_t *const words = words_.data() + (set.base - base_) / 64;
    for (uint32_t w = 0; w < set.count; w++) {
        size_ += static_cast<uint32_t>(__builtin_popcountll(set.words[w]));
        words[w] |= set.words[w];
    }
    return true;
}

bool Sorter::settle() noexcept {
    if (settled_) return true;
    settled_ = true;
    if (words_.empty()) {
        if (!sort_keys()) return false;
        duplicates_ = std::adjacent_find(keys_.begin(), keys_.end()) != keys_.end();
        return true;
    }
    uint32_t ones = 0;
    for (const uint64_t word : words_)
        ones += static_cast<uint32_t>(__builtin_popcountll(word));
    duplicates_ = ones != size_;
    return true;
}

// Digit by digit from the lowest, where that takes fewer steps than comparing.
bool Sorter::sort_keys() noexcept {
    const unsigned bits = bits_for(span_);
    if (size_ < SORT_BY_DIGITS) {
        std::sort(keys_.begin(), keys_.end());
        return true;
    }
    Buffer<uint32_t> other;
    if (!other.resize(size_)) return false;
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
        deal(keys_.data(), other.data(), size_, min_, shift);
        keys_.swap(other);
    }
    return true;
}

bool Sorter::finish() noexcept {
    if (ready_) return true;
    if (!settle()) return false;
    ready_ = true;
    return duplicates_ || dense() || (words_.empty() ? number_keys() : number_words());
}

bool Sorter::number_words() noexcept {
    if (!before_.resize(words_.size())) return false;
    uint32_t ones = 0;
    for (std::size_t w = 0; w < words_.size(); w++) {
        before_[w] = ones;
        ones += static_cast<uint32_t>(__builtin_popcountll(words_[w]));
    }
    return true;
}

// Buckets of equal width, of two keys each on the average or more.
bool Sorter::number_keys() noexcept {
    shift_ = 0;
    while ((span_ >> shift_) > size_ / 2)
        ++shift_;
    const std::size_t buckets = static_cast<std::size_t>(span_ >> shift_) + 1;
    if (!before_.resize_zeroed(buckets + 1)) return false;
    for (const uint32_t key : keys_)
        before_[((key - min_) >> shift_) + 1]++;
    for (std::size_t b = 1; b <= buckets; b++)
        before_[b] += before_[b - 1];
    return true;
}

void Sorter::lend(Content &out) const noexcept {
    if (dense()) {
        const bool room = out.add(piece_of(Run{min_, size_ > 1 ? 1 : 0, size_}));
        assert(room);
        static_cast<void>(room);
        return;
    }
    if (words_.empty()) return out.borrow(keys_.data(), static_cast<uint32_t>(keys_.size()));
    BitSet set;
    set.words = words_.data();
    set.count = static_cast<uint32_t>(words_.size());
    set.base = base_;
    out.borrow(&set, 1);
}

uint32_t Sorter::position(uint32_t member) const noexcept {
    if (dense()) return member - min_;
    if (words_.empty()) {
        const uint32_t bucket = (member - min_) >> shift_;
        const uint32_t before = before_[bucket];
        return before + last_up_to(keys_.begin() + before, before_[bucket + 1] - before, member);
    }
    const uint32_t offset = member - base_;
    const uint64_t below = (uint64_t{1} << (offset & 63)) - 1;
    return before_[offset >> 6] +
           static_cast<uint32_t>(__builtin_popcountll(words_[offset >> 6] & below));
}

}  // namespace cmap
