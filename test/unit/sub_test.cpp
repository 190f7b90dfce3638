// SPDX-License-Identifier: BSD-3-Clause
// sub: children of maps that are dear to hold, in the ranks of their parents.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"
#include "picked.hpp"

#include "core/map.hpp"
#include "rep/sub.hpp"

#include <algorithm>
#include <numeric>

namespace cmap_test {
namespace {

constexpr uint32_t world = 1u << 20;
constexpr uint32_t side = 1u << 10;

size_t nesting(const Map &map) { return cmap::sub_depth(map.get()); }

const Members &shuffled() {
    static const Members members = random_permutation(world, 7);
    return members;
}

// With the strategy's own choice a child must be large enough to pay for its parent, with `sub`
// forced it need not.
TEST(Sub, ChildrenOfAShuffledWorldCostNothing) {
    const Members &world_members = shuffled();
    Map parent = map_of(world_members, by(CMAP_STRATEGY_HYBRID));
    ASSERT_EQ(CMAP_REP_PACKED, MPIR_cmap_representation(parent.get()));
    const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID), sub = forced(CMAP_REP_SUB);
    struct Child {
        const char *name;
        Members ranks;
        cmap_policy policy;
    } children[] = {{"row", range_members(77 * side, 1, side), sub},
                    {"column", range_members(77, side, side), sub},
                    {"even ranks", range_members(0, 2, world / 2), sub},
                    {"reversed", range_members(world - 1, -1, world), hybrid},
                    {"all but the first", range_members(1, 1, world - 1), hybrid}};
    std::vector<Map> maps;
    for (const Child &child : children) {
        SCOPED_TRACE(child.name);
        maps.push_back(included(parent.get(), child.ranks, child.policy));
        EXPECT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(maps.back().get()));
        EXPECT_EQ(0u, MPIR_cmap_payload_bytes(maps.back().get()));
    }
    parent.reset();  // before its children
    for (size_t i = 0; i < maps.size(); i++) {
        SCOPED_TRACE(children[i].name);
        expect_map_is(maps[i].get(), at_ranks(world_members, children[i].ranks));
    }
}

TEST(Sub, RanksWithoutAClosedFormAreAMapOfTheirOwn) {
    const Members list = random_list(6000, 100000000, 3);
    const Map parent = map_of(list, by(CMAP_STRATEGY_HYBRID));
    const Members half = random_set(6000, 0.9, 4);
    const Map child = included(parent.get(), half, forced(CMAP_REP_SUB));
    ASSERT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(child.get()));
    EXPECT_LE(MPIR_cmap_payload_bytes(child.get()), header_bytes() + 6000 / 8 * 5 / 4);
    expect_map_is(child.get(), at_ranks(list, half));
}

TEST(Sub, EqualContentIsOneMapWhateverBuiltIt) {
    const Members list = random_permutation(20000, 5);
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map parent = map_of(list, policy);
    const Members ranks = range_members(19999, -1, 20000);
    {
        const Map related = included(parent.get(), ranks, policy);
        ASSERT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(related.get()));
        EXPECT_EQ(related, map_of(at_ranks(list, ranks), policy));
    }
    const Map flat = map_of(at_ranks(list, ranks), policy);
    EXPECT_EQ(CMAP_REP_PACKED, MPIR_cmap_representation(flat.get()));
    EXPECT_EQ(flat, included(parent.get(), ranks, policy));
    // Twice reversed is the parent.
    EXPECT_EQ(parent, included(flat.get(), ranks, policy));
}

// Drop the odd ranks again and again: one step to the world from everywhere.
TEST(Sub, ChainsStayShort) {
    Members members = shuffled();
    Map map = map_of(members, by(CMAP_STRATEGY_HYBRID));
    while (members.size() > 2 * CMAP_INLINE_MEMBERS) {
        const auto n = static_cast<uint32_t>(members.size());
        const Members ranks = range_members(0, 2, n / 2);
        map = included(map.get(), cmap_rank_range{0, n - 2, 2}, forced(CMAP_REP_SUB));
        members = at_ranks(members, ranks);
        ASSERT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(map.get()));
        EXPECT_EQ(1u, nesting(map));
        EXPECT_EQ(0u, MPIR_cmap_payload_bytes(map.get()));
    }
    expect_map_is(map.get(), members);
}

TEST(Sub, ShuffledRanksMakeTwoStepsAndNeverThree) {
    Members members = shuffled();
    Map map = map_of(members, by(CMAP_STRATEGY_HYBRID));
    for (uint32_t level = 0; level < 5; level++) {
        const auto n = static_cast<uint32_t>(members.size());
        const Members ranks =
            level % 2 == 0 ? random_permutation(n, level) : range_members(1, 1, n - 1);
        map = included(map.get(), ranks, forced(CMAP_REP_SUB));
        members = at_ranks(members, ranks);
        ASSERT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(map.get()));
        EXPECT_LE(nesting(map), cmap::SUB_DEPTH);
        if (level % 2 == 1) {
            EXPECT_EQ(0u, MPIR_cmap_payload_bytes(map.get()));
        }
        EXPECT_TRUE(is_valid(map.get()));
    }
    EXPECT_TRUE(selects_match(map.get(), members));
}

// A child that would keep more alive than its own array, or take too long, has no parent.
TEST(Sub, OnlyWhereItCannotCostMoreThanAnArray) {
    const Map parent = map_of(shuffled(), by(CMAP_STRATEGY_HYBRID));
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME, CMAP_STRATEGY_SPACE}) {
        const Map row = included(parent.get(), range_members(0, 1, side), by(strategy));
        EXPECT_NE(CMAP_REP_SUB, MPIR_cmap_representation(row.get()));
    }
    const Map all =
        included(parent.get(), range_members(world - 1, -1, world), by(CMAP_STRATEGY_TIME));
    EXPECT_NE(CMAP_REP_SUB, MPIR_cmap_representation(all.get()));
    const Map closed = range_map(5, 3, 100000, by(CMAP_STRATEGY_HYBRID));
    const Map part =
        included(closed.get(), cmap_rank_range{10, 50000, 7}, by(CMAP_STRATEGY_HYBRID));
    EXPECT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(part.get()));
}

// Every operation whose result is part of its first operand.
TEST(Sub, AllOperationsTellOfTheParent) {
    const Members list = random_permutation(30000, 9);
    const cmap_policy policy = forced(CMAP_REP_SUB);
    const Map parent = map_of(list, by(CMAP_STRATEGY_HYBRID));
    const Map tail = range_map(29000, 1, 1000, policy);
    const Map head = range_map(0, 1, 29000, policy);
    const std::vector<int> dropped = {5, 29999, 100};
    const cmap_rank_range front = {0, 99, 1};
    const Map ranks = range_map(29999, -1, 30000, policy);
    cmap_t *made[5] = {};
    EXPECT_EQ(CMAP_OK, MPIR_cmap_excl(parent.get(), dropped.data(), 3, &policy, &made[0]));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_range_excl(parent.get(), &front, 1, &policy, &made[1]));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_compose(parent.get(), ranks.get(), &policy, &made[2]));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_difference(parent.get(), tail.get(), &policy, &made[3]));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_intersection(parent.get(), head.get(), &policy, &made[4]));
    EXPECT_EQ(made[3], made[4]);
    for (cmap_t *map : made) {
        const Map owned(map);
        EXPECT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(map));
        EXPECT_LE(MPIR_cmap_payload_bytes(map), 30000u / 8 * 5 / 4 + header_bytes());
        EXPECT_EQ(parent.get(), cmap::sub_parent(map));
        EXPECT_TRUE(is_valid(map));
        EXPECT_TRUE(ranks_match(map, decoded(map)));
    }
}

TEST(Sub, NothingIsLeftWhenMemoryFails) {
    const Members list = random_permutation(900, 2);
    const cmap_policy sub = forced(CMAP_REP_SUB), hybrid = by(CMAP_STRATEGY_HYBRID);
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    for (uint64_t k = 0;; k++) {
        ASSERT_LT(k, 1000u);
        allocator.fail_at(k);
        cmap_t *parent = nullptr, *child = nullptr, *below = nullptr;
        if (MPIR_cmap_from_array(list.data(), 900, 900, &hybrid, &parent) == CMAP_OK) {
            const cmap_rank_range range = {899, 1, -2};
            const std::vector<int> dropped = {3, 8, 100};
            if (MPIR_cmap_range_incl(parent, &range, 1, &sub, &child) == CMAP_OK &&
                MPIR_cmap_excl(child, dropped.data(), 3, &sub, &below) == CMAP_OK) {
                EXPECT_EQ(list[899 - 2 * 101], MPIR_cmap_select_outlined(below, 98));
            }
        }
        MPIR_cmap_release(parent);
        MPIR_cmap_release(child);
        MPIR_cmap_release(below);
        EXPECT_EQ(0u, allocator.blocks_alive());
        if (!allocator.has_failed()) break;
    }
}

TEST(Sub, DescribesItself) {
    const Map parent = map_of(random_permutation(5000, 2), by(CMAP_STRATEGY_HYBRID));
    const Map child = included(parent.get(), cmap_rank_range{4999, 1, -2}, forced(CMAP_REP_SUB));
    char text[200];
    MPIR_cmap_describe(child.get(), text, sizeof text);
    EXPECT_STREQ("sub of 5000 held as packed, at 4999 - 2*r", text);
}

}  // namespace
}  // namespace cmap_test
