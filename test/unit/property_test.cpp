// SPDX-License-Identifier: BSD-3-Clause
// Random maps of every kind under every policy, against the array.  Seeds are fixed.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <random>

namespace cmap_test {
namespace {

Members anything(std::mt19937 &random) {
    const uint32_t n = 1 + random() % (random() % 2 ? 40 : 2000);
    const uint32_t seed = random();
    switch (random() % 5) {
        case 0: return random_pieces(1 + n % 30, 1 + seed % 90, seed);
        case 1: return random_set(2 * n, (1 + seed % 99) / 100.0, seed);
        case 2: return random_permutation(n, seed);
        case 3: return random_list(n, n + seed % 100000, seed);
        default:
            return levels(1u << 28, {{2 + seed % 5, 1}, {2 + n % 7, 50}, {2 + seed % 3, -3000}});
    }
}

// Shifted copies of several kinds, one after the other.
Members mixture(std::mt19937 &random) {
    Members members;
    uint32_t base = random() % 1000;
    for (uint32_t part = 1 + random() % 4; part > 0; part--) {
        Members next = anything(random);
        const uint32_t low = next.empty() ? 0 : *std::min_element(next.begin(), next.end());
        for (uint32_t &index : next)
            index = index - low + base;
        members.insert(members.end(), next.begin(), next.end());
        base = universe_of(members) + random() % 100;
    }
    return members;
}

cmap_policy any_policy(std::mt19937 &random) {
    const auto strategy = static_cast<cmap_strategy>(random() % 3);
    const double alpha = random() % 5 / 4.0;
    return {strategy, alpha,
            random() % 2 ? CMAP_REP_ANY : static_cast<cmap_rep>(random() % CMAP_REP_COUNT)};
}

TEST(Property, RandomMapsAnswerAsTheArrayDoes) {
    std::mt19937 random(20110915);
    for (int trial = 0; trial < 400; trial++) {
        const Members members = trial % 2 ? mixture(random) : anything(random);
        const cmap_policy policy = any_policy(random);
        SCOPED_TRACE(::testing::Message()
                     << "trial " << trial << ", " << members.size() << " members, forced "
                     << MPIR_cmap_rep_name(policy.force));
        const Map map = map_of(members, policy);
        if (policy.force == CMAP_REP_ANY && policy.strategy == CMAP_STRATEGY_SPACE) {
            EXPECT_LE(MPIR_cmap_payload_bytes(map.get()), 4 * members.size());
        }
        expect_map_is(map.get(), members);
        if (HasFailure()) return;
    }
}

TEST(Property, EqualMembersAreOneMapOthersAreNot) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; trial++) {
        Members members = mixture(random);
        const cmap_policy policy = any_policy(random);
        const uint32_t universe = universe_of(members) + 2;
        const Map one = map_of(members, policy, universe);
        EXPECT_EQ(one, map_of(members, policy, universe));
        if (members.size() < 2) continue;
        const size_t i = random() % members.size(), j = random() % members.size();
        std::swap(members[i], members[j]);
        EXPECT_EQ(i == j, one == map_of(members, policy, universe)) << "trial " << trial;
        members[i] = universe - 1;
        EXPECT_NE(one, map_of(members, policy, universe)) << "trial " << trial;
    }
}

TEST(Property, TrimmedInversesComeBack) {
    std::mt19937 random(8);
    for (cmap_rep rep : all_reps()) {
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        const Members members = mixture(random);
        const Map map = map_of(members, forced(rep));
        const size_t bare = MPIR_cmap_payload_bytes(map.get());
        EXPECT_TRUE(ranks_match(map.get(), members));
        EXPECT_EQ(bare, MPIR_cmap_payload_bytes(map.get()) - MPIR_cmap_cached_bytes(map.get()));
    }
}

// Ranges of hundreds of millions of members, where only arithmetic on the pieces can answer.
TEST(Property, HugeRangesCostNothing) {
    const uint32_t n = CMAP_MAX_SIZE;
    const Map up = range_map(0, 1, n, by(CMAP_STRATEGY_HYBRID));
    const Map down = range_map(n - 1, -1, n, by(CMAP_STRATEGY_HYBRID));
    const Builder builder = builder_for(n, by(CMAP_STRATEGY_HYBRID));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), 0, 2, 1u << 30));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), 1, 2, (1u << 30) - 1));
    const Map halves = finish(builder);
    EXPECT_LE(MPIR_cmap_payload_bytes(up.get()) + MPIR_cmap_payload_bytes(down.get()), 0u);
    EXPECT_LE(MPIR_cmap_payload_bytes(halves.get()), 1024u);
    std::mt19937 random(5);
    for (int trial = 0; trial < 20000; trial++) {
        const uint32_t rank = trial < 3 ? n - 1 - static_cast<uint32_t>(trial) : random() % n;
        const uint32_t split = rank < 1u << 30 ? 2 * rank : 2 * (rank - (1u << 30)) + 1;
        ASSERT_EQ(rank, MPIR_cmap_select_outlined(up.get(), rank));
        ASSERT_EQ(n - 1 - rank, MPIR_cmap_select_outlined(down.get(), rank));
        ASSERT_EQ(split, MPIR_cmap_select_outlined(halves.get(), rank));
        ASSERT_EQ(rank, MPIR_cmap_rank(up.get(), rank));
        ASSERT_EQ(n - 1 - rank, MPIR_cmap_rank(down.get(), rank));
        ASSERT_EQ(rank, MPIR_cmap_rank(halves.get(), split));
    }
    EXPECT_EQ(CMAP_NONE, MPIR_cmap_rank(up.get(), n));
}

}  // namespace
}  // namespace cmap_test
