// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a list: the permutation that sorts it, ceil(lg n) bits a member.  rank() of a list
// is a binary search through select(order(i)); where the list is a set composed with a permutation,
// one access.  Where a select is slow (bwt) the inverse holds the sorted indices as well, and the
// search asks those.
//
// A list builds its inverse at the first rank query and publishes it by compare-and-swap, so
// readers never wait; it counts as payload and goes with the map.  A large one has its numbers in
// memory of the node where there is any.  Maps under the space strategy do
// not keep one: MPIR_cmap_rank() decodes them block by block (no memory, n/4 ns or so), and whoever
// has many queries uses a Ranker, which builds a private inverse for the time of the work. Lists of
// up to INVERSE_MIN_MEMBERS are always scanned.
#ifndef CMAP_CORE_INVERSE_HPP_INCLUDED
#define CMAP_CORE_INVERSE_HPP_INCLUDED

#include <cstddef>

#include "cmap_lookup.h"
#include "core/bits.hpp"
#include "core/memory.hpp"
#include "core/node.hpp"

namespace cmap {

struct Inverse {
    std::size_t total_bytes;
    PackedView order;  // order(i) = rank of the i-th smallest index
    PackedView keys;   // that index less the map's least; without bits but in slow representations

    const void *on_node = nullptr;  // the numbers, where they lie in memory of the node

    std::size_t bytes() const noexcept { return total_bytes; }
    std::size_t number_bytes() const noexcept { return total_bytes - sizeof *this; }
    std::size_t node_bytes() const noexcept { return on_node != nullptr ? number_bytes() : 0; }
};

// nullptr when there is no memory.
Inverse *inverse_build(const cmap_t *map) noexcept;
inline void inverse_free(Inverse *inverse) noexcept {
    if (inverse != nullptr && inverse->on_node != nullptr)
        node_drop(inverse->on_node, inverse->number_bytes());
    deallocate(inverse);
}
// The inverse kept with the map; builds it unless the map must not keep one.  nullptr: there is
// none.
const Inverse *inverse_of(const cmap_t *map) noexcept;
inline const Inverse *inverse_if_built(const cmap_t *map) noexcept {
    return static_cast<const Inverse *>(__atomic_load_n(&map->inverse, __ATOMIC_ACQUIRE));
}

// Rank of `index` in a list: by the inverse when there is one, by a search of all members
// otherwise.
uint32_t inverse_rank(const cmap_t *map, const Inverse *inverse, uint32_t index) noexcept;
uint32_t list_rank(const cmap_t *map, uint32_t index) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_INVERSE_HPP_INCLUDED
