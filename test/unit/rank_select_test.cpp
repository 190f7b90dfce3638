// SPDX-License-Identifier: BSD-3-Clause
// Strings of bits with rank and select of ones and zeros, by either set of instructions.
#include "core/rank_select.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cmap_test {
namespace {

struct String {
    String(uint64_t length, bool zeros, const std::function<bool(uint64_t)> &one) {
        std::vector<uint64_t> words((length + 63) / 64);
        for (uint64_t place = 0; place < length; place++) {
            (one(place) ? ones : zero).push_back(place);
            words[place / 64] |= uint64_t{one(place)} << place % 64;
        }
        layout = cmap::rank_select_layout(length, ones.size(), zeros);
        memory.resize((layout.bytes() + 7) / 8);
        bits.lay_out(memory.data(), layout);
        std::copy(words.begin(), words.end(), bits.words);
        bits.fill_directories();
    }

    std::vector<uint64_t> ones, zero, memory;
    cmap::RankSelectLayout layout;
    cmap::RankSelect bits;
};

class RankSelect : public ::testing::TestWithParam<bool> {
  protected:
    RankSelect() : before(cmap::rank_select_use_portable(GetParam())) {}
    ~RankSelect() override { cmap::rank_select_use_portable(before); }

    static void expect_right(const String &string, uint64_t length) {
        EXPECT_STREQ(nullptr, string.bits.validate(string.ones.size()));
        for (uint32_t k = 0; k < string.ones.size(); k++)
            ASSERT_EQ(string.ones[k], cmap::select1(string.bits, k)) << k;
        for (uint64_t k = 0; k < string.zero.size(); k++)
            ASSERT_EQ(string.zero[k], cmap::select0(string.bits, k)) << k;
        uint32_t rank = 0;
        for (uint64_t place = 0; place < length; place++) {
            ASSERT_EQ(rank, cmap::rank1(string.bits, place)) << place;
            ASSERT_EQ(place - rank, cmap::rank0(string.bits, place)) << place;
            rank += string.bits[place];
        }
    }

    const bool before;
};

TEST_P(RankSelect, EveryDensity) {
    std::mt19937 random(1);
    for (double density : {0.0, 0.001, 0.02, 0.3, 0.5, 0.97, 1.0})
        for (uint64_t length : {1, 63, 64, 65, 2048, 2049, 2500, 9000, 70001}) {
            SCOPED_TRACE(testing::Message() << density << " of " << length);
            std::vector<bool> bits(length);
            for (uint64_t place = 0; place < length; place++)
                bits[place] = random() < density * 4294967295.0;
            expect_right(String(length, true, [&](uint64_t place) { return bits[place]; }), length);
        }
}

// Long stretches of one kind: a hint is far from the answer.
TEST_P(RankSelect, Stretches) {
    for (uint64_t length : {12000, 50000, 90000}) {
        SCOPED_TRACE(length);
        expect_right(String(length, true, [&](uint64_t p) { return p % 40000 < 17; }), length);
        expect_right(String(length, true, [&](uint64_t p) { return p % 40000 >= 17; }), length);
        expect_right(String(length, true, [&](uint64_t p) { return p > 11000; }), length);
        expect_right(String(length, true, [&](uint64_t p) { return p / 2048 % 3 == 0; }), length);
    }
}

TEST_P(RankSelect, ReaderSeesEveryOne) {
    const String string(30000, false, [](uint64_t place) { return place * place % 7 == 2; });
    for (uint32_t first : {0, 1, 77, 4000}) {
        cmap::OnesReader reader(string.bits.words, cmap::select1(string.bits, first));
        for (size_t k = first; k < string.ones.size(); k++)
            ASSERT_EQ(string.ones[k], reader.next());
    }
}

TEST_P(RankSelect, ValidateSeesAWrongBit) {
    String string(30000, false, [](uint64_t place) { return place % 3 == 0; });
    const auto ones = string.ones.size();
    string.bits.words[200] ^= 2;
    EXPECT_STRNE(nullptr, string.bits.validate(ones));
    string.bits.words[200] ^= 2;
    string.bits.blocks[7] ^= uint64_t{1} << 42;
    EXPECT_STRNE(nullptr, string.bits.validate(ones));
}

// Strings too long to be made here: the layout alone.
TEST(RankSelectLayout, DirectoriesStaySmall) {
    for (uint64_t bits = 100000; bits < cmap::RANK_SELECT_MAX_BITS; bits = bits * 7 / 2)
        for (uint64_t share : {2, 3, 17, 1000}) {
            const uint64_t ones = std::min(bits / share, cmap::RANK_SELECT_MAX_ONES);
            SCOPED_TRACE(testing::Message() << ones << " of " << bits);
            const uint64_t words = (bits + 63) / 64 * 8;
            const uint64_t one = cmap::rank_select_layout(bits, ones, false).bytes();
            const uint64_t both = cmap::rank_select_layout(bits, ones, true).bytes();
            EXPECT_LE(one - words, words / 25 + 64);
            EXPECT_LE(both - one, words / 100 + 64);
        }
}

INSTANTIATE_TEST_SUITE_P(Cpu, RankSelect, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool> &info) {
                             return info.param ? "portable" : "best";
                         });

}  // namespace
}  // namespace cmap_test
