// SPDX-License-Identifier: BSD-3-Clause
// array: the canonical list, 4 bytes a member.
//
// Payload 4n bytes; none up to CMAP_INLINE_MEMBERS members, which live in the header, so that
// select has no case for them.  select O(1); rank through the inverse, by bisection when the list
// increases.
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/inverse.hpp"
#include "core/map.hpp"

namespace cmap {
namespace {

std::size_t payload(uint32_t size) noexcept {
    return inside(size) ? 0 : std::size_t{size} * sizeof(uint32_t);
}

Estimate estimate(const Analysis &analysis) noexcept {
    const uint64_t space = payload(analysis.stats.size);
    return Estimate{true, space, time_access(space)};
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    cmap_array_body &body = map->body.array;
    body = cmap_array_body();
    uint32_t *members =
        inside(map->size) ? body.inside : static_cast<uint32_t *>(allocate(payload(map->size)));
    if (members == nullptr) return CMAP_ERR_NOMEM;
    body.members = members;
    analysis.content.each_block([&](const uint32_t *block, uint32_t n) {
        if (n != 0) std::memcpy(members, block, n * sizeof *members);
        members += n;
        return true;
    });
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (!inside(map->size)) deallocate(const_cast<uint32_t *>(map->body.array.members));
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept { return map->body.array.members[rank]; }

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    std::memcpy(indices, map->body.array.members + first, count * sizeof *indices);
}

std::size_t bytes(const cmap_t *map) noexcept { return payload(map->size); }

const char *validate(const cmap_t *map) noexcept {
    return map->body.array.members != nullptr ? nullptr : "array: the members are missing";
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    return std::snprintf(text, room, "%u members%s", map->size,
                         inside(map->size) ? " in the header" : "");
}

constexpr auto rank = list_rank;

const void *payload_of(const cmap_t *map) noexcept {
    return inside(map->size) ? nullptr : map->body.array.members;
}

void relocate(cmap_t *map, const Relocation &move) noexcept { move(map->body.array.members); }

}  // namespace

constexpr Representation array_representation = representation_with([](Representation &rep) {
    rep.name = "array";
    rep.list = true;
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
});

}  // namespace cmap
