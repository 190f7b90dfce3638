// SPDX-License-Identifier: BSD-3-Clause
#include "core/map.hpp"

#include <cassert>
#include <cstddef>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/inverse.hpp"
#include "core/node.hpp"
#include "core/sorter.hpp"
#include "core/strategy.hpp"

namespace cmap {

uint32_t rank_by_bisection(const cmap_t *map, uint32_t index) noexcept {
    const uint32_t rank = bisect(uint32_t{0}, map->size,
                                 [&](uint32_t r) { return MPIR_cmap_select(map, r) <= index; });
    return MPIR_cmap_select(map, rank) == index ? rank : CMAP_NONE;
}

void decode_by_select(const cmap_t *map, uint32_t first, uint32_t count,
                      uint32_t *indices) noexcept {
    for (uint32_t i = 0; i < count; i++)
        indices[i] = MPIR_cmap_select(map, first + i);
}

namespace {

// Ranks from the first on that follow one another.
uint32_t stretch_of(const uint32_t *ranks, uint32_t n) noexcept {
    uint32_t i = 1;
    while (i < n && ranks[i] == ranks[0] + i)
        i++;
    return i;
}

bool inline_select(const cmap_t *map) noexcept {
    return map->kind == CMAP_REP_AFFINE || map->kind == CMAP_REP_PACKED ||
           map->kind == CMAP_REP_ARRAY;
}

}  // namespace

void select_many(const cmap_t *map, const uint32_t *ranks, uint32_t n, uint32_t *indices) noexcept {
    if (inline_select(map)) {
        for (uint32_t i = 0; i < n; i++)
            indices[i] = MPIR_cmap_select(map, ranks[i]);
        return;
    }
    for (uint32_t i = 0, stretch; i < n; i += stretch) {
        stretch = stretch_of(ranks + i, n - i);
        if (stretch >= DECODE_STRETCH) {
            decode(map, ranks[i], stretch, indices + i);
        } else {
            for (uint32_t j = 0; j < stretch; j++)
                indices[i + j] = MPIR_cmap_select(map, ranks[i + j]);
        }
    }
}

bool same_members(const cmap_t *map, const Analysis &analysis) noexcept {
    const auto equals = representation(map).equals;
    return equals != nullptr ? equals(map, analysis) : decodes_to(map, analysis.content);
}

bool decodes_to(const cmap_t *map, const Content &content) noexcept {
    uint32_t rank = 0;
    return content.each_block([&](const uint32_t *members, uint32_t n) {
        uint32_t block[512];
        for (uint32_t i = 0; i < n;) {
            const uint32_t m = n - i < 512 ? n - i : 512;
            decode(map, rank, m, block);
            if (std::memcmp(block, members + i, m * sizeof *block) != 0) return false;
            i += m, rank += m;
        }
        return true;
    });
}

namespace {

std::size_t inverse_bytes(const cmap_t *map) noexcept {
    const Inverse *inverse = inverse_if_built(map);
    return inverse != nullptr ? inverse->bytes() : 0;
}

// The sum over the maps that belong to this one alone: a shared set is counted for itself, and so
// are the parts, there only when asked for, of a map that fits its header.
template <class Bytes>
std::size_t sum_of_parts(const cmap_t *map, Bytes &&bytes) noexcept {
    const Representation &rep = representation(map);
    std::size_t sum = 0;
    if (rep.part == nullptr || shares_set(map) || map->size <= CMAP_INLINE_MEMBERS) return sum;
    for (uint32_t i = 0; const cmap_t *part = rep.part(map, i); i++)
        sum += bytes(part);
    return sum;
}

}  // namespace

std::size_t own_bytes(const cmap_t *map) noexcept {
    return representation(map).bytes(map) + inverse_bytes(map);
}

std::size_t payload_bytes(const cmap_t *map) noexcept {
    return own_bytes(map) +
           sum_of_parts(map, [](const cmap_t *part) { return sizeof *part + payload_bytes(part); });
}

std::size_t cached_bytes(const cmap_t *map) noexcept {
    const auto cached = representation(map).cached;
    const std::size_t own = inverse_bytes(map) + (cached != nullptr ? cached(map) : 0);
    return own + sum_of_parts(map, cached_bytes);
}

std::size_t own_node_bytes(const cmap_t *map) noexcept {
    const Inverse *inverse = inverse_if_built(map);
    return ((map->flags & FLAG_ON_NODE) != 0 ? representation(map).bytes(map) : 0) +
           (inverse != nullptr ? inverse->node_bytes() : 0);
}

std::size_t node_bytes(const cmap_t *map) noexcept {
    return own_node_bytes(map) + sum_of_parts(map, node_bytes);
}

void map_move_to_node(cmap_t *map) noexcept {
    const Representation &rep = representation(map);
    const void *const own = rep.payload != nullptr ? rep.payload(map) : nullptr;
    const void *const kept = own != nullptr ? node_keep(own, rep.bytes(map)) : nullptr;
    if (kept == nullptr) return;
    rep.relocate(map, Relocation(own, kept));
    deallocate(const_cast<void *>(own));
    map->flags |= FLAG_ON_NODE;
}

namespace {

// The representation then has nothing to give back.
void drop_from_node(cmap_t *map) noexcept {
    const Representation &rep = representation(map);
    const void *const kept = rep.payload(map);
    const std::size_t bytes = rep.bytes(map);
    rep.relocate(map, Relocation(kept, nullptr));
    node_drop(kept, bytes);
}

// All zeros, and at the start of a cache line.
cmap_t *header_allocate() noexcept {
    constexpr std::size_t slack = CMAP_LINE_BYTES - alignof(std::max_align_t);
    unsigned char *const memory = static_cast<unsigned char *>(allocate(sizeof(cmap_t) + slack));
    if (memory == nullptr) return nullptr;
    const std::size_t skipped = -reinterpret_cast<uintptr_t>(memory) % CMAP_LINE_BYTES;
    cmap_t *const map = new (memory + skipped) cmap_t();
    map->skipped = static_cast<uint8_t>(skipped);
    return map;
}

void header_free(cmap_t *map) noexcept {
    deallocate(reinterpret_cast<unsigned char *>(map) - map->skipped);
}

uint16_t eighths(double ns) noexcept {
    return ns < UINT16_MAX / 8 ? static_cast<uint16_t>(ns * 8) : UINT16_MAX;
}

cmap_status build_first(const Choice &choice, cmap_t *map, const Analysis &analysis) noexcept {
    for (unsigned i = 0; i < choice.count; i++) {
        map->kind = choice.kind[i];
        map->time = eighths(choice.time[i]);
        map->flags &= FLAG_SET;  // no other one of what declined
        const cmap_status status = representation(map).build(map, analysis);
        if (status != CMAP_ERR_INVALID) return status;
    }
    return CMAP_ERR_INVALID;
}

// Scans a map that claims to be a list for repeated members.
const char *validate_distinct(const cmap_t *map) noexcept {
    Sorter sorter;
    if (!sorter.start(map->min, map->max, map->size)) return nullptr;  // no memory: not checked
    each_block(map, [&](const uint32_t *members, uint32_t n) {
        sorter.add(members, n);
        return true;
    });
    return sorter.finish() && sorter.duplicates() ? "an index appears twice" : nullptr;
}

const char *validate_members(const cmap_t *map) noexcept {
    uint32_t min = CMAP_NONE, max = 0, last = 0, rank = 0;
    bool increasing = true, agrees = true;
    each_block(map, [&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++, rank++) {
            agrees = agrees && MPIR_cmap_select(map, rank) == members[i];
            increasing = increasing && (rank == 0 || members[i] > last);
            min = members[i] < min ? members[i] : min;
            max = members[i] > max ? members[i] : max;
            last = members[i];
        }
        return agrees;
    });
    if (!agrees) return "select and decode disagree";
    if (increasing != is_set(map)) return "the set flag is wrong";
    if (min != map->min || max != map->max) return "min or max is wrong";
    if (max >= CMAP_MAX_SIZE) return "an index is out of range";
    return increasing ? nullptr : validate_distinct(map);
}

}  // namespace

cmap_status map_create(const Analysis &analysis, cmap_t **out) noexcept {
    cmap_t *map = header_allocate();
    if (map == nullptr) return CMAP_ERR_NOMEM;
    const Stats &stats = analysis.stats;
    map->size = stats.size;
    map->min = stats.min;
    map->max = stats.max;
    map->flags = stats.is_set ? FLAG_SET : 0;
    map->strategy = static_cast<uint8_t>(analysis.policy.strategy);
    map->force = static_cast<uint8_t>(analysis.policy.force);
    map->alpha = analysis.policy.alpha;
    map->refs = 1;
    const cmap_status status = build_first(choose(analysis), map, analysis);
    if (status != CMAP_OK) {
        header_free(map);
        return status;
    }
    if (map->force != CMAP_REP_ANY && map->force != map->kind) map->flags |= FLAG_FORCE_DECLINED;
    *out = map;
    return CMAP_OK;
}

void map_destroy(cmap_t *map) noexcept {
    inverse_free(static_cast<Inverse *>(map->inverse));
    if ((map->flags & FLAG_ON_NODE) != 0) drop_from_node(map);
    if (representation(map).release != nullptr) representation(map).release(map);
    header_free(map);
}

const char *map_validate(const cmap_t *map) noexcept {
    if (map->kind >= CMAP_REP_COUNT) return "the representation is unknown";
    if (map->size > CMAP_MAX_SIZE) return "the size is out of range";
    if (__atomic_load_n(&map->refs, __ATOMIC_RELAXED) == 0) return "nobody holds a reference";
    if (const char *reason = representation(map).validate(map)) return reason;
    if (map->size == 0)
        return map->min == CMAP_NONE && map->max == CMAP_NONE ? nullptr : "an empty map has a min";
    if (const char *reason = validate_members(map)) return reason;
    const uint32_t ranks[] = {0, map->size / 2, map->size - 1};
    for (uint32_t rank : ranks)
        if (rank_of(map, MPIR_cmap_select(map, rank)) != rank) return "rank does not invert select";
    return nullptr;
}

}  // namespace cmap

// What cmap_lookup.h has not inline; the core selects that way, too.
uint32_t MPIR_cmap_select_outlined(const cmap_t *map, uint32_t rank) noexcept {
    assert(rank < map->size);
    return cmap::representation(map).select(map, rank);
}
