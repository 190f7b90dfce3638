// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bitmap.hpp"

#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/map.hpp"
#include "core/rank_select.hpp"
#include "core/sequence.hpp"

namespace cmap {
namespace {

constexpr uint32_t INSIDE_WORDS = 4;

struct BitmapBody {
    RankSelect bits;  // in one piece of memory
    uint32_t base;    // index of bit 0
    uint64_t inside[INSIDE_WORDS];
};

uint32_t base_of(uint32_t min) noexcept { return min & ~63u; }

// What the payload is made of, from the statistics alone.
RankSelectLayout layout_of(uint32_t min, uint32_t max, uint32_t size) noexcept {
    return rank_select_layout(uint64_t{max} - base_of(min) + 1, size, false);
}

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (!stats.is_set || stats.size == 0) return cannot();
    const RankSelectLayout layout = layout_of(stats.min, stats.max, stats.size);
    return estimate_of(stats.size, layout.bytes(), INSIDE_WORDS * 8, TIME_BITMAP);
}

void mark(uint64_t *words, uint32_t first, uint32_t count) noexcept {
    for (uint32_t position = first; count > 0;) {
        const uint32_t room = 64 - position % 64, n = count < room ? count : room;
        const uint64_t ones = n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
        words[position / 64] |= ones << position % 64;
        position += n, count -= n;
    }
}

void mark_run(uint64_t *words, const Run &run) noexcept {
    if (run.step == 1) return mark(words, run.first, run.count);
    for (uint32_t i = 0; i < run.count; i++)
        words[run.at(i) / 64] |= uint64_t{1} << run.at(i) % 64;
}

void mark_all(const BitmapBody &body, const Content &content) noexcept {
    if (content.bit_sets() == 1) {
        std::memcpy(body.bits.words, content.bits(0).words, uint64_t{body.bits.word_count} * 8);
        return;
    }
    std::memset(body.bits.words, 0, uint64_t{body.bits.word_count} * 8);
    if (content.array() != nullptr)
        return mark_members(body.bits.words, content.array(), content.size(), body.base);
    content.each_run([&](const Run &run) {
        mark_run(body.bits.words, Run{run.first - body.base, run.step, run.count});
        return true;
    });
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const RankSelectLayout layout = layout_of(map->min, map->max, map->size);
    BitmapBody &body = make_body<BitmapBody>(map);
    uint64_t *memory = body.inside;
    if (!inside(map)) memory = static_cast<uint64_t *>(allocate(layout.bytes()));
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    body.bits.lay_out(memory, layout);
    body.base = base_of(map->min);
    mark_all(body, analysis.content);
    body.bits.fill_directories();
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (!inside(map)) deallocate(body_of<BitmapBody>(map).bits.words);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    return body.base + static_cast<uint32_t>(select1(body.bits, rank));
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    const uint32_t position = index - body.base;
    return body.bits[position] ? rank1(body.bits, position) : CMAP_NONE;
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    OnesReader ones(body.bits.words, select1(body.bits, first));
    for (uint32_t i = 0; i < count; i++)
        indices[i] = body.base + static_cast<uint32_t>(ones.next());
}

bool equals(const cmap_t *map, const Analysis &analysis) noexcept {
    const Content &content = analysis.content;
    if (!analysis.stats.is_set) return false;
    if (content.bit_sets() != 0) return same_words(bits_of(map), content.bits(0));
    const BitmapBody &body = body_of<BitmapBody>(map);  // as many members, and all of them are here
    return content.each_block([&](const uint32_t *members, uint32_t n) {
        uint64_t all = 1;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t position = members[i] - body.base;
            all &= body.bits.words[position / 64] >> position % 64;
        }
        return all != 0;
    });
}

std::size_t bytes(const cmap_t *map) noexcept {
    return inside(map) ? 0 : layout_of(map->min, map->max, map->size).bytes();
}

const char *validate(const cmap_t *map) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    if (!is_set(map)) return "bitmap: this is no set";
    if (body.base != base_of(map->min)) return "bitmap: the base is wrong";
    return body.bits.validate(map->size);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    return std::snprintf(text, room, "%u of %u from %u", map->size, map->max - map->min + 1,
                         map->min);
}

const void *payload_of(const cmap_t *map) noexcept {
    return inside(map) ? nullptr : body_of<BitmapBody>(map).bits.words;
}

void relocate(cmap_t *map, const Relocation &move) noexcept {
    changing_body_of<BitmapBody>(map).bits.relocate(move);
}

}  // namespace

BitSet bits_of(const cmap_t *map) noexcept {
    const BitmapBody &body = body_of<BitmapBody>(map);
    BitSet set;
    set.words = body.bits.words;
    set.count = body.bits.word_count;
    set.base = body.base;
    return set;
}

constexpr Representation bitmap_representation = representation_with([](Representation &rep) {
    rep.name = "bitmap";
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
    rep.equals = equals;
});

}  // namespace cmap
