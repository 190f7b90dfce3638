// SPDX-License-Identifier: BSD-3-Clause
// Members picked by their ranks: from a list, and from a map through the C face.
#ifndef TEST_UNIT_PICKED_HPP_INCLUDED
#define TEST_UNIT_PICKED_HPP_INCLUDED

#include "support.hpp"

namespace cmap_test {

// `ranks` are numbers of any integer type.
template <class Ranks>
Members at_ranks(const Members &of, const Ranks &ranks) {
    Members members;
    for (auto rank : ranks)
        members.push_back(of[static_cast<std::size_t>(rank)]);
    return members;
}

inline Map included(const cmap_t *of, const Members &ranks, const cmap_policy &policy) {
    cmap_t *map = nullptr;
    const std::vector<int> asked(ranks.begin(), ranks.end());
    EXPECT_EQ(CMAP_OK,
              MPIR_cmap_incl(of, asked.data(), static_cast<uint32_t>(asked.size()), &policy, &map));
    return Map(map);
}

inline Map included(const cmap_t *of, cmap_rank_range range, const cmap_policy &policy) {
    cmap_t *map = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_range_incl(of, &range, 1, &policy, &map));
    return Map(map);
}

}  // namespace cmap_test

#endif  // TEST_UNIT_PICKED_HPP_INCLUDED
