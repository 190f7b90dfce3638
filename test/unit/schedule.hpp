// SPDX-License-Identifier: BSD-3-Clause
// Orders of steps: members are coroutines that stop before each access to what others write, and a
// schedule says who goes on.  A test tries all schedules with few changes of the member that runs,
// and random ones with many.
#pragma once
#include <gtest/gtest.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace schedule_test {

// One run of members that share memory.
class Schedule {
  public:
    // Who of those that can go on does.
    using Choice = std::function<size_t(size_t current, const std::vector<bool> &can)>;
    // Of a member: returns whether all was right.
    using Body = std::function<bool()>;

    explicit Schedule(std::vector<Body> bodies)
        : members_(bodies.size()), bodies_(std::move(bodies)) {}
    // The same body for each of so many.
    Schedule(int members, const std::function<bool(int me)> &body)
        : members_(static_cast<size_t>(members)) {
        for (int me = 0; me < members; me++)
            bodies_.push_back([body, me] { return body(me); });
    }

    // False when a member saw something wrong, or all wait for each other.
    bool go(const Choice &choose) {
        running_ = this;
        for (auto &member : members_) {
            getcontext(&member.context);
            member.context.uc_stack.ss_sp = member.stack.get();
            member.context.uc_stack.ss_size = STACK_BYTES;
            member.context.uc_link = &scheduler_;
            makecontext(&member.context, &Schedule::start, 0);
        }
        while (true) {
            std::vector<bool> can(members_.size());
            bool any = false, all = true, right = true;
            for (size_t m = 0; m < members_.size(); m++) {
                can[m] = !members_[m].done && !members_[m].waits;
                any = any || can[m];
                all = all && members_[m].done;
                right = right && members_[m].right;
            }
            if (all || !any) return all && right;
            const size_t chosen = choose(current_, can);
            changes_ += chosen != current_;
            current_ = chosen;
            swapcontext(&scheduler_, &members_[current_].context);
        }
    }

    // Of the member that runs: its next step may be what another one waits for.
    static void stop() {
        running_->members_[running_->current_].steps++;
        running_->end_if_killed();
        running_->wake();
        running_->leave();
    }
    // The member ends at this step of its own, and `killed` is true from then on.
    void kill(size_t member, size_t step, bool *killed) {
        members_[member].last_step = step;
        members_[member].killed = killed;
    }
    // In vain so far: somebody else must go on first.
    static void wait() {
        running_->members_[running_->current_].waits = true;
        running_->leave();
    }
    // Until `attempt` succeeds.  If nobody else has run during an attempt, it waits.
    static void until(const std::function<bool()> &attempt) {
        for (size_t before = running_->changes_; !attempt(); before = running_->changes_) {
            if (running_->changes_ == before)
                wait();
            else
                running_->leave();
        }
    }

  private:
    static constexpr size_t STACK_BYTES = 256 << 10;

    struct Member {
        ucontext_t context;
        std::unique_ptr<char[]> stack{new char[STACK_BYTES]};
        bool done = false, waits = false, right = false;
        size_t steps = 0, last_step = 0;
        bool *killed = nullptr;
    };

    static void start() {
        Member &me = running_->members_[running_->current_];
        me.right = running_->bodies_[running_->current_]();
        me.done = true;
        running_->wake();
    }
    void end_if_killed() {
        Member &me = members_[current_];
        if (me.killed && me.steps == me.last_step) *me.killed = me.done = me.right = true;
    }
    void wake() {
        for (auto &member : members_)
            member.waits = false;
    }
    void leave() { swapcontext(&members_[current_].context, &scheduler_); }

    static inline Schedule *running_;
    std::vector<Member> members_;
    std::vector<Body> bodies_;
    ucontext_t scheduler_;
    size_t current_ = 0, changes_ = 0;
};

inline size_t next_that_can(size_t from, const std::vector<bool> &can) {
    do
        from = (from + 1) % can.size();
    while (!can[from]);
    return from;
}

// A change in one of `rarely` steps.
inline Schedule::Choice changing_at_random(std::mt19937_64 &random, uint64_t rarely) {
    return [&random, rarely](size_t current, const std::vector<bool> &can) {
        if (can[current] && random() % rarely) return current;
        size_t to = current;
        for (uint64_t hops = random() % can.size() + 1; hops > 0; hops--)
            to = next_that_can(to, can);
        return to;
    };
}

// Runs a schedule from its beginning, and returns whether all was right.
using Run = std::function<bool(const Schedule::Choice &choose)>;

// Goes on with the same member but at the steps named, where the next one that can takes over.
inline bool with_changes(const Run &run, const std::vector<size_t> &changes, size_t *steps) {
    size_t step = 0, change = 0;
    const bool right = run([&](size_t current, const std::vector<bool> &can) {
        const bool wanted = change < changes.size() && changes[change] == step;
        change += wanted;
        step++;
        return wanted || !can[current] ? next_that_can(current, can) : current;
    });
    *steps = step;
    return right;
}

inline void all_with_changes(const Run &run, unsigned most) {
    size_t steps = 0;
    ASSERT_TRUE(with_changes(run, {}, &steps));
    std::vector<size_t> changes;
    std::function<void(size_t)> extend = [&](size_t from) {
        if (changes.size() == most) return;
        for (size_t at = from; at < steps; at++) {
            size_t now;
            changes.push_back(at);
            ASSERT_TRUE(with_changes(run, changes, &now)) << "after " << changes.front();
            extend(at + 1);
            changes.pop_back();
        }
    };
    extend(0);
}

}  // namespace schedule_test
