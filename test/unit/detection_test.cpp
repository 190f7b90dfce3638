// SPDX-License-Identifier: BSD-3-Clause
// Regular communicators are found to be affine, whatever way they are fed in.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>

namespace cmap_test {
namespace {

void expect_affine(const Members &members) {
    const Map map = map_of(members, by(CMAP_STRATEGY_HYBRID));
    ASSERT_NE(nullptr, map);
    EXPECT_EQ(0u, MPIR_cmap_payload_bytes(map.get()));
    if (members.size() > CMAP_INLINE_MEMBERS) {
        EXPECT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(map.get()));
    }
    const Map as_told = map_of(members, forced(CMAP_REP_AFFINE));
    EXPECT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(as_told.get()));
    expect_map_is(as_told.get(), members);
}

// Every choice of kept dimensions, at the lowest, the highest and a middle place of the others.
void expect_every_cart_sub_is_affine(const std::vector<uint32_t> &dims) {
    for (uint32_t keep = 0; keep < 1u << dims.size(); keep++)
        for (uint32_t where = 0; where < 3; where++) {
            std::vector<uint32_t> at;
            for (uint32_t width : dims)
                at.push_back(where * (width - 1) / 2);
            SCOPED_TRACE(::testing::Message() << "keep " << keep << " where " << where);
            expect_affine(cart_sub(dims, keep, at));
        }
}

TEST(Detection, EveryCartSub) {
    expect_every_cart_sub_is_affine({8, 6, 4});
    expect_every_cart_sub_is_affine({16, 16, 16});
    expect_every_cart_sub_is_affine({3, 5, 2, 7});
    expect_every_cart_sub_is_affine({4, 1, 9, 6});
    expect_every_cart_sub_is_affine({2, 2, 2, 2, 2});
    expect_every_cart_sub_is_affine({2, 3, 4, 3, 2, 3});
}

// A face has as many levels as it has separate groups of stars: six groups at most are one closed
// form.
uint32_t groups_of_stars(const std::string &pattern) {
    uint32_t groups = 0;
    for (size_t i = 0; i < pattern.size(); i++)
        groups += pattern[i] == '*' && (i == 0 || pattern[i - 1] != '*');
    return groups;
}

TEST(Detection, HypercubeFaces) {
    std::mt19937 random(2011);
    uint32_t affine = 0;
    for (int trial = 0; trial < 60; trial++) {
        std::string pattern;
        for (int dimension = 0; dimension < 12; dimension++)
            pattern += "01**"[random() % 4];
        if (groups_of_stars(pattern) > 6) continue;
        SCOPED_TRACE(pattern);
        expect_affine(hypercube_face(pattern));
        affine++;
    }
    EXPECT_GT(affine, 50u);
    expect_affine(hypercube_face("*0*1*0*1*0*"));
}

TEST(Detection, TransposesAndReversals) {
    for (uint32_t rows : {2u, 3u, 16u, 31u, 100u})
        for (uint32_t columns : {2u, 5u, 64u, 127u})
            expect_affine(transpose(rows, columns));
    Members backwards = transpose(20, 30);
    std::reverse(backwards.begin(), backwards.end());
    expect_affine(backwards);
    for (int32_t stride : {-1, -2, -31, -4097})
        expect_affine(range_members(5000000, stride, 1000));
}

// A closed form is accepted when its levels nest: each |stride| is beyond the span of all smaller
// levels together.
bool nest(std::vector<Level> list) {
    std::sort(list.begin(), list.end(), [](const Level &a, const Level &b) {
        return std::abs(a.stride) < std::abs(b.stride);
    });
    int64_t span = 0;
    for (const Level &level : list) {
        if (std::abs(level.stride) <= span) return false;
        span += int64_t{std::abs(level.stride)} * (level.count - 1);
    }
    return true;
}

bool all_different(Members members) {
    std::sort(members.begin(), members.end());
    return std::adjacent_find(members.begin(), members.end()) == members.end();
}

std::vector<Level> random_levels(std::mt19937 &random, uint32_t depth) {
    std::vector<Level> list;
    for (uint32_t k = 0, widest = 10; k < depth; k++, widest *= 7) {
        const auto stride = static_cast<int32_t>(1 + random() % widest);
        list.push_back({2 + static_cast<uint32_t>(random() % 4), random() % 2 ? stride : -stride});
    }
    for (uint32_t k = depth; k > 1; k--)
        std::swap(list[k - 1], list[random() % k]);
    return list;
}

TEST(Detection, RandomLevelsOfBothSigns) {
    std::mt19937 random(4);
    std::vector<uint32_t> affine(7);
    uint32_t others = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const uint32_t depth = 1 + random() % 6;
        const std::vector<Level> list = random_levels(random, depth);
        const Members members = levels(1u << 30, list);
        SCOPED_TRACE(::testing::Message() << "trial " << trial << ", " << depth << " levels");
        if (nest(list)) {
            affine[depth]++;
            expect_affine(members);
        } else if (all_different(members) && ++others % 8 == 0) {
            expect_map_is(map_of(members, forced(CMAP_REP_AFFINE)).get(), members);
        }
    }
    for (uint32_t depth = 1; depth <= 6; depth++)
        EXPECT_GT(affine[depth], 20u) << depth;
    EXPECT_GT(others, 100u);
}

TEST(Detection, SevenLevelsAreRightThoughNotAffine) {
    const Members members =
        levels(7, {{2, 1}, {2, 3}, {2, 9}, {2, 27}, {2, 81}, {2, 243}, {2, 729}});
    const Map map = map_of(members, forced(CMAP_REP_AFFINE));
    EXPECT_NE(CMAP_REP_AFFINE, MPIR_cmap_representation(map.get()));
    EXPECT_TRUE(MPIR_cmap_force_declined(map.get()));
    expect_map_is(map.get(), members);
}

TEST(Detection, OneMemberOutOfLineIsNotAffine) {
    for (uint32_t place : {0u, 1u, 63u, 64u, 500u, 998u}) {
        Members members = range_members(0, 3, 1000);
        members[place] += 1;
        const Map map = map_of(members, forced(CMAP_REP_AFFINE));
        EXPECT_NE(CMAP_REP_AFFINE, MPIR_cmap_representation(map.get())) << place;
        EXPECT_TRUE(selects_match(map.get(), members));
    }
}

// The builder is told the blocks: the closed form is found without looking at the members.
TEST(Detection, BlocksFedAsRanges) {
    const Builder builder = builder_for(1u << 20, by(CMAP_STRATEGY_HYBRID));
    for (uint32_t block = 0; block < 1024; block++)
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), block, 1024, 1024));
    const Map map = finish(builder);
    EXPECT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(map.get()));
    EXPECT_TRUE(selects_match(map.get(), transpose(1024, 1024)));
}

}  // namespace
}  // namespace cmap_test
