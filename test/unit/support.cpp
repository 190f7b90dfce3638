// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

#include "cmap_lookup.h"

#include <algorithm>

void PrintTo(cmap_status status, std::ostream *out) { *out << MPIR_cmap_strerror(status); }

void PrintTo(cmap_rep rep, std::ostream *out) { *out << MPIR_cmap_rep_name(rep); }

namespace cmap_test {

cmap_policy forced(cmap_rep rep) { return {CMAP_STRATEGY_HYBRID, CMAP_ALPHA_DEFAULT, rep}; }

cmap_policy by(cmap_strategy strategy, double alpha) { return {strategy, alpha, CMAP_REP_ANY}; }

Map map_of(const Members &members, const cmap_policy &policy, uint32_t universe) {
    cmap_t *map = nullptr;
    const auto n = static_cast<uint32_t>(members.size());
    EXPECT_EQ(CMAP_OK, MPIR_cmap_from_array(members.data(), n, universe, &policy, &map));
    return Map(map);
}

Map map_of(const Members &members, const cmap_policy &policy) {
    return map_of(members, policy, universe_of(members));
}

Map range_map(uint32_t first, int32_t stride, uint32_t count, const cmap_policy &policy) {
    cmap_t *map = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_from_range(first, stride, count, CMAP_MAX_SIZE, &policy, &map));
    return Map(map);
}

Builder builder_for(uint32_t universe, const cmap_policy &policy) {
    cmap_builder *builder = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_create(universe, &policy, &builder));
    return Builder(builder);
}

Map finish(const Builder &builder) {
    cmap_t *map = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_finish(builder.get(), &map));
    return Map(map);
}

std::vector<cmap_rep> all_reps() {
    std::vector<cmap_rep> reps;
    for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
        if (MPIR_cmap_rep_available(static_cast<cmap_rep>(rep)))
            reps.push_back(static_cast<cmap_rep>(rep));
    return reps;
}

uint32_t universe_of(const Members &members) {
    return members.empty() ? 1 : *std::max_element(members.begin(), members.end()) + 1;
}

Members range_members(uint32_t first, int32_t stride, uint32_t count) {
    Members members(count);
    for (uint32_t i = 0; i < count; i++)
        members[i] = static_cast<uint32_t>(first + static_cast<int64_t>(stride) * i);
    return members;
}

Members decoded(const cmap_t *map) {
    Members members(MPIR_cmap_size(map));
    MPIR_cmap_decode(map, 0, MPIR_cmap_size(map), members.data());
    return members;
}

size_t header_bytes() { return sizeof(struct cmap_s); }

}  // namespace cmap_test
