// SPDX-License-Identifier: BSD-3-Clause
// eliasfano: a sparse set, high parts of its members in unary and low parts as they are.
//
// Of each member less the least, the l = floor(lg(span / n)) lowest bits stand in a packed string.
// The rest is a string of bits with a one for each member, in order, and a zero behind each value
// of the high part: member k has the high part (position of one number k) - k.  Payload n * l + n +
// span / 2^l bits, at most n * (2 + lg(span / n)), and the directories of core/rank_select.hpp over
// the second string, 5 % of it.  select O(1): one select1 and one number.  rank: two select0 and
// bisection of the low parts between.
//
// P. Elias, "Efficient storage and retrieval by content and address of static files", J. ACM 21(2),
// 1974; R. M. Fano, "On the number of bits required to implement an associative memory", MIT
// Project MAC, 1971; with the directories D. Okanohara and K. Sadakane, "Practical entropy-
// compressed rank/select dictionary", ALENEX 2007, section 6 (sdarray).
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/bits.hpp"
#include "core/map.hpp"
#include "core/rank_select.hpp"
#include "core/sequence.hpp"

namespace cmap {
namespace {

constexpr uint32_t INSIDE_WORDS = 3;
constexpr uint32_t FILL_MEMBERS = 4096;  // stay in the first-level cache for both passes over them

struct EliasFanoBody {
    RankSelect high;
    unsigned char *low;  // behind the former, in the same memory
    uint32_t base;
    uint32_t width;
    uint64_t inside[INSIDE_WORDS];

    PackedView lows() const noexcept { return packed_view(low, width); }
};

// What the payload is made of, from the statistics alone.
struct Layout {
    RankSelectLayout high;
    uint32_t width;
    uint64_t low_bytes;

    uint64_t bytes() const noexcept { return high.bytes() + low_bytes; }
};

// lg of the members a sample: a quarter of a bit each, and less where a member has few bits in all.
unsigned spread(uint32_t width) noexcept { return width == 0 ? 9 : width < 3 ? 8 : 7; }

Layout layout_of(uint32_t min, uint32_t max, uint32_t size) noexcept {
    const uint64_t last = uint64_t{max} - min, each = (last + 1) / size;
    Layout layout;
    layout.width = 63 - static_cast<unsigned>(__builtin_clzll(each));
    layout.high =
        rank_select_sampled((last >> layout.width) + 1 + size, size, spread(layout.width));
    layout.low_bytes = layout.width == 0 ? 0 : packed_bytes(size, layout.width);
    return layout;
}

Layout layout_of(const cmap_t *map) noexcept { return layout_of(map->min, map->max, map->size); }

constexpr uint64_t LONG_RUN = 16;  // members

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (!stats.is_set || stats.size == 0) return cannot();
    const bool in_runs = stats.runs * LONG_RUN <= stats.size;
    const double time = TIME_ELIASFANO + (in_runs ? TIME_ELIASFANO_RUNS : 0);
    return estimate_of(stats.size, layout_of(stats.min, stats.max, stats.size).bytes(),
                       INSIDE_WORDS * 8, time);
}

void fill(EliasFanoBody &body, const Content &content) noexcept {
    std::memset(body.high.words, 0, uint64_t{body.high.word_count} * 8);
    PackedWriter lows(body.low, body.width);
    uint32_t rank = 0;
    content.each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i += FILL_MEMBERS) {
            const uint32_t some = n - i < FILL_MEMBERS ? n - i : FILL_MEMBERS;
            mark_unary(body.high.words, members + i, some, body.base, body.width, rank + i);
            pack_lows(lows, members + i, some, body.base);
        }
        rank += n;
        return true;
    });
    lows.finish(body.width == 0 ? 0 : packed_bytes(rank, body.width));
    body.high.fill_directories();
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const Layout layout = layout_of(map);
    EliasFanoBody &body = make_body<EliasFanoBody>(map);
    uint64_t *memory = body.inside;
    if (!inside(map)) memory = static_cast<uint64_t *>(allocate(layout.bytes()));
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    body.high.lay_out(memory, layout.high);
    body.low = reinterpret_cast<unsigned char *>(memory) + layout.high.bytes();
    body.base = map->min;
    body.width = layout.width;
    fill(body, analysis.content);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (!inside(map)) deallocate(body_of<EliasFanoBody>(map).high.words);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const EliasFanoBody &body = body_of<EliasFanoBody>(map);
    const uint32_t high = static_cast<uint32_t>(select1_sampled(body.high, rank) - rank);
    if (body.width == 0) return body.base + high;
    return body.base + (high << body.width | body.lows()[rank]);
}

// Rank of the first member whose high part is at least this.
uint32_t begin_of(const EliasFanoBody &body, uint32_t high) noexcept {
    return high == 0 ? 0 : static_cast<uint32_t>(select0(body.high, high - 1) - (high - 1));
}

// Of those that have this high part, the first being known: mostly the zero behind them is near.
uint32_t end_of(const EliasFanoBody &body, uint32_t high, uint32_t first) noexcept {
    const uint64_t position = uint64_t{first} + high;
    const uint64_t zeros = ~body.high.words[position / 64] >> position % 64;
    return zeros != 0 ? first + static_cast<uint32_t>(__builtin_ctzll(zeros))
                      : begin_of(body, high + 1);
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const EliasFanoBody &body = body_of<EliasFanoBody>(map);
    const uint32_t value = index - body.base, high = value >> body.width;
    const uint32_t first = begin_of(body, high);
    const uint32_t end = end_of(body, high, first);
    if (first == end || body.width == 0) return first == end ? CMAP_NONE : first;
    const PackedView lows = body.lows();
    const uint32_t low = value & lows.mask;
    const uint32_t rank = bisect(first, end - first, [&](uint32_t r) { return lows[r] <= low; });
    return lows[rank] == low ? rank : CMAP_NONE;
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const EliasFanoBody &body = body_of<EliasFanoBody>(map);
    OnesReader ones(body.high.words, select1_sampled(body.high, first));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t high = static_cast<uint32_t>(ones.next() - first - i);
        indices[i] = body.base + (high << body.width);
    }
    if (body.width == 0) return;
    const PackedView lows = body.lows();
    for (uint32_t i = 0; i < count; i++)
        indices[i] += lows[uint64_t{first} + i];
}

std::size_t bytes(const cmap_t *map) noexcept { return inside(map) ? 0 : layout_of(map).bytes(); }

const char *validate(const cmap_t *map) noexcept {
    const EliasFanoBody &body = body_of<EliasFanoBody>(map);
    if (!is_set(map)) return "eliasfano: this is no set";
    if (body.base != map->min) return "eliasfano: the base is wrong";
    if (body.width != layout_of(map).width) return "eliasfano: the width is wrong";
    return body.high.validate(map->size);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const EliasFanoBody &body = body_of<EliasFanoBody>(map);
    return std::snprintf(
        text, room, "%u x %u low bits + %llu high bits from %u", map->size, body.width,
        (static_cast<unsigned long long>(map->max - map->min) >> body.width) + 1 + map->size,
        map->min);
}

const void *payload_of(const cmap_t *map) noexcept {
    return inside(map) ? nullptr : body_of<EliasFanoBody>(map).high.words;
}

void relocate(cmap_t *map, const Relocation &move) noexcept {
    EliasFanoBody &body = changing_body_of<EliasFanoBody>(map);
    body.high.relocate(move);
    move(body.low);
}

}  // namespace

constexpr Representation eliasfano_representation = representation_with([](Representation &rep) {
    rep.name = "eliasfano";
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
});

}  // namespace cmap
