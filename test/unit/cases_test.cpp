// SPDX-License-Identifier: BSD-3-Clause
// The suite that every representation runs on every case of cases.txt.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace cmap_test {
namespace {

uint32_t universe(const Case &one) {
    return one.universe != 0 ? one.universe : universe_of(members_of(one));
}

class EveryRepresentation : public ::testing::TestWithParam<std::tuple<size_t, cmap_rep>> {};

// Ascending runs.
size_t ascents(const Members &members) {
    size_t count = 1;
    for (size_t i = 1; i < members.size(); i++)
        count += members[i] < members[i - 1];
    return count;
}

// What a representation can hold whatever the members are.
bool must_hold(cmap_rep rep, const Members &members) {
    const bool increasing = std::is_sorted(members.begin(), members.end());
    const bool general = rep == CMAP_REP_PACKED || rep == CMAP_REP_ARRAY || rep == CMAP_REP_BWT;
    const bool any_set = rep == CMAP_REP_BITMAP || rep == CMAP_REP_GAP || rep == CMAP_REP_ELIASFANO;
    cmap_limits limits;
    MPIR_cmap_limits_get(&limits);
    return members.size() > CMAP_INLINE_MEMBERS &&
           (general || (any_set && increasing) ||
            (rep == CMAP_REP_WTR && ascents(members) <= limits.wtr_runs));
}

TEST_P(EveryRepresentation, AnswersAsTheArrayDoes) {
    const Case &one = cases()[std::get<0>(GetParam())];
    const cmap_rep rep = std::get<1>(GetParam());
    if (one.slim && rep == CMAP_REP_BITMAP) return;
    const Members &members = members_of(one);
    const Map map = map_of(members, forced(rep), universe(one));
    ASSERT_NE(nullptr, map);
    EXPECT_TRUE(MPIR_cmap_representation(map.get()) == rep || MPIR_cmap_force_declined(map.get()));
    if (must_hold(rep, members)) {
        EXPECT_EQ(rep, MPIR_cmap_representation(map.get()));
        EXPECT_FALSE(MPIR_cmap_force_declined(map.get()));
    }
    if (members.size() <= CMAP_INLINE_MEMBERS) {
        EXPECT_EQ(0u, MPIR_cmap_payload_bytes(map.get()));
    }
    expect_map_is(map.get(), members);
}

std::string name_of_pair(const ::testing::TestParamInfo<std::tuple<size_t, cmap_rep>> &info) {
    return cases()[std::get<0>(info.param)].name + "_" +
           MPIR_cmap_rep_name(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryRepresentation,
                         ::testing::Combine(::testing::Range(size_t{0}, cases().size()),
                                            ::testing::ValuesIn(all_reps())),
                         name_of_pair);

bool holds(cmap_rep rep, const Case &one) {
    const Members &members = members_of(one);
    if (members.size() <= CMAP_INLINE_MEMBERS || (one.slim && rep == CMAP_REP_BITMAP)) return false;
    const Map map = map_of(members, forced(rep), universe(one));
    return map != nullptr && MPIR_cmap_representation(map.get()) == rep;
}

// A representation that holds no case would pass the suite unseen.
TEST(Cases, EachRepresentationHoldsOne) {
    for (cmap_rep rep : all_reps())
        EXPECT_TRUE(std::any_of(cases().begin(), cases().end(),
                                [&](const Case &one) { return holds(rep, one); }))
            << "no case of more than " << CMAP_INLINE_MEMBERS << " members is held as "
            << MPIR_cmap_rep_name(rep) << ": add one to cases.txt";
}

class EveryStrategy : public ::testing::TestWithParam<size_t> {};

// A strategy's estimates may be upper bounds within a tenth, and small maps round up to words.
constexpr size_t rounding_bytes = 64;

size_t smallest_payload(const Case &one) {
    size_t least = SIZE_MAX;
    for (cmap_rep rep : all_reps()) {
        if (one.slim && rep == CMAP_REP_BITMAP) continue;
        const Map map = map_of(members_of(one), forced(rep), universe(one));
        least = std::min(least, MPIR_cmap_payload_bytes(map.get()));
    }
    return least;
}

TEST_P(EveryStrategy, KeepsItsPromise) {
    const Case &one = cases()[GetParam()];
    const Members &members = members_of(one);
    const size_t least = smallest_payload(one);
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME, CMAP_STRATEGY_SPACE}) {
        SCOPED_TRACE(MPIR_cmap_strategy_name(strategy));
        const Map map = map_of(members, by(strategy), universe(one));
        ASSERT_NE(nullptr, map);
        const size_t payload = MPIR_cmap_payload_bytes(map.get());
        EXPECT_EQ(strategy, MPIR_cmap_strategy_of(map.get()));
        EXPECT_FALSE(MPIR_cmap_force_declined(map.get()));
        if (strategy != CMAP_STRATEGY_TIME) {
            EXPECT_LE(payload, 4 * members.size());
        }
        if (strategy == CMAP_STRATEGY_SPACE) {
            EXPECT_LE(payload, least + least / 10 + rounding_bytes);
        }
        if (one.affine && strategy != CMAP_STRATEGY_TIME) {
            EXPECT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(map.get()));
            EXPECT_EQ(0u, payload);
        }
        EXPECT_TRUE(is_valid(map.get()));
        EXPECT_TRUE(selects_match(map.get(), members));
    }
}

TEST_P(EveryStrategy, PiecesGiveTheSameMapAsTheArray) {
    const Case &one = cases()[GetParam()];
    const Members &members = members_of(one);
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map whole = map_of(members, policy, universe(one));
    const Builder builder = builder_for(universe(one), policy);
    const auto n = static_cast<uint32_t>(members.size());
    for (uint32_t at = 0, width = 1; at < n; at += width, width = width * 3 % 1021 + 1) {
        width = std::min(width, n - at);
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), whole.get(), at, width));
    }
    EXPECT_EQ(whole, finish(builder));
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryStrategy, ::testing::Range(size_t{0}, cases().size()),
                         [](const ::testing::TestParamInfo<size_t> &info) {
                             return cases()[info.param].name;
                         });

TEST(CaseFile, NamesAreUniqueAndMembersDistinct) {
    std::set<std::string> names;
    for (const Case &one : cases()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        Members sorted = members_of(one);
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(sorted.end(), std::adjacent_find(sorted.begin(), sorted.end())) << one.name;
    }
}

}  // namespace
}  // namespace cmap_test
