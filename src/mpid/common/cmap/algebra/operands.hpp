// SPDX-License-Identifier: BSD-3-Clause
// What every function of the algebra begins and ends with.
#ifndef CMAP_ALGEBRA_OPERANDS_HPP_INCLUDED
#define CMAP_ALGEBRA_OPERANDS_HPP_INCLUDED

#include "algebra/ranks.hpp"
#include "cmap_tuning.hpp"
#include "core/builder.hpp"
#include "core/map.hpp"

namespace cmap {

// What the C face checks first: everything there, and nothing handed out yet.
inline bool arguments(const cmap_t *a, const cmap_t *b, cmap_t **out) noexcept {
    if (out == nullptr) return false;
    *out = nullptr;
    return a != nullptr && b != nullptr;
}

// Every index is one of the map: its members are min .. max.
inline bool is_interval(const cmap_t *map) noexcept {
    return map->size != 0 && map->max - map->min == map->size - 1;
}

inline bool is_identity(const cmap_t *map) noexcept {
    return is_set(map) && is_interval(map) && map->min == 0;
}

// The least universe that holds the members of a map.
inline uint32_t universe_of(const cmap_t *map) noexcept {
    return map->size == 0 ? 0 : map->max + 1;
}

// Pieces worth taking from operands of so many members in all, and the work to spend on them.
size_t piece_limit(uint64_t members) noexcept;
Budget budget_for(uint64_t members) noexcept;

// `map` itself, or the same members under another policy.
cmap_status reuse(const cmap_t *map, const cmap_policy *policy, cmap_t **out) noexcept;
cmap_status make_empty(const cmap_policy *policy, cmap_t **out) noexcept;
// The members of all sets, in that order.
cmap_status make_of_bits(uint32_t universe, const BitSet *sets, unsigned n,
                         const cmap_policy *policy, cmap_t **out) noexcept;
// finish() unless something failed before.
cmap_status conclude(Builder &builder, cmap_status status, cmap_t **out) noexcept;

// Tells the builder that its members will be those of `map` at `ranks`, in that order.
void relate(Builder &builder, const cmap_t *map, const Grids &ranks) noexcept;
cmap_status add_grids(Builder &builder, const Grids &values) noexcept;
// The members of `map` at `ranks`, in that order, in closed form where the map has one.  REQUIRES
// ranks below its size.
cmap_status add_picked(Builder &builder, const cmap_t *map, const Grids &ranks) noexcept;
// The same with the map's pieces at hand.
cmap_status add_picked(Builder &builder, const cmap_t *map, const Sequence &pieces,
                       const Grids &ranks) noexcept;

}  // namespace cmap

#endif  // CMAP_ALGEBRA_OPERANDS_HPP_INCLUDED
