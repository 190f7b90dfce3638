// SPDX-License-Identifier: BSD-3-Clause
#include "core/sorter.hpp"

#include <algorithm>

#include "cmap_tuning.hpp"

namespace cmap {

bool Sorter::start(uint32_t min, uint32_t max, uint32_t size) noexcept {
    base_ = min & ~63u;
    const uint64_t span = uint64_t{max} - base_ + 1;
    if (span / SORT_BITS_PER_MEMBER > size) return keys_.reserve(size);
    return words_.resize_zeroed(static_cast<std::size_t>((span + 63) / 64));
}

void Sorter::add(const uint32_t *members, uint32_t n) noexcept {
    if (words_.empty()) {
        const bool room = keys_.append(members, n);
        assert(room);
        static_cast<void>(room);
        return;
    }
    uint64_t twice = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t offset = members[i] - base_;
        const uint64_t bit = uint64_t{1} << (offset & 63);
        twice |= words_[offset >> 6] & bit;
        words_[offset >> 6] |= bit;
    }
    duplicates_ = duplicates_ || twice != 0;
}

bool Sorter::add(const BitSet &set) noexcept {
    if (words_.empty()) return false;
    uint64_t *const words = words_.data() + (set.base - base_) / 64;
    uint64_t twice = 0;
    for (uint32_t w = 0; w < set.count; w++) {
        twice |= words[w] & set.words[w];
        words[w] |= set.words[w];
    }
    duplicates_ = duplicates_ || twice != 0;
    return true;
}

bool Sorter::finish() noexcept {
    ready_ = true;
    if (words_.empty()) {
        std::sort(keys_.begin(), keys_.end());
        duplicates_ = std::adjacent_find(keys_.begin(), keys_.end()) != keys_.end();
        return true;
    }
    if (duplicates_) return true;
    if (!before_.resize(words_.size())) return false;
    uint32_t ones = 0;
    for (std::size_t w = 0; w < words_.size(); w++) {
        before_[w] = ones;
        ones += static_cast<uint32_t>(__builtin_popcountll(words_[w]));
    }
    return true;
}

void Sorter::lend(Content &out) const noexcept {
    if (words_.empty()) return out.borrow(keys_.data(), static_cast<uint32_t>(keys_.size()));
    BitSet set;
    set.words = words_.data();
    set.count = static_cast<uint32_t>(words_.size());
    set.base = base_;
    out.borrow(&set, 1);
}

uint32_t Sorter::position(uint32_t member) const noexcept {
    if (words_.empty())
        return static_cast<uint32_t>(std::lower_bound(keys_.begin(), keys_.end(), member) -
                                     keys_.begin());
    const uint32_t offset = member - base_;
    const uint64_t below = (uint64_t{1} << (offset & 63)) - 1;
    return before_[offset >> 6] +
           static_cast<uint32_t>(__builtin_popcountll(words_[offset >> 6] & below));
}

}  // namespace cmap
