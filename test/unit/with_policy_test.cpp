// SPDX-License-Identifier: BSD-3-Clause
// MPIR_cmap_with_policy: the same members under another policy, and MPIR_cmap_policy_of, which
// tells them apart.
#include "case_file.hpp"
#include "oracle.hpp"

namespace cmap_test {
namespace {

Map under(const cmap_t *map, const cmap_policy &policy) {
    cmap_t *out = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_with_policy(map, &policy, &out));
    return Map(out);
}

TEST(WithPolicy, KeepsTheMembersOfEveryCaseUnderEveryPolicy) {
    for (const Members &members :
         {Members{}, Members{5}, range_members(3, 7, 1000), transpose(40, 50),
          random_permutation(3000, 1), random_set(20000, 0.3, 2), random_pieces(16, 200, 3)}) {
        const Map from = map_of(members, by(CMAP_STRATEGY_HYBRID));
        for (cmap_rep rep : all_reps())
            expect_map_is(under(from.get(), forced(rep)).get(), members);
        for (cmap_strategy strategy : {CMAP_STRATEGY_TIME, CMAP_STRATEGY_SPACE}) {
            const Map to = under(from.get(), by(strategy));
            EXPECT_EQ(strategy, MPIR_cmap_strategy_of(to.get()));
            EXPECT_EQ(to, map_of(members, by(strategy))) << "not the one alive";
        }
    }
}

TEST(WithPolicy, GivesTheMapItselfForItsOwnPolicy) {
    const Map map = map_of(random_permutation(500, 1), by(CMAP_STRATEGY_HYBRID, 0.5));
    EXPECT_EQ(map, under(map.get(), by(CMAP_STRATEGY_HYBRID, 0.5)));
    EXPECT_NE(map, under(map.get(), by(CMAP_STRATEGY_HYBRID, 0.25)));
    const Map fast = under(map.get(), by(CMAP_STRATEGY_TIME, 0.5));
    EXPECT_EQ(fast, under(map.get(), by(CMAP_STRATEGY_TIME, 0.1))) << "alpha is hybrid's alone";
    EXPECT_EQ(map, under(fast.get(), by(CMAP_STRATEGY_HYBRID, 0.5)));
}

TEST(WithPolicy, PolicyOfSaysWhatTheMapWasBuiltUnder) {
    const Members members = random_permutation(500, 1);
    cmap_policy policy;
    MPIR_cmap_policy_of(map_of(members, by(CMAP_STRATEGY_HYBRID, 0.75)).get(), &policy);
    EXPECT_EQ(CMAP_STRATEGY_HYBRID, policy.strategy);
    EXPECT_EQ(0.75, policy.alpha);
    EXPECT_EQ(CMAP_REP_ANY, policy.force);
    MPIR_cmap_policy_of(map_of(members, by(CMAP_STRATEGY_SPACE, 0.75)).get(), &policy);
    EXPECT_EQ(CMAP_STRATEGY_SPACE, policy.strategy);
    EXPECT_EQ(0.0, policy.alpha);
    MPIR_cmap_policy_of(map_of(members, forced(CMAP_REP_PPERM)).get(), &policy);
    EXPECT_EQ(CMAP_REP_PPERM, policy.force);
}

TEST(WithPolicy, RefusesWhatIsNotThereAndWrongPolicies) {
    const Map map = map_of(random_permutation(500, 1), by(CMAP_STRATEGY_HYBRID));
    const cmap_policy wrong = by(CMAP_STRATEGY_HYBRID, 2), right = by(CMAP_STRATEGY_TIME);
    cmap_t *out = const_cast<cmap_t *>(map.get());
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_with_policy(map.get(), &wrong, &out));
    EXPECT_EQ(nullptr, out);
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_with_policy(nullptr, &right, &out));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_with_policy(map.get(), &right, nullptr));
    EXPECT_EQ(1u, MPIR_cmap_sharers(map.get()));
}

}  // namespace
}  // namespace cmap_test
