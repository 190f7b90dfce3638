// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "members.hpp"

namespace aggr_test {
namespace {

// The first member of each part, and the end; what members say of themselves agrees.
std::vector<int> borders(const Places &places, int fan) {
    const aggr_shape_t shape = places.shape(fan);
    const aggr_parts_t at_first = MPIR_aggr_divide(&shape, 0);
    std::vector<int> firsts;
    for (int me = 0; me < shape.members; me++) {
        const aggr_parts_t parts = MPIR_aggr_divide(&shape, me);
        EXPECT_EQ(parts.count, at_first.count);
        EXPECT_TRUE(parts.first <= me && me <= parts.last) << "member " << me;
        if (me == parts.first) firsts.push_back(me);
        if (parts.count == 0) continue;
        EXPECT_EQ(parts.mine, static_cast<int>(firsts.size()) - 1);
        EXPECT_EQ(parts.first, firsts.back());
        EXPECT_TRUE(me < parts.last || parts.last == shape.members - 1 ||
                    MPIR_aggr_divide(&shape, me + 1).first == me + 1);
        EXPECT_LE(parts.last - parts.first + 1, fan);
    }
    if (at_first.count > 0) {
        EXPECT_EQ(at_first.count, static_cast<int>(firsts.size()));
    }
    firsts.push_back(shape.members);
    return firsts;
}

using Firsts = std::vector<int>;

TEST(Divide, without_places_into_equal_rows) {
    EXPECT_EQ(borders(Places(16), 16), (Firsts{0, 16}));
    EXPECT_EQ(borders(Places(1), 2), (Firsts{0, 1}));
    EXPECT_EQ(borders(Places(17), 16), (Firsts{0, 8, 17}));
    EXPECT_EQ(borders(Places(64), 16), (Firsts{0, 16, 32, 48, 64}));
    EXPECT_EQ(borders(Places(7), 3), (Firsts{0, 2, 4, 7}));
}

TEST(Divide, at_the_borders_of_caches) {
    EXPECT_EQ(borders(Places({5, 5, 5, 5, 5, 5, 9, 9, 9}), 8), (Firsts{0, 6, 9}));
    EXPECT_EQ(borders(Places({5, 5, 5, 5, 5, 5, 9, 9, 9}), 4), (Firsts{0, 3, 6, 9}));
    EXPECT_EQ(borders(Places({5, 5, 5, 9}), 4), (Firsts{0, 4})) << "everybody reads everybody";
    EXPECT_EQ(borders(Places({1, 1, 1, 2, 2, 0, 0, 1, 1}), 5), (Firsts{0, 3, 5, 7, 9}))
        << "back in the first one; two nobody knows where";
}

TEST(Divide, at_the_borders_of_memories_where_caches_are_too_many) {
    const std::vector<uint32_t> caches = {1, 2, 3, 4, 5, 6, 7, 8, 9, 9},
                                memories = {7, 7, 7, 7, 7, 7, 8, 8, 8, 8};
    EXPECT_EQ(borders(Places(caches, memories), 4), (Firsts{0, 3, 6, 10}));
    EXPECT_EQ(borders(Places(caches, caches), 4), (Firsts{0, 3, 6, 10})) << "rows";
    EXPECT_EQ(borders(Places(caches, memories), 9), (Firsts{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}));
}

TEST(Divide, into_rows_where_places_are_in_turns) {
    EXPECT_EQ(borders(Places({1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2}), 3),
              (Firsts{0, 2, 5, 8}));
}

int rows(int length, int fan) { return (length + fan - 1) / fan; }

// Ends of rows of equal numbers.
Firsts ends(const std::vector<uint32_t> &numbers) {
    Firsts found;
    for (size_t m = 1; m <= numbers.size(); m++)
        if (m == numbers.size() || numbers[m] != numbers[m - 1])
            found.push_back(static_cast<int>(m));
    return found;
}

int parts_at(const std::vector<uint32_t> &numbers, int fan) {
    int count = 0, first = 0;
    for (const int end : ends(numbers)) {
        count += rows(end - first, fan);
        first = end;
    }
    return count;
}

TEST(Divide, any_places_as_the_oracle_does) {
    std::mt19937_64 random(9);
    int at_caches = 0, at_memories = 0;
    for (int run = 0; run < 3000; run++) {
        const int members = 1 + static_cast<int>(random() % 40),
                  fan = 2 + static_cast<int>(random() % 8);
        const uint64_t stay = 1 + random() % 12;
        std::vector<uint32_t> caches, memories;
        for (uint32_t m = 0, cache = 0; m < static_cast<uint32_t>(members); m++) {
            cache = random() % stay ? cache : static_cast<uint32_t>(random() % 9);
            caches.push_back(cache);
            memories.push_back((cache + 2) / 3);
        }
        const Firsts found = borders(Places(caches, memories), fan);
        if (members <= fan) {
            EXPECT_EQ(found, (Firsts{0, members}));
            continue;
        }
        const int most = std::max(fan, 2 * rows(members, fan));
        std::vector<uint32_t> level(static_cast<size_t>(members), 0);
        if (parts_at(caches, fan) <= most) {
            level = caches;
            at_caches++;
        } else if (parts_at(memories, fan) <= most) {
            level = memories;
            at_memories++;
        }
        EXPECT_EQ(static_cast<int>(found.size()) - 1, parts_at(level, fan));
        for (const int end : ends(level))
            EXPECT_TRUE(std::binary_search(found.begin(), found.end(), end)) << "crosses " << end;
        for (size_t part = 1; part + 1 < found.size(); part++) {
            const auto same = level[static_cast<size_t>(found[part] - 1)] ==
                              level[static_cast<size_t>(found[part])];
            const int before = found[part] - found[part - 1], after = found[part + 1] - found[part];
            EXPECT_TRUE(!same || std::abs(before - after) <= 1) << "unequal parts of a row";
        }
    }
    EXPECT_GT(at_caches, 100);
    EXPECT_GT(at_memories, 30);
}

TEST(Divide, collectives_of_odd_parts_agree_with_the_oracle) {
    const Places some[] = {Places({1, 1, 1, 1, 2}), Places({1, 2, 2, 2, 2, 2, 2}),
                           Places({0, 0, 3, 3, 3, 0, 5, 5, 5, 5, 5})};
    for (const Places &places : some)
        for (const int fan : {2, 4})
            as_threads(places.shape(fan), [&](aggr_group_t &group) {
                EXPECT_TRUE(random_program(group, 21, 120, library, 100));
            });
}

}  // namespace
}  // namespace aggr_test
