// SPDX-License-Identifier: BSD-3-Clause
// Passes over increasing arrays, by either set of instructions.
#include "case_file.hpp"

#include <random>

#include "core/sequence.hpp"

namespace cmap_test {
namespace {

class Sequence : public ::testing::TestWithParam<bool> {
  protected:
    Sequence() : before(cmap::sequence_use_portable(GetParam())) {}
    ~Sequence() override { cmap::sequence_use_portable(before); }

    static void expect_sums(const Members &members) {
        uint64_t sum = 0, squares = 0;
        uint32_t largest = 0, n = 0;
        for (; n < members.size() && (n == 0 || members[n] > members[n - 1]); n++) {
            sum += members[n];
            squares += uint64_t{members[n]} * members[n];
            if (n > 0) largest = std::max(largest, members[n] - members[n - 1]);
        }
        cmap::SequenceSums sums;
        const auto size = static_cast<uint32_t>(members.size());
        EXPECT_EQ(n, cmap::sums_while_increasing(members.data(), size, sums));
        EXPECT_EQ(sum, sums.sum);
        EXPECT_EQ(squares, sums.squares);
        EXPECT_EQ(largest, sums.largest_gap);
    }

    const bool before;
};

Members increasing(uint32_t first, uint32_t count, uint32_t gap, uint32_t seed) {
    std::mt19937 random(seed);
    Members members = {first};
    while (members.size() < count)
        members.push_back(members.back() + 1 + random() % gap);
    return members;
}

TEST_P(Sequence, SumsOfEveryLengthAndGap) {
    for (uint32_t count : {1, 2, 127, 128, 129, 130, 257, 1000})
        for (uint32_t gap : {1, 2, 80, 92, 100, 181, 5000, 2000000}) {
            SCOPED_TRACE(testing::Message() << count << " members up to " << gap << " apart");
            expect_sums(increasing(0, count, gap, count));
            expect_sums(increasing(123456789, count, gap, gap));
            Members even(count);
            for (uint32_t i = 0; i < count; i++)
                even[i] = i * gap;
            expect_sums(even);
        }
    expect_sums({});
    expect_sums(increasing(0x7fffff00, 250, 1, 1));
    expect_sums(increasing(0x7fffff80, 1000, 1, 1));  // beyond what a map may have
    expect_sums(increasing(0xfffff000, 1000, 2, 1));
}

TEST_P(Sequence, SumsStopWhereTheMembersFall) {
    for (uint32_t gap : {1u, 50u, 100000u})
        for (uint32_t at = 1; at < 600; at += at < 140 ? 1 : 37) {
            SCOPED_TRACE(testing::Message() << gap << " at " << at);
            Members members = increasing(1000, 700, gap, at);
            const Members right = members;
            members[at] = members[at - 1];
            expect_sums(members);
            members[at] = 0;
            expect_sums(members);
            members[at] = right[at] + 0x80000000u;
            expect_sums(members);
            for (uint32_t i = at; i < 700; i++)
                members[i] = right[i] - right[at];
            expect_sums(members);
        }
}

TEST_P(Sequence, MarksEveryMember) {
    for (uint32_t gap : {1, 2, 7, 8, 9, 20, 63, 64, 65, 300})
        for (uint32_t count : {1, 8, 63, 72, 80, 500, 2000}) {
            SCOPED_TRACE(testing::Message() << count << " members up to " << gap << " apart");
            const Members members = increasing(640, count, gap, gap + count);
            std::vector<uint64_t> words((members.back() - 640) / 64 + 1), right(words.size());
            for (uint32_t index : members)
                right[(index - 640) / 64] |= uint64_t{1} << index % 64;
            cmap::mark_members(words.data(), members.data(), count, 640);
            EXPECT_EQ(right, words);
        }
}

TEST_P(Sequence, MarksInUnaryBlockByBlock) {
    for (uint32_t gap : {3, 40, 1000}) {
        const unsigned shift = gap < 40 ? 1 : 4;
        const Members members = increasing(100, 3000, gap, gap);
        std::vector<uint64_t> words(((members.back() - 100) >> shift) / 64 + 3000 / 64 + 2);
        std::vector<uint64_t> right(words.size());
        for (uint32_t i = 0; i < 3000; i++) {
            const uint32_t place = ((members[i] - 100) >> shift) + i;
            right[place / 64] |= uint64_t{1} << place % 64;
        }
        for (uint32_t i = 0; i < 3000; i += 250)
            cmap::mark_unary(words.data(), members.data() + i, 250, 100, shift, i);
        EXPECT_EQ(right, words);
    }
}

TEST_P(Sequence, LengthOfARun) {
    for (uint32_t step : {1u, 3u, 0u - 2u})
        for (uint32_t length = 0; length < 150; length++) {
            Members members(150);
            for (uint32_t i = 0; i < 150; i++)
                members[i] = 5000 + i * step + (i < length ? 0 : 1);
            EXPECT_EQ(length, cmap::length_of_run(members.data(), 150, 5000, step));
        }
    EXPECT_EQ(0u, cmap::length_of_run(nullptr, 0, 5, 1));
}

TEST_P(Sequence, PacksEveryWidth) {
    for (unsigned width = 0; width < 31; width++) {
        SCOPED_TRACE(width);
        const auto largest = std::min(uint32_t{1} << width, uint32_t{1} << 20);
        const Members members = increasing(7, 1500, largest, width);
        const auto room = cmap::packed_bytes(1499, width) + 8;
        std::vector<unsigned char> lows(room), gaps(room);
        cmap::PackedWriter low(lows.data(), width), gap(gaps.data(), width);
        for (uint32_t i = 1; i < 1500;) {  // in portions of 1, 2, 3 ...
            const uint32_t n = std::min(i, 1500 - i);
            cmap::pack_lows(low, members.data() + i, n, 7);
            cmap::pack_gaps(gap, members.data() + i, n);
            i += n;
        }
        low.finish();
        gap.finish();
        const auto low_view = cmap::packed_view(lows.data(), width);
        const auto gap_view = cmap::packed_view(gaps.data(), width);
        for (uint32_t i = 1; i < 1500; i++) {
            ASSERT_EQ((members[i] - 7) & low_view.mask, low_view[i - 1]);
            ASSERT_EQ(members[i] - members[i - 1] - 1, gap_view[i - 1]);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Sequence, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool> &info) {
                             return info.param ? "portable" : "best";
                         });

}  // namespace
}  // namespace cmap_test
