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

struct Item {
    uint32_t key, rank;
};

// put(place, i) for i = 0 .. n-1: places in the stable order of one digit of key(i).
template <class KeyOf, class Put>
void deal(uint32_t n, unsigned shift, KeyOf key, Put put) noexcept {
    uint32_t next[DIGITS] = {};
    for (uint32_t i = 0; i < n; i++)
        next[key(i) >> shift & (DIGITS - 1)]++;
    uint32_t sum = 0;
    for (uint32_t &place : next) {
        const uint32_t count = place;
        place = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
        put(next[key(i) >> shift & (DIGITS - 1)]++, i);
}

// The lambdas have pointers of their own, which the compiler keeps in registers.

void deal_first(const uint32_t *keys, uint32_t n, uint32_t base, Item *to) noexcept {
    deal(
        n, 0, [=](uint32_t i) { return keys[i] - base; },
        [=](uint32_t place, uint32_t i) {
            to[place] = {keys[i] - base, i};
        });
}

void deal_middle(const Item *from, uint32_t n, unsigned shift, Item *to) noexcept {
    deal(
        n, shift, [=](uint32_t i) { return from[i].key; },
        [=](uint32_t place, uint32_t i) { to[place] = from[i]; });
}

void deal_last(const Item *from, uint32_t n, unsigned shift, uint32_t base, uint32_t *keys,
               uint32_t *ranks) noexcept {
    deal(
        n, shift, [=](uint32_t i) { return from[i].key; },
        [=](uint32_t place, uint32_t i) {
            keys[place] = base + from[i].key;
            ranks[place] = from[i].rank;
        });
}

// By the digits below the one at `last`, of keys less `base`.
bool deal_low_digits(const uint32_t *keys, uint32_t base, unsigned last,
                     Buffer<Item> &items) noexcept {
    const auto n = static_cast<uint32_t>(items.size());
    Buffer<Item> other;
    if (last > DIGIT_BITS && !other.resize(n)) return false;
    deal_first(keys, n, base, items.data());
    for (unsigned shift = DIGIT_BITS; shift < last; shift += DIGIT_BITS) {
        deal_middle(items.data(), n, shift, other.data());
        items.swap(other);
    }
    return true;
}

uint64_t most_bits_per_member(uint32_t size, bool sets) noexcept {
    if (sets) return SORT_BITS_OF_SETS;
    return size <= SORT_IN_CACHE ? SORT_BITS_IN_CACHE : SORT_BITS;
}

}  // namespace

bool Sorter::start(uint32_t min, uint32_t max, uint32_t size, bool sets) noexcept {
    min_ = min;
    base_ = min & ~63u;
    span_ = uint64_t{max} - min + 1;
    const uint64_t bits = uint64_t{max} - base_ + 1;
    if (bits / most_bits_per_member(size, sets) > size) return keys_.reserve(size);
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

bool Sorter::finish() noexcept {
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
    Buffer<Item> items;
    if (!items.resize(size_) || !ranks_.resize(size_)) return false;
    const unsigned last = (bits_for(span_) - 1) / DIGIT_BITS * DIGIT_BITS;
    if (size_ >= SORT_BY_DIGITS && last > 0) {
        if (!deal_low_digits(keys_.data(), min_, last, items)) return false;
        deal_last(items.data(), size_, last, min_, keys_.data(), ranks_.data());
        return true;
    }
    for (uint32_t i = 0; i < size_; i++)
        items[i] = {keys_[i], i};
    std::sort(items.begin(), items.end(), [](Item a, Item b) { return a.key < b.key; });
    for (uint32_t i = 0; i < size_; i++)
        keys_[i] = items[i].key, ranks_[i] = items[i].rank;
    return true;
}

bool Sorter::number() const noexcept {
    if (dense() || !before_.empty()) return true;
    return words_.empty() ? number_keys() : number_words();
}

bool Sorter::number_words() const noexcept {
    if (!before_.resize(words_.size())) return false;
    uint32_t ones = 0;
    for (std::size_t w = 0; w < words_.size(); w++) {
        before_[w] = ones;
        ones += static_cast<uint32_t>(__builtin_popcountll(words_[w]));
    }
    return true;
}

// Buckets of equal width, of two keys each on the average or more.
bool Sorter::number_keys() const noexcept {
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
