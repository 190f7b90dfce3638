// SPDX-License-Identifier: BSD-3-Clause
// eliasfano and gap: what the cases of cases.txt do not reach of their directories, their widths
// and their bounds.
#include "case_file.hpp"
#include "oracle.hpp"

#include <cmath>
#include <random>

#include "core/rank_select.hpp"
#include "core/registry.hpp"
#include "core/sequence.hpp"

namespace cmap_test {
namespace {

// `count` members, neighbours 1 .. largest apart, at least once the largest.
Members with_gaps(uint32_t count, uint32_t largest, uint32_t seed) {
    std::mt19937 random(seed);
    Members members = {5};
    while (members.size() < count) {
        const bool fits = members.back() < CMAP_MAX_SIZE - 1 - largest;
        const uint32_t gap = members.size() == 1 ? largest : random() % largest + 1;
        members.push_back(members.back() + (fits ? gap : 1));
    }
    return members;
}

class SparseSets : public ::testing::TestWithParam<std::tuple<cmap_rep, bool>> {
  protected:
    SparseSets()
        : bits_before(cmap::rank_select_use_portable(std::get<1>(GetParam()))),
          sequence_before(cmap::sequence_use_portable(std::get<1>(GetParam()))) {}
    ~SparseSets() override {
        cmap::rank_select_use_portable(bits_before);
        cmap::sequence_use_portable(sequence_before);
    }

    static void expect_held(const Members &members) {
        const cmap_rep rep = std::get<0>(GetParam());
        const Map map = map_of(members, forced(rep));
        ASSERT_EQ(rep, MPIR_cmap_representation(map.get()));
        expect_map_is(map.get(), members);
    }

    const bool bits_before, sequence_before;
};

TEST_P(SparseSets, EveryLargestGap) {
    for (unsigned bits = 0; bits < 30; bits++)
        for (int64_t off : {-1, 0, 1}) {
            const int64_t largest = (int64_t{1} << bits) + off;
            if (largest < 1) continue;
            SCOPED_TRACE(largest);
            expect_held(with_gaps(300, static_cast<uint32_t>(largest), bits));
        }
}

TEST_P(SparseSets, EveryBlockEnd) {
    for (uint32_t count = 9; count < 140; count++)
        for (uint32_t largest : {2u, 30u, 200u, 100000u}) {
            SCOPED_TRACE(testing::Message() << count << " members up to " << largest << " apart");
            expect_held(with_gaps(count, largest, count));
        }
}

// Many members in one bucket and many buckets without one: samples and hints are far off.
TEST_P(SparseSets, Clumps) {
    for (uint32_t apart : {1000u, 70000u, 20000000u}) {
        Members members;
        for (uint32_t clump = 0; clump < 50; clump++)
            for (uint32_t index : random_set(100 + 1300 * (clump % 4), 0.8, clump))
                members.push_back(index + clump * std::max(apart, 6000u));
        SCOPED_TRACE(apart);
        expect_held(members);
    }
    Members ends = range_members(0, 1, 20000);
    ends.push_back(CMAP_MAX_SIZE - 1);
    expect_held(ends);
    Members late = range_members(CMAP_MAX_SIZE - 20000, 1, 20000);
    late.insert(late.begin(), 0);
    expect_held(late);
}

TEST_P(SparseSets, NoRankForOthers) {
    const Members members = with_gaps(5000, 90, 8);
    const Map map = map_of(members, forced(std::get<0>(GetParam())));
    uint32_t next = 0;
    for (uint32_t index = 0; index <= members.back() + 3; index++) {
        const bool member = next < members.size() && members[next] == index;
        ASSERT_EQ(member ? next : CMAP_NONE, MPIR_cmap_rank(map.get(), index)) << index;
        next += member;
    }
}

INSTANTIATE_TEST_SUITE_P(All, SparseSets,
                         ::testing::Combine(::testing::Values(CMAP_REP_GAP, CMAP_REP_ELIASFANO),
                                            ::testing::Bool()),
                         [](const ::testing::TestParamInfo<SparseSets::ParamType> &info) {
                             return std::string(MPIR_cmap_rep_name(std::get<0>(info.param))) +
                                    (std::get<1>(info.param) ? "_portable" : "_best");
                         });

TEST(EliasFano, IsWithinATenthOfTheBound) {
    for (double each : {1.1, 1.5, 1.99, 2.0, 2.01, 3.0, 3.99, 4.0, 6.0, 10.0, 64.0, 1000.0, 1e5})
        for (double size : {3000.0, 20000.0, 300000.0}) {
            if (each * size >= CMAP_MAX_SIZE) continue;
            SCOPED_TRACE(testing::Message() << size << " members, one in " << each);
            cmap::Content none;
            cmap::Analysis analysis(none, forced(CMAP_REP_ELIASFANO));
            analysis.stats.size = static_cast<uint32_t>(size);
            analysis.stats.min = 77;
            analysis.stats.max = 77 + static_cast<uint32_t>(size * each) - 1;
            const double span = static_cast<double>(analysis.stats.span());
            const double bound = size * (2 + std::log2(span / size)) / 8;
            const auto estimate = cmap::representation(CMAP_REP_ELIASFANO).estimate(analysis);
            EXPECT_TRUE(estimate.fits);
            EXPECT_LE(static_cast<double>(estimate.space), 1.1 * bound);
        }
}

// The largest gap is the same however a set is given.
TEST(LargestGap, OfArraysPiecesAndBits) {
    for (uint32_t largest : {1u, 2u, 3u, 31u, 62u, 63u, 64u, 65u, 130u, 5000u})
        for (uint32_t seed = 0; seed < 20; seed++) {
            SCOPED_TRACE(testing::Message() << largest << " seed " << seed);
            const Members members = with_gaps(20 + seed * 7, largest, seed);
            const auto n = static_cast<uint32_t>(members.size());
            cmap::Content array, pieces, bits;
            array.borrow(members.data(), n);
            EXPECT_EQ(largest, cmap::stats_of(array).largest_gap);
            for (uint32_t index : members)
                ASSERT_TRUE(pieces.add(index));
            EXPECT_EQ(largest, cmap::stats_of(pieces).largest_gap);
            std::vector<uint64_t> words(members.back() / 64 + 1);
            for (uint32_t index : members)
                words[index / 64] |= uint64_t{1} << index % 64;
            cmap::BitSet set;
            set.words = words.data();
            set.count = static_cast<uint32_t>(words.size());
            bits.borrow(&set, 1);
            EXPECT_EQ(largest, cmap::stats_of(bits).largest_gap);
        }
}

}  // namespace
}  // namespace cmap_test
