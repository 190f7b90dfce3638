// SPDX-License-Identifier: BSD-3-Clause
// The loops of core/sequence.cpp.  No include guard: it includes this once for every instruction
// set, with
//   CMAP_KERNEL             the namespace
//   CMAP_KERNEL_TARGET      the attribute of its functions
//   CMAP_KERNEL_BYTES       of a vector
//   CMAP_KERNEL_PRODUCT     the products of the lower halves of 64-bit lanes, in 64 bits
//   CMAP_KERNEL_EQUALS      how many of the first lanes are the same in two vectors

namespace CMAP_KERNEL {

typedef uint32_t Vector __attribute__((vector_size(CMAP_KERNEL_BYTES)));
typedef int32_t Signed __attribute__((vector_size(CMAP_KERNEL_BYTES)));
typedef uint64_t Wide __attribute__((vector_size(CMAP_KERNEL_BYTES)));
constexpr uint32_t LANES = CMAP_KERNEL_BYTES / 4;

CMAP_KERNEL_TARGET inline void load(Vector &vector, const uint32_t *from) noexcept {
    std::memcpy(&vector, from, sizeof vector);
}

CMAP_KERNEL_TARGET inline uint64_t total(const Vector &vector) noexcept {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LANES; i++)
        sum += vector[i];
    return sum;
}

CMAP_KERNEL_TARGET inline int32_t greatest(const Signed &vector) noexcept {
    int32_t some[LANES];
    std::memcpy(some, &vector, sizeof some);
    for (uint32_t n = LANES / 2; n > 0; n /= 2)
        for (uint32_t i = 0; i < n; i++)
            some[i] = some[i] > some[i + n] ? some[i] : some[i + n];
    return some[0];
}

CMAP_KERNEL_TARGET inline int32_t least(const Signed &vector) noexcept {
    return ~greatest(~vector);
}

CMAP_KERNEL_TARGET inline uint64_t total(const Wide &vector) noexcept {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LANES / 2; i++)
        sum += vector[i];
    return sum;
}

CMAP_KERNEL_TARGET inline Wide product(const Wide &lanes, const uint64_t *weights) noexcept {
    Wide some;
    std::memcpy(&some, weights, sizeof some);
    return CMAP_KERNEL_PRODUCT(lanes, some);
}

CMAP_KERNEL_TARGET inline void add_products(const Vector &some, uint32_t pair,
                                            const Fingerprint::Weights &weights, Wide &low,
                                            Wide &high) noexcept {
    const Wide even = (Wide)some, odd = even >> 32;
    low += product(even, weights.low[0] + pair) + product(odd, weights.low[1] + pair);
    high += product(even, weights.high[0] + pair) + product(odd, weights.high[1] + pair);
}

// Members so small that the sums of a block's products fit 64 bits.  False: they are not.
CMAP_KERNEL_TARGET bool survey_blocks(const uint32_t *members, uint32_t n,
                                      const Fingerprint::Weights &weights,
                                      BlocksSurvey &blocks) noexcept {
    const uint32_t length = n < Fingerprint::BLOCK ? n : Fingerprint::BLOCK;
    Vector ascents = {}, straight = {}, some;
    load(some, members - 2);  // those in front are compared with, too
    Signed gaps = {}, lowest = (Signed)some, highest = (Signed)some;
    for (uint32_t block = 0; block * length < n; block++, members += length) {
        Wide low = {}, high = {};
        for (uint32_t i = 0; i < length; i += LANES) {
            Vector before, earlier;
            load(some, members + i);
            load(before, members + i - 1);
            load(earlier, members + i - 2);
            const Signed gap = (Signed)(some - before), one = (Signed)some;
            lowest = one < lowest ? one : lowest;
            highest = one > highest ? one : highest;
            gaps = gap > gaps ? gap : gaps;
            ascents -= (Vector)(gap > 0);
            straight -= (Vector)((Vector)gap == before - earlier);
            add_products(some, i / 2, weights, low, high);
        }
        blocks.low[block] = total(low), blocks.high[block] = total(high);
    }
    const int32_t min = least(lowest), max = greatest(highest);
    if (min < 0 || max >= SMALL_MEMBER) return false;
    blocks.min = static_cast<uint32_t>(min), blocks.max = static_cast<uint32_t>(max);
    blocks.largest_gap = static_cast<uint32_t>(greatest(gaps));
    blocks.descents = n - static_cast<uint32_t>(total(ascents));
    blocks.bends = n - static_cast<uint32_t>(total(straight));
    blocks.base = 0;
    return true;
}

CMAP_KERNEL_TARGET inline Vector survey_steps(const uint32_t *members, Signed &shortest,
                                              Signed &longest) noexcept {
    Vector some, before;
    load(some, members);
    load(before, members - 1);
    const Signed step = (Signed)(some - before);
    shortest = step < shortest ? step : shortest;
    longest = step > longest ? step : longest;
    return some;
}

// The same of such that increase from the member in front on, in short steps, and without bends;
// what is small is their distance from the first.  Two blocks side by side, for which each weight
// is loaded once.
CMAP_KERNEL_TARGET bool survey_increasing(const uint32_t *members, uint32_t n,
                                          const Fingerprint::Weights &weights,
                                          BlocksSurvey &blocks) noexcept {
    constexpr uint32_t BLOCK = Fingerprint::BLOCK;
    const uint32_t first = members[0], last = members[n - 1], count = n / BLOCK;
    if (last < first || last - first >= SMALL_MEMBER) return false;
    Signed shortest = Signed{} + INT32_MAX, longest = {};
    for (uint32_t block = 0; block < count; block += 2, members += 2 * BLOCK) {
        const uint32_t *const other = block + 1 < count ? members + BLOCK : members;
        Wide low = {}, high = {}, other_low = {}, other_high = {};
        for (uint32_t i = 0; i < BLOCK; i += LANES) {
            const Vector one = survey_steps(members + i, shortest, longest);
            add_products(one - first, i / 2, weights, low, high);
            const Vector two = survey_steps(other + i, shortest, longest);
            add_products(two - first, i / 2, weights, other_low, other_high);
        }
        blocks.low[block] = total(low), blocks.high[block] = total(high);
        blocks.low[block + 1] = total(other_low), blocks.high[block + 1] = total(other_high);
    }
    if (least(shortest) <= 0 || greatest(longest) >= LONG_STEP) return false;
    blocks.largest_gap = static_cast<uint32_t>(greatest(longest));
    blocks.min = blocks.base = first, blocks.max = last;
    blocks.descents = blocks.bends = 0;
    return true;
}

// How many of the first whole vectors' members are first, first + step, ...
CMAP_KERNEL_TARGET uint32_t length_of_run(const uint32_t *members, uint32_t n, uint32_t first,
                                          uint32_t step) noexcept {
    Vector next, some;
    for (uint32_t i = 0; i < LANES; i++)
        next[i] = first + i * step;
    uint32_t done = 0;
    for (; n - done >= 4 * LANES; done += 4 * LANES) {
        Vector wrong = {};
        for (uint32_t i = 0; i < 4; i++) {
            load(some, members + done + i * LANES);
            wrong |= some ^ (next + i * LANES * step);
        }
        if (CMAP_KERNEL_EQUALS(wrong, Vector{}) != LANES) break;
        next += 4 * LANES * step;
    }
    for (uint32_t equal = LANES; equal == LANES && n - done >= LANES; done += equal) {
        load(some, members + done);
        equal = CMAP_KERNEL_EQUALS(some, next);
        next += LANES * step;
    }
    return done;
}

}  // namespace CMAP_KERNEL
