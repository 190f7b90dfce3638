// SPDX-License-Identifier: BSD-3-Clause
// Blocks in pages of their own, which processes that share payloads use.
#include "core/pages.hpp"

#include <cstring>

#include "case_file.hpp"
#include "core/memory.hpp"
#include "support.hpp"

namespace cmap_test {
namespace {

constexpr size_t BYTES = 100000;

TEST(Pages, EveryByteCanBeWritten) {
    for (const size_t bytes : {size_t{1}, size_t{4032}, size_t{4033}, BYTES}) {
        void *const memory = cmap::pages_allocate(bytes);
        ASSERT_NE(nullptr, memory);
        EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(memory) % 64);
        std::memset(memory, 0xff, bytes);
        EXPECT_TRUE(cmap::pages_deallocate(memory));
        EXPECT_FALSE(cmap::pages_deallocate(memory)) << "it is no block any more";
    }
}

TEST(Pages, OtherMemoryIsNoBlock) {
    alignas(4096) static unsigned char page[4096];
    EXPECT_FALSE(cmap::pages_deallocate(nullptr));
    EXPECT_FALSE(cmap::pages_deallocate(page));
    EXPECT_FALSE(cmap::pages_deallocate(page + 64)) << "where blocks begin in their page";
}

TEST(Pages, NoneBeyondTheMost) {
    void *blocks[cmap::MOST_BLOCKS];
    for (void *&block : blocks)
        ASSERT_NE(nullptr, block = cmap::pages_allocate(BYTES));
    EXPECT_EQ(nullptr, cmap::pages_allocate(BYTES));
    EXPECT_TRUE(cmap::pages_deallocate(blocks[7]));
    EXPECT_NE(nullptr, blocks[7] = cmap::pages_allocate(BYTES));
    for (void *block : blocks)
        EXPECT_TRUE(cmap::pages_deallocate(block));
}

TEST(Pages, MoreBytesThanThereAre) {
    EXPECT_EQ(nullptr, cmap::pages_allocate(SIZE_MAX));
    EXPECT_EQ(nullptr, cmap::pages_allocate(SIZE_MAX / 2));
}

// Each block is freed as it was allocated, also if the setting changes between.
TEST(Pages, MapsLiveAcrossTheSetting) {
    const Members members = random_permutation(1u << 16, 1);
    for (const bool first : {false, true}) {
        cmap::map_large_blocks(first);
        Map before = map_of(members, by(CMAP_STRATEGY_TIME));
        cmap::map_large_blocks(!first);
        const Map after = map_of(random_permutation(1u << 16, 2), by(CMAP_STRATEGY_TIME));
        EXPECT_EQ(members, decoded(before.get()));
        before.reset();
        cmap::map_large_blocks(false);
    }
}

// More maps than blocks: the others come from malloc.
TEST(Pages, ManyMaps) {
    cmap::map_large_blocks(true);
    std::vector<Map> maps;
    for (uint32_t seed = 0; seed < cmap::MOST_BLOCKS + 8; seed++)
        maps.push_back(map_of(random_permutation(1u << 15, seed), by(CMAP_STRATEGY_TIME)));
    for (uint32_t seed = 0; seed < maps.size(); seed++)
        EXPECT_EQ(random_permutation(1u << 15, seed), decoded(maps[seed].get()));
    maps.clear();
    cmap::map_large_blocks(false);
}

}  // namespace
}  // namespace cmap_test
