// SPDX-License-Identifier: BSD-3-Clause
// Lists in order: by bits where they are dense, by comparing or digit by digit where they are
// sparse.
#include "case_file.hpp"

#include <random>

#include "core/sorter.hpp"

namespace cmap_test {
namespace {

struct Shape {
    uint32_t size;
    uint32_t first, gap;  // neighbours are up to so far apart
};

Members shuffled(const Shape &shape) {
    std::mt19937 random(shape.size + shape.gap);
    Members members = {shape.first};
    while (members.size() < shape.size)
        members.push_back(members.back() + 1 + static_cast<uint32_t>(random() % shape.gap));
    std::shuffle(members.begin(), members.end(), random);
    return members;
}

// Added in two portions.
void fill(cmap::Sorter &sorter, const Members &members) {
    const auto ends = std::minmax_element(members.begin(), members.end());
    const auto n = static_cast<uint32_t>(members.size());
    ASSERT_TRUE(sorter.start(*ends.first, *ends.second, n));
    sorter.add(members.data(), n / 3);
    sorter.add(members.data() + n / 3, n - n / 3);
}

Members increasing(const cmap::Sorter &sorter) {
    cmap::Content content;
    sorter.lend(content);
    Members members;
    content.each_block([&](const uint32_t *some, uint32_t n) {
        members.insert(members.end(), some, some + n);
        return true;
    });
    return members;
}

class Sorted : public ::testing::TestWithParam<Shape> {};

TEST_P(Sorted, GivesOrderAndPlaces) {
    const Members members = shuffled(GetParam());
    cmap::Sorter sorter;
    fill(sorter, members);
    ASSERT_TRUE(sorter.finish());
    EXPECT_FALSE(sorter.duplicates());
    Members right = members;
    std::sort(right.begin(), right.end());
    EXPECT_EQ(right, increasing(sorter));
    for (uint32_t i = 0; sorter.ranks() != nullptr && i < right.size(); i++)
        ASSERT_EQ(right[i], members[sorter.ranks()[i]]);
    ASSERT_TRUE(sorter.number());
    for (uint32_t i = 0; i < right.size(); i++)
        ASSERT_EQ(i, sorter.position(right[i]));
}

TEST_P(Sorted, FindsOneThatComesTwice) {
    Members members = shuffled(GetParam());
    if (members.size() < 3) return;  // a second one of its least or greatest needs a third
    const uint32_t other[] = {0, static_cast<uint32_t>(members.size()) / 2};
    for (const uint32_t i : other) {
        Members twice = members;
        const auto least = std::min_element(twice.begin(), twice.end());
        twice[i == static_cast<uint32_t>(least - twice.begin()) ? i + 1 : i] = *least;
        cmap::Sorter sorter;
        fill(sorter, twice);
        ASSERT_TRUE(sorter.finish());
        EXPECT_TRUE(sorter.duplicates());
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Sorted,
                         ::testing::Values(Shape{1, 7, 1}, Shape{2, 3, 900}, Shape{1000, 77, 1},
                                           Shape{5000, 77, 1}, Shape{5000, 77, 8},
                                           Shape{5000, 77, 30}, Shape{5000, 0, 100},
                                           Shape{300, 5, 3000}, Shape{1023, 5, 3000},
                                           Shape{1024, 5, 3000}, Shape{20000, 9, 200},
                                           Shape{20000, 12345, 100000}));

// A few far away from all others: buckets of very different fill.
TEST(Sorter, PlacesOfClusters) {
    Members members = range_members(5, 1, 3000);
    members.push_back(CMAP_MAX_SIZE - 1);
    std::reverse(members.begin(), members.end());
    cmap::Sorter sorter;
    fill(sorter, members);
    ASSERT_TRUE(sorter.finish());
    EXPECT_FALSE(sorter.duplicates());
    ASSERT_TRUE(sorter.number());
    for (uint32_t i = 0; i < 3000; i++)
        ASSERT_EQ(i, sorter.position(5 + i));
    EXPECT_EQ(3000u, sorter.position(CMAP_MAX_SIZE - 1));
}

}  // namespace
}  // namespace cmap_test
