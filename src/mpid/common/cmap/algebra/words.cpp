// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/words.hpp"

#include <algorithm>

#include "rep/bitmap.hpp"

namespace cmap {
namespace {

// Where two hulls overlap: words first .. first+count-1 of the one, and `other` on of the other.
struct Shared {
    uint32_t first, count;
    const uint64_t *other;
};

Shared shared(const BitSet &set, const BitSet &other) noexcept {
    const uint32_t first = set.base / 64, start = other.base / 64;
    const uint32_t low = std::max(first, start);
    const uint32_t high = std::min(first + set.count, start + other.count);
    if (low >= high) return Shared{0, 0, nullptr};
    return Shared{low - first, high - low, other.words + (low - start)};
}

}  // namespace

bool worth_words(const cmap_t *a, const cmap_t *b) noexcept {
    if (!is_set(a) || !is_set(b) || a->size == 0 || b->size == 0) return false;
    const uint64_t span = uint64_t{std::max(a->max, b->max)} - std::min(a->min, b->min) + 1;
    // Looking up each member of the smaller one may be less work still.
    const uint64_t least = std::min(a->size, b->size);
    return span <= (uint64_t{a->size} + b->size) * ALGEBRA_BITS_PER_MEMBER &&
           span <= least * 64 * ALGEBRA_DECODES_PER_LOOKUP;
}

bool SetBits::load(const cmap_t *set) noexcept {
    if (set->kind == CMAP_REP_BITMAP) {
        view_ = bits_of(set);
        return true;
    }
    const uint32_t base = set->min & ~63u;
    if (const auto mark = representation(set).mark) {
        if (!words_.resize_zeroed((set->max - base) / 64 + 1)) return false;
        view_.words = words_.data();
        view_.count = uint32_t(words_.size());
        view_.base = base;
        mark(set, base, words_.data(), view_.count);
        return true;
    }
    if (!own_.start(base, uint64_t{set->max} - base + 1)) return false;
    own_.set_members(set);
    view_ = own_.view();
    return true;
}

bool part_by_words(const BitSet &a, const BitSet &b, bool wanted, Buffer<uint64_t> &words,
                   BitSet &out) noexcept {
    const Shared both = shared(a, b);
    out = a;
    if (wanted) {
        out.base += both.first * 64;
        out.words += both.first;
        out.count = both.count;
    }
    words.clear();
    if (!words.append(out.words, out.count)) return false;
    uint64_t *const to = words.data() + (wanted ? 0 : both.first);
    for (uint32_t w = 0; w < both.count; w++)
        to[w] &= wanted ? both.other[w] : ~both.other[w];
    out.words = words.data();
    out = out.trimmed();
    return true;
}

bool join_by_words(const BitSet &a, const BitSet &b, Buffer<uint64_t> &words,
                   BitSet &out) noexcept {
    const uint32_t offset = (b.base - a.base) / 64;
    words.clear();
    if (!words.append(a.words, a.count)) return false;
    if (!words.resize_zeroed(std::max(a.count, offset + b.count))) return false;
    for (uint32_t w = 0; w < b.count; w++)
        words[offset + w] |= b.words[w];
    out = BitSet();
    out.words = words.data();
    out.count = uint32_t(words.size());
    out.base = a.base;
    return true;
}

}  // namespace cmap
