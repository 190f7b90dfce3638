// SPDX-License-Identifier: BSD-3-Clause
// The division of UCX's match bits: who gets how many, and that nothing runs into its neighbour.
// The file under test knows neither MPI nor the maps.
#include "../../../src/mpid/ch4/netmod/ucx/ucx_match.h"

#include <gtest/gtest.h>
#include <algorithm>

namespace {

constexpr uint32_t kIdEnd = 1u << MPIDI_UCX_CONTEXT_ID_BITS;
constexpr uint32_t kKeptByMpich = 3;  // of the tag: two for errors, one for collectives
constexpr uint32_t kTagBitsOfMpich = 31;

MPIDI_UCX_match_t division(uint64_t processes, int forced = 0) {
    MPIDI_UCX_match_t m{};
    EXPECT_EQ(MPIDI_UCX_MATCH_OK, MPIDI_UCX_match_divide(processes, forced, &m)) << processes;
    return m;
}

uint64_t tag_ub(const MPIDI_UCX_match_t &m) {
    return (uint64_t{1} << (std::min(m.tag_bits, kTagBitsOfMpich) - kKeptByMpich)) - 1;
}

TEST(UcxMatch, RankBitsFollowTheNumberOfProcesses) {
    struct Case {
        uint64_t processes;
        uint32_t bits;
    };
    for (const Case &c : {Case{1, 11}, Case{2, 11}, Case{2047, 11}, Case{2048, 11}, Case{2049, 12},
                          Case{32768, 15}, Case{32769, 16}, Case{1 << 20, 20},
                          Case{(1 << 20) + 1, 21}, Case{(1 << 24) - 1, 24}, Case{1 << 24, 24}})
        EXPECT_EQ(c.bits, division(c.processes).rank_bits) << c.processes;
}

TEST(UcxMatch, EveryBitHasOneOwner) {
    for (int bits = 1; bits <= MPIDI_UCX_RANK_BITS_MOST; bits++) {
        const MPIDI_UCX_match_t m = division(1, bits);
        const uint64_t id_mask = MPIDI_UCX_match_join(&m, kIdEnd - 1, 0, 0);
        EXPECT_EQ(~uint64_t{0}, id_mask | m.rank_mask | m.tag_mask) << bits;
        EXPECT_EQ(0u, (id_mask & m.rank_mask) | (id_mask & m.tag_mask) | (m.rank_mask & m.tag_mask))
            << bits;
        EXPECT_EQ(uint64_t{1} << bits, MPIDI_UCX_match_most_ranks(&m));
    }
}

TEST(UcxMatch, TagsReachAsFarAsPromised) {
    for (uint64_t processes : {1, 2, 1000, 2048})
        EXPECT_EQ((uint64_t{1} << 28) - 1, tag_ub(division(processes)));  // as in stock MPICH
    EXPECT_GE(tag_ub(division(32768)), (uint64_t{1} << 23) - 1);
    EXPECT_GE(tag_ub(division(1 << 20)), (uint64_t{1} << 19) - 1);
    for (int bits = 1; bits <= MPIDI_UCX_RANK_BITS_MOST; bits++)
        EXPECT_GE(tag_ub(division(1, bits)), 32767u) << bits;  // MPI asks for that
}

TEST(UcxMatch, ForcedBitsHoldAsManyRanks) {
    EXPECT_EQ(20u, division(4, 20).rank_bits);
    EXPECT_EQ(2u, division(4, 2).rank_bits);
    EXPECT_EQ(1u, division(2, 1).rank_bits);
}

TEST(UcxMatch, TooManyRanksAreRefusedWithTheDivision) {
    MPIDI_UCX_match_t m{};
    EXPECT_EQ(MPIDI_UCX_MATCH_TOO_MANY_RANKS, MPIDI_UCX_match_divide((1 << 24) + 1, 0, &m));
    EXPECT_EQ(1u << 24, MPIDI_UCX_match_most_ranks(&m));
    EXPECT_EQ(MPIDI_UCX_MATCH_TOO_MANY_RANKS, MPIDI_UCX_match_divide(5, 2, &m));
    EXPECT_EQ(4u, MPIDI_UCX_match_most_ranks(&m));
}

TEST(UcxMatch, BitsOutOfRangeAreRefused) {
    MPIDI_UCX_match_t m{};
    for (int bits : {-1, MPIDI_UCX_RANK_BITS_MOST + 1, 64})
        EXPECT_EQ(MPIDI_UCX_MATCH_BITS_OUT_OF_RANGE, MPIDI_UCX_match_divide(1, bits, &m)) << bits;
}

TEST(UcxMatch, FieldsComeBack) {
    for (uint64_t processes : {1, 2048, 2049, 32769, 1 << 20, 1 << 24}) {
        const MPIDI_UCX_match_t m = division(processes);
        const auto last = static_cast<uint32_t>(processes - 1);
        const auto most = static_cast<uint32_t>(m.tag_mask);
        for (uint32_t id : {0u, 1u, 1u << 15, 1u << 16, 1u << 21, kIdEnd - 1})
            for (uint32_t rank : {0u, last / 2, last})
                for (uint32_t tag : {0u, 1u, most / 2 + 1, most}) {
                    const uint64_t bits = MPIDI_UCX_match_join(&m, id, rank, tag);
                    EXPECT_EQ(id, bits >> MPIDI_UCX_CONTEXT_ID_SHIFT);
                    EXPECT_EQ(static_cast<int>(rank), MPIDI_UCX_match_rank(&m, bits));
                    EXPECT_EQ(static_cast<int>(tag), MPIDI_UCX_match_tag(&m, bits));
                }
    }
}

}  // namespace
