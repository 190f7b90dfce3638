// SPDX-License-Identifier: BSD-3-Clause
// Orders of steps: members stop before each access to a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "members.hpp"
#include "schedule.hpp"

extern "C" {
bool simulated_copy(void *to, uint64_t from, size_t bytes);
void MPIR_aggr_step(void);
decltype(MPIR_aggr_group_join) simulated_group_join;
decltype(MPIR_aggr_group_reserve) simulated_group_reserve;
decltype(MPIR_aggr_group_leave) simulated_group_leave;
decltype(MPIR_aggr_ready) simulated_ready;
decltype(MPIR_aggr_barrier) simulated_barrier;
decltype(MPIR_aggr_allreduce) simulated_allreduce;
decltype(MPIR_aggr_reduce) simulated_reduce;
decltype(MPIR_aggr_scan) simulated_scan, simulated_exscan;
decltype(MPIR_aggr_bcast) simulated_bcast;
decltype(MPIR_aggr_allgather) simulated_allgather;
decltype(MPIR_aggr_gather) simulated_gather, simulated_scatter;
decltype(MPIR_aggr_alltoall) simulated_alltoall;
decltype(MPIR_aggr_exchange) simulated_exchange;
decltype(MPIR_aggr_agree) simulated_agree;
decltype(MPIR_aggr_bcast_elsewhere) simulated_bcast_elsewhere;
decltype(MPIR_aggr_long_begin) simulated_long_begin;
decltype(MPIR_aggr_long_end) simulated_long_end;
decltype(MPIR_aggr_bcast_long) simulated_bcast_long;
decltype(MPIR_aggr_bcast_rest) simulated_bcast_rest;
decltype(MPIR_aggr_reduce_scatter) simulated_reduce_scatter;
decltype(MPIR_aggr_allgatherv) simulated_allgatherv;
decltype(MPIR_aggr_desk_close) simulated_desk_close;
decltype(MPIR_aggr_ring_has) simulated_ring_has;
decltype(MPIR_aggr_ring_ready) simulated_ring_ready;
decltype(MPIR_aggr_ring_place) simulated_ring_place;
decltype(MPIR_aggr_ring_begin) simulated_ring_begin;
decltype(MPIR_aggr_ring_arrived) simulated_ring_arrived;
decltype(MPIR_aggr_ring_length) simulated_ring_length;
decltype(MPIR_aggr_ring_datum) simulated_ring_datum;
decltype(MPIR_aggr_ring_end) simulated_ring_end;
decltype(MPIR_aggr_hall_reserve) simulated_hall_reserve;
decltype(MPIR_aggr_hall_enter) simulated_hall_enter;
decltype(MPIR_aggr_meeting) simulated_meeting;
decltype(MPIR_aggr_meeting_decided) simulated_meeting_decided;
decltype(MPIR_aggr_meeting_is_complete) simulated_meeting_is_complete;
decltype(MPIR_aggr_meeting_decide) simulated_meeting_decide;
decltype(MPIR_aggr_meeting_leave) simulated_meeting_leave;
decltype(MPIR_aggr_board_open) simulated_board_open;
decltype(MPIR_aggr_board_close) simulated_board_close;
decltype(MPIR_aggr_board_reduce) simulated_board_reduce;
}

namespace aggr_test {
namespace {

const Collectives simulated = {simulated_ready,          simulated_barrier,
                               simulated_allreduce,      simulated_reduce,
                               simulated_scan,           simulated_exscan,
                               simulated_bcast,          simulated_allgather,
                               simulated_gather,         simulated_scatter,
                               simulated_alltoall,       simulated_exchange,
                               simulated_agree,          simulated_bcast_elsewhere,
                               simulated_long_begin,     simulated_long_end,
                               simulated_bcast_long,     simulated_bcast_rest,
                               simulated_reduce_scatter, simulated_allgatherv};

const Ring simulated_ring = {simulated_ring_has,   simulated_ring_ready,   simulated_ring_place,
                             simulated_ring_begin, simulated_ring_arrived, simulated_ring_length,
                             simulated_ring_datum, simulated_ring_end};

using schedule_test::changing_at_random;
using schedule_test::Schedule;

// Copies of lent memory until the one that the kernel refuses; 0: it refuses none.
uint64_t unreachable = 0;

// Turns of waiting until all further ones fail, as after a revocation; 0: none fails.
uint64_t turns_left = 0;
const int revoked = 77;

int wait_for_others(void *) {
    if (turns_left != 1) Schedule::wait();
    if (turns_left > 1) turns_left--;
    return turns_left == 1 ? revoked : 0;
}
const aggr_waiting_t waiting = {0, 1, false, &wait_for_others, nullptr};

// A group, and a run of its members.
class GroupRun {
  public:
    GroupRun(const aggr_shape_t &shape, const std::function<bool(aggr_group_t &)> &body)
        : groups_(static_cast<size_t>(shape.members)),
          schedule_(shape.members,
                    [this, body](int me) { return body(groups_[static_cast<size_t>(me)]); }) {
        EXPECT_EQ(MPIR_aggr_arena_create(1 << 20, {shape.members, DESK_BYTES}, &arena_), AGGR_OK);
        const uint64_t block = simulated_group_reserve(arena_, &shape);
        for (int me = 0; me < shape.members; me++)
            simulated_group_join(&groups_[static_cast<size_t>(me)], arena_, block, &shape, me,
                                 &waiting);
    }
    ~GroupRun() { MPIR_aggr_arena_detach(arena_); }
    bool go(const Schedule::Choice &choose) { return schedule_.go(choose); }

  private:
    aggr_arena_t *arena_ = nullptr;
    std::vector<aggr_group_t> groups_;
    Schedule schedule_;
};

void all_with_changes(const aggr_shape_t &shape, uint64_t seed, unsigned operations) {
    schedule_test::all_with_changes(
        [&](const Schedule::Choice &choose) {
            GroupRun run(shape, [&](aggr_group_t &group) {
                return random_program(group, seed, operations, simulated, 12);
            });
            return run.go(choose);
        },
        2);
}

TEST(Simulation, all_orders_with_two_changes) {
    const Places alone_and_two({1, 2, 2}), three_and_alone({1, 1, 1, 2});
    for (uint64_t seed = 0; seed < 4; seed++) {
        all_with_changes(shape(2), seed, 6);
        all_with_changes(shape(2, 16, 256, 4), seed, 6);
        all_with_changes(shape(3), seed, 4);
        all_with_changes(shape(3, 2), seed, 4);
        all_with_changes(alone_and_two.shape(2), seed, 4);
        all_with_changes(three_and_alone.shape(3), seed, 3);
    }
}

TEST(Simulation, random_orders) {
    std::mt19937_64 random(3);
    for (uint64_t run = 0; run < 4000; run++) {
        const int members = 2 + static_cast<int>(random() % 4),
                  fan = 2 + static_cast<int>(random() % 4);
        const uint64_t seed = random(), rarely = 1 + random() % 20;
        Places places(static_cast<size_t>(members));
        for (uint32_t &cache : places.level[0])
            cache = static_cast<uint32_t>(random() % 3);
        std::sort(places.level[0].begin(), places.level[0].end());
        const aggr_shape_t random_shape =
            lending(places.shape(fan, 2 << random() % 3), run % 4 > 1);
        unreachable = run % 8 == 3 ? 1 + random() % 200 : 0;
        GroupRun one(random_shape, [&](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            return random_program(group, seed, 30, simulated, 40, run % 2 ? &desk : nullptr);
        });
        ASSERT_TRUE(one.go(changing_at_random(random, rarely)))
            << "run " << run << " seed " << seed << " members " << members << " fan " << fan;
    }
}

// The orders of a pair and of three whose second and later payloads are lent.
TEST(Simulation, loans_in_all_orders_with_two_changes) {
    for (uint64_t seed = 0; seed < 4; seed++)
        for (const int members : {2, 3})
            schedule_test::all_with_changes(
                [&](const Schedule::Choice &choose) {
                    GroupRun run(lending(shape(members)), [&](aggr_group_t &group) {
                        aggr_desk_t desk = desk_of(group);
                        return random_program(group, seed, 4, simulated, 20, &desk);
                    });
                    return run.go(choose);
                },
                members == 2 ? 2 : 1);
}

// Whoever leaves a loan frees its buffers: what others get from there later must not count.
TEST(Simulation, loans_whose_waits_fail_in_random_orders) {
    std::mt19937_64 random(8);
    for (uint64_t run = 0; run < 4000; run++) {
        const int members = 2 + static_cast<int>(random() % 4);
        const uint64_t seed = random(), rarely = 1 + random() % 20;
        turns_left = 2 + random() % 60;
        GroupRun one(lending(shape(members, 16, 256, 2 << random() % 3)), [&](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            return random_program(group, seed, 20, simulated, 40, &desk) || group.broken == revoked;
        });
        EXPECT_TRUE(one.go(changing_at_random(random, rarely)))
            << "run " << run << " seed " << seed << " members " << members;
        turns_left = 0;
    }
}

TEST(Simulation, lengths_that_differ_in_random_orders) {
    std::mt19937_64 random(5);
    for (uint64_t run = 0; run < 1500; run++) {
        const int members = 2 + static_cast<int>(random() % 4),
                  fan = 2 + static_cast<int>(random() % 4);
        const uint64_t seed = random(), rarely = 1 + random() % 20;
        const aggr_shape_t random_shape =
            lending(shape(members, fan, 256, 2 << random() % 3), run % 4 > 1);
        GroupRun one(random_shape, [&](aggr_group_t &group) {
            aggr_desk_t desk = desk_of(group);
            return differing_program(group, seed, 30, simulated, run % 2 ? &desk : nullptr);
        });
        ASSERT_TRUE(one.go(changing_at_random(random, rarely)))
            << "run " << run << " seed " << seed << " members " << members << " fan " << fan;
    }
}

// Operations that overlap, between collectives in which members wait.
TEST(Simulation, overlapping_operations_in_random_orders) {
    std::mt19937_64 random(7);
    for (uint64_t run = 0; run < 3000; run++) {
        const int members = 1 + static_cast<int>(random() % 5);
        const uint64_t seed = random(), rarely = 1 + random() % 20;
        GroupRun one(shape(members, 16, 256, 2 << random() % 3), [&](aggr_group_t &group) {
            return ring_program(group.ring, seed, 20, simulated_ring, 10000) &&
                   random_program(group, seed, 4, simulated, 40) &&
                   ring_program(group.ring, seed + 1, 10, simulated_ring, 10000);
        });
        ASSERT_TRUE(one.go(changing_at_random(random, rarely)))
            << "run " << run << " seed " << seed << " members " << members;
    }
}

// Two groups of the same members, in opposite orders, which use the desks in turn.  Each member
// leaves the first one while others may still read from its desk.
TEST(Simulation, desks_of_two_groups_in_random_orders) {
    std::mt19937_64 random(6);
    for (uint64_t run = 0; run < 3000; run++) {
        int members = 2 + static_cast<int>(random() % 4);
        const uint64_t seed = random(), rarely = 1 + random() % 20;
        const aggr_shape_t first = lending(shape(members, 16, 256, 2 << random() % 3), run % 2);
        aggr_shape_t second = first;
        second.seats = {opposite_seat, &members};
        aggr_arena_t *arena = nullptr;
        ASSERT_EQ(MPIR_aggr_arena_create(1 << 20, {members, DESK_BYTES}, &arena), AGGR_OK);
        const uint64_t blocks[] = {simulated_group_reserve(arena, &first),
                                   simulated_group_reserve(arena, &second)};
        Schedule one(members, [&](int me) {
            aggr_group_t a, b;
            simulated_group_join(&a, arena, blocks[0], &first, me, &waiting);
            simulated_group_join(&b, arena, blocks[1], &second, members - 1 - me, &waiting);
            aggr_desk_t desk = desk_of(a);
            std::mt19937_64 same(seed);
            bool right = true;
            for (int turn = 0; turn < 6 && right; turn++)
                right = random_program(same() % 2 ? a : b, same(), 1 + same() % 3, simulated, 40,
                                       &desk);
            simulated_group_leave(&a, &desk);
            right = right && random_program(b, same(), 4, simulated, 40, &desk);
            simulated_group_leave(&b, &desk);
            simulated_desk_close(&desk);
            return right;
        });
        ASSERT_TRUE(one.go(changing_at_random(random, rarely)))
            << "run " << run << " seed " << seed << " members " << members;
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena, &figures);
        EXPECT_EQ(figures.used, 0u) << "a block is left";
        MPIR_aggr_arena_detach(arena);
    }
}

// Reductions of random members, few sets of them again and again; each process comes to its own in
// the order of the program.
struct BoardProgram {
    struct Step {
        std::vector<int> members;
        uint64_t key;
        int stopper = -1;        // a member that stops the reduction, if it is not -1
        bool takes_part = true;  // the stopper, nevertheless
    };
    std::vector<Step> steps;

    BoardProgram(std::mt19937_64 &random, int processes, size_t length) {
        std::vector<Step> sets;
        for (uint64_t key = 1; key <= 4; key++) {
            Step step = {{}, key};
            for (int p = 0; p < processes; p++)
                if (random() % 2) step.members.push_back(p);
            sets.push_back(step);
        }
        while (steps.size() < length) {
            Step step = sets[random() % sets.size()];
            if (!step.members.empty() && random() % 4 == 0) {
                step.key = 100 + steps.size();  // not used again
                step.stopper = step.members[random() % step.members.size()];
                step.takes_part = random() % 2;
            }
            steps.push_back(step);
        }
    }
};

void add(uint64_t *all, const uint64_t *one) {
    all[0] += one[0];
    all[1] = std::max(all[1], one[1]);
}

// Is this the status of a reduction?  Without the stopper no member can have all bids.
bool is_status(const BoardProgram::Step &step, int status) {
    if (step.stopper < 0) return status == AGGR_OK;
    return status == AGGR_ERR_STOPPED || (step.takes_part && status == AGGR_OK);
}

bool run_on_board(aggr_board_t *board, const BoardProgram &program, std::vector<int> &stops) {
    const auto bid = [](size_t step, int member) {
        return step * 1000 + static_cast<uint64_t>(member) * 7 + 1;
    };
    for (size_t i = 0; i < program.steps.size(); i++) {
        const auto &step = program.steps[i];
        uint64_t expected = 0, mine[AGGR_BID] = {bid(i, board->me), i};
        bool takes_part = false;
        for (const int member : step.members) {
            expected += bid(i, member);
            takes_part = takes_part || member == board->me;
        }
        if (!takes_part) continue;
        if (step.stopper == board->me) __atomic_store_n(&stops[i], 1, __ATOMIC_RELAXED);
        if (step.stopper == board->me && !step.takes_part) continue;
        board->stop = &stops[i];
        const int status = simulated_board_reduce(
            board, step.members.data(), static_cast<int>(step.members.size()), step.key, mine, add);
        if (!is_status(step, status)) return false;
        if (status == AGGR_OK && (mine[0] != expected || mine[1] != i)) return false;
    }
    return true;
}

bool board_run(const BoardProgram &program, int processes, const Schedule::Choice &choose) {
    std::vector<aggr_post_t> posts(static_cast<size_t>(processes));
    std::vector<int> stops(program.steps.size());
    Schedule run(processes, [&](int me) {
        aggr_board_t board;
        if (simulated_board_open(&board, posts.data(), processes, me, &waiting)) return false;
        const bool right = run_on_board(&board, program, stops);
        simulated_board_close(&board);
        return right;
    });
    return run.go(choose);
}

TEST(Simulation, reductions_on_a_board_in_random_orders) {
    std::mt19937_64 random(4);
    for (uint64_t run = 0; run < 4000; run++) {
        const int processes = 2 + static_cast<int>(random() % 4);
        const uint64_t rarely = 1 + random() % 20;
        const BoardProgram program(random, processes, 30);
        ASSERT_TRUE(board_run(program, processes, changing_at_random(random, rarely)))
            << "run " << run << " processes " << processes;
    }
}

// Parties of some processes each, in an order that all of them know.  Each member makes its
// attempts and leaves.
class Parties {
  public:
    static constexpr uint64_t key = 7;  // of all of them: one door
    static constexpr unsigned attempts = 3;

    // `room`: blocks of the arena that are left at first, or -1 for all.
    Parties(std::mt19937_64 &random, int processes, int n, int room) : answers_(n), left_(n) {
        EXPECT_EQ(MPIR_aggr_arena_create(1 << 16, {0, 0}, &arena_), AGGR_OK);
        hall_ = simulated_hall_reserve(arena_, processes);
        EXPECT_NE(hall_, 0U);
        for (int i = 0; i < n; i++) {
            aggr_party_t party = {};
            party.key = key;
            while (party.members == 0)
                for (int p = 0; p < processes; p++)
                    if (random() % 3) party.seats[party.members++] = static_cast<uint32_t>(p);
            parties_.push_back(party);
        }
        const bool all_enter = random() % 2;
        for (int p = 0; p < processes; p++)
            enters_.push_back(all_enter || random() % 4);
        before_ = used();
        for (; room >= 0 && free_blocks() > room;)
            taken_.push_back(MPIR_aggr_arena_reserve(arena_, 512));
    }
    ~Parties() { MPIR_aggr_arena_detach(arena_); }

    // What process `me` does.
    bool go(int me) {
        aggr_hall_t hall = {arena_, hall_};
        const bool entered = enters_[static_cast<size_t>(me)];
        Schedule::stop();
        if (entered) simulated_hall_enter(&hall, arena_, hall_, me);
        for (size_t i = 0; i < parties_.size(); i++) {
            const int rank = rank_of(parties_[i], me);
            if (rank >= 0) wait_for_earlier(i);
            if (rank >= 0 && !has_dead(parties_[i]) && !meet(hall, i, rank, entered)) return false;
            if (me == 0 && !taken_.empty()) {
                MPIR_aggr_arena_release(arena_, taken_.back(), 512);
                taken_.pop_back();
            }
        }
        return true;
    }

    size_t used() const {
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena_, &figures);
        return figures.used;
    }
    size_t before() const { return before_; }
    int agreed() const { return agreed_; }

    bool all_enter() const {
        return std::all_of(enters_.begin(), enters_.end(), [](bool e) { return e; });
    }

    // Nobody else runs: a party of one leaves no meeting behind.
    void tidy() const {
        const aggr_hall_t hall = {arena_, hall_};
        aggr_party_t alone = {};
        alone.key = key;
        alone.members = 1;
        simulated_meeting_leave(&hall, simulated_meeting(&hall, &alone), 0);
    }

    // Then nobody makes parties with it any more.
    static constexpr int victim = 1;
    bool killed = false;

  private:
    bool has_dead(const aggr_party_t &party) const { return killed && rank_of(party, victim) >= 0; }
    static int rank_of(const aggr_party_t &party, int me) {
        for (int m = 0; m < party.members; m++)
            if (party.seats[m] == static_cast<uint32_t>(me)) return m;
        return -1;
    }

    int free_blocks() const {
        aggr_arena_figures_t figures;
        MPIR_aggr_arena_figures(arena_, &figures);
        return static_cast<int>((figures.bytes - figures.used) / 512);
    }

    // The same members as before have all left: they could not make this party otherwise.
    void wait_for_earlier(size_t i) {
        for (size_t j = 0; j < i; j++) {
            const bool same =
                parties_[j].members == parties_[i].members &&
                std::equal(parties_[j].seats, parties_[j].seats + AGGR_PARTY, parties_[i].seats);
            while (same && left_[j] < parties_[j].members && !has_dead(parties_[j]))
                Schedule::wait();
        }
    }

    aggr_offer_t attempt(const aggr_hall_t &hall, size_t i, uint64_t meeting, unsigned number) {
        aggr_offer_t offer = {}, mine = {};
        if (simulated_meeting_decided(&hall, meeting, number, &offer)) return offer;
        if (simulated_meeting_is_complete(&hall, &parties_[i]))
            mine = {MPIR_aggr_arena_reserve(arena_, 512), static_cast<int>(i) + 2, i % 2 == 0};
        offer = mine;
        if (!simulated_meeting_decide(&hall, meeting, number, &offer))
            MPIR_aggr_arena_release(arena_, mine.block, 512);
        return offer;
    }

    // Is it what the others have got?
    bool is_common(size_t i, unsigned number, const aggr_offer_t &offer) {
        std::vector<uint64_t> &known = answers_[i];
        if (known.size() < number) known.push_back(offer.block);
        if (offer.block && (offer.fan != static_cast<int>(i) + 2 || offer.rooted != (i % 2 == 0)))
            return false;
        return known[number - 1] == offer.block;
    }

    bool meet(const aggr_hall_t &hall, size_t i, int rank, bool entered) {
        aggr_offer_t offer = {};
        uint64_t meeting = 0;
        for (unsigned number = 1; number <= attempts && !offer.block; number++) {
            if (entered && !meeting) meeting = simulated_meeting(&hall, &parties_[i]);
            if (meeting) offer = attempt(hall, i, meeting, number);
            if (!is_common(i, number, offer)) return false;
        }
        if (meeting) simulated_meeting_leave(&hall, meeting, rank);
        if (++left_[i] == parties_[i].members) {
            agreed_ += offer.block != 0;
            MPIR_aggr_arena_release(arena_, offer.block, 512);
        }
        Schedule::stop();  // somebody may wait for that
        return true;
    }

    aggr_arena_t *arena_ = nullptr;
    uint64_t hall_ = 0;
    std::vector<aggr_party_t> parties_;
    std::vector<bool> enters_;
    std::vector<uint64_t> taken_;
    std::vector<std::vector<uint64_t>> answers_;
    std::vector<int> left_;
    size_t before_ = 0;
    int agreed_ = 0;
};

TEST(Simulation, members_that_meet_agree_without_waiting) {
    std::mt19937_64 random(5);
    int agreed = 0;
    for (uint64_t run = 0; run < 2000; run++) {
        const int processes = 2 + static_cast<int>(random() % 3);
        const uint64_t rarely = 1 + random() % 20;
        Parties parties(random, processes, 8, -1);
        Schedule schedule(processes, [&parties](int me) { return parties.go(me); });
        ASSERT_TRUE(schedule.go(changing_at_random(random, rarely))) << "run " << run;
        agreed += parties.agreed();
        if (!parties.all_enter()) continue;
        Schedule alone(1, [&parties](int) { return parties.tidy(), true; });
        ASSERT_TRUE(alone.go(changing_at_random(random, 1)));
        ASSERT_EQ(parties.used(), parties.before()) << "run " << run;
    }
    EXPECT_GT(agreed, 2000);
}

TEST(Simulation, members_that_meet_agree_when_one_is_killed) {
    std::mt19937_64 random(7);
    int killed = 0;
    for (size_t step = 1; step <= 60; step++) {
        for (int run = 0; run < 40; run++) {
            const int processes = 2 + static_cast<int>(random() % 3);
            Parties parties(random, processes, 8, -1);
            Schedule schedule(processes, [&parties](int me) { return parties.go(me); });
            schedule.kill(Parties::victim, step, &parties.killed);
            ASSERT_TRUE(schedule.go(changing_at_random(random, 1 + random() % 20)))
                << "step " << step << ", run " << run;
            killed += parties.killed;
        }
    }
    EXPECT_GT(killed, 1000);
}

TEST(Simulation, members_that_meet_without_room_agree) {
    std::mt19937_64 random(6);
    for (uint64_t run = 0; run < 2000; run++) {
        const int processes = 2 + static_cast<int>(random() % 3);
        const uint64_t rarely = 1 + random() % 20;
        Parties parties(random, processes, 8, static_cast<int>(random() % 6));
        Schedule schedule(processes, [&parties](int me) { return parties.go(me); });
        ASSERT_TRUE(schedule.go(changing_at_random(random, rarely))) << "run " << run;
    }
}

}  // namespace
}  // namespace aggr_test

// Reads as the kernel does, which does not know what the owner has freed.  The bytes are volatile,
// because a compiler makes a call of memcpy from any other loop.
__attribute__((no_sanitize_address)) static std::string read_by_kernel(uint64_t from,
                                                                       size_t bytes) {
    std::string copy(bytes, '\0');
    const volatile char *there = reinterpret_cast<const char *>(from);
    for (size_t i = 0; i < bytes; i++)
        copy[i] = there[i];
    return copy;
}

// After a revocation owners free what they have lent, and others may still read there.  What is
// written must always be in use.
extern "C" bool simulated_copy(void *to, uint64_t from, size_t bytes) {
    if (aggr_test::unreachable > 0 && --aggr_test::unreachable == 0) return false;
    if (aggr_test::turns_left == 1)
        memcpy(to, read_by_kernel(from, bytes).data(), bytes);
    else
        memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return true;
}

extern "C" void MPIR_aggr_step(void) { schedule_test::Schedule::stop(); }
