// SPDX-License-Identifier: BSD-3-Clause
// The closed forms of the group algebra alone: random grids against the lists of their values.
#include "algebra/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace cmap {
namespace {

using Random = std::mt19937;
using Values = std::vector<int64_t>;

constexpr size_t plenty = 1u << 20;

int64_t between(Random &random, int64_t least, int64_t most) {
    return least + int64_t(random() % uint32_t(most - least + 1));
}

Values values_of(const Grid &grid) {
    Values values;
    for (int64_t j = 0; j < grid.rows; j++)
        for (int64_t i = 0; i < grid.count; i++)
            values.push_back(grid.at(i, j));
    return values;
}

Values values_of(const Grids &grids) {
    Values values;
    for (const Grid &grid : grids) {
        const Values some = values_of(grid);
        values.insert(values.end(), some.begin(), some.end());
    }
    return values;
}

int64_t random_stride(Random &random) {
    static const int64_t strides[] = {1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48};
    return strides[between(random, 0, 12)] * (random() % 2 ? 1 : -1);
}

Grid random_grid(Random &random) {
    for (;;) {
        Grid grid{0, random_stride(random), between(random, 1, 12), random_stride(random), 1};
        if (random() % 3) grid.rows = between(random, 1, 9);
        if (random() % 3 == 0) grid.pitch = grid.step * between(random, 1, 15);
        grid.base = between(random, 0, 60) - grid.low();
        const Values values = values_of(grid);
        if (std::unordered_set<int64_t>(values.begin(), values.end()).size() == values.size())
            return flattened(grid);
    }
}

// A few grids that share no value, as a sequence and as a list.
struct Several {
    Sequence sequence;
    Values list;
    std::unordered_set<int64_t> set;

    explicit Several(Random &random) {
        for (int64_t k = between(random, 1, 6); k > 0; k--) {
            Grid grid = random_grid(random);
            grid.base += between(random, 0, 400);
            const Values values = values_of(grid);
            if (std::any_of(values.begin(), values.end(), [&](int64_t v) { return set.count(v); }))
                continue;
            EXPECT_TRUE(sequence.append(grid));
            list.insert(list.end(), values.begin(), values.end());
            set.insert(values.begin(), values.end());
        }
    }
};

Values picked(const Values &list, const Values &ranks) {
    Values values;
    for (int64_t rank : ranks)
        values.push_back(list[size_t(rank)]);
    return values;
}

// Calls check(random) many times, until something has failed.
template <class Check>
void repeat(uint32_t seed, int times, Check check) {
    Random random(seed);
    for (int trial = 0; trial < times && !::testing::Test::HasFailure(); trial++) {
        SCOPED_TRACE(trial);
        check(random);
    }
}

TEST(AlgebraGrids, CutsKeepTheOrder) {
    repeat(1, 10000, [](Random &random) {
        const Grid grid = random_grid(random);
        const int64_t low = between(random, -5, 200), high = low + between(random, 0, 150);
        Cut inside;
        if (!cut(grid, low, high, inside)) return;
        Values expected, values;
        for (int64_t value : values_of(grid))
            if (value >= low && value <= high) expected.push_back(value);
        for (int k = 0; k < inside.n; k++) {
            const Values some = values_of(part_of(grid, inside.box[k]));
            values.insert(values.end(), some.begin(), some.end());
        }
        EXPECT_EQ(expected, values);
    });
}

TEST(AlgebraGrids, AscendingKeepsTheMembers) {
    repeat(2, 10000, [](Random &random) {
        const Grid grid = random_grid(random);
        Grid sorted;
        if (!ascending(grid, sorted)) return;
        Values expected = values_of(grid);
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(expected, values_of(sorted));
    });
}

TEST(AlgebraGrids, CommonRanksAndTheirComplement) {
    repeat(3, 8000, [](Random &random) {
        const Several a(random), b(random);
        Values common, others;
        for (size_t rank = 0; rank < a.list.size(); rank++)
            (b.set.count(a.list[rank]) ? common : others).push_back(int64_t(rank));
        Budget budget(plenty);
        Grids ranks, rest, members;
        ASSERT_TRUE(common_ranks(a.sequence, b.sequence, ranks, budget));
        EXPECT_EQ(common, values_of(ranks));
        ASSERT_TRUE(complement(ranks, a.sequence.size(), rest, budget));
        EXPECT_EQ(others, values_of(rest));
        ASSERT_TRUE(a.sequence.pick(rest, members, budget));
        EXPECT_EQ(picked(a.list, others), values_of(members));
    });
}

TEST(AlgebraGrids, PicksInAnyOrder) {
    repeat(4, 10000, [](Random &random) {
        const Several a(random);
        Grid grid = random_grid(random);
        if (random() % 2) grid.base -= grid.low();
        if (grid.high() >= a.sequence.size()) return;
        Budget budget(plenty);
        Grids ranks, members;
        ASSERT_TRUE(ranks.push(grid));
        ASSERT_TRUE(a.sequence.pick(ranks, members, budget));
        EXPECT_EQ(picked(a.list, values_of(grid)), values_of(members));
    });
}

TEST(AlgebraGrids, SettleFindsRanksNamedTwice) {
    repeat(5, 5000, [](Random &random) {
        Grids ranks;
        for (int64_t k = between(random, 1, 3); k > 0; k--) {
            Grid sorted;
            if (!ascending(random_grid(random), sorted)) continue;
            ASSERT_TRUE(ranks.push(sorted));
        }
        Values all = values_of(ranks);
        std::sort(all.begin(), all.end());
        const bool twice = std::adjacent_find(all.begin(), all.end()) != all.end();
        Budget budget(plenty);
        ASSERT_EQ(twice ? Settled::duplicate : Settled::ok, settle(ranks, budget));
        if (!twice) {
            EXPECT_EQ(all, values_of(ranks));
        }
    });
}

TEST(AlgebraGrids, GiveUpWithinTheirBudget) {
    // Two interleaved strides foreign to each other, rows by the thousand.
    Sequence a, b;
    ASSERT_TRUE(a.append(Grid{0, 3, 2, 7, 5000}));
    ASSERT_TRUE(b.append(Grid{0, 2, 2, 11, 5000}));
    Grids ranks;
    Budget budget(100);
    EXPECT_FALSE(common_ranks(a, b, ranks, budget));
    EXPECT_LE(ranks.size(), 200u);
}

}  // namespace
}  // namespace cmap
