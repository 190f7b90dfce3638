// SPDX-License-Identifier: BSD-3-Clause
// Meetings of members that wait for nobody.  All orders of steps are in simulation_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "aggr.h"

namespace {

constexpr int processes = 3;

aggr_party_t all(uint64_t key) {
    aggr_party_t party = {};
    party.key = key;
    party.members = processes;
    for (int p = 0; p < processes; p++)
        party.seats[p] = static_cast<uint32_t>(p);
    return party;
}

// The hall of some processes, who see it all at the same place.
class Hall {
  public:
    Hall() {
        EXPECT_EQ(MPIR_aggr_arena_create(1 << 16, {0, 0}, &arena_), AGGR_OK);
        block_ = MPIR_aggr_hall_reserve(arena_, processes);
        EXPECT_NE(block_, 0u);
        hall_ = {arena_, block_};
    }
    ~Hall() { MPIR_aggr_arena_detach(arena_); }

    void enter(int process) {
        aggr_hall_t entered;
        MPIR_aggr_hall_enter(&entered, arena_, block_, process);
    }
    void enter_all() {
        for (int p = 0; p < processes; p++)
            enter(p);
    }
    uint64_t meet(const aggr_party_t &party) { return MPIR_aggr_meeting(&hall_, &party); }
    // What attempt `number` gives to a process.
    uint64_t attempt(const aggr_party_t &party, uint64_t meeting, unsigned number) {
        aggr_offer_t offer = {}, mine = {};
        if (MPIR_aggr_meeting_decided(&hall_, meeting, number, &offer)) return offer.block;
        if (MPIR_aggr_meeting_is_complete(&hall_, &party)) mine.block = reserve();
        offer = mine;
        if (!MPIR_aggr_meeting_decide(&hall_, meeting, number, &offer)) release(mine.block);
        return offer.block;
    }
    void leave(uint64_t meeting, int rank) { MPIR_aggr_meeting_leave(&hall_, meeting, rank); }

    uint64_t reserve() { return MPIR_aggr_arena_reserve(arena_, BLOCK); }
    void release(uint64_t block) { MPIR_aggr_arena_release(arena_, block, BLOCK); }
    size_t used() const {
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena_, &figures);
        return figures.used;
    }

  private:
    enum { BLOCK = 512 };
    aggr_arena_t *arena_ = nullptr;
    uint64_t block_ = 0;
    aggr_hall_t hall_ = {};
};

TEST(Meeting, fails_for_all_where_it_fails_for_the_first) {
    Hall hall;
    const aggr_party_t party = all(1);
    hall.enter(0);
    const uint64_t meeting = hall.meet(party);
    EXPECT_EQ(hall.attempt(party, meeting, 1), 0u);
    hall.enter(1);
    hall.enter(2);
    for (int p = 1; p < processes; p++) {
        ASSERT_EQ(hall.meet(party), meeting);
        EXPECT_EQ(hall.attempt(party, meeting, 1), 0u);
    }
    const uint64_t decided = hall.attempt(party, meeting, 2);
    EXPECT_NE(decided, 0u);
    for (int others = 1; others < processes; others++)
        EXPECT_EQ(hall.attempt(party, meeting, 2), decided);
}

TEST(Meeting, stays_until_the_last_member_leaves) {
    Hall hall;
    const aggr_party_t party = all(1);
    hall.enter_all();
    const size_t before = hall.used();
    const uint64_t meeting = hall.meet(party), decided = hall.attempt(party, meeting, 1);
    hall.leave(meeting, 0);
    for (int p = 1; p < processes; p++) {
        ASSERT_EQ(hall.meet(party), meeting);
        EXPECT_EQ(hall.attempt(party, meeting, 1), decided);
        hall.leave(meeting, p);
    }
    hall.release(decided);
    EXPECT_EQ(hall.used(), before);
}

// Members that differ in the order are another party; so are those of another key.
TEST(Meeting, is_of_one_party) {
    Hall hall;
    aggr_party_t party = all(1);
    hall.enter_all();
    const uint64_t meeting = hall.meet(party), other_key = hall.meet(all(2));
    std::swap(party.seats[0], party.seats[1]);
    const uint64_t other_order = hall.meet(party);
    EXPECT_NE(meeting, other_key);
    EXPECT_NE(meeting, other_order);
    EXPECT_NE(other_key, other_order);
}

// Once a member could not look, nobody agrees, and no meeting is added that some may never leave.
TEST(Meeting, takes_no_room_in_a_closed_hall) {
    Hall hall;
    hall.enter_all();
    const uint64_t open = hall.meet(all(1));
    const size_t before = hall.used();
    std::vector<uint64_t> taken;
    while (const uint64_t block = hall.reserve())
        taken.push_back(block);
    EXPECT_EQ(hall.meet(all(2)), 0u);
    for (uint64_t block : taken)
        hall.release(block);
    for (uint64_t key = 2; key < 100; key++)
        for (int p = 0; p < processes; p++)
            EXPECT_EQ(hall.meet(all(key)), 0u);
    EXPECT_EQ(hall.meet(all(1)), open);
    EXPECT_EQ(hall.attempt(all(1), open, 1), 0u);
    EXPECT_EQ(hall.used(), before);
}

// A key comes again when all have left its last meeting.
TEST(Threads, that_meet_agree) {
    Hall hall;
    enum { ROUNDS = 3000, KEYS = 4, ATTEMPTS = 3 };
    std::vector<std::atomic<uint64_t>> answers(ROUNDS * ATTEMPTS);
    std::vector<std::atomic<int>> left(ROUNDS);
    constexpr uint64_t none = 1;
    std::atomic<int> wrong{0};
    const size_t before = hall.used();
    const auto work = [&](int me) {
        hall.enter(me);
        for (int round = 0; round < ROUNDS; round++) {
            const aggr_party_t party = all(static_cast<uint64_t>(round % KEYS));
            while (round >= KEYS && left[static_cast<size_t>(round - KEYS)] < processes)
                std::this_thread::yield();
            const uint64_t meeting = hall.meet(party);
            uint64_t got = 0;
            for (unsigned number = 1; number <= ATTEMPTS && got == 0; number++) {
                got = hall.attempt(party, meeting, number);
                const uint64_t answer = got ? got : none;
                uint64_t seen = 0;
                auto &first = answers[static_cast<size_t>(round) * ATTEMPTS + number - 1];
                if (!first.compare_exchange_strong(seen, answer)) wrong += seen != answer;
            }
            hall.leave(meeting, me);
            if (++left[static_cast<size_t>(round)] == processes) hall.release(got);
        }
    };
    std::vector<std::thread> threads;
    for (int p = 0; p < processes; p++)
        threads.emplace_back(work, p);
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
    for (uint64_t key = 0; key < KEYS; key++) {  // whoever leaves now tidies up
        aggr_party_t alone = all(key);
        alone.members = 1;
        hall.leave(hall.meet(alone), 0);
    }
    EXPECT_EQ(hall.used(), before);
}

}  // namespace
