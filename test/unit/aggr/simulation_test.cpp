// SPDX-License-Identifier: BSD-3-Clause
// Orders of steps: members are coroutines that stop before each access to a line, and a schedule says who goes on.  All
// schedules with few changes of the member that runs are tried, and random ones with many.
#include <gtest/gtest.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "members.hpp"

extern "C" {
void aggr_step(void);
decltype(aggr_group_join) simulated_group_join;
decltype(aggr_group_reserve) simulated_group_reserve;
decltype(aggr_group_leave) simulated_group_leave;
decltype(aggr_ready) simulated_ready;
decltype(aggr_barrier) simulated_barrier;
decltype(aggr_allreduce) simulated_allreduce;
decltype(aggr_reduce) simulated_reduce;
decltype(aggr_scan) simulated_scan, simulated_exscan;
decltype(aggr_bcast) simulated_bcast;
decltype(aggr_allgather) simulated_allgather;
decltype(aggr_gather) simulated_gather, simulated_scatter;
decltype(aggr_alltoall) simulated_alltoall;
decltype(aggr_exchange) simulated_exchange;
}

namespace aggr_test {
namespace {

const Collectives simulated = {simulated_ready,  simulated_barrier,   simulated_allreduce, simulated_reduce,
                               simulated_scan,   simulated_exscan,    simulated_bcast,     simulated_allgather,
                               simulated_gather, simulated_scatter,   simulated_alltoall,  simulated_exchange};

// One run.  A choice is asked for at each step: who of those that can go on does.
class Schedule {
public:
    using Choice = std::function<size_t(size_t current, const std::vector<bool> &can)>;

    Schedule(const aggr_shape_t &shape, std::function<bool(aggr_group_t &)> body) : body_(std::move(body)) {
        EXPECT_EQ(aggr_arena_create(1 << 20, &arena_), AGGR_OK);
        const uint64_t block = simulated_group_reserve(arena_, &shape);
        for (int me = 0; me < shape.members; me++) {
            members_.push_back(std::make_unique<Member>());
            simulated_group_join(&members_.back()->group, arena_, block, &shape, me, &waiting_);
        }
    }
    ~Schedule() { aggr_arena_detach(arena_); }

    // False when a member saw something wrong, or all wait for each other.
    bool go(const Choice &choose) {
        running_ = this;
        for (auto &member : members_) {
            getcontext(&member->context);
            member->context.uc_stack.ss_sp = member->stack.data();
            member->context.uc_stack.ss_size = member->stack.size();
            member->context.uc_link = &scheduler_;
            makecontext(&member->context, &Schedule::start, 0);
        }
        for (current_ = 0;;) {
            std::vector<bool> can(members_.size());
            bool any = false, all = true;
            for (size_t m = 0; m < members_.size(); m++) {
                can[m] = !members_[m]->done && !members_[m]->waits;
                any = any || can[m];
                all = all && members_[m]->done;
            }
            if (all || !any) {
                for (auto &member : members_) right_ = right_ && member->right;
                return all && right_;
            }
            current_ = choose(current_, can);
            swapcontext(&scheduler_, &members_[current_]->context);
        }
    }

    static void stop() {
        Schedule &run = *running_;
        // any step may have been what another one waits for
        for (auto &member : run.members_) member->waits = false;
        swapcontext(&run.members_[run.current_]->context, &run.scheduler_);
    }

private:
    struct Member {
        aggr_group_t group;
        ucontext_t context;
        std::vector<char> stack = std::vector<char>(256 << 10);
        bool done = false, waits = false, right = false;
        uint64_t seen = 0;
    };

    static void start() {
        Schedule &run = *running_;
        Member &me = *run.members_[run.current_];
        me.right = run.body_(me.group);
        me.done = true;
        for (auto &member : run.members_) member->waits = false;
    }

    // In vain so far: somebody else must go on first.
    static int wait(void *) {
        Schedule &run = *running_;
        run.members_[run.current_]->waits = true;
        swapcontext(&run.members_[run.current_]->context, &run.scheduler_);
        return 0;
    }

    static Schedule *running_;
    const aggr_waiting_t waiting_ = {0, 1, false, &Schedule::wait, nullptr};
    aggr_arena_t *arena_ = nullptr;
    std::vector<std::unique_ptr<Member>> members_;
    ucontext_t scheduler_;
    size_t current_ = 0;
    bool right_ = true;
    std::function<bool(aggr_group_t &)> body_;
};
Schedule *Schedule::running_;

size_t next_that_can(size_t from, const std::vector<bool> &can) {
    do
        from = (from + 1) % can.size();
    while (!can[from]);
    return from;
}

// Goes on with the same member but at the steps named, where the next one that can takes over.
bool with_changes(const aggr_shape_t &shape, uint64_t seed, unsigned operations, const std::vector<size_t> &changes, size_t *steps) {
    Schedule run(shape, [&](aggr_group_t &group) { return random_program(group, seed, operations, simulated, 12); });
    size_t step = 0, change = 0;
    const bool right = run.go([&](size_t current, const std::vector<bool> &can) {
        const bool wanted = change < changes.size() && changes[change] == step;
        change += wanted;
        step++;
        return wanted || !can[current] ? next_that_can(current, can) : current;
    });
    *steps = step;
    return right;
}

void all_with_changes(const aggr_shape_t &shape, uint64_t seed, unsigned operations, unsigned most) {
    size_t steps = 0;
    ASSERT_TRUE(with_changes(shape, seed, operations, {}, &steps));
    std::function<void(std::vector<size_t> &, size_t)> extend = [&](std::vector<size_t> &changes, size_t from) {
        if (changes.size() == most) return;
        for (size_t at = from; at < steps; at++) {
            size_t now;
            changes.push_back(at);
            ASSERT_TRUE(with_changes(shape, seed, operations, changes, &now));
            extend(changes, at + 1);
            changes.pop_back();
        }
    };
    std::vector<size_t> changes;
    extend(changes, 0);
}

TEST(Simulation, all_orders_with_two_changes) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        all_with_changes(shape(2), seed, 6, 2);
        all_with_changes(shape(3), seed, 4, 2);
        all_with_changes(shape(3, 2), seed, 4, 2);
    }
}

TEST(Simulation, random_orders) {
    std::mt19937_64 random(3);
    for (uint64_t run = 0; run < 4000; run++) {
        const int members = 2 + static_cast<int>(random() % 4), fan = 2 + static_cast<int>(random() % 4);
        const uint64_t seed = random(), rarely = 1 + random() % 20;
        Schedule one(shape(members, fan), [&](aggr_group_t &group) { return random_program(group, seed, 30, simulated, 20); });
        ASSERT_TRUE(one.go([&](size_t current, const std::vector<bool> &can) {
            if (can[current] && random() % rarely) return current;
            size_t to = current;
            for (uint64_t hops = random() % can.size() + 1; hops > 0; hops--) to = next_that_can(to, can);
            return to;
        })) << "run " << run << " seed " << seed << " members " << members << " fan " << fan;
    }
}

}  // namespace
}  // namespace aggr_test

extern "C" void aggr_step(void) { aggr_test::Schedule::stop(); }
