// SPDX-License-Identifier: BSD-3-Clause
// Threads that compute side by side: the module keeps nothing between calls.
#include "locality.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

constexpr uint32_t per_node = 8;

locality_grid grid_of(uint32_t rows) {
    locality_grid grid = {};
    grid.dims = 2;
    grid.dim[0] = rows * 4;
    grid.dim[1] = 24;
    return grid;
}

// Of the grid with as many rows: the edges that its best order cuts, and the nodes of a column.
uint64_t computed(uint32_t rows) {
    const locality_grid grid = grid_of(rows);
    const locality_nodes nodes = {0, per_node, 0, 0};
    locality_order given;
    locality_choice choice;
    MPIR_locality_given_order(&grid, &given);
    MPIR_locality_choose_order(&grid, per_node, true, MPIR_locality_cut_on_blocks, &nodes,
                               MPIR_locality_cut_on_blocks(&grid, &given, &nodes), &choice);
    locality_part column = {};
    column.form.levels = 1;
    column.form.count[0] = grid.dim[0];
    column.form.stride[0] = static_cast<int32_t>(grid.dim[1]);
    column.nodes = nodes;
    locality_count count;
    EXPECT_TRUE(MPIR_locality_count_nodes(&column, 1, &count));
    return choice.cut * 1000 + count.nodes;
}

std::vector<uint64_t> all_computed() {
    std::vector<uint64_t> results;
    for (uint32_t rows = 1; rows <= 12; rows++)
        results.push_back(computed(rows));
    return results;
}

TEST(Threads, ComputeTheSameSideBySide) {
    const std::vector<uint64_t> alone = all_computed();
    std::vector<std::vector<uint64_t>> results(4);
    std::vector<std::thread> threads;
    for (auto &result : results)
        threads.emplace_back([&result] { result = all_computed(); });
    for (std::thread &thread : threads)
        thread.join();
    for (const auto &result : results)
        EXPECT_EQ(result, alone);
}

}  // namespace
