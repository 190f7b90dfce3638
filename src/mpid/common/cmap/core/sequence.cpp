// SPDX-License-Identifier: BSD-3-Clause
#include "core/sequence.hpp"

#include <cstring>
#include <type_traits>

#include "core/processor.hpp"
#include "core/rank_select.hpp"

#if CMAP_X86
#include <immintrin.h>
#endif

namespace cmap {
namespace {

// Where the bits of members go: at their distance from a base, or in unary.
struct Distances {
    uint32_t base;

    uint32_t high(uint32_t member) const noexcept { return member - base; }
    uint64_t of(uint32_t member, uint32_t) const noexcept { return high(member); }
};

struct Unary {
    uint32_t base;
    unsigned shift;
    uint32_t rank;

    uint32_t high(uint32_t member) const noexcept { return (member - base) >> shift; }
    uint64_t of(uint32_t member, uint32_t i) const noexcept {
        return uint64_t{high(member)} + rank + i;
    }
};

inline void mark_one(uint64_t *words, uint32_t offset) noexcept {
    words[offset >> 6] |= uint64_t{1} << (offset & 63);
}

// With members below it the products of a block with numbers below 2^31 add up to less than 2^64.
constexpr int32_t SMALL_MEMBER = 1 << 26;
// As many steps below it as there are members in all blocks don't lead through 2^32.
constexpr int32_t LONG_STEP = 1 << 22;
static_assert(Fingerprint::MOST_BLOCKS % 2 == 0 &&
              int64_t{LONG_STEP} * Fingerprint::MOST_BLOCKS * Fingerprint::BLOCK <= 1ll << 32);

#if CMAP_X86
// Up to the first zero.
inline uint32_t ones_below(int bits) noexcept {
    return static_cast<uint32_t>(__builtin_ctz(~static_cast<uint32_t>(bits)));
}
#else
template <class Vector>
inline uint32_t equal_lanes(const Vector &a, const Vector &b) noexcept {
    uint32_t i = 0;
    while (i < sizeof a / sizeof a[0] && a[i] == b[i])
        i++;
    return i;
}
#endif

#define CMAP_KERNEL portable
#define CMAP_KERNEL_TARGET
#define CMAP_KERNEL_BYTES 16
#if CMAP_X86
#define CMAP_KERNEL_PRODUCT(a, b) ((Wide)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#define CMAP_KERNEL_EQUALS(a, b) \
    ones_below(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32((__m128i)(a), (__m128i)(b)))))
#else
#define CMAP_KERNEL_PRODUCT(a, b) (((a)&0xffffffffu) * ((b)&0xffffffffu))
#define CMAP_KERNEL_EQUALS(a, b) equal_lanes(a, b)
#endif
#include "core/sequence_kernel.hpp"
#undef CMAP_KERNEL
#undef CMAP_KERNEL_TARGET
#undef CMAP_KERNEL_BYTES
#undef CMAP_KERNEL_PRODUCT
#undef CMAP_KERNEL_EQUALS

#if CMAP_X86
#define CMAP_KERNEL avx2
#define CMAP_KERNEL_TARGET __attribute__((target("avx2,bmi,bmi2")))
#define CMAP_KERNEL_BYTES 32
#define CMAP_KERNEL_PRODUCT(a, b) ((Wide)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define CMAP_KERNEL_EQUALS(a, b) \
    ones_below(                  \
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32((__m256i)(a), (__m256i)(b)))))
#include "core/sequence_kernel.hpp"

namespace avx2 {

constexpr uint32_t GROUP = 8;
constexpr unsigned MOST_GROUPED = 14;  // bits of a number, of which four are appended at once
constexpr unsigned MOST_PAIRED =
    28;  // ... of which two fit a word that they begin within a byte of

// A bit at each position, of those below 64.
CMAP_KERNEL_TARGET inline __m256i bits_at(__m256i positions) noexcept {
    const __m256i one = _mm256_set1_epi64x(1), evens = _mm256_set1_epi64x(0xffffffff);
    const __m256i even = _mm256_sllv_epi64(one, _mm256_and_si256(positions, evens));
    return _mm256_or_si256(even, _mm256_sllv_epi64(one, _mm256_srli_epi64(positions, 32)));
}

CMAP_KERNEL_TARGET inline uint64_t united(__m256i words) noexcept {
    const __m128i half =
        _mm_or_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_or_si128(half, _mm_srli_si128(half, 8))));
}

// Groups of N vectors from member i on that lie within 64 positions and are not among the last 64
// members, so that the word behind the one they begin in is there.  Returns how many members that
// were.
template <uint32_t N, class Positions>
CMAP_KERNEL_TARGET uint32_t mark_groups(uint64_t *words, const uint32_t *members, uint32_t from,
                                        uint32_t end, const Positions &positions) noexcept {
    constexpr uint32_t MEMBERS = N * GROUP;
    const __m256i base = _mm256_set1_epi32(static_cast<int>(positions.base));
    const __m256i ranks = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    uint32_t i = from;
    for (; end - i >= MEMBERS + 64; i += MEMBERS) {
        const uint32_t *const group = members + i;
        const uint32_t first = positions.high(group[0]), last = positions.high(group[MEMBERS - 1]);
        if (last - first >= 64 - MEMBERS) break;
        __m256i bits = _mm256_setzero_si256();
        for (uint32_t k = 0; k < N; k++) {
            __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(group + k * GROUP));
            if constexpr (std::is_same_v<Positions, Unary>) {
                const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(positions.shift));
                some = _mm256_srl_epi32(_mm256_sub_epi32(some, base), shift);
                some = _mm256_add_epi32(some, ranks);
                some =
                    _mm256_sub_epi32(some, _mm256_set1_epi32(static_cast<int>(first - k * GROUP)));
            } else {
                some = _mm256_sub_epi32(some, _mm256_set1_epi32(static_cast<int>(group[0])));
            }
            bits = _mm256_or_si256(bits, bits_at(some));
        }
        const uint64_t word = united(bits), position = positions.of(group[0], i);
        words[position / 64] |= word << position % 64;
        words[position / 64 + 1] |= word >> 1 >> (63 - position % 64);
    }
    return i - from;
}

// A group of numbers of a writer's width, put together as far as one append takes it.
CMAP_KERNEL_TARGET inline void append_group(PackedWriter &writer, __m256i numbers,
                                            unsigned width) noexcept {
    const long long pair = 2 * width, far = width <= 7 ? 2 * pair : 0;
    const __m128i down = _mm_cvtsi32_si128(static_cast<int>(32 - width));
    const __m256i pairs =
        _mm256_and_si256(_mm256_or_si256(numbers, _mm256_srl_epi64(numbers, down)),
                         _mm256_set1_epi64x((1ll << pair) - 1));
    const __m256i spread = _mm256_sllv_epi64(pairs, _mm256_setr_epi64x(0, pair, far, far + pair));
    const __m256i fours = _mm256_or_si256(spread, _mm256_srli_si256(spread, 8));
    const auto low = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(fours)));
    const auto high = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(fours, 1)));
    if (far != 0) return writer.append(low | high, 8 * width);
    writer.append(low, 4 * width);
    writer.append(high, 4 * width);
}

// Groups of 15 to 28 bits a number begin at whole bytes, and the pairs within them at the same
// positions: each pair is stored with what the one before has in its first byte.
CMAP_KERNEL_TARGET uint32_t pack_wide(PackedWriter &writer, const uint32_t *members, uint32_t n,
                                      uint32_t base) noexcept {
    const unsigned width = writer.width();
    unsigned char *at = writer.open_bytes();
    if (at == nullptr || n < GROUP) return 0;
    const unsigned bits[] = {0, 2 * width, 4 * width, 6 * width, 8 * width};
    const auto byte = [&](unsigned i) { return static_cast<long long>(bits[i] / 8); };
    const __m256i within = _mm256_setr_epi64x(0, bits[1] % 8, bits[2] % 8, bits[3] % 8);
    const __m256i apart =
        _mm256_setr_epi64x(8 * byte(1), 8 * (byte(2) - byte(1)), 8 * (byte(3) - byte(2)), 64);
    const __m256i bases = _mm256_set1_epi32(static_cast<int>(base));
    const __m256i mask = _mm256_set1_epi32((1 << width) - 1);
    const __m128i down = _mm_cvtsi32_si128(static_cast<int>(32 - width));
    const __m256i evens = _mm256_set1_epi64x(0xffffffff);
    uint32_t i = 0;
    for (; n - i >= GROUP; i += GROUP, at += width) {
        const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(members + i));
        const __m256i lows = _mm256_and_si256(_mm256_sub_epi32(some, bases), mask);
        const __m256i odd = _mm256_srl_epi64(_mm256_andnot_si256(evens, lows), down);
        const __m256i pairs = _mm256_or_si256(_mm256_and_si256(evens, lows), odd);
        const __m256i placed = _mm256_sllv_epi64(pairs, within);
        const __m256i over = _mm256_permute4x64_epi64(_mm256_srlv_epi64(placed, apart), 0x93);
        const __m256i words = _mm256_or_si256(placed, over);
        const __m128i low = _mm256_castsi256_si128(words),
                      high = _mm256_extracti128_si256(words, 1);
        _mm_storel_epi64(reinterpret_cast<__m128i *>(at), low);
        _mm_storel_epi64(reinterpret_cast<__m128i *>(at + byte(1)), _mm_srli_si128(low, 8));
        _mm_storel_epi64(reinterpret_cast<__m128i *>(at + byte(2)), high);
        _mm_storel_epi64(reinterpret_cast<__m128i *>(at + byte(3)), _mm_srli_si128(high, 8));
    }
    writer.skip(std::size_t{i / GROUP} * width);
    return i;
}

// Whole groups of numbers up to 28 bits; returns how many members that were.
CMAP_KERNEL_TARGET uint32_t pack_lows(PackedWriter &writer, const uint32_t *members, uint32_t n,
                                      uint32_t base) noexcept {
    const unsigned width = writer.width();
    if (width > MOST_GROUPED) return width <= MOST_PAIRED ? pack_wide(writer, members, n, base) : 0;
    const __m256i bases = _mm256_set1_epi32(static_cast<int>(base));
    const __m256i mask = _mm256_set1_epi32((1 << width) - 1);
    PackedWriter local = writer;  // in registers
    uint32_t i = 0;
    for (; n - i >= GROUP; i += GROUP) {
        const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(members + i));
        append_group(local, _mm256_and_si256(_mm256_sub_epi32(some, bases), mask), width);
    }
    writer = local;
    return i;
}

CMAP_KERNEL_TARGET uint32_t pack_gaps(PackedWriter &writer, const uint32_t *members,
                                      uint32_t n) noexcept {
    const unsigned width = writer.width();
    if (width > MOST_GROUPED) return 0;
    PackedWriter local = writer;
    uint32_t i = 0;
    for (; n - i >= GROUP; i += GROUP) {
        const auto at = reinterpret_cast<const __m256i *>(members + i);
        const auto before = reinterpret_cast<const __m256i *>(members + i - 1);
        const __m256i gaps = _mm256_sub_epi32(_mm256_loadu_si256(at), _mm256_loadu_si256(before));
        append_group(local, _mm256_sub_epi32(gaps, _mm256_set1_epi32(1)), width);
    }
    writer = local;
    return i;
}

// How many of the members are in whole groups, which it marks.
__attribute__((target("bmi2"))) uint32_t mark_eights(uint64_t *words, const uint32_t *members,
                                                     uint32_t n, uint32_t base) noexcept {
    uint32_t i = 0;
    for (; n - i >= GROUP; i += GROUP) {
#pragma GCC unroll 8
        for (uint32_t k = 0; k < GROUP; k++)
            mark_one(words, members[i + k] - base);
    }
    return i;
}

}  // namespace avx2

#undef CMAP_KERNEL
#undef CMAP_KERNEL_TARGET
#undef CMAP_KERNEL_BYTES
#undef CMAP_KERNEL_PRODUCT
#undef CMAP_KERNEL_EQUALS
#else
namespace avx2 {

using portable::length_of_run;
using portable::survey_blocks;
using portable::survey_increasing;

template <uint32_t N, class Positions>
uint32_t mark_groups(uint64_t *, const uint32_t *, uint32_t, uint32_t, const Positions &) noexcept {
    return 0;
}

uint32_t mark_eights(uint64_t *, const uint32_t *, uint32_t, uint32_t) noexcept { return 0; }
uint32_t pack_lows(PackedWriter &, const uint32_t *, uint32_t, uint32_t) noexcept { return 0; }
uint32_t pack_gaps(PackedWriter &, const uint32_t *, uint32_t) noexcept { return 0; }

}  // namespace avx2
#endif

template <class Positions>
void mark(uint64_t *words, const uint32_t *members, uint32_t n,
          const Positions &positions) noexcept {
    constexpr uint32_t SOME = 64;  // in short groups, or one by one, before long ones are tried
    for (uint32_t i = 0; i < n;) {
        const bool last = !fast_vectors || n - i < 3 * SOME;
        const uint32_t before = i;
        if (!last) {
            i += avx2::mark_groups<2>(words, members, i, n, positions);
            const uint32_t end = n - i < 3 * SOME ? n : i + 2 * SOME;
            i += avx2::mark_groups<1>(words, members, i, end, positions);
        }
        if (i != before) continue;
        for (const uint32_t end = last ? n : i + SOME; i < end; i++) {
            const uint64_t position = positions.of(members[i], i);
            words[position / 64] |= uint64_t{1} << position % 64;
        }
    }
}

}  // namespace

bool survey_blocks(const uint32_t *members, uint32_t n, BlocksSurvey &blocks) noexcept {
    const Fingerprint::Weights &weights = Fingerprint::weights();
    return fast_vectors ? avx2::survey_blocks(members, n, weights, blocks)
                        : portable::survey_blocks(members, n, weights, blocks);
}

bool survey_increasing(const uint32_t *members, uint32_t n, BlocksSurvey &blocks) noexcept {
    const Fingerprint::Weights &weights = Fingerprint::weights();
    return fast_vectors ? avx2::survey_increasing(members, n, weights, blocks)
                        : portable::survey_increasing(members, n, weights, blocks);
}

uint32_t length_of_run(const uint32_t *members, uint32_t n, uint32_t first,
                       uint32_t step) noexcept {
    if (n == 0 || members[0] != first) return 0;
    uint32_t done = fast_vectors ? avx2::length_of_run(members, n, first, step)
                                 : portable::length_of_run(members, n, first, step);
    while (done < n && members[done] == first + done * step)
        done++;
    return done;
}

void mark_members(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base) noexcept {
    mark(words, members, n, Distances{base});
}

void mark_shuffled(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base) noexcept {
    uint32_t i = fast_vectors ? avx2::mark_eights(words, members, n, base) : 0;
    for (; i < n; i++)
        mark_one(words, members[i] - base);
}

void mark_unary(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base, unsigned shift,
                uint32_t rank) noexcept {
    mark(words, members, n, Unary{base, shift, rank});
}

void pack_lows(PackedWriter &writer, const uint32_t *members, uint32_t n, uint32_t base) noexcept {
    const uint32_t done = fast_vectors ? avx2::pack_lows(writer, members, n, base) : 0;
    writer.put(n - done, [=](uint32_t i) { return uint64_t{members[done + i] - base}; });
}

void pack_gaps(PackedWriter &writer, const uint32_t *members, uint32_t n) noexcept {
    const uint32_t done = fast_vectors ? avx2::pack_gaps(writer, members, n) : 0;
    const uint32_t *const rest = members + done;
    writer.put(n - done, [=](uint32_t i) { return uint64_t{rest[i] - *(rest + i - 1) - 1}; });
}

bool sequence_use_portable(bool portable) noexcept {
    const bool before = !fast_vectors;
    fast_vectors = !portable && has_fast_vectors();
    return before;
}

}  // namespace cmap
