// SPDX-License-Identifier: BSD-3-Clause
// Which representation a strategy takes, and what a policy's default and a forced representation
// do.
#include "case_file.hpp"
#include "oracle.hpp"

namespace cmap_test {
namespace {

cmap_rep chosen(const Members &members, const cmap_policy &policy) {
    const Map map = map_of(members, policy);
    return MPIR_cmap_representation(map.get());
}

TEST(Strategy, RegularMapsAreAffineUnderAllThree) {
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME, CMAP_STRATEGY_SPACE}) {
        EXPECT_EQ(CMAP_REP_AFFINE, chosen(range_members(0, 1, 100000), by(strategy)));
        EXPECT_EQ(CMAP_REP_AFFINE, chosen(range_members(100000, -3, 1000), by(strategy)));
        EXPECT_EQ(CMAP_REP_AFFINE, chosen(transpose(256, 256), by(strategy)));
    }
}

TEST(Strategy, SpaceTakesTheBoundForARandomPermutation) {
    const Members members = random_permutation(1u << 16, 1);
    const Map map = map_of(members, by(CMAP_STRATEGY_SPACE));
    const size_t bound = (size_t{16} << 16) / 8;
    EXPECT_LE(MPIR_cmap_payload_bytes(map.get()), bound + bound / 20);
}

TEST(Strategy, SpaceTakesBitsForADenseSet) {
    const Map map = map_of(random_set(1u << 20, 0.5, 2), by(CMAP_STRATEGY_SPACE));
    const size_t bits = (1u << 20) / 8;
    EXPECT_EQ(CMAP_REP_BITMAP, MPIR_cmap_representation(map.get()));
    EXPECT_LE(MPIR_cmap_payload_bytes(map.get()), bits + bits / 25 + 64);
}

TEST(Strategy, SpaceTakesRunsForAFewRanges) {
    const Members members = random_pieces(16, 5000, 1);
    EXPECT_LE(MPIR_cmap_payload_bytes(map_of(members, by(CMAP_STRATEGY_SPACE)).get()), 512u);
    EXPECT_LE(MPIR_cmap_payload_bytes(map_of(members, by(CMAP_STRATEGY_HYBRID)).get()), 512u);
}

TEST(Strategy, TimeNeverTakesASlowerFormThanAList) {
    for (const Members &members : {random_permutation(50000, 1), random_set(100000, 0.1, 2),
                                   random_list(5000, 1u << 20, 3)}) {
        const cmap_rep rep = chosen(members, by(CMAP_STRATEGY_TIME));
        EXPECT_TRUE(rep == CMAP_REP_ARRAY || rep == CMAP_REP_PACKED) << MPIR_cmap_rep_name(rep);
    }
}

TEST(Strategy, AlphaGoesFromSpaceToTime) {
    for (const Members &members : {random_permutation(50000, 1), random_set(100000, 0.1, 2),
                                   random_set(100000, 0.5, 3), random_pieces(16, 5000, 4)}) {
        const auto space = map_of(members, by(CMAP_STRATEGY_SPACE));
        const auto time = map_of(members, by(CMAP_STRATEGY_TIME));
        const auto all_space = map_of(members, by(CMAP_STRATEGY_HYBRID, 0.0));
        EXPECT_EQ(MPIR_cmap_payload_bytes(space.get()), MPIR_cmap_payload_bytes(all_space.get()));
        EXPECT_LE(MPIR_cmap_payload_bytes(space.get()), MPIR_cmap_payload_bytes(time.get()));
        size_t before = 0;
        for (double alpha : {0.0, 0.25, 0.5, 0.75, 0.95}) {
            const size_t payload =
                MPIR_cmap_payload_bytes(map_of(members, by(CMAP_STRATEGY_HYBRID, alpha)).get());
            EXPECT_GE(payload, before) << "more weight on time saved space, alpha " << alpha;
            before = payload;
        }
    }
}

TEST(Policy, ForcedIsUsedOrSaidToBeDeclined) {
    const Members list = random_permutation(1000, 1);
    const Map map = map_of(list, forced(CMAP_REP_BITMAP));
    EXPECT_TRUE(MPIR_cmap_force_declined(map.get()));
    EXPECT_NE(CMAP_REP_BITMAP, MPIR_cmap_representation(map.get()));
    expect_map_is(map.get(), list);
    const Map set = map_of(random_set(1000, 0.5, 1), forced(CMAP_REP_BITMAP));
    EXPECT_FALSE(MPIR_cmap_force_declined(set.get()));
    EXPECT_EQ(CMAP_REP_BITMAP, MPIR_cmap_representation(set.get()));
    const Map few = map_of(range_members(0, 1, 1000), forced(CMAP_REP_RUNS));
    EXPECT_EQ(CMAP_REP_RUNS, MPIR_cmap_representation(few.get()));
    const Map permuted = map_of(list, forced(CMAP_REP_PPERM));
    EXPECT_EQ(CMAP_REP_PPERM, MPIR_cmap_representation(permuted.get()));
}

class DefaultPolicy : public ::testing::Test {
  protected:
    DefaultPolicy() { MPIR_cmap_policy_default(&before); }
    ~DefaultPolicy() override { MPIR_cmap_policy_set_default(&before); }
    cmap_policy before;
};

TEST_F(DefaultPolicy, IsHybridWithTheThesisWeight) {
    EXPECT_EQ(CMAP_STRATEGY_HYBRID, before.strategy);
    EXPECT_EQ(CMAP_ALPHA_DEFAULT, before.alpha);
    EXPECT_EQ(CMAP_REP_ANY, before.force);
}

TEST_F(DefaultPolicy, IsUsedForNullAndLeavesOldMapsAlone) {
    const Members members = random_permutation(100, 1);
    const Map old = map_of(members, by(CMAP_STRATEGY_HYBRID));
    const cmap_rep was = MPIR_cmap_representation(old.get());
    const cmap_policy next = forced(CMAP_REP_ARRAY);
    ASSERT_EQ(CMAP_OK, MPIR_cmap_policy_set_default(&next));
    cmap_t *map = nullptr;
    ASSERT_EQ(CMAP_OK, MPIR_cmap_from_array(members.data(), 100, 100, nullptr, &map));
    const Map made(map);
    EXPECT_EQ(CMAP_REP_ARRAY, MPIR_cmap_representation(map));
    EXPECT_EQ(made, map_of(members, next));
    EXPECT_EQ(was, MPIR_cmap_representation(old.get()));
    const cmap_policy wrong = by(CMAP_STRATEGY_HYBRID, 7);
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_policy_set_default(&wrong));
    cmap_policy now;
    MPIR_cmap_policy_default(&now);
    EXPECT_EQ(CMAP_REP_ARRAY, now.force);
}

}  // namespace
}  // namespace cmap_test
