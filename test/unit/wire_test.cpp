// SPDX-License-Identifier: BSD-3-Clause
// A map as words: every kind of map comes back as itself, in as many parts as the room wants; words
// that mean nothing are refused.
#include "case_file.hpp"
#include "cmap_wire.h"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace cmap_test {
namespace {

using Words = std::vector<uint32_t>;

// The words of ranks first .. next-1; a canary tells whether more than the room was used.
Words words_of(const cmap_t *map, uint32_t first, uint32_t room, uint32_t &next) {
    constexpr uint32_t CANARY = 0xabad1dea;
    Words words(room + 1, CANARY);
    const uint32_t used = MPIR_cmap_to_words(map, first, words.data(), room, &next);
    EXPECT_LE(used, room);
    EXPECT_EQ(CANARY, words[room]);
    words.resize(used);
    return words;
}

// Through as many parts as it takes.
Map sent(const Map &map, const cmap_policy &policy, uint32_t room) {
    const Builder builder = builder_for(CMAP_MAX_SIZE, policy);
    for (uint32_t first = 0, next; first < MPIR_cmap_size(map.get()); first = next) {
        const Words words = words_of(map.get(), first, room, next);
        EXPECT_LE(words.size(), next - first + 1 + CMAP_WIRE_HEAD);
        EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_words(builder.get(), words.data(),
                                                       static_cast<uint32_t>(words.size())));
        EXPECT_EQ(next, MPIR_cmap_builder_size(builder.get()));
        if (next <= first) {
            ADD_FAILURE() << "no progress at rank " << first << " with room for " << room;
            return nullptr;
        }
    }
    return finish(builder);
}

// False after a failure.
bool comes_back(const Members &members, const cmap_policy &policy) {
    const Map map = map_of(members, policy);
    for (uint32_t room : {CMAP_WORDS_MIN, CMAP_WORDS_MIN + 1, 64u, 1000u, 5000u})
        EXPECT_EQ(map, sent(map, policy, room)) << members.size() << " members, room " << room;
    return !::testing::Test::HasFailure();
}

TEST(Wire, EveryCaseComesBackAsItself) {
    for (const Case &one : cases()) {
        const Members &members = members_of(one);
        if (members.size() > 100000) continue;
        SCOPED_TRACE(one.name);
        if (!comes_back(members, by(CMAP_STRATEGY_HYBRID))) return;
    }
}

TEST(Wire, EveryRepresentationComesBackAsItself) {
    for (cmap_rep rep : all_reps()) {
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        for (const Members &members :
             {Members{5}, Members{3, 1, 2}, range_members(0, 1, 1000), range_members(5000, -5, 900),
              transpose(30, 40), random_set(3000, 0.5, 1), random_permutation(1000, 2),
              random_pieces(20, 100, 3), ascending_runs(7, 3000, 100000, 4)})
            if (!comes_back(members, forced(rep))) return;
    }
}

// Short and long pieces in turns: heads of lists are paid for.
TEST(Wire, PiecesOfAllLengthsInAnyOrder) {
    std::mt19937 random(7);
    for (uint32_t seed = 0; seed < 300; seed++) {
        const Members members = random_pieces(1 + random() % 60, 1 + random() % 12, seed);
        const cmap_policy policy = forced(random() % 2 ? CMAP_REP_ARRAY : CMAP_REP_RUNS);
        if (!comes_back(members, policy)) return;
    }
}

TEST(Wire, TheEmptyMapHasNoWords) {
    const Map empty = map_of({}, by(CMAP_STRATEGY_HYBRID));
    uint32_t next = 1;
    EXPECT_TRUE(words_of(empty.get(), 0, CMAP_WORDS_MIN, next).empty());
    EXPECT_EQ(0u, next);
}

TEST(Wire, AMillionMembersInOrderTakeAFewWords) {
    for (const Members &members :
         {range_members(3, 2, 1000000), levels(0, {{1000, 1}, {1000, 5000}})}) {
        const Map map = map_of(members, by(CMAP_STRATEGY_HYBRID));
        uint32_t next = 0;
        EXPECT_LE(words_of(map.get(), 0, CMAP_WORDS_MIN, next).size(), 6u + CMAP_WIRE_HEAD);
        EXPECT_EQ(1000000u, next);
    }
}

TEST(Wire, NoMemoryIsNeededToWrite) {
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    for (const Members &members : {levels(0, {{10, 1}, {10, 50}, {10, 1000}}),
                                   random_pieces(50, 20, 1), random_permutation(1000, 2)}) {
        const Map map = map_of(members, by(CMAP_STRATEGY_HYBRID));
        std::vector<Words> all;
        allocator.fail_from(0);
        for (uint32_t first = 0, next; first < members.size(); first = next) {
            all.push_back(words_of(map.get(), first, 100, next));
            ASSERT_LT(first, next);
        }
        allocator.fail_never();
        const Builder builder = builder_for(CMAP_MAX_SIZE, by(CMAP_STRATEGY_HYBRID));
        for (const Words &words : all)
            EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_words(builder.get(), words.data(),
                                                           static_cast<uint32_t>(words.size())));
        EXPECT_EQ(map, finish(builder));
    }
}

TEST(Wire, WordsThatMeanNothingAreRefused) {
    const Builder builder = builder_for(1000, by(CMAP_STRATEGY_HYBRID));
    const auto add_all = [&](const Words &words) {
        return MPIR_cmap_builder_add_words(builder.get(), words.data(),
                                           static_cast<uint32_t>(words.size()));
    };
    const auto add = [&](const Words &items) {
        Words words(CMAP_WIRE_HEAD);
        MPIR_cmap_wire_head(words.data(), static_cast<uint32_t>(items.size()));
        for (uint32_t word : items)
            words.push_back(MPIR_cmap_wire_order(word));
        return add_all(words);
    };
    EXPECT_EQ(CMAP_ERR_ARG, add({0}));
    EXPECT_EQ(CMAP_ERR_ARG, add({0, 1, 1, 7, 1}));
    EXPECT_EQ(CMAP_ERR_ARG, add({0, 1, 1, 0, 1, 0}));
    EXPECT_EQ(CMAP_ERR_ARG, add({0, 1, 1, 7, 0, 0}));
    EXPECT_EQ(CMAP_ERR_ARG, add({3, 1, 2}));
    EXPECT_EQ(CMAP_ERR_ARG, add({UINT32_MAX, 1, 2}));
    EXPECT_EQ(CMAP_ERR_RANGE, add({2, 999, 1000}));
    EXPECT_EQ(CMAP_ERR_RANGE, add({0, 0, 1, 1001, 1, 0}));
    EXPECT_EQ(CMAP_ERR_RANGE, add({0, 5, 0, 7, 1, 0}));
    EXPECT_EQ(CMAP_ERR_RANGE, add({0, 0, 1, 10, 200, 10}));
    EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    EXPECT_EQ(CMAP_OK, add_all({}));
    EXPECT_EQ(CMAP_ERR_ARG, add({}));
    const Words right = {CMAP_WIRE_FORMAT, 3, 2, 8, 4};
    for (size_t n = 1; n < right.size(); n++)
        EXPECT_EQ(CMAP_ERR_ARG, add_all(Words(right.begin(), right.begin() + long(n))));
    for (size_t i = 0; i < CMAP_WIRE_HEAD; i++)
        for (int bit = 0; bit < 32; bit++) {
            Words wrong = right;
            wrong[i] ^= 1u << bit;
            EXPECT_EQ(CMAP_ERR_ARG, add_all(wrong)) << "word " << i << ", bit " << bit;
        }
    EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    EXPECT_EQ(CMAP_OK, add({2, 8, 4}));
    expect_map_is(finish(builder).get(), {8, 4});
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add_words(nullptr, nullptr, 0));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add_words(builder.get(), nullptr, 1));
}

TEST(Wire, BytesAreWhatTheFormatSays) {
    const Map map = map_of({258, 3}, by(CMAP_STRATEGY_HYBRID));
    uint32_t next = 0;
    const Words words = words_of(map.get(), 0, CMAP_WORDS_MIN, next);
    const uint8_t right[] = {'C', 'M', 1, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 0, 0, 0};
    ASSERT_EQ(sizeof(right), words.size() * sizeof(words[0]));
    EXPECT_EQ(0, std::memcmp(right, words.data(), sizeof(right)));
}

// The first word's member that a map has, in every item's kind and place, without memory.
TEST(Wire, AMemberIsFoundInWords) {
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    std::mt19937 random(3);
    for (uint32_t seed = 0; seed < 200; seed++) {
        const Members sent = random_pieces(1 + random() % 20, 1 + random() % 12, seed);
        const Map map =
            map_of(random_set(400, 0.01 * (random() % 4), seed), by(CMAP_STRATEGY_HYBRID));
        const auto is_there = [&](uint32_t member) {
            return MPIR_cmap_rank(map.get(), member) != CMAP_NONE;
        };
        const auto first = std::find_if(sent.begin(), sent.end(), is_there);
        uint32_t next = 0;
        const Map other = map_of(sent, by(CMAP_STRATEGY_HYBRID));
        const Words words = words_of(other.get(), 0, 1000, next);
        ASSERT_EQ(sent.size(), next);
        allocator.fail_from(0);
        const uint32_t found =
            MPIR_cmap_find_in_words(map.get(), words.data(), static_cast<uint32_t>(words.size()));
        allocator.fail_never();
        ASSERT_EQ(first == sent.end() ? CMAP_NONE : *first, found) << "seed " << seed;
    }
}

}  // namespace
}  // namespace cmap_test
