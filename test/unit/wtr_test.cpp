// SPDX-License-Identifier: BSD-3-Clause
// The wavelet tree on ascending runs: what the suite over all representations does not ask.
#include "case_file.hpp"
#include "oracle.hpp"

#include "core/inverse.hpp"
#include "core/map.hpp"
#include "core/rank_select.hpp"
#include "rep/wtr_shape.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>

namespace cmap_test {
namespace {

// `runs` ascending runs of any lengths; the last member of each is above the first of the next.
Members uneven_runs(uint32_t runs, uint32_t count, uint32_t seed) {
    std::mt19937 random(seed);
    Members members = random_permutation(count, seed);
    std::vector<size_t> borders = {0, count};
    for (uint32_t run = 1; run < runs; run++)
        borders.push_back(static_cast<size_t>(count * std::pow(random() / 4294967296.0, 3)));
    std::sort(borders.begin(), borders.end());
    for (size_t i = 1; i < borders.size(); i++)
        std::sort(members.begin() + static_cast<ptrdiff_t>(borders[i - 1]),
                  members.begin() + static_cast<ptrdiff_t>(borders[i]));
    return members;
}

class Limits {
  public:
    Limits() { MPIR_cmap_limits_get(&before_); }
    ~Limits() { MPIR_cmap_limits_set(&before_); }
    void set_runs(uint32_t runs) {
        cmap_limits limits = before_;
        limits.wtr_runs = runs;
        EXPECT_EQ(CMAP_OK, MPIR_cmap_limits_set(&limits));
    }

  private:
    cmap_limits before_;
};

TEST(WaveletTree, PermutationAndInverseAreOne) {
    Limits limits;
    limits.set_runs(6000);
    for (uint32_t runs : {1u, 2u, 3u, 5u, 16u, 17u, 100u, 255u, 256u, 257u, 1000u, 5000u}) {
        SCOPED_TRACE(runs);
        const Members members = uneven_runs(runs, 12000, runs);
        const Map map = map_of(members, forced(CMAP_REP_WTR));
        ASSERT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(map.get()));
        const cmap::Representation &rep = cmap::representation(map.get());
        for (uint32_t rank = 0; rank < members.size(); rank++) {
            ASSERT_EQ(members[rank], rep.position(map.get(), rank));
            ASSERT_EQ(rank, MPIR_cmap_rank(map.get(), members[rank]));
        }
    }
}

TEST(WaveletTree, WithoutPdepToo) {
    const bool before = cmap::rank_select_use_portable(true);
    for (uint32_t runs : {2u, 16u, 300u}) {
        const Members members = ascending_runs(runs, 20000, 70000, runs);
        const Map map = map_of(members, forced(CMAP_REP_WTR));
        EXPECT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(map.get()));
        expect_map_is(map.get(), members);
    }
    cmap::rank_select_use_portable(before);
}

// Runs of which the next is as long as the two before it together: a tree as deep as it gets.
TEST(WaveletTree, ADeepTree) {
    std::vector<uint32_t> lengths = {1, 1};
    for (uint32_t sum = 2; sum < 100000; sum += lengths.back())
        lengths.push_back(lengths.end()[-1] + lengths.end()[-2]);
    Members members;
    uint32_t count = 0;
    for (uint32_t length : lengths)
        count += length;
    for (uint32_t length : lengths) {
        count -= length;
        for (uint32_t i = 0; i < length; i++)
            members.push_back(3 * (count + i) + i % 2);
    }
    const Map map = map_of(members, forced(CMAP_REP_WTR));
    ASSERT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(map.get()));
    expect_map_is(map.get(), members);
}

// Weights and bits of Huffman's tree, made with a queue.
uint64_t huffman_bits(const std::vector<uint32_t> &lengths) {
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<uint64_t>> queue(
        lengths.begin(), lengths.end());
    uint64_t bits = 0;
    while (queue.size() > 1) {
        uint64_t sum = queue.top();
        queue.pop();
        sum += queue.top();
        queue.pop();
        queue.push(sum);
        bits += sum;
    }
    return bits;
}

TEST(WaveletTree, TheShapeIsHuffmans) {
    std::mt19937 random(1);
    for (uint32_t runs = 1; runs < 3000; runs = runs * 4 / 3 + 1) {
        SCOPED_TRACE(runs);
        std::vector<uint32_t> lengths(runs);
        for (uint32_t &length : lengths)
            length = 1 + random() % (1u << random() % 18);
        cmap::Buffer<uint32_t> given;
        ASSERT_TRUE(given.append(lengths.data(), lengths.size()));
        cmap::WtrShape shape;
        ASSERT_TRUE(shape.make(given));
        EXPECT_EQ(huffman_bits(lengths), shape.bits);
        uint64_t leaves = 0;
        for (uint32_t run = 0; run < runs; run++) {
            leaves += shape.weight[shape.leaf_node(run)];
            EXPECT_EQ(lengths[run], shape.weight[shape.leaf_node(run)]);
        }
        EXPECT_EQ(shape.weight[0], leaves);
    }
}

// Mir Taheri 2011, figure 4.6: a matrix of 2^20 processes read column by column.
TEST(WaveletTree, TransposesTakeTheLogarithmOfTheirRuns) {
    for (uint32_t runs : {2u, 3u, 5u, 16u, 100u, 1000u, 2000u}) {
        SCOPED_TRACE(runs);
        const uint32_t length = (1u << 20) / runs;
        const Members members = transpose(length, runs);
        const Map map = map_of(members, forced(CMAP_REP_WTR));
        ASSERT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(map.get()));
        EXPECT_TRUE(selects_match(map.get(), members));
        EXPECT_LT(8.0 * static_cast<double>(MPIR_cmap_payload_bytes(map.get())),
                  1.1 * static_cast<double>(members.size()) * std::log2(runs));
    }
}

// The same read row by row has as many runs as rows are long, and its inverse as there are rows.
TEST(WaveletTree, TakesTheInverseWhereThatHasFewerRuns) {
    for (uint32_t rows : {2u, 3u, 16u, 100u, 2000u}) {
        SCOPED_TRACE(rows);
        const Members members = transpose(rows, (1u << 20) / rows);
        const Map map = map_of(members, forced(CMAP_REP_WTR));
        ASSERT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(map.get()));
        EXPECT_LT(8.0 * static_cast<double>(MPIR_cmap_payload_bytes(map.get())),
                  1.1 * static_cast<double>(members.size()) * std::log2(rows));
        expect_map_is(map.get(), members);
    }
    const Members list = uneven_runs(20, 20000, 4);
    Members inverse(list.size());
    for (uint32_t rank = 0; rank < list.size(); rank++)
        inverse[list[rank]] = rank;
    const Map a = map_of(list, forced(CMAP_REP_WTR)), b = map_of(inverse, forced(CMAP_REP_WTR));
    EXPECT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(b.get()));
    EXPECT_EQ(MPIR_cmap_payload_bytes(a.get()), MPIR_cmap_payload_bytes(b.get()));
    expect_map_is(b.get(), inverse);
}

TEST(WaveletTree, NeverBuildsAnInverse) {
    const Members members = ascending_runs(16, 20000, 50000, 1);
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_SPACE}) {
        cmap_policy policy = by(strategy);
        policy.force = CMAP_REP_WTR;
        const Map map = map_of(members, policy);
        const size_t before = MPIR_cmap_payload_bytes(map.get());
        EXPECT_TRUE(ranks_match(map.get(), members));
        EXPECT_EQ(nullptr, cmap::inverse_if_built(map.get()));
        EXPECT_EQ(before, MPIR_cmap_payload_bytes(map.get()));
    }
}

TEST(WaveletTree, PermutationsOfASetShareIt) {
    const Members one = ascending_runs(4, 30000, 60000, 1);
    Members other = one;
    std::rotate(other.begin(), other.begin() + 7500, other.end());
    const Map a = map_of(one, forced(CMAP_REP_WTR)), b = map_of(other, forced(CMAP_REP_WTR));
    EXPECT_NE(a, b);
    EXPECT_EQ(cmap::representation(CMAP_REP_WTR).part(a.get(), 0),
              cmap::representation(CMAP_REP_WTR).part(b.get(), 0));
}

TEST(WaveletTree, IsTakenForFewRandomRuns) {
    for (uint32_t runs : {2u, 16u}) {
        const Members members = ascending_runs(runs, 100000, 100000, runs);
        for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_SPACE})
            EXPECT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(map_of(members, by(strategy)).get()));
        EXPECT_NE(CMAP_REP_WTR,
                  MPIR_cmap_representation(map_of(members, by(CMAP_STRATEGY_TIME)).get()));
    }
}

TEST(WaveletTree, DeclinesAboveTheLimit) {
    Limits limits;
    for (uint32_t most : {0u, 15u, 16u}) {
        limits.set_runs(most);
        const Members members = ascending_runs(16, 5000, 9000, 20 + most);
        const Map map = map_of(members, forced(CMAP_REP_WTR));
        EXPECT_EQ(most < 16, MPIR_cmap_force_declined(map.get()) != 0);
        EXPECT_TRUE(selects_match(map.get(), members));
    }
}

// Blocks of any size from any rank, across the borders of runs.
TEST(WaveletTree, DecodesAnyPart) {
    const Members members = uneven_runs(40, 30000, 3);
    const Map map = map_of(members, forced(CMAP_REP_WTR));
    Members part(5000);
    for (uint32_t first = 0, count = 1; first + count <= 30000;
         first += 997, count = count * 5 % 4999) {
        MPIR_cmap_decode(map.get(), first, count, part.data());
        EXPECT_TRUE(std::equal(part.begin(), part.begin() + count, members.begin() + first));
    }
}

}  // namespace
}  // namespace cmap_test
