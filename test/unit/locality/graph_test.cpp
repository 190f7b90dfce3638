// SPDX-License-Identifier: BSD-3-Clause
// Partitions of graphs: each node gets what it has room for, and the cut is what a count of all
// pairs says.
#include "locality.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace {

using Random = std::mt19937;
using Edges = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;  // v < w: weight

struct Graph {
    std::vector<uint32_t> first, other, weight;
    locality_graph face(bool weighted) const {
        return {uint32_t(first.size() - 1), first.data(), other.data(),
                weighted ? weight.data() : nullptr};
    }
};

Graph graph_of(uint32_t n, const Edges &edges) {
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> lists(n);
    for (const auto &[ends, weight] : edges) {
        lists[ends.first].emplace_back(ends.second, weight);
        lists[ends.second].emplace_back(ends.first, weight);
    }
    Graph graph;
    for (const auto &list : lists) {
        graph.first.push_back(uint32_t(graph.other.size()));
        for (const auto &[other, weight] : list) {
            graph.other.push_back(other);
            graph.weight.push_back(weight);
        }
    }
    graph.first.push_back(uint32_t(graph.other.size()));
    return graph;
}

std::vector<uint32_t> partition(const locality_graph &graph, const std::vector<uint32_t> &room) {
    std::vector<uint32_t> node_of(graph.n);
    std::vector<int64_t> work(MPIR_locality_partition_bytes(graph.n) / sizeof(int64_t) + 1);
    MPIR_locality_partition(&graph, room.data(), uint32_t(room.size()), node_of.data(),
                            work.data());
    return node_of;
}

uint64_t cut_of(const Edges &edges, const std::vector<uint32_t> &node_of, bool weighted) {
    uint64_t cut = 0;
    for (const auto &[ends, weight] : edges)
        if (node_of[ends.first] != node_of[ends.second]) cut += weighted ? weight : 1;
    return cut;
}

Edges mesh(uint32_t x, uint32_t y, const std::vector<uint32_t> &name) {
    Edges edges;
    const auto add = [&](uint32_t a, uint32_t b) {
        edges[{std::min(name[a], name[b]), std::max(name[a], name[b])}] = 1;
    };
    for (uint32_t i = 0; i < x; i++)
        for (uint32_t j = 0; j < y; j++) {
            if (i + 1 < x) add(i * y + j, (i + 1) * y + j);
            if (j + 1 < y) add(i * y + j, i * y + j + 1);
        }
    return edges;
}

TEST(Graphs, EachNodeGetsWhatItHasRoomFor) {
    Random random(1);
    for (int i = 0; i < 2000; i++) {
        const uint32_t n = 1 + random() % 60;
        Edges edges;
        for (uint32_t k = random() % (3 * n); k > 0; k--) {
            const uint32_t v = random() % n, w = random() % n;
            if (v != w) edges[{std::min(v, w), std::max(v, w)}] = 1 + random() % 9;
        }
        std::vector<uint32_t> room;
        for (uint32_t left = n; left > 0; left -= room.back())
            room.push_back(std::min<uint32_t>(left, 1 + random() % 9));
        const Graph graph = graph_of(n, edges);
        for (bool weighted : {false, true}) {
            const locality_graph face = graph.face(weighted);
            const std::vector<uint32_t> node_of = partition(face, room);
            std::vector<uint32_t> used(room.size());
            for (uint32_t node : node_of) {
                ASSERT_LT(node, room.size());
                used[node]++;
            }
            ASSERT_EQ(room, used);
            ASSERT_EQ(cut_of(edges, node_of, weighted),
                      MPIR_locality_cut_of_graph(&face, node_of.data()));
            ASSERT_EQ(node_of, partition(face, room));
        }
    }
}

// A mesh, also with its vertices named at random, is cut as tiles cut it: 1,024 of the 1,984 edges
// are cut by the given order.
TEST(Graphs, OfMeshesAreCompact) {
    Random random(2);
    const uint32_t x = 32, y = 32, per_node = 16;
    std::vector<uint32_t> name(x * y);
    for (uint32_t v = 0; v < name.size(); v++)
        name[v] = v;
    for (int i = 0; i < 5; i++) {
        const Edges edges = mesh(x, y, name);
        const Graph graph = graph_of(x * y, edges);
        const std::vector<uint32_t> room(x * y / per_node, per_node);
        const uint64_t cut = cut_of(edges, partition(graph.face(false), room), false);
        EXPECT_EQ(2u * 32 * 7, cut);
        std::shuffle(name.begin(), name.end(), random);
    }
}

TEST(Graphs, WithoutEdgesAndWithoutVertices) {
    const Graph none = graph_of(0, {}), lone = graph_of(4, {});
    EXPECT_TRUE(partition(none.face(false), {}).empty());
    EXPECT_EQ((std::vector<uint32_t>{0, 1, 1, 2}), partition(lone.face(false), {1, 2, 5}));
}

}  // namespace
