// SPDX-License-Identifier: BSD-3-Clause
// Nodes by formula against an array that is filled the way MPICH fills one: block after block,
// again and again.
extern "C" {
#include "../../../src/mpi/nodes/node_blocks.h"
}

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace {

struct Free {
    void operator()(MPIR_Node_blocks *m) const { std::free(m); }
};
using Blocks = std::unique_ptr<MPIR_Node_blocks, Free>;
using Given = std::vector<MPIR_Node_block>;

Blocks empty(uint32_t processes, uint32_t n) {
    Blocks m(static_cast<MPIR_Node_blocks *>(std::calloc(1, MPIR_Node_blocks_bytes(n))));
    m->processes = processes;
    m->n = n;
    return m;
}

Blocks blocks(uint32_t processes, const Given &given) {
    Blocks m = empty(processes, uint32_t(given.size()));
    std::copy(given.begin(), given.end(), m->b);
    EXPECT_TRUE(MPIR_Node_blocks_complete(m.get()));
    return m;
}

std::vector<int> oracle(uint32_t processes, const Given &given) {
    std::vector<int> nodes;
    bool seen_zero = false;
    while (nodes.size() < processes) {
        size_t i = 0;
        while (seen_zero && (given[i].node != 0 || given[i].count * given[i].size == 0))
            i++;
        for (; i < given.size(); i++) {
            seen_zero = seen_zero || (given[i].node == 0 && given[i].count * given[i].size > 0);
            for (uint32_t k = 0; k < given[i].count * given[i].size; k++)
                nodes.push_back(int(given[i].node + k / given[i].size));
        }
    }
    nodes.resize(processes);
    return nodes;
}

void expect_same(const MPIR_Node_blocks *m, const std::vector<int> &nodes) {
    const auto n = uint32_t(nodes.size());
    ASSERT_EQ(n, m->processes);
    ASSERT_EQ(uint32_t(*std::max_element(nodes.begin(), nodes.end())) + 1, m->nodes);
    for (uint32_t r = 0; r < n; r++) {
        const MPIR_Node_stretch s = MPIR_Node_blocks_find(m, r);
        ASSERT_EQ(nodes[r], int(s.node)) << r;
        ASSERT_TRUE(s.first <= r && r < s.first + s.count && s.first + s.count <= n) << r;
        for (uint32_t k = s.first; k < s.first + s.count; k++)
            ASSERT_EQ(nodes[k], int(s.node)) << r;
    }
    for (uint32_t node = 0; node < m->nodes; node++) {
        std::vector<int> want;
        for (uint32_t r = 0; r < n; r++)
            if (nodes[r] == int(node)) want.push_back(int(r));
        std::vector<int> got(MPIR_Node_blocks_members(m, node, nullptr));
        ASSERT_EQ(want.size(), MPIR_Node_blocks_members(m, node, got.data()));
        ASSERT_EQ(want, got) << node;
        ASSERT_EQ(want.empty() ? UINT32_MAX : uint32_t(want[0]), MPIR_Node_blocks_root(m, node));
    }
    uint32_t rank = 0;
    while (rank < n) {
        MPIR_Node_block b;
        const uint32_t next = MPIR_Node_blocks_next(m, rank, &b);
        ASSERT_GT(next, rank);
        ASSERT_EQ(rank, b.rank);
        for (uint32_t k = rank; k < next; k++)
            ASSERT_EQ(nodes[k], int(b.node + (k - rank) / b.size));
        ASSERT_EQ(nodes[next - 1], int(b.node + b.count - 1));
        rank = next;
    }
    ASSERT_EQ(n, rank);
}

std::vector<int> without_gaps(std::vector<int> nodes) {
    const std::set<int> used(nodes.begin(), nodes.end());
    for (int &node : nodes)
        node = int(std::distance(used.begin(), used.find(node)));
    return nodes;
}

void expect_gaps_closed(uint32_t processes, const Given &given) {
    Blocks m = blocks(processes, given);
    MPIR_Node_blocks_close_gaps(m.get());
    expect_same(m.get(), without_gaps(oracle(processes, given)));
}

void expect_array_round_trip(const std::vector<int> &nodes) {
    const auto n = uint32_t(nodes.size());
    Blocks m = empty(n, MPIR_Node_blocks_from_array(nodes.data(), n, nullptr));
    EXPECT_EQ(m->n, MPIR_Node_blocks_from_array(nodes.data(), n, m.get()));
    expect_same(m.get(), nodes);
}

TEST(NodeBlocks, WhatProcessManagersSay) {
    for (const Given &given :
         {Given{{0, 1, 16, 0}}, Given{{0, 4, 4, 0}}, Given{{0, 4, 1, 0}},
          Given{{0, 3, 2, 0}, {3, 2, 5, 0}}, Given{{2, 2, 3, 0}, {0, 1, 2, 0}}, Given{{1, 2, 2, 0}},
          Given{{0, 0, 4, 0}, {0, 2, 2, 0}}, Given{{0, 1, 2, 0}, {0, 3, 1, 0}},
          Given{{5, 1, 1, 0}, {0, 2, 1, 0}, {4, 1, 0, 0}},
          Given{{1, 1, 1, 0}, {2, 1, 2, 0}, {1, 2, 1, 0}}, Given{{2, 2, 1, 0}},
          Given{{7, 2, 1, 0}, {3, 1, 2, 0}}})
        for (uint32_t processes = 1; processes <= 40; processes++) {
            const std::vector<int> nodes = oracle(processes, given);
            expect_same(blocks(processes, given).get(), nodes);
            expect_gaps_closed(processes, given);
            expect_array_round_trip(nodes);
        }
}

TEST(NodeBlocks, AtRandom) {
    std::mt19937 random(7);
    for (int i = 0; i < 3000; i++) {
        Given given(1 + random() % 5);
        for (MPIR_Node_block &b : given)
            b = {uint32_t(random() % 6), uint32_t(random() % 4), uint32_t(random() % 4), 0};
        given[random() % given.size()] = {uint32_t(random() % 2), 1, 1, 0};
        const auto processes = uint32_t(1 + random() % 60);
        const std::vector<int> nodes = oracle(processes, given);
        expect_same(blocks(processes, given).get(), nodes);
        expect_gaps_closed(processes, given);
        expect_array_round_trip(nodes);
    }
}

TEST(NodeBlocks, RegularArraysAreFewBlocks) {
    std::vector<int> in_blocks(1000), in_turns(1000), on_one(1000, 0);
    for (int r = 0; r < 1000; r++) {
        in_blocks[r] = r / 16;
        in_turns[r] = r % 7;
    }
    for (const std::vector<int> &nodes : {in_blocks, in_turns, on_one})
        EXPECT_EQ(1u, MPIR_Node_blocks_from_array(nodes.data(), 1000, nullptr));
}

TEST(NodeBlocks, AMillionProcessesAreOneBlock) {
    const uint32_t million = 1 << 20;
    Blocks m = blocks(million, {{0, million / 16, 16, 0}});
    EXPECT_EQ(million / 16, m->nodes);
    EXPECT_EQ(65535u, MPIR_Node_blocks_find(m.get(), million - 1).node);
    EXPECT_EQ(1600u, MPIR_Node_blocks_root(m.get(), 100));
    EXPECT_TRUE(MPIR_Node_blocks_ascend(m.get()));
    m = blocks(0x7fffffff, {{0, 1, 1, 0}});  // one pass, not two thousand million
    EXPECT_EQ(0x7fffffffu, m->end);
    EXPECT_EQ(0x7fffffffu, MPIR_Node_blocks_members(m.get(), 0, nullptr));
}

TEST(NodeBlocks, BlocksAscendOrNot) {
    EXPECT_TRUE(MPIR_Node_blocks_ascend(blocks(9, {{0, 2, 2, 0}, {2, 1, 5, 0}}).get()));
    EXPECT_FALSE(MPIR_Node_blocks_ascend(blocks(9, {{0, 2, 2, 0}, {1, 1, 5, 0}}).get()));
    EXPECT_FALSE(MPIR_Node_blocks_ascend(blocks(9, {{2, 2, 2, 0}, {0, 1, 5, 0}}).get()));
}

TEST(NodeBlocks, BlocksThatHoldNobody) {
    Blocks m = empty(4, 2);
    m->b[0] = {0, 3, 0, 0};
    m->b[1] = {0, 0, 3, 0};
    EXPECT_FALSE(MPIR_Node_blocks_complete(m.get()));
    m = empty(4, 0);
    EXPECT_FALSE(MPIR_Node_blocks_complete(m.get()));
}

}  // namespace
