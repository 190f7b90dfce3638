// SPDX-License-Identifier: BSD-3-Clause
// Orders of grids against all tiles, and against a look at each edge.
#include "locality.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace {

using Random = std::mt19937;
using Dims = std::vector<uint32_t>;

locality_grid grid_of(const Dims &dims, uint32_t periods = 0) {
    locality_grid grid = {};
    for (uint32_t dim : dims) {
        grid.periodic[grid.dims] = (periods >> grid.dims & 1) != 0;
        grid.dim[grid.dims++] = dim;
    }
    return grid;
}

uint32_t size_of(const locality_grid &grid) {
    uint32_t size = 1;
    for (uint32_t d = 0; d < grid.dims; d++)
        size *= grid.dim[d];
    return size;
}

uint32_t at(const cmap_form &form, uint32_t rank) {
    uint32_t index = form.base;
    for (uint32_t k = 0; k < form.levels; k++, rank /= form.count[k - 1])
        index += rank % form.count[k] * uint32_t(form.stride[k]);
    return index;
}

// Edges between nodes, where node(rank of the grid) tells the node.
uint64_t edges(const locality_grid &grid, const std::function<uint32_t(uint32_t)> &node) {
    const uint32_t size = size_of(grid);
    uint64_t cut = 0;
    for (uint32_t rank = 0; rank < size; rank++) {
        uint32_t weight = size;
        for (uint32_t d = 0; d < grid.dims; d++) {
            weight /= grid.dim[d];
            const uint32_t x = rank / weight % grid.dim[d];
            const bool last = x + 1 == grid.dim[d];
            if (last && (!grid.periodic[d] || grid.dim[d] == 1)) continue;
            cut += node(rank) != node(last ? rank - x * weight : rank + weight);
        }
    }
    return cut;
}

uint64_t edges_in(const locality_grid &grid, const locality_order &order,
                  const locality_nodes &nodes) {
    cmap_form form;
    MPIR_locality_order_form(&grid, &order, &form);
    return edges(grid,
                 [&](uint32_t rank) { return MPIR_locality_node_of(&nodes, at(form, rank)); });
}

locality_choice choose(const locality_grid &grid, const locality_nodes &nodes, bool closed) {
    locality_order given;
    locality_choice choice;
    MPIR_locality_given_order(&grid, &given);
    MPIR_locality_choose_order(&grid, nodes.size, closed, MPIR_locality_cut_on_blocks, &nodes,
                               MPIR_locality_cut_on_blocks(&grid, &given, &nodes), &choice);
    return choice;
}

// The least that any tile of as many cells as a node has gives; UINT64_MAX if none fits.
uint64_t least_of_all_tiles(const locality_grid &grid, uint32_t per_node) {
    uint64_t least = UINT64_MAX;
    Dims side(grid.dims);
    const std::function<void(uint32_t, uint32_t)> try_all = [&](uint32_t d, uint32_t room) {
        if (d < grid.dims) {
            for (side[d] = 1; side[d] <= room; side[d]++)
                if (room % side[d] == 0 && grid.dim[d] % side[d] == 0)
                    try_all(d + 1, room / side[d]);
            return;
        }
        if (room != 1) return;
        least = std::min(least, edges(grid, [&](uint32_t rank) {
                             uint32_t tile = 0, weight = size_of(grid);
                             for (uint32_t e = 0; e < grid.dims; e++) {
                                 weight /= grid.dim[e];
                                 tile = tile * (grid.dim[e] / side[e]) +
                                        rank / weight % grid.dim[e] / side[e];
                             }
                             return tile;
                         }));
    };
    try_all(0, per_node);
    return least;
}

uint32_t between(Random &random, uint32_t low, uint32_t high) {
    return low + random() % (high - low + 1);
}

locality_grid random_grid(Random &random) {
    Dims dims(between(random, 1, 4));
    for (uint32_t &dim : dims)
        dim = between(random, 1, dims.size() > 2 ? 8 : 24);
    return grid_of(dims, random());
}

locality_order random_order(Random &random, const locality_grid &grid) {
    locality_order order;
    for (uint32_t d = 0; d < grid.dims; d++)
        do
            order.side[d] = between(random, 1, grid.dim[d]);
        while (grid.dim[d] % order.side[d] != 0);
    order.along = random() % grid.dims;
    return order;
}

TEST(Grids, OrdersArePermutationsAndCutWhatTheyAreSaidTo) {
    Random random(1);
    for (int i = 0; i < 3000; i++) {
        const locality_grid grid = random_grid(random);
        const locality_order order = random_order(random, grid);
        const uint32_t size = size_of(grid);
        cmap_form form;
        MPIR_locality_order_form(&grid, &order, &form);
        std::vector<bool> taken(size);
        for (uint32_t rank = 0; rank < size; rank++) {
            ASSERT_LT(at(form, rank), size);
            ASSERT_FALSE(taken[at(form, rank)]);
            taken[at(form, rank)] = true;
        }
        locality_nodes nodes = {0, between(random, 1, 20), 0, 0};
        if (random() % 3 == 0) nodes.origin = -(random() % 20);
        const uint64_t want = edges_in(grid, order, nodes);
        ASSERT_EQ(want, MPIR_locality_cut_on_blocks(&grid, &order, &nodes)) << i;
        std::vector<uint32_t> list(size);
        for (uint32_t position = 0; position < size; position++)
            list[position] = MPIR_locality_node_of(&nodes, position);
        ASSERT_EQ(want, MPIR_locality_cut_on_list(&grid, &order, list.data())) << i;
    }
}

TEST(Grids, NoTileIsBetterAndNeverWorseThanTheGivenOrder) {
    Random random(2);
    int tiled = 0, better = 0;
    for (int i = 0; i < 2000; i++) {
        const locality_grid grid = random_grid(random);
        const locality_nodes nodes = {0, between(random, 1, 24), 0, 0};
        const locality_choice choice = choose(grid, nodes, false);
        locality_order given;
        MPIR_locality_given_order(&grid, &given);
        const uint64_t before = edges_in(grid, given, nodes);
        ASSERT_EQ(choice.cut, edges_in(grid, choice.order, nodes)) << i;
        ASSERT_LE(choice.cut, before);
        ASSERT_EQ(choice.is_given, choice.cut == before);
        better += !choice.is_given;
        const uint64_t least = least_of_all_tiles(grid, nodes.size);
        if (least == UINT64_MAX) continue;
        tiled++;
        ASSERT_LE(choice.cut, least) << i;
    }
    EXPECT_GT(tiled, 300);
    EXPECT_GT(better, 1000);
}

// What has to be shown: 4, 16 and 64 nodes of 16 to 128 ranks, each with the dimensions that
// MPI_Dims_create would give, and with others.
TEST(Grids, OfFourToSixtyFourNodes) {
    for (uint32_t nodes : {4u, 16u, 64u})
        for (uint32_t per_node : {16u, 24u, 32u, 48u, 64u, 96u, 128u}) {
            const uint32_t size = nodes * per_node;
            for (uint32_t x = 1; x <= size; x++) {
                if (size % x != 0) continue;
                for (uint32_t y = 1; y <= size / x; y++) {
                    const bool some = size <= 256 || (x + 3 * y + per_node) % 37 == 0;
                    if (size / x % y != 0 || !some) continue;
                    const locality_grid grid = grid_of({x, y, size / x / y}, x + y);
                    const locality_nodes blocks = {0, per_node, 0, 0};
                    const locality_choice choice = choose(grid, blocks, true);
                    ASSERT_LE(choice.cut, least_of_all_tiles(grid, per_node))
                        << x << " x " << y << " of " << size << ", " << per_node << " a node";
                }
            }
        }
}

// 65,536 nodes: the form fits an affine map.
TEST(Grids, OfMillions) {
    const uint32_t nodes = 65536;
    for (const auto &[dims, per_node] : {std::pair<Dims, uint32_t>{{1024, 1024}, 16},
                                         {{128, 128, 64}, 16},
                                         {{2048, 1024}, 32},
                                         {{128, 128, 128}, 32},
                                         {{2048, 2048}, 64},
                                         {{256, 128, 128}, 64},
                                         {{4096, 2048}, 128},
                                         {{256, 256, 128}, 128},
                                         {{1024, 3072}, 48},
                                         {{128, 128, 192}, 48}}) {
        const locality_grid grid = grid_of(dims, per_node == 16 ? 0 : 7);
        ASSERT_EQ(nodes * per_node, size_of(grid));
        const locality_nodes blocks = {0, per_node, 0, 0};
        const locality_choice choice = choose(grid, blocks, true);
        cmap_form form;
        MPIR_locality_order_form(&grid, &choice.order, &form);
        EXPECT_LE(form.levels, LOCALITY_LEVELS);
        locality_order given;
        MPIR_locality_given_order(&grid, &given);
        const uint64_t before = MPIR_locality_cut_on_blocks(&grid, &given, &blocks);
        EXPECT_LT(choice.cut, before);
        uint64_t least = UINT64_MAX;
        locality_order order = given;
        const std::function<void(uint32_t, uint32_t)> try_all = [&](uint32_t d, uint32_t room) {
            if (d == grid.dims) {
                if (room == 1)
                    least = std::min(least, MPIR_locality_cut_on_blocks(&grid, &order, &blocks));
                return;
            }
            for (order.side[d] = 1; order.side[d] <= room; order.side[d]++)
                if (room % order.side[d] == 0 && grid.dim[d] % order.side[d] == 0)
                    try_all(d + 1, room / order.side[d]);
        };
        try_all(0, per_node);
        EXPECT_LE(choice.cut, least);
    }
}

TEST(Grids, WithoutATileThatFitsHaveBands) {
    for (const auto &[dims, per_node] : {std::pair<Dims, uint32_t>{{100, 100}, 16},
                                         {{90, 70}, 48},
                                         {{12, 18, 10}, 28},
                                         {{64, 63}, 17}}) {
        const locality_grid grid = grid_of(dims);
        const locality_nodes blocks = {0, per_node, 0, 0};
        const locality_choice choice = choose(grid, blocks, true);
        locality_order given;
        MPIR_locality_given_order(&grid, &given);
        EXPECT_LT(double(choice.cut), 0.8 * double(edges_in(grid, given, blocks)))
            << dims[0] << " x " << dims[1];
    }
}

// Nothing to choose: one node, one process a node, one cell.
TEST(Grids, OfOneNodeAndOfOneProcessANode) {
    for (const auto &[dims, per_node] :
         {std::pair<Dims, uint32_t>{{4, 4}, 16}, {{4, 4}, 100}, {{4, 4}, 1}, {{1}, 4}, {{1, 1}, 1}})
        EXPECT_TRUE(choose(grid_of(dims, 3), {0, per_node, 0, 0}, true).is_given);
}

// Nodes with different numbers of processes: by a list.
TEST(Grids, OnUnevenNodes) {
    Random random(5);
    int better = 0;
    for (int i = 0; i < 300; i++) {
        const locality_grid grid = random_grid(random);
        const uint32_t size = size_of(grid), per_node = between(random, 2, 16);
        std::vector<uint32_t> list;
        for (uint32_t node = 0; list.size() < size; node++)
            list.insert(list.end(), between(random, 1, 2 * per_node), node);
        locality_order given;
        MPIR_locality_given_order(&grid, &given);
        const uint64_t before = MPIR_locality_cut_on_list(&grid, &given, list.data());
        locality_choice choice;
        MPIR_locality_choose_order(&grid, per_node, false, MPIR_locality_cut_on_list, list.data(),
                                   before, &choice);
        cmap_form form;
        MPIR_locality_order_form(&grid, &choice.order, &form);
        ASSERT_EQ(choice.cut, edges(grid, [&](uint32_t rank) { return list[at(form, rank)]; }));
        ASSERT_LE(choice.cut, before);
        better += choice.cut < before;
    }
    EXPECT_GT(better, 100);
}

}  // namespace
