// SPDX-License-Identifier: BSD-3-Clause
// The board with real threads; orders of steps are in simulation_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "members.hpp"

namespace {

void add(uint64_t *all, const uint64_t *one) {
    all[0] += one[0];
    all[1] += one[1];
}

// Every set of the processes has a key; all threads have the same random program.
int wrong_on_board(int me, int processes, aggr_post_t *posts, int reductions) {
    std::mt19937_64 random(7);
    aggr_board_t board;
    int wrong = 0;
    if (MPIR_aggr_board_open(&board, posts, processes, me, &aggr_test::patient)) return 1;
    for (int i = 0; i < reductions; i++) {
        const uint64_t set = random() % (uint64_t{1} << processes);
        if (!(set >> me & 1)) continue;
        std::vector<int> members;
        uint64_t expected = 0, bid[AGGR_BID] = {static_cast<uint64_t>(i * 100 + me), 1};
        for (int p = 0; p < processes; p++) {
            if (!(set >> p & 1)) continue;
            members.push_back(p);
            expected += static_cast<uint64_t>(i * 100 + p);
        }
        MPIR_aggr_board_reduce(&board, members.data(), static_cast<int>(members.size()), set, bid,
                               add);
        wrong += bid[0] != expected || bid[1] != members.size();
    }
    MPIR_aggr_board_close(&board);
    return wrong;
}

TEST(Threads, reduce_on_a_board_in_any_sets) {
    constexpr int processes = 4;
    aggr_post_t posts[processes] = {};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int me = 0; me < processes; me++)
        threads.emplace_back(
            [&wrong, &posts, me] { wrong += wrong_on_board(me, processes, posts, 2000); });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
