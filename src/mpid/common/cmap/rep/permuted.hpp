// SPDX-License-Identifier: BSD-3-Clause
// What the representations have in common that keep a set as a map of its own, shared by all
// permutations of it: their part 0.
#ifndef CMAP_REP_PERMUTED_HPP_INCLUDED
#define CMAP_REP_PERMUTED_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

// The set of the members, with its header in the space.  Does not fit when nobody needed the
// members in order.
Estimate estimate_permuted_set(const Analysis &analysis) noexcept;
cmap_status build_permuted_set(const Analysis &analysis, cmap_t **out) noexcept;

// visit(uint32_t rank, uint32_t place) for every member in the order of the list: the place it has
// in the set; false stops.
template <class Visit>
void each_place(const Analysis &analysis, Visit &&visit) noexcept {
    uint32_t rank = 0;
    analysis.content.each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++, rank++)
            if (!visit(rank, analysis.stats.is_set ? rank : analysis.sorter.position(members[i])))
                return false;
        return true;
    });
}

}  // namespace cmap

#endif  // CMAP_REP_PERMUTED_HPP_INCLUDED
