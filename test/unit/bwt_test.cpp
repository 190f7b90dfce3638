// SPDX-License-Identifier: BSD-3-Clause
// bwt beyond the suite: what compresses, the block that is kept, threads, damage, no memory.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include "cmap_lookup.h"
#include "rep/bwt_codec.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace cmap_test {
namespace {

// A shuffled pattern of `length`, again and again.
Members repeated(uint32_t length, uint32_t times) {
    const Members pattern = random_permutation(length, 11);
    Members members;
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t place : pattern)
            members.push_back(i * length + place);
    return members;
}

Members permuted_inside(uint32_t ranges, uint32_t length) {
    Members members;
    for (uint32_t i = 0; i < ranges; i++)
        for (uint32_t place : random_permutation(length, i + 1))
            members.push_back(i * 20000 + place);
    return members;
}

class Limits {
  public:
    explicit Limits(uint32_t block) {
        MPIR_cmap_limits_get(&before_);
        cmap_limits wanted = before_;
        wanted.bwt_block = block;
        EXPECT_EQ(CMAP_OK, MPIR_cmap_limits_set(&wanted));
    }
    ~Limits() { MPIR_cmap_limits_set(&before_); }

  private:
    cmap_limits before_;
};

TEST(Bwt, PatternsShrinkAndShuffledMembersTakeTheirWidth) {
    const Members pattern = repeated(64, 500);
    const Map small = map_of(pattern, by(CMAP_STRATEGY_SPACE));
    ASSERT_EQ(CMAP_REP_BWT, MPIR_cmap_representation(small.get()));
    EXPECT_LT(MPIR_cmap_payload_bytes(small.get()), pattern.size() / 4);
    const Members ranges = permuted_inside(10, 1000);
    const Map near = map_of(ranges, forced(CMAP_REP_BWT));
    EXPECT_LE(MPIR_cmap_payload_bytes(near.get()), ranges.size() * 10 / 8 + 10 * 17 + 16);
    const Members shuffled = random_permutation(100000, 3);
    const Map dense = map_of(shuffled, forced(CMAP_REP_BWT));
    EXPECT_LE(MPIR_cmap_payload_bytes(dense.get()), shuffled.size() * 17 / 8 + 100 * 18 + 16);
}

// Where time counts nothing is compressed to find out.
TEST(Bwt, OnlyBytesAloneCallForIt) {
    const Members pattern = repeated(64, 500);
    EXPECT_NE(CMAP_REP_BWT,
              MPIR_cmap_representation(map_of(pattern, by(CMAP_STRATEGY_HYBRID)).get()));
    EXPECT_NE(CMAP_REP_BWT,
              MPIR_cmap_representation(map_of(pattern, by(CMAP_STRATEGY_TIME)).get()));
    EXPECT_EQ(CMAP_REP_BWT,
              MPIR_cmap_representation(map_of(pattern, by(CMAP_STRATEGY_HYBRID, 0)).get()));
}

TEST(Bwt, BlocksOfEverySize) {
    const Members pattern = repeated(50, 3000), shuffled = random_permutation(70000, 4);
    const Members set = random_set(400000, 0.3, 5);
    for (uint32_t block : {CMAP_BWT_BLOCK_MIN, 1023u, CMAP_BWT_BLOCK_MAX}) {
        SCOPED_TRACE(block);
        const Limits limits(block);
        for (const Members &members : {pattern, shuffled, set}) {
            const Map map = map_of(members, forced(CMAP_REP_BWT));
            ASSERT_EQ(CMAP_REP_BWT, MPIR_cmap_representation(map.get()));
            expect_map_is(map.get(), members);
        }
    }
}

TEST(Bwt, TheKeptBlockIsPayloadUntilTrimmed) {
    const Members pattern = repeated(64, 500);
    const Map map = map_of(pattern, forced(CMAP_REP_BWT));
    const size_t built = MPIR_cmap_payload_bytes(map.get());
    EXPECT_EQ(pattern[5000], MPIR_cmap_select(map.get(), 5000));
    const size_t looked_up = MPIR_cmap_payload_bytes(map.get());
    EXPECT_GT(looked_up, built);
    EXPECT_LE(looked_up, 4 * pattern.size());
    EXPECT_EQ(pattern[17], MPIR_cmap_select(map.get(), 17));
    EXPECT_EQ(built, looked_up - MPIR_cmap_cached_bytes(map.get()));
    EXPECT_EQ(pattern[5001], MPIR_cmap_select(map.get(), 5001));
}

// A copy of the header goes on answering, beside the map itself.
TEST(Bwt, CopiesOfTheHeaderShareTheKeptBlock) {
    const Members pattern = repeated(64, 500);
    const Map map = map_of(pattern, forced(CMAP_REP_BWT));
    const cmap_s copy = *map;
    for (uint32_t rank = 0; rank < pattern.size(); rank += 777) {
        EXPECT_EQ(pattern[rank], MPIR_cmap_select(&copy, rank));
        EXPECT_EQ(pattern[rank], MPIR_cmap_select(map.get(), rank));
    }
}

TEST(Threads, BlocksOfABwtMapArePassedAround) {
    const Members pattern = repeated(64, 200);
    const Map map = map_of(pattern, forced(CMAP_REP_BWT));
    ASSERT_EQ(CMAP_REP_BWT, MPIR_cmap_representation(map.get()));
    std::atomic<uint32_t> mistakes{0};
    std::vector<std::thread> threads;
    for (uint32_t id = 0; id < 4; id++)
        threads.emplace_back([&, id] {
            for (uint32_t i = 0, rank = id * 1000; i < 400; i++) {
                rank = (rank * 31 + 977 * (i % 3 == 0)) % static_cast<uint32_t>(pattern.size());
                mistakes += MPIR_cmap_select(map.get(), rank) != pattern[rank];
                if (i % 16 == id)
                    mistakes += MPIR_cmap_payload_bytes(map.get()) > 4 * pattern.size();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(0u, mistakes);
}

// Lookups have no way to fail: without memory they take longer.
TEST(Bwt, LooksUpWithoutMemory) {
    const Members pattern = repeated(64, 100);
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    const Map map = map_of(pattern, forced(CMAP_REP_BWT));
    ASSERT_EQ(CMAP_REP_BWT, MPIR_cmap_representation(map.get()));
    allocator.fail_from(0);
    std::vector<std::thread> threads;
    std::atomic<uint32_t> mistakes{0};
    for (uint32_t id = 0; id < 3; id++)
        threads.emplace_back([&, id] {
            for (uint32_t rank = id; rank < pattern.size(); rank += 501)
                mistakes += MPIR_cmap_select(map.get(), rank) != pattern[rank];
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(0u, mistakes);
    EXPECT_TRUE(allocator.has_failed());
    allocator.fail_never();
}

// All members of a squeezed block; true when the data was whole.
bool decompressed(const cmap::Buffer<unsigned char> &bytes, Members &members) {
    const auto n = static_cast<uint32_t>(members.size());
    const cmap::BwtBlock block = {bytes.data(), bytes.size(), n, members[0], 0, n - 1};
    cmap::BwtDecoder decoder(block);
    uint32_t done = 0;
    for (uint32_t some; (some = decoder.next(members.data() + done, n - done)) != 0;)
        done += some;
    EXPECT_EQ(n, done);
    return decoder.intact();
}

// Every bit of a compressed block turned over: that is found, or it changed no member; and nothing
// is written beyond the block's members.
TEST(Bwt, DamageIsFound) {
    const Members members = repeated(20, 50);
    const auto n = static_cast<uint32_t>(members.size());
    cmap::Buffer<unsigned char> bytes;
    cmap::BwtEncoder encoder;
    ASSERT_TRUE(encoder.append(members.data(), n, 0, n - 1, bytes));
    ASSERT_GE(bytes[0], cmap::BWT_SQUEEZED);
    Members got(n, members[0]);
    EXPECT_TRUE(decompressed(bytes, got));
    EXPECT_EQ(members, got);
    size_t found = 0;
    const size_t bits = (bytes.size() - 1) * 8;
    for (size_t bit = 0; bit < bits; bit++) {
        const auto mask = static_cast<unsigned char>(1u << (bit % 8));
        bytes[1 + bit / 8] ^= mask;
        got.assign(n, members[0]);
        const bool intact = decompressed(bytes, got);
        found += !intact;
        EXPECT_TRUE(!intact || got == members) << bit;
        bytes[1 + bit / 8] ^= mask;
    }
    EXPECT_GT(found, bits / 2);
}

}  // namespace
}  // namespace cmap_test
