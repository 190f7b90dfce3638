// SPDX-License-Identifier: BSD-3-Clause
// Orders of steps: two senders and a receiver are coroutines that stop before each access to what
// others write, and a schedule says who goes on.  All schedules with few changes of the one that
// runs are tried, and random ones with many.
#include <gtest/gtest.h>
#include <ucontext.h>

#include <array>
#include <functional>
#include <random>
#include <vector>

#include "box.hpp"
#include "simulated.h"

namespace lines_test {
namespace {

class Schedule {
  public:
    using Choice = std::function<size_t(size_t current, const std::vector<bool> &can)>;

    explicit Schedule(std::vector<std::function<bool()>> bodies)
        : members_(bodies.size()), bodies_(std::move(bodies)) {}

    // False when one saw something wrong, or all wait for each other.
    bool go(const Choice &choose) {
        running_ = this;
        for (auto &member : members_) {
            getcontext(&member.context);
            member.context.uc_stack.ss_sp = member.stack.data();
            member.context.uc_stack.ss_size = member.stack.size();
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

    // Any step may have been what another one waits for.
    static void stop() {
        running_->wake();
        running_->leave();
    }
    // Until `attempt` succeeds.  If nobody else has run during an attempt, somebody must go on
    // first.
    static void until(const std::function<bool()> &attempt) {
        while (true) {
            const size_t before = running_->changes_;
            if (attempt()) return;
            running_->members_[running_->current_].waits = running_->changes_ == before;
            running_->leave();
        }
    }

  private:
    struct Member {
        ucontext_t context;
        std::vector<char> stack = std::vector<char>(64 << 10);
        bool done = false, waits = false, right = false;
    };

    static void start() {
        Member &me = running_->members_[running_->current_];
        me.right = running_->bodies_[running_->current_]();
        me.done = true;
        running_->wake();
    }
    void wake() {
        for (auto &member : members_)
            member.waits = false;
    }
    void leave() { swapcontext(&members_[current_].context, &scheduler_); }

    static Schedule *running_;
    std::vector<Member> members_;
    std::vector<std::function<bool()>> bodies_;
    ucontext_t scheduler_;
    size_t current_ = 0, changes_ = 0;
};
Schedule *Schedule::running_;

// Messages of these lengths by each of two senders, to a box in which so many are already.
struct Case {
    uint32_t before, before_length;
    std::vector<uint32_t> lengths;
};

bool put(lines_sender_t &sender, uint32_t length, uint64_t word) {
    lines_letter_t letter;
    if (!simulated_begin(&sender, length, &letter)) return false;
    for (size_t i = 0; i < length; i++)
        letter.data[i] = byte_of(word, i);
    simulated_send(&sender, &letter, length, word);
    return true;
}

bool is_as_sent(const lines_receiver_t &receiver, const lines_slot_t &slot) {
    const auto *data = static_cast<const unsigned char *>(MPIR_lines_data(&receiver, &slot));
    for (size_t i = 0; i < slot.length; i++)
        if (data[i] != byte_of(slot.word, i)) return false;
    return true;
}

bool run(const Case &what, const Schedule::Choice &choose) {
    Box box;
    lines_sender_t earlier = box.sender();
    for (uint32_t i = 0; i < what.before; i++) {
        lines_letter_t letter;  // nobody looks at its bytes
        EXPECT_TRUE(MPIR_lines_begin(&earlier, what.before_length, &letter));
        MPIR_lines_send(&earlier, &letter, what.before_length, i);
    }
    std::array<uint64_t, 2> taken{};  // of each sender
    const auto send = [&](uint64_t me) {
        lines_sender_t sender = box.sender();
        for (uint64_t i = 0; i < what.lengths.size(); i++) {
            Schedule::until([&] { return put(sender, what.lengths[i], (me + 1) << 32 | i); });
            if (simulated_are_taken(&sender) && taken[me] != i + 1) return false;
        }
        Schedule::until([&] { return simulated_are_taken(&sender); });
        return taken[me] == what.lengths.size();
    };
    const auto receive = [&] {
        lines_receiver_t receiver = box.receiver();
        for (uint64_t n = 0; n < what.before + 2 * what.lengths.size(); n++) {
            const lines_slot_t *slot;
            Schedule::until([&] { return (slot = simulated_look(&receiver)) != nullptr; });
            const uint64_t from = slot->word >> 32, i = slot->word & UINT32_MAX;
            if (from > 0) {
                if (!is_as_sent(receiver, *slot) || i != taken[from - 1] ||
                    slot->length != what.lengths[i])
                    return false;
                taken[from - 1]++;
            } else if (i != n) {
                return false;
            }
            simulated_take(&receiver, slot);
        }
        return true;
    };
    Schedule schedule({[&] { return send(0); }, [&] { return send(1); }, receive});
    return schedule.go(choose);
}

size_t next_that_can(size_t from, const std::vector<bool> &can) {
    do
        from = (from + 1) % can.size();
    while (!can[from]);
    return from;
}

// Goes on with the same one but at the steps named, where the next one that can takes over.
bool with_changes(const Case &what, const std::vector<size_t> &changes, size_t *steps) {
    size_t step = 0, change = 0;
    const bool right = run(what, [&](size_t current, const std::vector<bool> &can) {
        const bool wanted = change < changes.size() && changes[change] == step;
        change += wanted;
        step++;
        return wanted || !can[current] ? next_that_can(current, can) : current;
    });
    *steps = step;
    return right;
}

void all_with_changes(const Case &what, unsigned most) {
    size_t steps = 0;
    ASSERT_TRUE(with_changes(what, {}, &steps));
    std::vector<size_t> changes;
    std::function<void(size_t)> extend = [&](size_t from) {
        if (changes.size() == most) return;
        for (size_t at = from; at < steps; at++) {
            size_t now;
            changes.push_back(at);
            ASSERT_TRUE(with_changes(what, changes, &now)) << "after " << changes.front();
            extend(at + 1);
            changes.pop_back();
        }
    };
    extend(0);
}

// An empty box, a full ring, a full pool, and one with room for the shorter of two.
const std::vector<Case> cases = {{0, 0, {8, 100}},
                                 {LINES_COUNT - 1, 8, {8, 8}},
                                 {4, LINES_MOST - LINES_LINE, {200, LINES_MOST}},
                                 {4, LINES_MOST - 4 * LINES_LINE, {LINES_MOST, 8}}};

TEST(Simulation, all_orders_with_few_changes) {
    for (const Case &what : cases)
        all_with_changes(what, what.before == 0 ? 3 : 2);
}

TEST(Simulation, random_orders) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 4000; i++) {
        Case what = cases[random() % cases.size()];
        for (uint64_t more = random() % 4; more > 0; more--)
            what.lengths.push_back(static_cast<uint32_t>(random() % (LINES_MOST + 1)));
        const uint64_t rarely = 1 + random() % 6;
        ASSERT_TRUE(run(what,
                        [&](size_t current, const std::vector<bool> &can) {
                            if (can[current] && random() % rarely) return current;
                            size_t to = current;
                            for (uint64_t hops = random() % can.size() + 1; hops > 0; hops--)
                                to = next_that_can(to, can);
                            return to;
                        }))
            << "run " << i;
    }
}

}  // namespace
}  // namespace lines_test

extern "C" void simulated_step(void) { lines_test::Schedule::stop(); }
