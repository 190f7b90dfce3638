// SPDX-License-Identifier: BSD-3-Clause
// Dense sets are worked on word by word, and recognized by sums over their members: what comes out
// must be the very map that the same members make one by one.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <iterator>
#include <random>

namespace cmap_test {
namespace {

Members moved(Members members, uint32_t by) {
    for (uint32_t &member : members)
        member += by;
    return members;
}

Members without(const Members &a, const Members &b) {
    Members left;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(left));
    return left;
}

Members common(const Members &a, const Members &b) {
    Members both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

Members in_a_row(Members a, const Members &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<cmap_policy> policies() {
    std::vector<cmap_policy> all = {by(CMAP_STRATEGY_HYBRID), by(CMAP_STRATEGY_SPACE),
                                    by(CMAP_STRATEGY_TIME)};
    for (cmap_rep rep : all_reps())
        all.push_back(forced(rep));
    return all;
}

// Fed member by member: then it is pieces, not an array, that the map is made of.
Map fed(const Members &members, const cmap_policy &policy) {
    const Builder builder = builder_for(universe_of(members), policy);
    for (uint32_t member : members)
        EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder.get(), member));
    return finish(builder);
}

using Operation = cmap_status (*)(const cmap_t *, const cmap_t *, const cmap_policy *, cmap_t **);

Map made(Operation operation, const Members &a, const Members &b, const cmap_policy &policy) {
    const Map left = map_of(a, policy), right = map_of(b, policy);
    cmap_t *out = nullptr;
    EXPECT_EQ(CMAP_OK, operation(left.get(), right.get(), &policy, &out));
    return Map(out);
}

struct Made {
    cmap_rep rep;
    size_t payload;
};

Made described(const Map &map) {
    const size_t payload = MPIR_cmap_payload_bytes(map.get());
    // An equal map alive may have been looked into.
    return {MPIR_cmap_representation(map.get()), payload - MPIR_cmap_cached_bytes(map.get())};
}

void expect_one_map(Operation operation, const Members &a, const Members &b,
                    const Members &result) {
    for (const cmap_policy &policy : policies()) {
        SCOPED_TRACE(::testing::Message() << MPIR_cmap_strategy_name(policy.strategy) << " "
                                          << MPIR_cmap_rep_name(policy.force));
        const Made by_members = described(map_of(result, policy));
        const Made by_pieces = described(fed(result, policy));
        const Map words = made(operation, a, b, policy);
        const Made by_words = described(words);
        EXPECT_EQ(by_members.rep, by_words.rep);
        EXPECT_EQ(by_members.payload, by_words.payload);
        EXPECT_EQ(by_members.rep, by_pieces.rep);
        EXPECT_EQ(by_members.payload, by_pieces.payload);
        EXPECT_EQ(words, map_of(result, policy));
        EXPECT_EQ(words, fed(result, policy));
        const Map again = made(operation, a, b, policy);
        EXPECT_EQ(words, again);
        expect_map_is(words.get(), result);
    }
}

void expect_algebra_is_right(const Members &a, const Members &b) {
    {
        SCOPED_TRACE("intersection");
        expect_one_map(MPIR_cmap_intersection, a, b, common(a, b));
    }
    {
        SCOPED_TRACE("difference");
        expect_one_map(MPIR_cmap_difference, a, b, without(a, b));
    }
    SCOPED_TRACE("union");
    expect_one_map(MPIR_cmap_union, a, b, in_a_row(a, without(b, a)));
}

TEST(SetWords, DenseSetsOfAnyDensity) {
    for (double density : {0.05, 0.5, 0.95})
        expect_algebra_is_right(random_set(4000, density, 1), random_set(4000, density, 2));
}

// Hulls that begin and end inside words, touch, hold one another or have a gap between them.
TEST(SetWords, HullsInEveryPosition) {
    const Members a = moved(random_set(700, 0.6, 3), 700);
    for (uint32_t by : {0u, 37u, 64u, 200u, 699u, 701u, 1100u, 1399u, 1409u, 1664u}) {
        SCOPED_TRACE(by);
        expect_algebra_is_right(a, moved(random_set(500, 0.6, by + 1), by));
    }
    expect_algebra_is_right(a, Members(a.begin() + 40, a.begin() + 300));
    expect_algebra_is_right(Members(a.begin() + 40, a.begin() + 300), a);
}

// Bits against ranges, and results that are regular though the operands are not.
TEST(SetWords, RangesAndRegularResults) {
    const Members set = random_set(3000, 0.5, 5);
    expect_algebra_is_right(set, levels(17, {{40, 1}, {30, 100}}));
    expect_algebra_is_right(random_pieces(1, 900, 1), set);
    const Members evens = range_members(100, 2, 900);
    const Members left = without(set, evens), right = without(random_set(3000, 0.5, 6), set);
    Members a, b;
    std::set_union(evens.begin(), evens.end(), left.begin(), left.end(), std::back_inserter(a));
    std::set_union(evens.begin(), evens.end(), right.begin(), right.end(), std::back_inserter(b));
    expect_algebra_is_right(a, b);
}

TEST(SetWords, FewMembersOrNone) {
    const Members a = random_set(2000, 0.5, 7), b = without(range_members(0, 1, 2000), a);
    expect_algebra_is_right(a, b);
    for (size_t shared : {1u, 8u, 9u}) {
        Members some(a.begin() + 100, a.begin() + 100 + static_cast<long>(shared)), c;
        std::set_union(b.begin(), b.end(), some.begin(), some.end(), std::back_inserter(c));
        expect_algebra_is_right(a, c);
    }
}

// More runs than any estimator looks at.
TEST(SetWords, ManyRuns) {
    const Members a = random_set(60000, 0.5, 8), b = random_set(60000, 0.3, 9);
    for (Operation operation : {MPIR_cmap_union, MPIR_cmap_intersection, MPIR_cmap_difference}) {
        const Members result = operation == MPIR_cmap_union          ? in_a_row(a, without(b, a))
                               : operation == MPIR_cmap_intersection ? common(a, b)
                                                                     : without(a, b);
        for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME}) {
            const cmap_policy policy = by(strategy);
            const Map words = made(operation, a, b, policy);
            EXPECT_EQ(words, map_of(result, policy));
            EXPECT_EQ(words, fed(result, policy));
            expect_map_is(words.get(), result);
        }
    }
}

// Three levels, and more runs than matter to anything but the closed form; then the same with a
// break at the very end.
TEST(SetWords, RegularBeyondTheLimitOfRuns) {
    const Members regular = levels(5, {{3, 1}, {50, 5}, {120, 300}});
    Members broken = regular;
    broken.back() += 7;
    const uint32_t world = universe_of(broken) + 100;
    for (const Members &members : {regular, broken}) {
        const Members others = without(range_members(0, 1, world), members);
        const Members even = common(others, range_members(0, 2, world)),
                      odd = without(others, even);
        Members a, b;
        std::set_union(members.begin(), members.end(), even.begin(), even.end(),
                       std::back_inserter(a));
        std::set_union(members.begin(), members.end(), odd.begin(), odd.end(),
                       std::back_inserter(b));
        expect_one_map(MPIR_cmap_intersection, a, b, members);
        const Map map = made(MPIR_cmap_intersection, a, b, by(CMAP_STRATEGY_HYBRID));
        EXPECT_EQ(members == regular, MPIR_cmap_representation(map.get()) == CMAP_REP_AFFINE);
    }
}

void expect_subset_is_right(const Members &part, const Members &whole) {
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map a = map_of(part, policy), b = map_of(whole, policy);
    const Members missing = without(part, whole);
    int yes = -1;
    uint32_t rank = CMAP_NONE;
    ASSERT_EQ(CMAP_OK, MPIR_cmap_is_subset(a.get(), b.get(), &yes, &rank));
    EXPECT_EQ(missing.empty(), yes != 0);
    if (!missing.empty()) {
        EXPECT_EQ(missing[0], part[rank]);
    }
}

TEST(SetWords, Subsets) {
    const Members whole = random_set(4000, 0.6, 16),
                  part = common(whole, random_set(4000, 0.5, 17));
    expect_subset_is_right(part, whole);
    expect_subset_is_right(whole, part);
    for (size_t at : {0u, 1u, 700u, 1500u}) {
        Members one_less = whole;
        one_less.erase(one_less.begin() + static_cast<long>(at));
        expect_subset_is_right(whole, one_less);
        expect_subset_is_right(one_less, whole);
    }
}

TEST(SetWords, AUnionRefersToItsFirstOperand) {
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Members a = random_set(60000, 0.5, 10), b = random_set(60000, 0.5, 11);
    const Map left = map_of(a, policy), right = map_of(b, policy);
    const uint32_t before = MPIR_cmap_sharers(left.get());
    cmap_t *out = nullptr;
    ASSERT_EQ(CMAP_OK, MPIR_cmap_union(left.get(), right.get(), &policy, &out));
    const Map both(out);
    EXPECT_EQ(CMAP_REP_CONCAT, MPIR_cmap_representation(out));
    EXPECT_EQ(before + 1, MPIR_cmap_sharers(left.get()));
    EXPECT_LT(MPIR_cmap_payload_bytes(out), MPIR_cmap_array_bytes(out) / 4);
}

// Runs up and down, so that lists of one, two and more sets begin and end in all ways.
TEST(SetWords, MapsOfArraysAndPiecesAreTheSame) {
    std::mt19937 random(12);
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    for (int trial = 0; trial < 3000; trial++) {
        std::vector<Members> parts;
        for (uint32_t k = 0, low = 0; k < 1 + random() % 6; k++) {
            const int32_t step = static_cast<int32_t>(1 + random() % 3);
            parts.push_back(range_members(low, step, 1 + random() % 5));
            low = parts.back().back() + 1 + random() % 3;
            if (random() % 5 == 0) std::reverse(parts.back().begin(), parts.back().end());
        }
        for (uint32_t swaps = random() % 3; swaps > 0; swaps--)
            std::swap(parts[random() % parts.size()], parts[random() % parts.size()]);
        Members members;
        for (const Members &part : parts)
            members.insert(members.end(), part.begin(), part.end());
        const Map map = map_of(members, policy);
        ASSERT_EQ(map, fed(members, policy)) << ::testing::PrintToString(members);
        ASSERT_EQ(members, decoded(map.get()));
    }
}

// Repeats that rise, fall and overlap.
TEST(SetWords, MapsOfArraysAndNestedRangesAreTheSame) {
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    for (int32_t step : {1, 2, -1})
        for (int32_t pitch : {1, 7, 40, -7, -40})
            for (uint32_t rows : {1u, 2u, 3u, 30u}) {
                const Members members = levels(2000, {{5, step * 7 + step}, {rows, pitch}});
                Members sorted = members;
                std::sort(sorted.begin(), sorted.end());
                if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) continue;
                EXPECT_EQ(map_of(members, policy), fed(members, policy))
                    << step << " " << pitch << " " << rows;
            }
}

// 1 + 5 + 6 = 2 + 3 + 7, and so for their squares.
TEST(SetWords, EqualSumsDoNotMakeSetsEqual) {
    for (const cmap_policy &policy : policies()) {
        const Members tail = range_members(20, 3, 30);
        const Map one = map_of(in_a_row({0, 1, 5, 6}, tail), policy);
        const Map other = map_of(in_a_row({0, 2, 3, 7}, tail), policy);
        EXPECT_NE(one, other);
        EXPECT_EQ(one, map_of(in_a_row({0, 1, 5, 6}, tail), policy));
        cmap_order order = CMAP_EQUAL;
        EXPECT_EQ(CMAP_OK, MPIR_cmap_compare(one.get(), other.get(), &order));
        EXPECT_EQ(CMAP_DIFFERENT, order);
    }
}

TEST(SetWords, IndicesNearTheLimit) {
    const uint32_t high = CMAP_MAX_SIZE - 3000;
    expect_algebra_is_right(moved(random_set(3000, 0.5, 13), high),
                            moved(random_set(3000, 0.5, 14), high));
}

TEST(SetWords, TwoSetsInARowWithACommonMemberAreRefused) {
    const Members a = random_set(3000, 0.5, 15);
    Members twice = in_a_row(a, {a[700]});
    cmap_t *out = nullptr;
    EXPECT_EQ(CMAP_ERR_DUPLICATE,
              MPIR_cmap_from_array(twice.data(), static_cast<uint32_t>(twice.size()), 3000, nullptr,
                                   &out));
    EXPECT_EQ(nullptr, out);
}

}  // namespace
}  // namespace cmap_test
