// SPDX-License-Identifier: BSD-3-Clause
// One content and policy is one map, whatever way it was fed in; a builder can be used again.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <random>

namespace cmap_test {
namespace {

using Feed = void (*)(cmap_builder *, const Members &);

void one_by_one(cmap_builder *builder, const Members &members) {
    for (uint32_t index : members)
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder, index));
}

void in_blocks(cmap_builder *builder, const Members &members) {
    const auto n = static_cast<uint32_t>(members.size());
    for (uint32_t at = 0, width = 7; at < n; at += width, width += 13)
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_block(builder, &members[at],
                                                       width = std::min(width, n - at)));
}

// Length of the arithmetic run that starts at `at`.
uint32_t run_at(const Members &members, uint32_t at) {
    uint32_t end = at + 2;
    while (end < members.size() && members[end] - members[end - 1] == members[at + 1] - members[at])
        end++;
    return std::min<uint32_t>(end, static_cast<uint32_t>(members.size())) - at;
}

int32_t stride_at(const Members &members, uint32_t at) {
    return at + 1 < members.size() ? static_cast<int32_t>(members[at + 1] - members[at]) : 0;
}

void in_ranges(cmap_builder *builder, const Members &members) {
    for (uint32_t at = 0; at < members.size();) {
        const uint32_t count = run_at(members, at);
        ASSERT_EQ(CMAP_OK,
                  MPIR_cmap_builder_add_range(builder, members[at], stride_at(members, at), count));
        at += count;
    }
}

void in_slices(cmap_builder *builder, const Members &members) {
    const Map source = map_of(members, forced(CMAP_REP_PACKED));
    const auto n = static_cast<uint32_t>(members.size());
    for (uint32_t at = 0, width = 1; at < n; at += width, width += 29)
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder, source.get(), at,
                                                       width = std::min(width, n - at)));
}

void mixed(cmap_builder *builder, const Members &members) {
    const Map source = map_of(members, by(CMAP_STRATEGY_SPACE));
    std::mt19937 random(99);
    for (uint32_t at = 0; at < members.size();) {
        const auto left = static_cast<uint32_t>(members.size()) - at;
        uint32_t count = std::min<uint32_t>(left, 1 + random() % 50);
        switch (random() % 4) {
            case 0:
                ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder, members[at]));
                count = 1;
                break;
            case 1:
                ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_block(builder, &members[at], count));
                break;
            case 2:
                count = std::min(count, run_at(members, at));
                ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder, members[at],
                                                               stride_at(members, at), count));
                break;
            default:
                ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder, source.get(), at, count));
        }
        at += count;
    }
}

void expect_one_map(const Members &members, const cmap_policy &policy) {
    const Map whole = map_of(members, policy);
    for (Feed feed : {one_by_one, in_blocks, in_ranges, in_slices, mixed}) {
        const Builder builder = builder_for(universe_of(members), policy);
        feed(builder.get(), members);
        EXPECT_EQ(members.size(), MPIR_cmap_builder_size(builder.get()));
        const Map again = finish(builder);
        EXPECT_EQ(whole, again);
        EXPECT_EQ(2u, MPIR_cmap_sharers(whole.get()));
        EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    }
    EXPECT_EQ(1u, MPIR_cmap_sharers(whole.get()));
    EXPECT_TRUE(selects_match(whole.get(), members));
}

TEST(Builder, EveryWayOfFeedingGivesOneMap) {
    for (cmap_rep rep : {CMAP_REP_ANY, CMAP_REP_AFFINE, CMAP_REP_PACKED, CMAP_REP_ARRAY,
                         CMAP_REP_RUNS, CMAP_REP_BITMAP, CMAP_REP_PPERM, CMAP_REP_CONCAT}) {
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        expect_one_map({5}, forced(rep));
        expect_one_map({3, 1, 2}, forced(rep));
        expect_one_map(range_members(0, 1, 1000), forced(rep));
        expect_one_map(transpose(30, 40), forced(rep));
        expect_one_map(random_set(3000, 0.5, 1), forced(rep));
        expect_one_map(random_permutation(1000, 2), forced(rep));
        expect_one_map(random_pieces(20, 100, 3), forced(rep));
        expect_one_map(levels(7, {{2, 1}, {2, 3}, {2, 9}, {2, 27}, {2, 81}, {2, 243}, {2, 729}}),
                       forced(rep));
    }
}

TEST(Builder, NothingAddedIsTheEmptyMap) {
    const Builder builder = builder_for(10, by(CMAP_STRATEGY_HYBRID));
    const Map empty = finish(builder);
    expect_map_is(empty.get(), {});
    EXPECT_EQ(empty, map_of({}, by(CMAP_STRATEGY_HYBRID)));
    EXPECT_EQ(empty, range_map(5, 0, 0, by(CMAP_STRATEGY_HYBRID)));
}

TEST(Builder, ServesAgainAfterFinishAndAfterAFailure) {
    const Builder builder = builder_for(100, by(CMAP_STRATEGY_HYBRID));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), 0, 1, 50));
    expect_map_is(finish(builder).get(), range_members(0, 1, 50));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder.get(), 7));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder.get(), 7));
    cmap_t *map = nullptr;
    EXPECT_EQ(CMAP_ERR_DUPLICATE, MPIR_cmap_builder_finish(builder.get(), &map));
    EXPECT_EQ(nullptr, map);
    EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder.get(), 7));
    expect_map_is(finish(builder).get(), {7});
}

// Whatever a builder kept of one map must not show in the next: pieces, a plain array, an abandoned
// start.
TEST(Builder, ServesManyMapsOneAfterTheOther) {
    const Builder builder = builder_for(1u << 20, by(CMAP_STRATEGY_HYBRID));
    for (const Members &members :
         {random_pieces(30, 50, 1), random_permutation(9000, 2), random_pieces(9, 9, 3),
          range_members(7, 3, 500), random_set(50000, 0.4, 4), Members{3, 1}})
        for (Feed feed : {in_ranges, in_blocks, one_by_one, mixed}) {
            feed(builder.get(), members);
            const Map map = finish(builder);
            EXPECT_EQ(members.size(), MPIR_cmap_size(map.get()));
            EXPECT_TRUE(selects_match(map.get(), members));
        }
}

TEST(Builder, SlicesKeepTheirOrder) {
    const Members source = random_permutation(500, 12);
    const Map map = map_of(source, by(CMAP_STRATEGY_HYBRID));
    const Builder builder = builder_for(500, by(CMAP_STRATEGY_HYBRID));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 300, 200));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 0, 0));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 100, 1));
    Members want(source.begin() + 300, source.end());
    want.push_back(source[100]);
    expect_map_is(finish(builder).get(), want);
}

TEST(Interning, TheUniverseIsNotPartOfAMap) {
    const Members members = random_list(100, 1000, 3);
    const Map narrow = map_of(members, by(CMAP_STRATEGY_HYBRID), 1000);
    const Map wide = map_of(members, by(CMAP_STRATEGY_HYBRID), CMAP_MAX_SIZE);
    EXPECT_EQ(narrow, wide);
}

TEST(Interning, AnotherPolicyOrOrderIsAnotherMap) {
    const Members up = range_members(0, 2, 100);
    Members down(up);
    std::reverse(down.begin(), down.end());
    const Map a = map_of(up, by(CMAP_STRATEGY_HYBRID));
    EXPECT_NE(a, map_of(down, by(CMAP_STRATEGY_HYBRID)));
    EXPECT_NE(a, map_of(up, by(CMAP_STRATEGY_SPACE)));
    EXPECT_NE(a, map_of(up, by(CMAP_STRATEGY_HYBRID, 0.75)));
    EXPECT_NE(a, map_of(up, forced(CMAP_REP_PACKED)));
    EXPECT_NE(a, map_of(range_members(0, 2, 101), by(CMAP_STRATEGY_HYBRID)));
    EXPECT_NE(a, map_of(range_members(1, 2, 100), by(CMAP_STRATEGY_HYBRID)));
    EXPECT_EQ(a, map_of(up, by(CMAP_STRATEGY_HYBRID)));
}

TEST(Interning, ManyMapsStayApart) {
    std::vector<Map> maps;
    std::vector<Members> contents;
    for (uint32_t i = 0; i < 3000; i++) {
        contents.push_back(
            range_members(i % 60, 1 + static_cast<int32_t>(i / 60 % 10), 1 + i / 600));
        contents.back().push_back(i + 1000);
        maps.push_back(map_of(contents.back(), by(CMAP_STRATEGY_HYBRID)));
    }
    for (uint32_t i = 0; i < maps.size(); i += 2)
        maps[i].reset();
    for (uint32_t i = 1; i < maps.size(); i += 2) {
        EXPECT_EQ(1u, MPIR_cmap_sharers(maps[i].get()));
        EXPECT_EQ(maps[i], map_of(contents[i], by(CMAP_STRATEGY_HYBRID)));
        EXPECT_EQ(contents[i], decoded(maps[i].get()));
    }
}

TEST(References, SharersCountThem) {
    const Map map = range_map(0, 1, 100, by(CMAP_STRATEGY_HYBRID));
    EXPECT_EQ(1u, MPIR_cmap_sharers(map.get()));
    const Map other(MPIR_cmap_addref(map.get()));
    EXPECT_EQ(map, other);
    EXPECT_EQ(2u, MPIR_cmap_sharers(map.get()));
    const Map third = range_map(0, 1, 100, by(CMAP_STRATEGY_HYBRID));
    EXPECT_EQ(3u, MPIR_cmap_sharers(map.get()));
    EXPECT_EQ(nullptr, MPIR_cmap_addref(nullptr));
    MPIR_cmap_release(nullptr);
    MPIR_cmap_builder_free(nullptr);
}

}  // namespace
}  // namespace cmap_test
