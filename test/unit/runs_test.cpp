// SPDX-License-Identifier: BSD-3-Clause
// Ranks in lists of many runs, interleaved or not: a search in each group, or the inverse where
// these are many.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <random>

namespace cmap_test {
namespace {

std::string description(const Map &map) {
    char text[200];
    MPIR_cmap_describe(map.get(), text, sizeof text);
    return text;
}

// Each residue in turn, in a shuffled order: runs of one step that all overlap, cut in parts.
Members interleaved(uint32_t step, uint32_t count, uint32_t parts, uint32_t base, bool down) {
    Members members;
    for (uint32_t part : random_permutation(step * parts, step + count)) {
        const uint32_t residue = part % step, from = part / step * count;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t k = down && residue % 3 == 0 ? count - 1 - i : i;
            members.push_back(base + residue + step * (from + k));
        }
    }
    return members;
}

// Runs of steps 2 to `most` thrown over one another wherever they have no common member.
Members thrown(uint32_t most, uint32_t runs, uint32_t seed) {
    std::mt19937 random(seed);
    const uint32_t universe = runs * 100;
    std::vector<bool> taken(universe);
    Members members;
    while (runs > 0) {
        const uint32_t step = 2 + random() % (most - 1), count = 8 + random() % 8;
        const uint32_t first = random() % (universe - step * count);
        bool free = true;
        for (uint32_t i = 0; i < count; i++)
            free = free && !taken[first + i * step];
        if (!free) continue;
        for (uint32_t i = 0; i < count; i++) {
            taken[first + i * step] = true;
            members.push_back(first + i * step);
        }
        --runs;
    }
    return members;
}

// As many runs of each of `steps` different steps, all over one another.
Members mingled(uint32_t steps, uint32_t runs_each, uint32_t count) {
    Members members;
    for (uint32_t run : random_permutation(steps * runs_each, steps)) {
        const uint32_t one = run % steps, first = run / steps, step = runs_each + one;
        for (uint32_t i = 0; i < count; i++)
            members.push_back((first + i * step) * steps + one);
    }
    return members;
}

void expect_ranks(const Members &members, const std::string &how) {
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_SPACE}) {
        const Map map = map_of(members, {strategy, 0, CMAP_REP_RUNS});
        ASSERT_EQ(CMAP_REP_RUNS, MPIR_cmap_representation(map.get()));
        EXPECT_NE(std::string::npos, description(map).find(how)) << description(map);
        EXPECT_TRUE(is_valid(map.get()));
        const uint32_t most = *std::max_element(members.begin(), members.end());
        std::vector<int> all(most + 1), ranks(most + 1), want(most + 1, -1);
        for (uint32_t i = 0; i <= most; i++)
            all[i] = static_cast<int>(i);
        for (size_t rank = 0; rank < members.size(); rank++)
            want[members[rank]] = static_cast<int>(rank);
        const Map world = range_map(0, 1, most + 1, by(CMAP_STRATEGY_HYBRID));
        ASSERT_EQ(CMAP_OK,
                  MPIR_cmap_translate(world.get(), all.data(), most + 1, map.get(), ranks.data()));
        EXPECT_EQ(want, ranks);
        const bool inverse = description(map).find("by inverse") != std::string::npos;
        const bool keeps = inverse && strategy == CMAP_STRATEGY_HYBRID;
        EXPECT_EQ(keeps, MPIR_cmap_cached_bytes(map.get()) != 0);
        EXPECT_TRUE(ranks_match(map.get(), members));
    }
}

TEST(Runs, OfOneStepAreOneGroupHoweverInterleaved) {
    expect_ranks(interleaved(4096, 256, 1, 0, false), "in 1 group");
    expect_ranks(interleaved(100, 20, 9, 5000, true), "in 1 group");
    expect_ranks(interleaved(65, 4, 1, 0, true), "in 1 group");
}

TEST(Runs, OfFewStepsAreAGroupEach) {
    Members members = interleaved(90, 30, 2, 0, true);
    const Members more = interleaved(41, 50, 1, 6000, false);
    members.insert(members.end(), more.begin(), more.end());
    expect_ranks(members, "in 2 groups");
    members.push_back(99999);  // a run of one member
    expect_ranks(members, "in 3 groups");
}

TEST(Runs, ThatAreApartAreOneGroupWhateverTheirSteps) {
    Members members;
    for (uint32_t block : random_permutation(500, 1))
        for (uint32_t i = 0; i < 9; i++)
            members.push_back(block * 2000 + i * (1 + block % 200));
    expect_ranks(members, "in 1 group");
}

TEST(Runs, OfMoreStepsAreAGroupEachToo) {
    expect_ranks(mingled(6, 80, 9), "in 6 groups");
    expect_ranks(mingled(32, 16, 20), "in 32 groups");
    expect_ranks(mingled(32, 8, 20), "in 32 groups");  // scanned: they are too small
    expect_ranks(mingled(8, 512, 5), "in 8 groups");   // as many runs as there may be
}

TEST(Runs, OfManyStepsGoByTheInverse) {
    expect_ranks(mingled(33, 16, 20), "by inverse");
    expect_ranks(mingled(256, 4, 6), "by inverse");
    expect_ranks(thrown(40, 1000, 2), "by inverse");
    expect_ranks(thrown(24, 1000, 5), "groups");
    expect_ranks(thrown(6, 300, 3), "");
    expect_ranks(thrown(3, 200, 4), "");
}

}  // namespace
}  // namespace cmap_test
