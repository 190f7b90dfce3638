// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bitmap.hpp"

#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bits.hpp"
#include "core/map.hpp"

namespace cmap {
namespace {

constexpr uint32_t BLOCK_WORDS = 32, QUARTER_WORDS = 8;
constexpr uint32_t GUARDS =
    2;  // entries behind the last block which no rank reaches: select needs no bound
constexpr uint32_t INSIDE_WORDS = 4;

struct BitmapBody {
    uint64_t *words;  // the directories follow in the same memory
    uint64_t *blocks;
    uint32_t *hints;
    uint32_t base;  // index of bit 0
    uint32_t word_count;
    uint32_t block_count;
    uint32_t hint_shift;
    uint64_t inside[INSIDE_WORDS];
};

// Ones in the first 0 .. 3 quarters of a block.
inline uint32_t quarter_ones(uint64_t entry, uint32_t quarters) noexcept {
    // Field 0 is an empty one below the three: shifts 32 - 0, 32, 42, 53 and their masks.
    constexpr uint32_t shift[] = {32, 32, 42, 53}, mask[] = {0, 0x3ff, 0x7ff, 0x7ff};
    return static_cast<uint32_t>(entry >> shift[quarters]) & mask[quarters];
}

#define CMAP_KERNEL portable
#define CMAP_KERNEL_TARGET
#define CMAP_KERNEL_PDEP 0
#include "rep/bitmap_kernel.hpp"
#undef CMAP_KERNEL
#undef CMAP_KERNEL_TARGET
#undef CMAP_KERNEL_PDEP

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CMAP_KERNEL bmi2
#define CMAP_KERNEL_TARGET __attribute__((target("bmi,bmi2,popcnt")))
#define CMAP_KERNEL_PDEP 1
#include "rep/bitmap_kernel.hpp"
#undef CMAP_KERNEL
#undef CMAP_KERNEL_TARGET
#undef CMAP_KERNEL_PDEP

// AMD before family 19h has pdep in microcode: hundreds of cycles.
bool has_fast_pdep() noexcept {
    __builtin_cpu_init();
    const bool slow = __builtin_cpu_is("amdfam15h") || __builtin_cpu_is("amdfam17h");
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && !slow;
}
#else
namespace bmi2 = portable;
bool has_fast_pdep() noexcept { return false; }
#endif

// Until this has run at load time it reads false, which is slower and no less right.
bool fast_pdep = has_fast_pdep();

inline uint32_t place_of(const BitmapBody &body, uint32_t rank) noexcept {
    return fast_pdep ? bmi2::place_of(body, rank) : portable::place_of(body, rank);
}

inline uint32_t ones_before(const BitmapBody &body, uint32_t place) noexcept {
    return fast_pdep ? bmi2::ones_before(body, place) : portable::ones_before(body, place);
}

// What the payload is made of, from the statistics alone.
struct Layout {
    uint32_t base, words, blocks, hints, hint_shift;

    uint64_t bytes() const noexcept {
        return (uint64_t{words} + blocks + (blocks != 0 ? GUARDS : 0)) * 8 + uint64_t{hints} * 4;
    }
};

Layout layout_of(uint32_t min, uint32_t max, uint32_t size) noexcept {
    Layout layout{min & ~63u, 0, 0, 0, 0};
    layout.words = (max - layout.base) / 64 + 1;
    if (layout.words <= BLOCK_WORDS) return layout;
    layout.blocks = (layout.words + BLOCK_WORDS - 1) / BLOCK_WORDS;
    while ((uint64_t{layout.words} << layout.hint_shift) < uint64_t{size} * BITMAP_HINT_WORDS)
        layout.hint_shift++;
    layout.hints = ((size - 1) >> layout.hint_shift) + 1;
    return layout;
}

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (!stats.is_set || stats.size == 0) return cannot();
    const Layout layout = layout_of(stats.min, stats.max, stats.size);
    if (stats.size <= CMAP_INLINE_MEMBERS)
        return layout.words <= INSIDE_WORDS ? Estimate{true, 0, TIME_BITMAP + time_access(0)}
                                            : cannot();
    return Estimate{true, layout.bytes(), TIME_BITMAP + time_access(layout.bytes())};
}

void mark(uint64_t *words, uint32_t first, uint32_t count) noexcept {
    for (uint32_t place = first; count > 0;) {
        const uint32_t room = 64 - place % 64, n = count < room ? count : room;
        const uint64_t ones = n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
        words[place / 64] |= ones << place % 64;
        place += n, count -= n;
    }
}

void mark_run(uint64_t *words, const Run &run) noexcept {
    if (run.step == 1) return mark(words, run.first, run.count);
    for (uint32_t i = 0; i < run.count; i++)
        words[run.at(i) / 64] |= uint64_t{1} << run.at(i) % 64;
}

uint32_t count_ones(const BitmapBody &body, uint32_t first, uint32_t last) noexcept {
    uint32_t ones = 0;
    for (uint32_t w = first; w < last && w < body.word_count; w++)
        ones += static_cast<uint32_t>(__builtin_popcountll(body.words[w]));
    return ones;
}

uint64_t block_entry(const BitmapBody &body, uint32_t b, uint32_t before,
                     uint32_t &total) noexcept {
    uint32_t sums[5] = {0, 0, 0, 0, 0};
    for (uint32_t q = 0; q < 4; q++) {
        const uint32_t first = b * BLOCK_WORDS + q * QUARTER_WORDS;
        sums[q + 1] = sums[q] + count_ones(body, first, first + QUARTER_WORDS);
    }
    total = sums[4];
    return before | uint64_t{sums[1]} << 32 | uint64_t{sums[2]} << 42 | uint64_t{sums[3]} << 53;
}

void fill_directories(BitmapBody &body) noexcept {
    uint32_t before = 0, next_hint = 0;
    for (uint32_t b = 0; b < body.block_count; b++) {
        uint32_t total;
        body.blocks[b] = block_entry(body, b, before, total);
        before += total;
        for (; uint64_t{next_hint} << body.hint_shift < before; next_hint++)
            body.hints[next_hint] = b;
    }
}

void mark_all(const BitmapBody &body, const Content &content) noexcept {
    if (content.bit_sets() == 1) {
        std::memcpy(body.words, content.bits(0).words, uint64_t{body.word_count} * 8);
        return;
    }
    std::memset(body.words, 0, uint64_t{body.word_count} * 8);
    content.each_run([&](const Run &run) {
        mark_run(body.words, Run{run.first - body.base, run.step, run.count});
        return true;
    });
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const Layout layout = layout_of(map->min, map->max, map->size);
    BitmapBody &body = make_body<BitmapBody>(map);
    uint64_t *memory = body.inside;
    if (map->size > CMAP_INLINE_MEMBERS) memory = static_cast<uint64_t *>(allocate(layout.bytes()));
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    body.words = memory;
    body.base = layout.base;
    body.word_count = layout.words;
    body.hint_shift = layout.hint_shift;
    mark_all(body, analysis.content);
    if (layout.blocks == 0) return CMAP_OK;
    body.blocks = memory + layout.words;
    body.block_count = layout.blocks;
    body.hints = reinterpret_cast<uint32_t *>(body.blocks + layout.blocks + GUARDS);
    for (uint32_t i = 0; i < GUARDS; i++)
        body.blocks[layout.blocks + i] = UINT32_MAX;
    fill_directories(body);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (map->size > CMAP_INLINE_MEMBERS) deallocate(body_of<BitmapBody>(map).words);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    return body.base + place_of(body, rank);
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    const uint32_t place = index - body.base;
    if ((body.words[place / 64] >> place % 64 & 1) == 0) return CMAP_NONE;
    return ones_before(body, place);
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    const uint32_t place = place_of(body, first);
    uint32_t w = place / 64;
    uint64_t word = body.words[w] & ~uint64_t{0} << place % 64;
    for (uint32_t *const end = indices + count; indices != end; word &= word - 1) {
        while (word == 0)
            word = body.words[++w];
        *indices++ = body.base + w * 64 + static_cast<uint32_t>(__builtin_ctzll(word));
    }
}

bool equals(const cmap_t *map, const Analysis &analysis) noexcept {
    const Content &content = analysis.content;
    if (!analysis.stats.is_set) return false;
    if (content.bit_sets() != 0) return same_words(bits_of(map), content.bits(0));
    const BitmapBody &body = body_of<BitmapBody>(map);  // as many members, and all of them are here
    return content.each_block([&](const uint32_t *members, uint32_t n) {
        uint64_t all = 1;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t place = members[i] - body.base;
            all &= body.words[place / 64] >> place % 64;
        }
        return all != 0;
    });
}

std::size_t bytes(const cmap_t *map) noexcept {
    return map->size <= CMAP_INLINE_MEMBERS ? 0 : layout_of(map->min, map->max, map->size).bytes();
}

const char *validate(const cmap_t *map) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    if (!is_set(map)) return "bitmap: this is no set";
    if (body.base != (map->min & ~63u)) return "bitmap: the base is wrong";
    if (count_ones(body, 0, body.word_count) != map->size)
        return "bitmap: the number of ones is wrong";
    uint32_t before = 0;
    for (uint32_t b = 0; b < body.block_count; b++) {
        uint32_t total;
        if (body.blocks[b] != block_entry(body, b, before, total))
            return "bitmap: the rank directory is wrong";
        before += total;
    }
    return nullptr;  // a wrong hint shows in select
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    return std::snprintf(text, room, "%u of %u from %u", map->size, map->max - map->min + 1,
                         map->min);
}

}  // namespace

BitSet bits_of(const cmap_t *map) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    BitSet set;
    set.words = body.words;
    set.count = body.word_count;
    set.base = body.base;
    return set;
}

bool bitmap_use_portable(bool portable) noexcept {
    const bool before = !fast_pdep;
    fast_pdep = !portable && has_fast_pdep();
    return before;
}

const Representation bitmap_representation = {
    "bitmap", false,  estimate, build,   release, select,   rank,     decode_block,
    nullptr,  equals, bytes,    nullptr, nullptr, validate, describe,
};

}  // namespace cmap
