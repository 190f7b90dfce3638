// SPDX-License-Identifier: BSD-3-Clause
// What the representations have in common that keep a set as a map of its own, shared by all
// permutations of it: their part 0.  Where the members were told to be those of another map in
// another order (core/relation), its set is taken by reference, the positions come from the ranks,
// and nothing is sorted for them.
#ifndef CMAP_REP_PERMUTED_HPP_INCLUDED
#define CMAP_REP_PERMUTED_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

// The set of the members, with its header in the space; nothing where it is the parent's and is
// shared.  Does not fit when nobody needed the members in order.
Estimate estimate_permuted_set(const Analysis &analysis) noexcept;
// For `map`, which notes whether it is shared.
cmap_status build_permuted_set(cmap_t *map, const Analysis &analysis, cmap_t **out) noexcept;
// The permutation: the positions of the members in the set, where they are known without sorting;
// or nullptr.
const Content *known_permutation(const Analysis &analysis) noexcept;

// visit(uint32_t rank, uint32_t position) for every member in the order of the list: the position
// it has in the set; false stops.
template <class Visit>
void each_position(const Analysis &analysis, Visit &&visit) noexcept {
    const Content *const known = known_permutation(analysis);
    const auto position_of = [&](uint32_t rank, uint32_t member) {
        if (known != nullptr) return member;
        return analysis.stats.is_set ? rank : analysis.sorter.position(member);
    };
    uint32_t rank = 0;
    (known != nullptr ? *known : analysis.content)
        .each_block([&](const uint32_t *members, uint32_t n) {
            for (uint32_t i = 0; i < n; i++, rank++)
                if (!visit(rank, position_of(rank, members[i]))) return false;
            return true;
        });
}

}  // namespace cmap

#endif  // CMAP_REP_PERMUTED_HPP_INCLUDED
