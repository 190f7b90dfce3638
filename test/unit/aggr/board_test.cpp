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

// A wait for the second process, which is not there any more; it ends, so that the test does.
struct Wait {
    int turns;
    aggr_post_t *posts;
};

int count_turn(void *context) {
    Wait *wait = static_cast<Wait *>(context);
    if (++wait->turns > 100) wait->posts[1].over = UINT64_MAX;
    return AGGR_OK;
}

TEST(Board, nobody_waits_for_a_process_that_has_ended) {
    static constexpr int members[] = {0, 1};
    aggr_post_t posts[2] = {};
    Wait wait = {0, posts};
    aggr_waiting_t waiting = aggr_test::patient;
    aggr_board_t board;
    uint64_t bid[AGGR_BID] = {1, 1};
    std::thread other([&posts] {
        aggr_board_t its;
        uint64_t its_bid[AGGR_BID] = {2, 1};
        MPIR_aggr_board_open(&its, posts, 2, 1, &aggr_test::patient);
        MPIR_aggr_board_reduce(&its, members, 2, 5, its_bid, add);
        MPIR_aggr_board_close(&its);
    });

    waiting.progress = count_turn;
    waiting.context = &wait;
    ASSERT_EQ(MPIR_aggr_board_open(&board, posts, 2, 0, &aggr_test::patient), AGGR_OK);
    MPIR_aggr_board_reduce(&board, members, 2, 5, bid, add);
    EXPECT_EQ(bid[0], 3u);
    other.join();
    posts[1].over = 0;  // it has ended before it could say so
    MPIR_aggr_board_died(&board, 1);
    board.waiting = &waiting;
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(MPIR_aggr_board_reduce(&board, members, 1, 6, bid, add), AGGR_OK);
    EXPECT_EQ(wait.turns, 0);
    MPIR_aggr_board_close(&board);
}

}  // namespace
