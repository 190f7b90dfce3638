// SPDX-License-Identifier: BSD-3-Clause
// The loops of core/sequence.cpp.  No include guard: it includes this once for every instruction
// set, with
//   CMAP_KERNEL             the namespace
//   CMAP_KERNEL_TARGET      the attribute of its functions
//   CMAP_KERNEL_BYTES       of a vector
//   CMAP_KERNEL_PRODUCT     the products of the lower halves of 64-bit lanes, in 64 bits

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

CMAP_KERNEL_TARGET inline uint32_t united(const Vector &vector) noexcept {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < LANES; i++)
        bits |= vector[i];
    return bits;
}

CMAP_KERNEL_TARGET inline int32_t greatest(const Signed &vector) noexcept {
    int32_t some[LANES];
    std::memcpy(some, &vector, sizeof some);
    for (uint32_t n = LANES / 2; n > 0; n /= 2)
        for (uint32_t i = 0; i < n; i++)
            some[i] = some[i] > some[i + n] ? some[i] : some[i + n];
    return some[0];
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

// Blocks of members so small that the sums of their products fit 64 bits.  False: they are not.
CMAP_KERNEL_TARGET bool survey_blocks(const uint32_t *members, uint32_t count,
                                      const Fingerprint::Weights &weights,
                                      BlocksSurvey &blocks) noexcept {
    Vector all = {}, descents = {}, bends = {};
    Signed gaps = {}, low_ends, high_ends = {};
    load(all, members);
    low_ends = (Signed)all;
    load(all, members - 2);  // those in front are compared with, too
    for (uint32_t block = 0; block < count; block++, members += Fingerprint::BLOCK) {
        Wide low = {}, high = {};
        for (uint32_t i = 0; i < Fingerprint::BLOCK; i += LANES) {
            Vector some, before, earlier;
            load(some, members + i);
            load(before, members + i - 1);
            load(earlier, members + i - 2);
            const Signed gap = (Signed)(some - before), one = (Signed)some;
            all |= some;
            low_ends = one < low_ends ? one : low_ends;
            high_ends = one > high_ends ? one : high_ends;
            gaps = gap > gaps ? gap : gaps;
            descents -= (Vector)(gap <= 0);
            bends -= (Vector)((Vector)gap != before - earlier);
            add_products(some, i / 2, weights, low, high);
        }
        blocks.low[block] = total(low), blocks.high[block] = total(high);
    }
    if (united(all) >= SMALL_MEMBER) return false;
    blocks.min = static_cast<uint32_t>(~greatest(~low_ends));
    blocks.max = static_cast<uint32_t>(greatest(high_ends));
    blocks.largest_gap = static_cast<uint32_t>(greatest(gaps));
    blocks.descents = static_cast<uint32_t>(total(descents));
    blocks.bends = static_cast<uint32_t>(total(bends));
    return true;
}

// The same of such that increase from the member in front on, and without bends.
CMAP_KERNEL_TARGET bool survey_increasing(const uint32_t *members, uint32_t count,
                                          const Fingerprint::Weights &weights,
                                          BlocksSurvey &blocks) noexcept {
    blocks.min = members[0], blocks.max = members[count * Fingerprint::BLOCK - 1];
    if (blocks.max >= SMALL_MEMBER) return false;
    Vector wrong = {};
    Signed gaps = {};
    for (uint32_t block = 0; block < count; block++, members += Fingerprint::BLOCK) {
        Wide low = {}, high = {};
        for (uint32_t i = 0; i < Fingerprint::BLOCK; i += LANES) {
            Vector some, before;
            load(some, members + i);
            load(before, members + i - 1);
            const Vector gap = some - before;
            wrong |= (gap - 1) | some;  // the sign tells
            gaps = (Signed)gap > gaps ? (Signed)gap : gaps;
            add_products(some, i / 2, weights, low, high);
        }
        blocks.low[block] = total(low), blocks.high[block] = total(high);
    }
    if ((united(wrong) >> 31) != 0) return false;
    blocks.largest_gap = static_cast<uint32_t>(greatest(gaps));
    blocks.descents = blocks.bends = 0;
    return true;
}

// Whole stretches of four vectors that are first, first + step, ...; returns how many members.
CMAP_KERNEL_TARGET uint32_t stretches_of_run(const uint32_t *members, uint32_t n, uint32_t first,
                                             uint32_t step) noexcept {
    Vector next;
    for (uint32_t i = 0; i < LANES; i++)
        next[i] = first + i * step;
    uint32_t done = 0;
    for (; n - done >= 4 * LANES; done += 4 * LANES) {
        Vector wrong = {};
        for (uint32_t i = 0; i < 4; i++) {
            Vector some;
            load(some, members + done + i * LANES);
            wrong |= some ^ (next + i * LANES * step);
        }
        if (united(wrong) != 0) break;
        next += 4 * LANES * step;
    }
    return done;
}

}  // namespace CMAP_KERNEL
