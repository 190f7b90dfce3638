// SPDX-License-Identifier: BSD-3-Clause
// What is common to all maps: flags, the checked lookups behind the C face, sizes.
#ifndef CMAP_CORE_MAP_HPP_INCLUDED
#define CMAP_CORE_MAP_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

constexpr uint8_t FLAG_SET = 1;              // strictly increasing
constexpr uint8_t FLAG_FORCE_DECLINED = 2;   // the policy's representation could not hold it
constexpr uint8_t FLAG_SHARES_SET = 4;       // part 0 is a map that others had before
constexpr uint8_t FLAG_ON_NODE = 16;         // the payload lies in memory of the node
constexpr uint8_t FLAG_RANK_BY_INVERSE = 8;  // though its representation needs none in general

inline bool is_set(const cmap_t *map) noexcept { return (map->flags & FLAG_SET) != 0; }

// Does rank() go through the inverse, or through all members while there is none?
inline bool ranks_by_inverse(const cmap_t *map) noexcept {
    return !is_set(map) && (representation(map).list || (map->flags & FLAG_RANK_BY_INVERSE) != 0);
}

// Kept in closed form, as one run; and as this one of the map's size?
inline bool is_affine_run(const cmap_t *map) noexcept {
    return map->kind == CMAP_REP_AFFINE && map->width == 1;
}
inline bool is_affine_run(const cmap_t *map, const Run &run) noexcept {
    const cmap_affine_body &body = map->body.affine;
    return is_affine_run(map) && body.base == run.first &&
           (run.count == 1 || body.step == static_cast<uint32_t>(run.step));
}

inline bool shares_set(const cmap_t *map) noexcept { return (map->flags & FLAG_SHARES_SET) != 0; }

inline uint32_t rank_of(const cmap_t *map, uint32_t index) noexcept {
    if (map->size == 0 || index < map->min || index > map->max) return CMAP_NONE;
    return representation(map).rank(map, index);
}

inline void decode(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    if (count != 0) representation(map).decode(map, first, count, indices);
}

// Indices of any n ranks; ranks that follow one another are decoded together.  They may be replaced
// by their indices in place.
void select_many(const cmap_t *map, const uint32_t *ranks, uint32_t n, uint32_t *indices) noexcept;

// visit(const uint32_t *members, uint32_t n) block by block; false stops.
template <class Visit>
bool each_block(const cmap_t *map, Visit &&visit) noexcept {
    constexpr uint32_t BLOCK = 512;
    uint32_t block[BLOCK];
    for (uint32_t first = 0; first < map->size;) {
        const uint32_t left = map->size - first, n = left < BLOCK ? left : BLOCK;
        decode(map, first, n, block);
        if (!visit(static_cast<const uint32_t *>(block), n)) return false;
        first += n;
    }
    return true;
}

// The members that were measured, in their order?  REQUIRES a map of their size, min and max.
bool same_members(const cmap_t *map, const Analysis &analysis) noexcept;
bool decodes_to(const cmap_t *map, const Content &content) noexcept;  // the same by members alone

// Rank in a list of any kind whose select increases.
uint32_t rank_by_bisection(const cmap_t *map, uint32_t index) noexcept;
void decode_by_select(const cmap_t *map, uint32_t first, uint32_t count,
                      uint32_t *indices) noexcept;

// ns of a dependent random select, as estimated when the map was made; 8 us stands for all beyond.
inline double time_of(const cmap_t *map) noexcept { return map->time / 8.0; }

// Payload with the inverse, without the maps referred to.
std::size_t own_bytes(const cmap_t *map) noexcept;
// Those with their headers and payloads included.
std::size_t payload_bytes(const cmap_t *map) noexcept;
// What of that was not there when the map was built.
std::size_t cached_bytes(const cmap_t *map) noexcept;

// What of that lies in memory of the node.
std::size_t own_node_bytes(const cmap_t *map) noexcept;
std::size_t node_bytes(const cmap_t *map) noexcept;

// Moves the payload of a map that is not in the intern table yet into memory of the node, if it is
// large and there is any.
void map_move_to_node(cmap_t *map) noexcept;

// Makes a map that is not in the intern table yet; frees one that is not any more.
cmap_status map_create(const Analysis &analysis, cmap_t **out) noexcept;
void map_destroy(cmap_t *map) noexcept;
const char *map_validate(const cmap_t *map) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_MAP_HPP_INCLUDED
