// SPDX-License-Identifier: BSD-3-Clause
// The loops of core/sequence.cpp.  No include guard: it includes this once for every instruction
// set, with
//   CMAP_KERNEL             the namespace
//   CMAP_KERNEL_TARGET      the attribute of its functions
//   CMAP_KERNEL_BYTES       of a vector
//   CMAP_KERNEL_SQUARE32    the squares of the lower halves of 64-bit lanes, in 64 bits
//   CMAP_KERNEL_SQUARE16    the squares of 32-bit lanes below 2^15

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

CMAP_KERNEL_TARGET inline void see_gaps(const Signed &gaps, SequenceSums &sums) noexcept {
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t gap = static_cast<uint32_t>(gaps[i]);
        sums.largest_gap = gap > sums.largest_gap ? gap : sums.largest_gap;
    }
}

// A block that spans little: everything fits 32 bits, relative to its first member.
CMAP_KERNEL_TARGET inline bool add_near(const uint32_t *members, SequenceSums &sums) noexcept {
    const uint64_t base = members[-1];
    Vector wrong = {}, sum = {}, squares = {};
    Signed gaps = {};
    for (uint32_t i = 0; i < BLOCK; i += LANES) {
        Vector some, before;
        load(some, members + i);
        load(before, members + i - 1);
        const Vector gap = some - before, away = some - static_cast<uint32_t>(base);
        wrong |= gap - 1;
        gaps = (Signed)gap > gaps ? (Signed)gap : gaps;
        sum += away;
        squares += CMAP_KERNEL_SQUARE16(away);
    }
    if (united(wrong) > 0x3fff) return false;  // beyond it no gap of a block that is near
    see_gaps(gaps, sums);
    const uint64_t away = total(sum);
    sums.sum += BLOCK * base + away;
    sums.squares += BLOCK * base * base + 2 * base * away + total(squares);
    return true;
}

// Any block that increases, of members below 2^31.
CMAP_KERNEL_TARGET inline bool add_far(const uint32_t *members, SequenceSums &sums) noexcept {
    Vector wrong = {};
    Wide sum = {}, squares = {};
    Signed gaps = {};
    for (uint32_t i = 0; i < BLOCK; i += LANES) {
        Vector some, before;
        load(some, members + i);
        load(before, members + i - 1);
        const Vector gap = some - before;
        wrong |= (gap - 1) | some;  // the sign tells
        gaps = (Signed)gap > gaps ? (Signed)gap : gaps;
        const Wide even = (Wide)some, odd = even >> 32;
        sum += (even & 0xffffffffu) + odd;
        squares += CMAP_KERNEL_SQUARE32(even) + CMAP_KERNEL_SQUARE32(odd);
    }
    if ((united(wrong) >> 31) != 0) return false;
    see_gaps(gaps, sums);
    for (uint32_t i = 0; i < LANES / 2; i++)
        sums.sum += sum[i], sums.squares += squares[i];
    return true;
}

// Takes whole blocks as long as they increase from the member before them on.
CMAP_KERNEL_TARGET uint32_t add_blocks(const uint32_t *members, uint32_t n,
                                       SequenceSums &sums) noexcept {
    uint32_t done = 0;
    for (; n - done >= BLOCK; done += BLOCK) {
        const uint32_t *block = members + done;
        const bool near = block[BLOCK - 1] - block[-1] < NEAR;
        if (!(near ? add_near(block, sums) : add_far(block, sums))) break;
    }
    return done;
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
