// SPDX-License-Identifier: BSD-3-Clause
// What every unit test of the compressed maps uses: owned maps, policies and readable failures.
#ifndef TEST_UNIT_SUPPORT_HPP_INCLUDED
#define TEST_UNIT_SUPPORT_HPP_INCLUDED

#include "cmap.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// GoogleTest prints a status by its words; both are found by argument-dependent lookup.
void PrintTo(cmap_status status, std::ostream *out);
void PrintTo(cmap_rep rep, std::ostream *out);

namespace cmap_test {

using Members = std::vector<uint32_t>;

struct ReleaseMap {
    void operator()(const cmap_t *map) const { MPIR_cmap_release(map); }
};
using Map = std::unique_ptr<const cmap_t, ReleaseMap>;

struct FreeBuilder {
    void operator()(cmap_builder *builder) const { MPIR_cmap_builder_free(builder); }
};
using Builder = std::unique_ptr<cmap_builder, FreeBuilder>;

cmap_policy forced(cmap_rep rep);
cmap_policy by(cmap_strategy strategy, double alpha = CMAP_ALPHA_DEFAULT);

// Null, and a recorded failure, when the library answers anything but CMAP_OK.
Map map_of(const Members &members, const cmap_policy &policy);
Map map_of(const Members &members, const cmap_policy &policy, uint32_t universe);
Map range_map(uint32_t first, int32_t stride, uint32_t count, const cmap_policy &policy);
Builder builder_for(uint32_t universe, const cmap_policy &policy);
Map finish(const Builder &builder);

std::vector<cmap_rep> all_reps();  // that this library has
// One past the greatest member; 1 for no members.
uint32_t universe_of(const Members &members);
Members range_members(uint32_t first, int32_t stride, uint32_t count);
Members decoded(const cmap_t *map);
size_t header_bytes();

}  // namespace cmap_test

#endif  // TEST_UNIT_SUPPORT_HPP_INCLUDED
