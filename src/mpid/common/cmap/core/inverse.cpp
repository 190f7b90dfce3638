// SPDX-License-Identifier: BSD-3-Clause
#include "core/inverse.hpp"

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/map.hpp"
#include "core/ranker.hpp"

namespace cmap {
namespace {

unsigned char *bits_of(Inverse *inverse) noexcept {
    return reinterpret_cast<unsigned char *>(inverse + 1);
}

Inverse *inverse_allocate(const cmap_t *map) noexcept {
    const unsigned width = bits_for(map->size);
    const bool slow = time_of(map) > INVERSE_SLOW_SELECT;
    const unsigned key = slow ? bits_for(uint64_t{map->max} - map->min + 1) : 0;
    const std::size_t order = packed_bytes(map->size, width);
    const std::size_t keys = key == 0 ? 0 : packed_bytes(map->size, key);
    const std::size_t bytes = sizeof(Inverse) + order + keys;
    Inverse *inverse = static_cast<Inverse *>(allocate(bytes));
    if (inverse == nullptr) return nullptr;
    unsigned char *const bits = bits_of(inverse);
    std::memset(bits, 0, order + keys);
    return new (inverse) Inverse{bytes, packed_view(bits, width),
                                 packed_view(key == 0 ? nullptr : bits + order, key), nullptr};
}

// The member of that rank is the at-th one in increasing order.
inline void put(const cmap_t *map, Inverse *inverse, uint32_t at, uint32_t rank,
                uint32_t member) noexcept {
    auto *const keys = const_cast<unsigned char *>(inverse->keys.bits);
    packed_put(bits_of(inverse), inverse->order.width, at, rank);
    if (keys != nullptr) packed_put(keys, inverse->keys.width, at, member - map->min);
}

// position(rank, member) is the member's position in increasing order.
template <class Position>
void fill(const cmap_t *map, Inverse *inverse, Position &&position) noexcept {
    uint32_t rank = 0;
    each_block(map, [&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++, rank++)
            put(map, inverse, position(rank, members[i]), rank, members[i]);
        return true;
    });
}

// From a sorted copy with its ranks.
void fill_in_order(const cmap_t *map, Inverse *inverse, const Sorter &sorter) noexcept {
    Content members;
    sorter.lend(members);
    for (uint32_t at = 0; at < map->size; at++)
        put(map, inverse, at, sorter.ranks()[at], members.array()[at]);
}

bool fill_by_sorting(const cmap_t *map, Inverse *inverse) noexcept {
    Sorter sorter;
    if (!sorter.start(map->min, map->max, map->size)) return false;
    each_block(map, [&](const uint32_t *members, uint32_t n) {
        sorter.add(members, n);
        return true;
    });
    if (!sorter.finish()) return false;
    if (sorter.ranks() != nullptr) {
        fill_in_order(map, inverse, sorter);
        return true;
    }
    if (!sorter.number()) return false;
    fill(map, inverse, [&](uint32_t, uint32_t member) { return sorter.position(member); });
    return true;
}

uint32_t search_all(const cmap_t *map, uint32_t index) noexcept {
    uint32_t first = 0, found = CMAP_NONE;
    each_block(map, [&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++)
            found = members[i] == index ? first + i : found;
        first += n;
        return found == CMAP_NONE;
    });
    return found;
}

uint32_t rank_by_keys(const Inverse &inverse, uint32_t size, uint32_t key) noexcept {
    const uint32_t k =
        bisect(uint32_t{0}, size, [&](uint32_t i) { return inverse.keys[i] <= key; });
    return inverse.keys[k] == key ? inverse.order[k] : CMAP_NONE;
}

// The inverse with its numbers in memory of the node; without any, or without memory for a head
// alone, as it is.
Inverse *moved_to_node(Inverse *built) noexcept {
    const std::size_t bytes = built->number_bytes();
    const void *const kept = node_keep(bits_of(built), bytes);
    if (kept == nullptr) return built;
    void *const head = allocate(sizeof(Inverse));
    if (head == nullptr) {
        node_drop(kept, bytes);
        return built;
    }
    Inverse *const moved = new (head) Inverse(*built);
    const Relocation move(bits_of(built), kept);
    move(moved->order.bits);
    move(moved->keys.bits);
    moved->on_node = kept;
    deallocate(built);
    return moved;
}

bool keeps_inverse(const cmap_t *map) noexcept {
    return map->strategy != CMAP_STRATEGY_SPACE && map->size > INVERSE_MIN_MEMBERS;
}

}  // namespace

Inverse *inverse_build(const cmap_t *map) noexcept {
    Inverse *inverse = inverse_allocate(map);
    if (inverse == nullptr) return nullptr;
    if (const auto position = representation(map).position) {
        fill(map, inverse, [&](uint32_t rank, uint32_t) { return position(map, rank); });
    } else if (!fill_by_sorting(map, inverse)) {
        inverse_free(inverse);
        return nullptr;
    }
    return inverse;
}

const Inverse *inverse_of(const cmap_t *map) noexcept {
    const Inverse *known = inverse_if_built(map);
    if (known != nullptr || !keeps_inverse(map)) return known;
    Inverse *built = inverse_build(map);
    if (built == nullptr) return nullptr;
    built = moved_to_node(built);
    void *nobody = nullptr;
    void **slot = &const_cast<cmap_t *>(map)->inverse;
    if (__atomic_compare_exchange_n(slot, &nobody, built, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return built;
    inverse_free(built);
    return static_cast<const Inverse *>(nobody);
}

uint32_t inverse_rank(const cmap_t *map, const Inverse *inverse, uint32_t index) noexcept {
    if (inverse == nullptr) return search_all(map, index);
    if (representation(map).position !=
        nullptr) {  // a permutation of the set that is its first part
        const uint32_t position = rank_of(representation(map).part(map, 0), index);
        return position == CMAP_NONE ? CMAP_NONE : inverse->order[position];
    }
    if (inverse->keys.bits != nullptr) return rank_by_keys(*inverse, map->size, index - map->min);
    const uint32_t k = bisect(uint32_t{0}, map->size, [&](uint32_t i) {
        return MPIR_cmap_select(map, inverse->order[i]) <= index;
    });
    const uint32_t rank = inverse->order[k];
    return MPIR_cmap_select(map, rank) == index ? rank : CMAP_NONE;
}

uint32_t list_rank(const cmap_t *map, uint32_t index) noexcept {
    return is_set(map) ? rank_by_bisection(map, index) : inverse_rank(map, inverse_of(map), index);
}

Ranker::Ranker(const cmap_t *map, uint64_t expected) noexcept : map_(map) {
    const bool list = ranks_by_inverse(map) && map->size > INVERSE_MIN_MEMBERS;
    if (list && map->strategy == CMAP_STRATEGY_SPACE && expected >= INVERSE_MIN_QUERIES)
        own_ = inverse_build(map);
}

Ranker::~Ranker() { inverse_free(own_); }

uint32_t Ranker::operator()(uint32_t index) const noexcept {
    if (own_ == nullptr) return rank_of(map_, index);
    if (index < map_->min || index > map_->max) return CMAP_NONE;
    return inverse_rank(map_, own_, index);
}

}  // namespace cmap
