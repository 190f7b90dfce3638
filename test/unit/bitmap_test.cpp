// SPDX-License-Identifier: BSD-3-Clause
// The bitmap has its loops twice, for CPUs with and without pdep: both must give the array's
// answers.
#include "case_file.hpp"
#include "oracle.hpp"

#include "core/rank_select.hpp"

namespace cmap_test {
namespace {

class BitmapKernels : public ::testing::TestWithParam<bool> {
  protected:
    BitmapKernels() : before(cmap::rank_select_use_portable(GetParam())) {}
    ~BitmapKernels() override { cmap::rank_select_use_portable(before); }
    const bool before;
};

TEST_P(BitmapKernels, EveryDensity) {
    for (double density : {0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999}) {
        SCOPED_TRACE(density);
        const Members members = random_set(60000, density, 1);
        const Map map = map_of(members, forced(CMAP_REP_BITMAP));
        ASSERT_EQ(CMAP_REP_BITMAP, MPIR_cmap_representation(map.get()));
        expect_map_is(map.get(), members);
    }
}

// Ones in clumps far apart: the hint is many blocks away from the answer.
TEST_P(BitmapKernels, UnevenSets) {
    Members members;
    for (uint32_t clump = 0; clump < 12; clump++)
        for (uint32_t index : random_set(300 + 700 * (clump % 3), 0.7, clump))
            members.push_back(index + clump * clump * 40000 + clump * 63);
    members.push_back(members.back() + 1000000);
    expect_map_is(map_of(members, forced(CMAP_REP_BITMAP)).get(), members);
}

// A single one at each place of a word and of a block, among full and empty neighbours.
TEST_P(BitmapKernels, EveryPlaceOfAWordAndABlock) {
    for (uint32_t place = 0; place < 4200; place += place < 130 ? 1 : 61) {
        SCOPED_TRACE(place);
        Members members = range_members(0, 1, place);
        members.push_back(place + 64);
        for (uint32_t i = 0; i < 12; i++)
            members.push_back(place + 5000 + i * i);
        const Map map = map_of(members, forced(CMAP_REP_BITMAP));
        EXPECT_TRUE(is_valid(map.get()));
        EXPECT_TRUE(selects_match(map.get(), members));
        EXPECT_TRUE(ranks_match(map.get(), members));
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, BitmapKernels, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool> &info) {
                             return info.param ? "portable" : "best";
                         });

}  // namespace
}  // namespace cmap_test
