// SPDX-License-Identifier: BSD-3-Clause
// Maps of one run are recognized without an analysis of their members.
#include "oracle.hpp"

#include "core/analysis.hpp"
#include "core/intern.hpp"

#include <random>

namespace cmap_test {
namespace {

using Progression = cmap::Run;  // Run is a member of tests

constexpr uint32_t UNIVERSE = 1u << 24;

Progression random_run(std::mt19937 &random) {
    const uint32_t count = 1 + (random() % 4 == 0 ? random() % 5000 : random() % 4);
    const auto step = static_cast<int32_t>(random() % 2000 + 1);
    const uint32_t low = random() % 1000000, span = (count - 1) * static_cast<uint32_t>(step);
    if (count == 1) return Progression{low, 0, 1};
    return random() % 2 == 0 ? Progression{low, step, count}
                             : Progression{low + span, -step, count};
}

Members members_of(const Progression &run) {
    Members members;
    for (uint32_t i = 0; i < run.count; i++)
        members.push_back(run.at(i));
    return members;
}

TEST(RunLookup, TheKeyIsThatOfTheMembers) {
    std::mt19937 random(1);
    for (int i = 0; i < 3000; i++) {
        const Progression run = random_run(random);
        const Members members = members_of(run);
        cmap::Content content;
        content.borrow(members.data(), run.count);
        const cmap::Stats all = cmap::stats_of(content), key = cmap::key_stats_of(run);
        ASSERT_EQ(all.size, key.size);
        ASSERT_EQ(all.min, key.min);
        ASSERT_EQ(all.max, key.max);
        ASSERT_EQ(all.hash, key.hash) << run.first << " " << run.step << " " << run.count;
    }
}

TEST(RunLookup, FindsTheMapThatIsAliveAndNoOther) {
    std::mt19937 random(2);
    const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID), time = by(CMAP_STRATEGY_TIME);
    for (int i = 0; i < 300; i++) {
        const Progression run = random_run(random);
        EXPECT_EQ(nullptr, cmap::find_run(run, UNIVERSE, &hybrid));
        const Map map = map_of(members_of(run), hybrid, UNIVERSE);
        const Map found(cmap::find_run(run, UNIVERSE, &hybrid));
        EXPECT_EQ(map.get(), found.get());
        EXPECT_EQ(2u, MPIR_cmap_sharers(map.get()));
        EXPECT_EQ(nullptr, cmap::find_run(run, UNIVERSE, &time)) << "another policy";
        EXPECT_EQ(nullptr, cmap::find_run(run, run.high(), &hybrid)) << "outside the universe";
        const Progression back{run.last(), -run.step, run.count};
        EXPECT_EQ(run.count == 1, Map(cmap::find_run(back, UNIVERSE, &hybrid)) != nullptr)
            << "the other way round";
    }
}

TEST(RunLookup, RangesAndArraysMeet) {
    std::mt19937 random(3);
    const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID);
    for (int i = 0; i < 300; i++) {
        const Progression run = random_run(random);
        const Map listed = map_of(members_of(run), hybrid, UNIVERSE);
        const int32_t stride = run.count > 1 ? run.step : 7;
        cmap_t *ranged = nullptr;
        ASSERT_EQ(CMAP_OK,
                  MPIR_cmap_from_range(run.first, stride, run.count, UNIVERSE, &hybrid, &ranged));
        EXPECT_EQ(listed.get(), ranged);
        MPIR_cmap_release(ranged);
    }
}

// One range of ranks of a run, found or made.
TEST(RunLookup, ARangeOfARunHasItsMembers) {
    std::mt19937 random(4);
    const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID);
    for (int i = 0; i < 500; i++) {
        const Map parent = map_of(members_of(random_run(random)), hybrid, UNIVERSE);
        const uint32_t size = MPIR_cmap_size(parent.get());
        const uint32_t first = random() % size, last = random() % size;
        const auto stride = static_cast<int32_t>(1 + random() % 3) * (last < first ? -1 : 1);
        const cmap_rank_range range = {first, last, stride};
        Members expected;
        for (int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
            expected.push_back(MPIR_cmap_select(parent.get(), static_cast<uint32_t>(rank)));
        const bool alive = random() % 2 == 0;
        const Map before = alive ? map_of(expected, hybrid, UNIVERSE) : Map();
        cmap_t *child = nullptr;
        ASSERT_EQ(CMAP_OK, MPIR_cmap_range_incl(parent.get(), &range, 1, &hybrid, &child));
        const Map owned(child);
        EXPECT_TRUE(!alive || before.get() == child);
        EXPECT_TRUE(selects_match(child, expected));
    }
}

}  // namespace
}  // namespace cmap_test
