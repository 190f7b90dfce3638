// SPDX-License-Identifier: BSD-3-Clause
// Each scenario runs with its first allocation failing, then its second, and so on until none does.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace cmap_test {
namespace {

// Keeps what a scenario makes, and what went wrong on the way.
class Outcome {
  public:
    // True when the scenario may go on with the map.
    bool take(cmap_status status,
              cmap_t *const &map)  // a reference: the call may be among the arguments
    {
        EXPECT_TRUE(status == CMAP_OK || status == CMAP_ERR_NOMEM) << MPIR_cmap_strerror(status);
        EXPECT_EQ(status == CMAP_OK, map != nullptr);
        out_of_memory |= status == CMAP_ERR_NOMEM;
        if (map != nullptr) maps.emplace_back(map);
        return status == CMAP_OK;
    }
    bool take(cmap_status status) {
        EXPECT_TRUE(status == CMAP_OK || status == CMAP_ERR_NOMEM) << MPIR_cmap_strerror(status);
        out_of_memory |= status == CMAP_ERR_NOMEM;
        return status == CMAP_OK;
    }
    const cmap_t *last() const { return maps.back().get(); }

    bool out_of_memory = false;
    std::vector<Map> maps;
};

using Scenario = std::function<void(Outcome &)>;

void run_once(const CountingAllocator &allocator, const Scenario &scenario) {
    {
        Outcome outcome;
        scenario(outcome);
        if (outcome.out_of_memory) {
            EXPECT_TRUE(allocator.has_failed());
        }
    }
    EXPECT_EQ(0u, allocator.blocks_alive());
    EXPECT_EQ(0u, allocator.bytes_alive());
}

void survive_every_failure(const Scenario &scenario) {
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    for (bool lasting : {false, true})
        for (uint64_t k = 0;; k++) {
            SCOPED_TRACE(::testing::Message()
                         << "allocation " << k << (lasting ? " and later ones" : "") << " failed");
            ASSERT_LT(k, 3000u);
            if (lasting)
                allocator.fail_from(k);
            else
                allocator.fail_at(k);
            run_once(allocator, scenario);
            if (!allocator.has_failed()) break;
        }
}

void build(Outcome &outcome, const Members &members, const cmap_policy &policy) {
    cmap_t *map = nullptr;
    const auto n = static_cast<uint32_t>(members.size());
    const cmap_status status =
        MPIR_cmap_from_array(members.data(), n, universe_of(members), &policy, &map);
    if (!outcome.take(status, map)) return;
    EXPECT_TRUE(selects_match(map, members));
    EXPECT_TRUE(ranks_match(map, members));
    EXPECT_TRUE(is_valid(map));
}

class NoMemory : public ::testing::TestWithParam<int> {
  protected:
    cmap_policy policy() const { return forced(static_cast<cmap_rep>(GetParam())); }
};

TEST_P(NoMemory, BuildingAndInverting) {
    for (const Members &members :
         {Members{4, 2}, range_members(3, 7, 500), transpose(20, 30), random_set(2000, 0.5, 1),
          random_permutation(700, 2), random_pieces(12, 40, 3), random_list(300, 1000000, 4)})
        survive_every_failure([&](Outcome &outcome) { build(outcome, members, policy()); });
}

TEST_P(NoMemory, FeedingABuilder) {
    const Members block = random_permutation(300, 1);
    const cmap_policy with = policy();
    survive_every_failure([&](Outcome &outcome) {
        cmap_builder *builder = nullptr;
        if (!outcome.take(MPIR_cmap_builder_create(10000, &with, &builder))) return;
        const Builder owner(builder);
        bool fed = outcome.take(MPIR_cmap_builder_add_block(builder, block.data(), 300));
        for (uint32_t i = 0; fed && i < 40; i++)
            fed = outcome.take(MPIR_cmap_builder_add_range(builder, 1000 + 50 * i,
                                                           1 + static_cast<int32_t>(i % 3), 10)) &&
                  outcome.take(MPIR_cmap_builder_add(builder, 9000 + 7 * i));
        cmap_t *map = nullptr;
        if (fed && outcome.take(MPIR_cmap_builder_finish(builder, &map), map)) {
            EXPECT_EQ(740u, MPIR_cmap_size(map));
        }
    });
}

TEST_P(NoMemory, SharingAndSlicing) {
    const Members members = random_permutation(400, 5);
    const cmap_policy with = policy();
    survive_every_failure([&](Outcome &outcome) {
        build(outcome, members, with);
        if (outcome.maps.empty()) return;
        const cmap_t *first = outcome.last();
        build(outcome, members, with);
        EXPECT_EQ(first, outcome.last());
        cmap_builder *builder = nullptr;
        if (!outcome.take(MPIR_cmap_builder_create(400, &with, &builder))) return;
        const Builder owner(builder);
        cmap_t *map = nullptr;
        if (outcome.take(MPIR_cmap_builder_add_slice(builder, first, 100, 200)) &&
            outcome.take(MPIR_cmap_builder_finish(builder, &map), map)) {
            EXPECT_EQ(members[100], MPIR_cmap_select_outlined(map, 0));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Policies, NoMemory, ::testing::Range(0, CMAP_REP_ANY + 1),
                         [](const ::testing::TestParamInfo<int> &info) {
                             return std::string(
                                 MPIR_cmap_rep_name(static_cast<cmap_rep>(info.param)));
                         });

// A set without a short formula, in a world large enough for the algebra to be BuDDy's.
Members two_faces(uint32_t bit) {
    Members members;
    for (uint32_t index = 0; index < 1u << 21; index++)
        if ((index & 0x16f5a5) == 0x4a5 || (index & 0x1b7b29) == (0x130a01u ^ bit))
            members.push_back(index);
    return members;
}

using Binary = cmap_status (*)(const cmap_t *, const cmap_t *, const cmap_policy *, cmap_t **);

// BuDDy works in an arena.  Without memory for that an operation is done another way.
TEST(NoMemoryAlgebra, DiagramsWithoutBuDDy) {
    if (!MPIR_cmap_rep_available(CMAP_REP_BDD)) GTEST_SKIP();
    const Members a = two_faces(0), b = two_faces(0x8000);
    const cmap_policy as_bdd = forced(CMAP_REP_BDD);
    Members common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    const Map left = map_of(a, as_bdd), right = map_of(b, as_bdd);
    uint32_t done = 0;
    for (uint64_t k = 0;; k++) {
        allocator.fail_at(k);
        cmap_t *out = nullptr;
        const cmap_status status = MPIR_cmap_intersection(left.get(), right.get(), &as_bdd, &out);
        const Map result(out);
        if (!allocator.has_failed()) break;
        if (status != CMAP_OK) continue;
        expect_map_is(result.get(), common);
        done++;
    }
    EXPECT_LE(2u, done);  // without the arena, and without what a result is read out with
}

TEST(NoMemoryAlgebra, BinaryOperations) {
    const Members a = random_permutation(300, 1);
    const Members b = random_pieces(10, 30, 2);
    for (Binary operation : {MPIR_cmap_union, MPIR_cmap_intersection, MPIR_cmap_difference})
        survive_every_failure([&](Outcome &outcome) {
            build(outcome, a, by(CMAP_STRATEGY_HYBRID));
            build(outcome, b, by(CMAP_STRATEGY_HYBRID));
            if (outcome.maps.size() < 2) return;
            cmap_t *map = nullptr;
            outcome.take(operation(outcome.maps[0].get(), outcome.maps[1].get(), nullptr, &map),
                         map);
        });
}

TEST(NoMemoryAlgebra, ComposeConcatCompareTranslate) {
    const Members a = random_permutation(300, 1);
    survive_every_failure([&](Outcome &outcome) {
        build(outcome, a, by(CMAP_STRATEGY_HYBRID));
        build(outcome, range_members(1000, 3, 50), by(CMAP_STRATEGY_SPACE));
        build(outcome, random_permutation(200, 2), by(CMAP_STRATEGY_HYBRID));
        if (outcome.maps.size() < 3) return;
        const cmap_t *parts[] = {outcome.maps[0].get(), outcome.maps[1].get()};
        const cmap_t *inner = outcome.maps[2].get();
        cmap_t *map = nullptr;
        outcome.take(MPIR_cmap_concat(parts, 2, nullptr, &map), map);
        map = nullptr;
        outcome.take(MPIR_cmap_compose(parts[0], inner, nullptr, &map), map);
        cmap_order order = CMAP_EQUAL;
        outcome.take(MPIR_cmap_compare(parts[0], parts[1], &order));
        const int ranks[] = {0, 5, -1, 299};
        int translated[4];
        outcome.take(MPIR_cmap_translate(parts[0], ranks, 4, inner, translated));
        int yes = 0;
        uint32_t missing = 0;
        outcome.take(MPIR_cmap_is_subset(inner, parts[0], &yes, &missing));
    });
}

TEST(NoMemoryAlgebra, PicksByRank) {
    const Members a = random_permutation(300, 1);
    const std::vector<int> ranks = {0, 100, 7, 299, 3, 20, 21, 22, 23, 24, 25};
    const std::vector<cmap_rank_range> ranges = {{0, 20, 3}, {250, 100, -10}, {299, 299, 1}};
    const auto n = static_cast<uint32_t>(ranks.size());
    survive_every_failure([&](Outcome &outcome) {
        build(outcome, a, by(CMAP_STRATEGY_HYBRID));
        if (outcome.maps.empty()) return;
        const cmap_t *map = outcome.last();
        cmap_t *made[4] = {};
        outcome.take(MPIR_cmap_incl(map, ranks.data(), n, nullptr, &made[0]), made[0]);
        outcome.take(MPIR_cmap_excl(map, ranks.data(), n, nullptr, &made[1]), made[1]);
        outcome.take(MPIR_cmap_range_incl(map, ranges.data(), 3, nullptr, &made[2]), made[2]);
        outcome.take(MPIR_cmap_range_excl(map, ranges.data(), 3, nullptr, &made[3]), made[3]);
    });
}

TEST(NoMemoryAlgebra, Diagrams) {
    const Members a = two_faces(0), b = two_faces(0x8000);
    const cmap_policy as_bdd = forced(CMAP_REP_BDD);
    for (Binary operation : {MPIR_cmap_union, MPIR_cmap_intersection, MPIR_cmap_difference})
        survive_every_failure([&](Outcome &outcome) {
            build(outcome, a, as_bdd);
            build(outcome, b, as_bdd);
            if (outcome.maps.size() < 2) return;
            cmap_t *map = nullptr;
            outcome.take(operation(outcome.maps[0].get(), outcome.maps[1].get(), &as_bdd, &map),
                         map);
        });
}

}  // namespace
}  // namespace cmap_test
