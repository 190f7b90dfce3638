// SPDX-License-Identifier: BSD-3-Clause
// concat: other maps one after the other.
//
// Payload 12 bytes a part, and the parts with their headers; none up to CMAP_INLINE_MEMBERS
// members.  select O(log k) and the part's; rank asks the parts whose [min, max] holds the index,
// one by one.  For two sets in a row, each in its own best form: the union of two sets in MPI's
// order is the first and what the second adds, and the first is mostly alive already.  Any other
// list is cut in halves, only when that is asked for.
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/intern.hpp"
#include "core/strategy.hpp"

namespace cmap {
namespace {

struct ConcatBody {
    cmap_t **parts;
    uint32_t *starts;  // rank of each part's first member
    uint32_t count;
    uint32_t inside_starts[2];
    cmap_t *inside_parts[2];
};

uint64_t payload(uint32_t parts) noexcept {
    return uint64_t{parts} * (sizeof(cmap_t *) + sizeof(uint32_t));
}

// The first rank of the second part.
uint32_t split_of(const Stats &stats) noexcept {
    return stats.split != 0 ? stats.split : stats.size / 2;
}

Estimate estimate_sets(const Analysis &analysis) noexcept {
    const uint32_t split = analysis.stats.split;
    Content halves[2];
    if (!analysis.content.slice(0, split, halves[0]) ||
        !analysis.content.slice(split, analysis.stats.size, halves[1]))
        return cannot();
    const Estimate a = best_simple(halves[0], analysis.split_stats[0], analysis);
    const Estimate b = best_simple(halves[1], analysis.split_stats[1], analysis);
    return Estimate{a.fits && b.fits, payload(2) + 2 * CMAP_HEADER_BYTES + a.space + b.space,
                    2 * TIME_PART + time_access(payload(2)) + (a.time > b.time ? a.time : b.time)};
}

// Two sets in a row; or what is asked for and nothing better is known about, cut in halves.
Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    const bool forced = analysis.policy.force == CMAP_REP_CONCAT && stats.size >= 2;
    if (inside(stats.size)) return forced ? Estimate{true, 0, 2 * TIME_PART} : cannot();
    if (analysis.split_stats[0].size != 0 && analysis.split_stats[1].size != 0)
        return estimate_sets(analysis);
    if (!forced) return cannot();
    const uint64_t lists = uint64_t{stats.size} * sizeof(uint32_t);
    return Estimate{true, payload(2) + 2 * CMAP_HEADER_BYTES + lists,
                    2 * TIME_PART + time_access(lists)};
}

cmap_status build_part(const Analysis &whole, unsigned i, cmap_t **out) noexcept {
    const uint32_t split = split_of(whole.stats);
    Content content;
    if (!whole.content.slice(i == 0 ? 0 : split, i == 0 ? split : whole.stats.size, content))
        return CMAP_ERR_NOMEM;
    Analysis analysis(content, whole);
    if (whole.split_stats[i].size != 0)
        analysis.stats = whole.split_stats[i];
    else
        analysis.measure();
    return intern(analysis, out);
}

void release(cmap_t *map) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    for (uint32_t i = 0; i < body.count; i++)
        unref(body.parts[i]);
    if (!inside(map->size)) deallocate(body.parts);
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    ConcatBody &body = make_body<ConcatBody>(map);
    body.parts = body.inside_parts;
    body.starts = body.inside_starts;
    if (!inside(map->size)) {
        body.parts = static_cast<cmap_t **>(allocate(payload(2)));
        if (body.parts == nullptr) return CMAP_ERR_NOMEM;
        body.starts = reinterpret_cast<uint32_t *>(body.parts + 2);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const cmap_status status = build_part(analysis, i, &body.parts[i]);
        if (status != CMAP_OK) {
            release(map);
            return status;
        }
        body.starts[i] = i == 0 ? 0 : split_of(analysis.stats);
        ++body.count;
    }
    return CMAP_OK;
}

uint32_t find(const ConcatBody &body, uint32_t rank) noexcept {
    return last_up_to(body.starts, body.count, rank);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    const uint32_t i = find(body, rank);
    return MPIR_cmap_select(body.parts[i], rank - body.starts[i]);
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    for (uint32_t i = 0; i < body.count; i++) {
        const uint32_t found = rank_of(body.parts[i], index);
        if (found != CMAP_NONE) return body.starts[i] + found;
    }
    return CMAP_NONE;
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    for (uint32_t i = find(body, first); count > 0; i++) {
        const uint32_t at = first - body.starts[i], room = body.parts[i]->size - at,
                       n = count < room ? count : room;
        decode(body.parts[i], at, n, indices);
        first += n, indices += n, count -= n;
    }
}

bool same_part(const cmap_t *part, const Content &content, const Analysis &whole,
               unsigned i) noexcept {
    const Stats &stats = whole.split_stats[i];
    if (part->size != stats.size || part->min != stats.min || part->max != stats.max) return false;
    Analysis analysis(content, whole);
    analysis.stats = stats;
    return same_members(part, analysis);
}

// Part by part: words against words, runs against runs.
bool equals(const cmap_t *map, const Analysis &analysis) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    const uint32_t split = body.starts[1];
    const bool known = analysis.split_stats[0].size == split && analysis.stats.split == split;
    Content parts[2];
    if (!known || !analysis.content.slice(0, split, parts[0]) ||
        !analysis.content.slice(split, map->size, parts[1]))
        return decodes_to(map, analysis.content);
    return same_part(body.parts[0], parts[0], analysis, 0) &&
           same_part(body.parts[1], parts[1], analysis, 1);
}

const cmap_t *part(const cmap_t *map, uint32_t i) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    return i < body.count ? body.parts[i] : nullptr;
}

std::size_t bytes(const cmap_t *map) noexcept {
    return inside(map->size) ? 0 : payload(body_of<ConcatBody>(map).count);
}

const char *validate(const cmap_t *map) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < body.count; i++) {
        if (body.starts[i] != rank || body.parts[i]->size == 0)
            return "concat: the prefix sums are wrong";
        rank += body.parts[i]->size;
        if (const char *reason = map_validate(body.parts[i])) return reason;
    }
    return rank == map->size ? nullptr : "concat: the parts have another size in all";
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const ConcatBody &body = body_of<ConcatBody>(map);
    return std::snprintf(text, room, "%u parts: %s, %s%s", body.count,
                         representation(body.parts[0]).name, representation(body.parts[1]).name,
                         body.count > 2 ? ", ..." : "");
}

}  // namespace

constexpr Representation concat_representation = representation_with([](Representation &rep) {
    rep.name = "concat";
    rep.list = true;
    CMAP_FUNCTIONS(rep);
    rep.equals = equals;
    rep.part = part;
});

}  // namespace cmap
