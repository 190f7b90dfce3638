// SPDX-License-Identifier: BSD-3-Clause
// Passes over arrays, by either set of instructions.
#include "case_file.hpp"

#include <random>

#include "cmap_tuning.hpp"
#include "core/sequence.hpp"
#include "core/survey.hpp"

namespace cmap_test {
namespace {

class Sequence : public ::testing::TestWithParam<bool> {
  protected:
    Sequence() : before(cmap::sequence_use_portable(GetParam())) {}
    ~Sequence() override { cmap::sequence_use_portable(before); }

    static cmap::Survey surveyed(const Members &members) {
        cmap::Survey survey;
        survey.add(members.data(), static_cast<uint32_t>(members.size()));
        return survey;
    }

    // Against the definitions, and the same members one by one.
    static void expect_survey(const Members &members) {
        const cmap::Survey survey = surveyed(members);
        cmap::Fingerprint hash;
        uint32_t largest = 0, descents = 0, first = 0, bends = 0;
        for (uint32_t i = 0; i < members.size(); i++) {
            hash.add(&members[i], 1);
            if (i == 0) continue;
            if (members[i] <= members[i - 1] && descents++ == 0) first = i;
            if (members[i] > members[i - 1])
                largest = std::max(largest, members[i] - members[i - 1]);
            bends += i > 1 && members[i] - members[i - 1] != members[i - 1] - members[i - 2];
        }
        EXPECT_EQ(members.size(), survey.size());
        EXPECT_EQ(hash.value(), survey.hash());
        EXPECT_EQ(descents, survey.descents());
        EXPECT_EQ(first, survey.first_descent());
        if (members.empty()) return;
        if (bends / 2 <= cmap::RUNS_LIMIT)
            EXPECT_EQ(bends / 2 + 1, survey.least_runs());
        else
            EXPECT_GT(survey.least_runs(), cmap::RUNS_LIMIT);
        EXPECT_EQ(*std::min_element(members.begin(), members.end()), survey.min());
        EXPECT_EQ(*std::max_element(members.begin(), members.end()), survey.max());
        EXPECT_EQ(descents == 0 ? largest : 0, descents == 0 ? survey.largest_gap() : 0);
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

TEST_P(Sequence, SurveysOfEveryLengthAndGap) {
    for (uint32_t count : {1, 2, 9, 10, 17, 18, 127, 128, 129, 130, 138, 257, 1000})
        for (uint32_t gap : {1, 2, 80, 92, 100, 181, 5000, 2000000}) {
            SCOPED_TRACE(testing::Message() << count << " members up to " << gap << " apart");
            expect_survey(increasing(0, count, gap, count));
            expect_survey(increasing(123456789, count, gap, gap));
            Members even(count);
            for (uint32_t i = 0; i < count; i++)
                even[i] = i * gap;
            expect_survey(even);
            std::reverse(even.begin(), even.end());
            expect_survey(even);
        }
    expect_survey({});
    expect_survey(increasing(0x3ffff00, 1000, 1, 1));  // beyond what a block takes
    expect_survey(increasing(0x7fffff00, 250, 1, 1));
    expect_survey(increasing(0x7fffff80, 1000, 1, 1));  // beyond what a map may have
    expect_survey(increasing(0xfffff000, 1000, 2, 1));
    expect_survey(increasing(0xffffff00, 1000, 1, 1));  // once around
}

TEST_P(Sequence, SurveysWhereTheMembersFall) {
    for (uint32_t gap : {1u, 50u, 100000u})
        for (uint32_t at = 1; at < 600; at += at < 140 ? 1 : 37) {
            SCOPED_TRACE(testing::Message() << gap << " at " << at);
            Members members = increasing(1000, 700, gap, at);
            const Members right = members;
            members[at] = members[at - 1];
            expect_survey(members);
            members[at] = 0;
            expect_survey(members);
            members[at] = right[at] + 0x80000000u;
            expect_survey(members);
            members[at] = UINT32_MAX;
            expect_survey(members);
            for (uint32_t i = at; i < 700; i++)
                members[i] = right[i] - right[at];
            expect_survey(members);
        }
}

TEST_P(Sequence, SurveysOfLongSets) {
    for (uint32_t gap : {2u, 300u, 3000u}) {  // the last one ends beyond what a block takes
        Members members = increasing(0, 50000, gap, gap);
        expect_survey(members);
        members[40000] = members[39999];
        expect_survey(members);
        members[30000] += 0x80000000u;
        expect_survey(members);
    }
}

// Sets with many runs, of large members and with leaps among them, and sequences that increase
// through 2^32.
TEST_P(Sequence, SurveysOfLongSetsFarAway) {
    for (uint32_t first : {1u << 26, 0x70000000u, 0u - 2000000u, 0u - 1000000u}) {
        SCOPED_TRACE(testing::Message() << "from " << first);
        const Members members = increasing(first, 20000, 300, 7);
        expect_survey(members);
        for (uint32_t leap : {(1u << 22) - 301, (1u << 22) - 1, 1u << 22, 1u << 26, 1u << 31}) {
            SCOPED_TRACE(testing::Message() << "leap " << leap);
            Members leaping = members;
            for (uint32_t i = 15000; i < 20000; i++)
                leaping[i] += leap;
            expect_survey(leaping);
        }
        Members steps = members;
        for (uint32_t i = 15000; i < 20000; i++)
            steps[i] = steps[i - 1] + ((1u << 22) - 1);
        expect_survey(steps);
    }
}

TEST_P(Sequence, SurveysOfLists) {
    std::mt19937 random(3);
    for (uint32_t count : {3, 10, 11, 20, 127, 130, 131, 138, 500, 2000})
        for (uint32_t range : {1u, 2u, 1000u, 1u << 26, 1u << 31, UINT32_MAX}) {
            SCOPED_TRACE(testing::Message() << count << " members below " << range);
            Members members(count);
            for (uint32_t &member : members)
                member = random() % range;
            expect_survey(members);
            for (uint32_t i = 0; i < count; i++)  // long progressions between them
                if (i % 700 > 150) members[i] = members[i - 1] + (i % 1400 < 700 ? 3 : 0u - 2);
            expect_survey(members);
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

TEST_P(Sequence, MarksMembersInAnyOrder) {
    std::mt19937 random(9);
    for (uint32_t count : {0, 1, 7, 8, 9, 500, 2000}) {
        SCOPED_TRACE(testing::Message() << count << " members");
        std::vector<uint64_t> words(20, 1), right(words);
        Members members(count);
        for (uint32_t &member : members) {
            member = 640 + random() % 1280;  // some more than once
            right[(member - 640) / 64] |= uint64_t{1} << member % 64;
        }
        cmap::mark_shuffled(words.data(), members.data(), count, 640);
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
