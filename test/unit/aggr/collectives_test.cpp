// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "members.hpp"
extern "C" {
#include "aggr_impl.h"
}

namespace aggr_test {
namespace {

struct Shape {
    int members, fan, lines;
    aggr_shape_t of() const { return shape(members, fan, 256, lines); }
};

class Collective : public testing::TestWithParam<Shape> {};

TEST_P(Collective, random_programs_of_threads_agree_with_the_oracle) {
    for (uint64_t seed = 0; seed < 6; seed++)
        as_threads(lending(GetParam().of(), seed % 4 == 1), [&](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            EXPECT_TRUE(random_program(group, seed, 120, library, 100, seed % 2 ? &desk : nullptr));
        });
}

TEST_P(Collective, numbers_of_operations_wrap) {
    std::atomic<int> set{0};
    as_threads(GetParam().of(), [&](aggr_group_t &group) {
        // as if so many operations had gone before
        const uint32_t before = 0xffffffe0;
        group.seq = group.safe = before;
        std::fill(std::begin(group.wrote), std::end(group.wrote), before);
        for (int m = 0; m < group.shape.lines * (group.shape.members + group.parts.count); m++)
            __atomic_store_n(&group.lines[m].seq, before, __ATOMIC_RELAXED);
        set++;
        while (set < group.shape.members)
            sched_yield();
        EXPECT_TRUE(random_program(group, 77, 60, library, 40));
    });
}

// Goes to operation `before`, as if all up to it had been of a kind that leaves the leaders' lines
// alone.
void leap(aggr_group_t &group, std::atomic<int> &arrived, int turn, uint32_t before) {
    arrived++;
    while (arrived < (2 * turn + 1) * group.shape.members)
        sched_yield();
    group.seq = before;
    for (uint32_t seq = before - static_cast<uint32_t>(group.shape.lines) + 1; seq != before + 1;
         seq++)
        __atomic_store_n(&MPIR_aggr_line_of(&group, group.lines, group.me, seq)->seq, seq,
                         __ATOMIC_RELAXED);
    arrived++;
    while (arrived < (2 * turn + 2) * group.shape.members)
        sched_yield();
}

TEST_P(Collective, lines_that_no_operation_wrote_for_long_do_not_look_ahead) {
    std::atomic<int> arrived{0}, inside{0};
    as_threads(GetParam().of(), [&](aggr_group_t &group) {
        for (int turn = 0; turn < 9; turn++) {
            leap(group, arrived, turn, static_cast<uint32_t>(turn + 1) * 0x40000000u - 4);
            uint32_t value = 1;
            // broadcasts alone, beyond the multiple of 2^30
            for (int i = 0; i < 6 + turn % 2; i++)
                EXPECT_EQ(MPIR_aggr_bcast(&group, &value, sizeof value, 0), AGGR_OK);
            inside++;
            EXPECT_EQ(MPIR_aggr_barrier(&group), AGGR_OK);
            EXPECT_GE(inside, (turn + 1) * group.shape.members);
        }
    });
}

// A root of broadcasts, long after it last saw where the others are, must not take them for being
// there.
TEST(Collective, what_was_seen_half_of_the_numbers_ago_does_not_count) {
    std::atomic<int> arrived{0};
    as_threads(shape(2, 16, 256, 8), [&](aggr_group_t &group) {
        uint32_t value = 0;
        for (int turn = 0; turn < 9; turn++) {
            const int root = turn % 3 == 2 ? 0 : 1;
            leap(group, arrived, turn, static_cast<uint32_t>(turn + 1) * 0x40000000u - 4);
            for (uint32_t i = 0; i < 100; i++) {
                if (group.me != root && i % 32 == 0)
                    for (int k = 0; k < 50; k++)
                        sched_yield();
                value = group.me == root ? i : 0;
                EXPECT_EQ(MPIR_aggr_bcast(&group, &value, sizeof value, root), AGGR_OK);
                EXPECT_EQ(value, i);
            }
        }
    });
}

TEST(Broadcast, another_length_is_told_and_the_group_goes_on) {
    const std::pair<size_t, size_t> lengths[] = {{8, 4},      {4, 8},      {200, 8}, {8, 200},
                                                 {1000, 200}, {200, 1000}, {1000, 0}};
    for (const auto &[sent, expected] : lengths)
        as_threads(shape(3), [&, sent = sent, expected = expected](aggr_group_t &group) {
            std::vector<char> buffer(1024, 1);
            const size_t bytes = group.me == 0 || expected == 0 ? sent : expected;
            const int status = expected == 0 && group.me == 0
                                   ? MPIR_aggr_bcast_failure(&group)
                                   : MPIR_aggr_bcast(&group, buffer.data(), bytes, 0);
            EXPECT_EQ(status, group.me == 0   ? AGGR_OK
                              : expected == 0 ? AGGR_ERR_ROOT
                                              : AGGR_ERR_LENGTH)
                << sent << " " << expected;
            if (status == AGGR_ERR_LENGTH) {
                EXPECT_EQ(group.length, sent);
            }
            uint64_t sum = 1;
            const aggr_fold_t add = {[](const void *left, void *inout, size_t, void *) {
                                         *static_cast<uint64_t *>(inout) +=
                                             *static_cast<const uint64_t *>(left);
                                     },
                                     nullptr, sizeof sum};
            EXPECT_EQ(MPIR_aggr_allreduce(&group, &sum, &sum, sizeof sum, &add), AGGR_OK);
            EXPECT_EQ(sum, 3u);
        });
}

TEST_P(Collective, members_whose_lengths_differ_leave_in_step) {
    for (uint64_t seed = 0; seed < 4; seed++)
        as_threads(lending(GetParam().of(), seed == 3), [&](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            EXPECT_TRUE(differing_program(group, seed, 100, library, seed % 2 ? &desk : nullptr));
        });
}

INSTANTIATE_TEST_SUITE_P(shapes, Collective,
                         testing::Values(Shape{1, 16, 2}, Shape{2, 16, 2}, Shape{2, 16, 8},
                                         Shape{3, 16, 8}, Shape{4, 2, 4}, Shape{5, 2, 2},
                                         Shape{7, 3, 8}, Shape{16, 16, 8}, Shape{17, 4, 8},
                                         Shape{20, 16, 2}),
                         [](const auto &info) {
                             return std::to_string(info.param.members) + "_fan_" +
                                    std::to_string(info.param.fan) + "_lines_" +
                                    std::to_string(info.param.lines);
                         });

TEST(Threads, random_programs) {
    for (const int members : {2, 3, 6})
        as_threads(shape(members, 4, 256, members == 3 ? 2 : 8), [&](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            EXPECT_TRUE(random_program(group, 11, 150, library, 60, &desk));
        });
}

TEST(Processes, random_programs_agree_with_the_oracle) {
    for (const int members : {1, 2, 4, 9}) {
        EXPECT_TRUE(as_processes(shape(members, 4, 256, 8), [](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            return random_program(group, 5, 400, library, 100, &desk);
        }));
        EXPECT_TRUE(as_processes(lending(shape(members, 4, 256, 8)), [](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            return random_program(group, 6, 400, library, 100, &desk) &&
                   group.loans != AGGR_LOANS_UNTRIED;
        }));
    }
}

// A member of a loan without the rest of a collective: its line describes its buffers.
void lend(aggr_group_t &group, void *out) {
    MPIR_aggr_begin(&group, AGGR_IN_LINE);
    MPIR_aggr_describe_loan(&group, out, out);
    MPIR_aggr_publish(MPIR_aggr_my_line(&group), group.seq);
}

// Member 1 has died before it began to copy; member 2 copies while member 0 leaves.
TEST(Loan, whoever_leaves_waits_for_those_that_copy_and_not_for_the_dead) {
    aggr_arena_t *arena = nullptr;
    const aggr_shape_t three = lending(shape(3));
    ASSERT_EQ(MPIR_aggr_arena_create(1 << 20, {3, DESK_BYTES}, &arena), AGGR_OK);
    const uint64_t block = MPIR_aggr_group_reserve(arena, &three);
    aggr_group_t groups[3];
    char buffers[3] = {};
    for (int me = 0; me < 3; me++)
        MPIR_aggr_group_join(&groups[me], arena, block, &three, me, &patient);
    for (const bool dies_copying : {false, true}) {
        const pid_t child = fork();
        if (child == 0) {
            lend(groups[1], &buffers[1]);
            _exit(!dies_copying || MPIR_aggr_start_copies(&groups[1]) ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
        lend(groups[0], &buffers[0]);
        lend(groups[2], &buffers[2]);
        EXPECT_TRUE(MPIR_aggr_start_copies(&groups[2]));
        std::atomic<bool> has_left{false};
        std::thread leaves([&] {
            MPIR_aggr_recall(&groups[0]);
            has_left = true;
        });
        usleep(100000);
        EXPECT_FALSE(has_left);
        MPIR_aggr_stop_copies(&groups[2]);
        leaves.join();
        EXPECT_FALSE(MPIR_aggr_start_copies(&groups[2]));
        MPIR_aggr_stop_copies(&groups[2]);
        MPIR_aggr_block(&groups[0])->recalled = 0;
        groups[1].seq++; /* in the child */
    }
    MPIR_aggr_arena_detach(arena);
}

// Bit for bit: sums of doubles depend on their order.
TEST(Collective, sums_are_the_same_on_all_members_and_in_all_runs) {
    const aggr_fold_t sum = {[](const void *left, void *inout, size_t bytes, void *) {
                                 const auto *l = static_cast<const double *>(left);
                                 auto *r = static_cast<double *>(inout);
                                 for (size_t i = 0; i < bytes / sizeof(double); i++)
                                     r[i] = l[i] + r[i];
                             },
                             nullptr, sizeof(double)};
    for (const size_t n : {1u, 7u, 30u, 1000u}) {
        std::vector<double> expected(n);
        for (int m = 8; m >= 0; m--)
            for (size_t i = 0; i < n; i++)
                expected[i] = m == 8 ? 0.1 * (8 + 1) : 0.1 * (m + 1) / (i + 1) + expected[i];
        for (int run = 0; run < 3; run++)
            as_threads(shape(9, 16, 8192), [&](aggr_group_t &group) {
                std::vector<double> in(n), out(n);
                for (size_t i = 0; i < n; i++)
                    in[i] = group.me == 8 ? 0.1 * (8 + 1) : 0.1 * (group.me + 1) / (i + 1);
                bool ready = false;
                ASSERT_EQ(MPIR_aggr_ready(&group, n * sizeof(double), &ready), AGGR_OK);
                ASSERT_TRUE(ready);
                ASSERT_EQ(
                    MPIR_aggr_allreduce(&group, in.data(), out.data(), n * sizeof(double), &sum),
                    AGGR_OK);
                EXPECT_EQ(out, expected);
            });
    }
}

TEST(Broadcast, a_length_other_than_the_root_s_length_is_noticed_and_the_group_goes_on) {
    as_threads(shape(3), [](aggr_group_t &group) {
        char data[40] = {};
        const size_t bytes = group.me == 1 ? 4 : 40;
        EXPECT_EQ(MPIR_aggr_bcast(&group, data, bytes, 1),
                  group.me == 1 ? AGGR_OK : AGGR_ERR_LENGTH);
        EXPECT_EQ(group.length, group.me == 1 ? 0u : 4u);
        EXPECT_EQ(MPIR_aggr_barrier(&group), AGGR_OK);
    });
}

TEST(Collective, without_room_for_copies_all_members_hear_it) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(65536, {0, 0}, &arena), AGGR_OK);
    const aggr_shape_t wide = shape(2, 16, 65536);
    const uint64_t block = MPIR_aggr_group_reserve(arena, &wide);
    ASSERT_NE(block, 0u);
    std::vector<std::thread> threads;
    for (int me = 0; me < 2; me++)
        threads.emplace_back([&, me] {
            aggr_group_t group;
            bool ready = true;
            MPIR_aggr_group_join(&group, arena, block, &wide, me, &patient);
            EXPECT_EQ(MPIR_aggr_ready(&group, AGGR_DATUM + 1, &ready), AGGR_OK);
            EXPECT_FALSE(ready);
            EXPECT_EQ(MPIR_aggr_ready(&group, AGGR_DATUM, &ready), AGGR_OK);
            EXPECT_TRUE(ready);
            EXPECT_EQ(MPIR_aggr_barrier(&group), AGGR_OK);
            MPIR_aggr_group_leave(&group, nullptr);
        });
    for (auto &thread : threads)
        thread.join();
    MPIR_aggr_arena_detach(arena);
}

TEST(Collective, a_group_that_nobody_joined_is_cancelled) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(65536, {0, 0}, &arena), AGGR_OK);
    const aggr_shape_t pair = shape(2);
    MPIR_aggr_group_cancel(arena, MPIR_aggr_group_reserve(arena, &pair), &pair);
    aggr_arena_figures_t figures;
    MPIR_aggr_arena_figures(arena, &figures);
    EXPECT_EQ(figures.used, 0u);
    MPIR_aggr_arena_detach(arena);
}

TEST(Ring, operations_of_threads_overlap) {
    for (const int members : {1, 2, 3, 5})
        as_threads(shape(members), [](aggr_group_t &group) {
            EXPECT_TRUE(ring_program(group.ring, 11, 3000, library_ring));
        });
}

TEST(Ring, operations_of_processes_overlap_with_collectives) {
    EXPECT_TRUE(as_processes(shape(4), [](aggr_group_t &group) {
        for (uint64_t seed = 0; seed < 20; seed++)
            if (!ring_program(group.ring, seed, 200, library_ring) ||
                !random_program(group, seed, 20, library, 40))
                return false;
        return true;
    }));
}

// Two rings beside that of the group, used in turn.
TEST(Ring, a_group_has_several) {
    EXPECT_TRUE(as_processes(shape(3), [](aggr_group_t &group) {
        uint64_t blocks[2] = {};
        for (uint64_t &block : blocks) {
            if (group.me == 1) block = MPIR_aggr_ring_reserve(&group, 256);
            if (MPIR_aggr_bcast(&group, &block, sizeof block, 1)) return false;
        }
        aggr_ring_t rings[2];
        for (int i = 0; i < 2; i++)
            MPIR_aggr_ring_join(&rings[i], &group, blocks[i], 256);
        bool right = true;
        for (unsigned round = 0; round < 40; round++)
            right = right && ring_program(rings[round % 2], round, 20, library_ring) &&
                    ring_program(group.ring, round, 20, library_ring);
        for (aggr_ring_t &ring : rings)
            MPIR_aggr_ring_leave(&ring);
        return right;
    }));
}

// Of one only the member that made it has joined, and nobody of the other.
TEST(Ring, those_that_were_given_up_end_with_the_group) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(65536, {0, 0}, &arena), AGGR_OK);
    const aggr_shape_t pair = shape(2);
    const uint64_t block = MPIR_aggr_group_reserve(arena, &pair);
    aggr_group_t groups[2];
    for (int me = 0; me < 2; me++)
        MPIR_aggr_group_join(&groups[me], arena, block, &pair, me, &patient);
    aggr_ring_t joined;
    const uint64_t of_joined = MPIR_aggr_ring_reserve(&groups[0], 1000);
    MPIR_aggr_ring_join(&joined, &groups[0], of_joined, 1000);
    MPIR_aggr_ring_give_up(&groups[0], joined.block, joined.copy_bytes);
    MPIR_aggr_ring_give_up(&groups[0], MPIR_aggr_ring_reserve(&groups[0], 60), 60);
    for (aggr_group_t &group : groups)
        MPIR_aggr_group_leave(&group, nullptr);
    aggr_arena_figures_t figures;
    MPIR_aggr_arena_figures(arena, &figures);
    EXPECT_EQ(figures.used, 0u);
    MPIR_aggr_arena_detach(arena);
}

// All members have the answer of the first that asks, also when room comes later.
TEST(Ring, an_arena_without_room_has_no_ring_for_anybody) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(65536, {0, 0}, &arena), AGGR_OK);
    const aggr_shape_t pair = shape(2, 16, 4096);
    const uint64_t block = MPIR_aggr_group_reserve(arena, &pair);
    aggr_group_t groups[2];
    for (int me = 0; me < 2; me++)
        MPIR_aggr_group_join(&groups[me], arena, block, &pair, me, &patient);
    EXPECT_TRUE(MPIR_aggr_ring_has(&groups[0].ring, AGGR_DATUM));
    std::vector<uint64_t> taken;
    while (const uint64_t some = MPIR_aggr_arena_reserve(arena, 4096))
        taken.push_back(some);
    EXPECT_FALSE(MPIR_aggr_ring_has(&groups[0].ring, AGGR_DATUM + 1));
    for (const uint64_t some : taken)
        MPIR_aggr_arena_release(arena, some, 4096);
    EXPECT_FALSE(MPIR_aggr_ring_has(&groups[1].ring, AGGR_DATUM + 1));
    EXPECT_TRUE(MPIR_aggr_ring_has(&groups[1].ring, AGGR_DATUM));
    for (aggr_group_t &group : groups)
        MPIR_aggr_group_leave(&group, nullptr);
    aggr_arena_figures_t figures;
    MPIR_aggr_arena_figures(arena, &figures);
    EXPECT_EQ(figures.used, 0u) << "the ring's blocks go with the group";
    MPIR_aggr_arena_detach(arena);
}

int give_up(void *tries) { return --*static_cast<int *>(tries) > 0 ? 0 : 42; }

TEST(Collective, a_wait_ends_with_what_progress_returns_and_the_group_is_broken) {
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(65536, {0, 0}, &arena), AGGR_OK);
    const aggr_shape_t pair = shape(2);
    int tries = 10;
    const aggr_waiting_t waiting = {5, 2, false, give_up, &tries};
    aggr_group_t group;
    MPIR_aggr_group_join(&group, arena, MPIR_aggr_group_reserve(arena, &pair), &pair, 0, &waiting);
    EXPECT_EQ(MPIR_aggr_barrier(&group), 42);
    int value = 1;
    EXPECT_EQ(MPIR_aggr_bcast(&group, &value, sizeof value, 0), 42);
    EXPECT_EQ(MPIR_aggr_barrier(&group), 42);
    EXPECT_EQ(tries, 0) << "a broken group waits no more";
    MPIR_aggr_arena_detach(arena);
}

// A member is killed in the middle: the others notice by their progress function, and nothing is
// left.
TEST(Processes, a_member_that_dies_is_no_hang) {
    static volatile sig_atomic_t dead;
    dead = 0;
    const aggr_shape_t four = shape(4, 2);
    aggr_arena_t *arena = nullptr;
    ASSERT_EQ(MPIR_aggr_arena_create(1 << 20, {0, 0}, &arena), AGGR_OK);
    const uint64_t block = MPIR_aggr_group_reserve(arena, &four);
    std::vector<pid_t> children;
    for (int me = 0; me < 4; me++) {
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGUSR1, [](int) { dead = 1; });
            const aggr_waiting_t waiting = {20, 3, true, [](void *) { return dead ? 7 : 0; },
                                            nullptr};
            aggr_group_t group;
            MPIR_aggr_group_join(&group, arena, block, &four, me, &waiting);
            int status = AGGR_OK;
            for (int i = 0; status == AGGR_OK; i++) {
                if (me == 2 && i == 1000) raise(SIGKILL);
                status =
                    i % 2 ? MPIR_aggr_barrier(&group) : MPIR_aggr_bcast(&group, &i, sizeof i, 3);
            }
            _exit(status == 7 ? 0 : 1);
        }
        children.push_back(child);
    }
    int status;
    ASSERT_EQ(waitpid(children[2], &status, 0), children[2]);
    EXPECT_TRUE(WIFSIGNALED(status));
    for (const int me : {0, 1, 3})
        kill(children[static_cast<size_t>(me)], SIGUSR1);
    for (const int me : {0, 1, 3}) {
        ASSERT_EQ(waitpid(children[static_cast<size_t>(me)], &status, 0),
                  children[static_cast<size_t>(me)]);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "member " << me;
    }
    MPIR_aggr_arena_detach(arena);
}

}  // namespace
}  // namespace aggr_test
