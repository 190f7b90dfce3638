// SPDX-License-Identifier: BSD-3-Clause
// Memory of other processes: what is copied, what is refused, and of whom.
#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <thread>
#include <vector>

#include "reach.h"

namespace {

// Another process, which has the memory of this one as it was, and waits to be killed.
class Other {
  public:
    Other() : id(fork()) {
        while (id == 0)
            pause();
    }
    ~Other() {
        if (id > 0) end();
    }
    void end() {
        kill(id, SIGKILL);
        waitpid(id, nullptr, 0);
        id = -1;
    }
    int32_t id;
};

iovec piece(void *at, size_t bytes) { return {at, bytes}; }

TEST(Reach, pieces_are_copied_both_ways) {
    std::vector<int> data(300000);
    std::iota(data.begin(), data.end(), 1);
    Other other;
    std::fill(data.begin(), data.end(), 0);
    std::vector<int> room(data.size());
    iovec mine[] = {piece(&room[0], 4), piece(&room[10], 1000000), piece(&room[299999], 4)};
    iovec theirs[] = {piece(&data[0], 4), piece(&data[10], 1000000), piece(&data[299999], 4)};
    EXPECT_EQ(MPIR_reach_copy(other.id, false, mine, theirs, 3), 0);
    for (size_t i = 0; i < room.size(); i++)
        EXPECT_EQ(room[i], i == 0 || (i >= 10 && i < 250010) || i == 299999 ? int(i) + 1 : 0);

    int number = 77, back = 0;
    iovec from = piece(&number, 4), to = piece(&data[5], 4);
    EXPECT_EQ(MPIR_reach_copy(other.id, true, &from, &to, 1), 0);
    from = piece(&back, 4), to = piece(&data[5], 4);
    EXPECT_EQ(MPIR_reach_copy(other.id, false, &from, &to, 1), 0);
    EXPECT_EQ(back, 77);
    EXPECT_EQ(data[5], 0);
}

// The kernel then copies what is before the page.
TEST(Reach, a_page_in_the_middle_that_is_not_there_is_an_error) {
    const size_t page = 4096;
    char *memory = static_cast<char *>(
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    munmap(memory + page, page);
    Other other;
    std::vector<char> room(3 * page);
    iovec mine = piece(room.data(), room.size()), theirs = piece(memory, room.size());
    EXPECT_EQ(MPIR_reach_copy(other.id, false, &mine, &theirs, 1), EFAULT);
    munmap(memory, page);
    munmap(memory + 2 * page, page);
}

TEST(Reach, a_description_leads_to_its_process_alone) {
    const reach_process_t self = MPIR_reach_self();
    EXPECT_TRUE(MPIR_reach_leads(&self));
    const reach_process_t nobody = {};
    EXPECT_FALSE(MPIR_reach_leads(&nobody));
    // another process with this id
    const reach_process_t namesake = {self.number + 2, self.number_at, self.id};
    EXPECT_FALSE(MPIR_reach_leads(&namesake));
    EXPECT_TRUE(MPIR_reach_leads(&self));
}

TEST(Reach, a_process_is_tried_once_and_again_after_a_refusal) {
    const uint64_t number = MPIR_reach_self().number + 4;
    Other other;
    uint64_t there = number;
    reach_process_t process = {number, reinterpret_cast<uintptr_t>(&there), other.id};
    EXPECT_FALSE(MPIR_reach_leads(&process));
    process.number += 2;
    iovec from = piece(&process.number, 8), to = piece(&there, 8);
    ASSERT_EQ(MPIR_reach_copy(other.id, true, &from, &to, 1), 0);
    EXPECT_TRUE(MPIR_reach_leads(&process));
    other.end();
    EXPECT_TRUE(MPIR_reach_leads(&process));
    EXPECT_EQ(MPIR_reach_copy(process.id, false, &to, &from, 1), ESRCH);
    EXPECT_FALSE(MPIR_reach_leads(&process));
}

TEST(Reach, a_process_that_has_ended_is_not_alive_before_somebody_waits_for_it) {
    EXPECT_TRUE(MPIR_reach_is_alive(getpid()));
    Other other;
    EXPECT_TRUE(MPIR_reach_is_alive(other.id));
    kill(other.id, SIGKILL);
    siginfo_t info;
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(other.id), &info, WEXITED | WNOWAIT), 0);
    EXPECT_FALSE(MPIR_reach_is_alive(other.id));
    const int32_t id = other.id;
    other.end();
    EXPECT_FALSE(MPIR_reach_is_alive(id));
    uint64_t number = 0;
    iovec mine = piece(&number, 8), theirs = piece(&number, 8);
    EXPECT_EQ(MPIR_reach_copy(id, false, &mine, &theirs, 1), ESRCH);
}

TEST(Threads, copy_side_by_side) {
    std::vector<int> data(100000);
    std::iota(data.begin(), data.end(), 1);
    Other other;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&] {
            for (int round = 0; round < 20; round++) {
                std::vector<int> room(data.size());
                iovec mine = piece(room.data(), 400000), theirs = piece(data.data(), 400000);
                EXPECT_EQ(MPIR_reach_copy(other.id, false, &mine, &theirs, 1), 0);
                EXPECT_EQ(room, data);
            }
        });
    for (auto &thread : threads)
        thread.join();
}

}  // namespace
