// SPDX-License-Identifier: BSD-3-Clause
// Orders of steps: two senders and a receiver stop before each access to what others write.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "box.hpp"
#include "schedule.hpp"
#include "simulated.h"

namespace lines_test {
namespace {

using schedule_test::Schedule;

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

// An empty box, a full ring, a full pool, and one with room for the shorter of two.
const std::vector<Case> cases = {{0, 0, {8, 100}},
                                 {LINES_COUNT - 1, 8, {8, 8}},
                                 {4, LINES_MOST - LINES_LINE, {200, LINES_MOST}},
                                 {4, LINES_MOST - 4 * LINES_LINE, {LINES_MOST, 8}}};

// The first sender is killed at a step of its own, in a box that others have used.  The second
// one's messages all arrive, and of the first one those before some message.
bool run_with_death(const Case &what, size_t step, const Schedule::Choice &choose) {
    Box box;
    std::array<uint32_t, 2> claims{};
    bool dead[2] = {false, false};
    std::array<uint64_t, 2> taken{};
    bool second_is_done = false;
    lines_sender_t earlier = box.sender();
    for (uint32_t i = 0; i < what.before; i++) {
        lines_letter_t letter;
        EXPECT_TRUE(MPIR_lines_begin(&earlier, what.before_length, &letter));
        MPIR_lines_send(&earlier, &letter, what.before_length, i);
    }
    const auto send = [&](uint64_t me) {
        lines_sender_t sender = box.sender();
        sender.claim = &claims[me];
        for (uint64_t i = 0; i < what.lengths.size(); i++)
            Schedule::until([&] { return put(sender, what.lengths[i], (me + 1) << 32 | i); });
        if (me == 0) return true;
        Schedule::until([&] { return simulated_are_taken(&sender); });
        second_is_done = true;
        return taken[1] == what.lengths.size();
    };
    const auto receive = [&] {
        lines_receiver_t receiver = box.receiver();
        while (!second_is_done || !(dead[0] || taken[0] == what.lengths.size())) {
            const lines_slot_t *slot = nullptr;
            Schedule::until([&] {
                slot = simulated_look(&receiver);
                if (!slot && dead[0]) simulated_skip(&receiver, claims.data(), dead, 2);
                MPIR_lines_give_back(&receiver);
                return slot || second_is_done;
            });
            if (!slot) continue;
            const uint64_t from = slot->word >> 32, i = slot->word & UINT32_MAX;
            if (from > 0 && (!is_as_sent(receiver, *slot) || i != taken[from - 1]++ ||
                             slot->length != what.lengths[i]))
                return false;
            simulated_take(&receiver, slot);
        }
        return true;
    };
    Schedule schedule({[&] { return send(0); }, [&] { return send(1); }, receive});
    schedule.kill(0, step, &dead[0]);
    return schedule.go(choose);
}

TEST(Simulation, a_sender_is_killed) {
    std::mt19937_64 random(5);
    for (const Case &what : cases) {
        for (size_t step = 1; step <= 40; step++) {
            for (int i = 0; i < 100; i++) {
                Case more = what;
                for (uint64_t n = random() % 6; n > 0; n--)
                    more.lengths.push_back(static_cast<uint32_t>(random() % (LINES_MOST + 1)));
                const uint64_t rarely = 1 + random() % 6;
                ASSERT_TRUE(run_with_death(more, step,
                                           [&](size_t current, const std::vector<bool> &can) {
                                               return can[current] && random() % rarely
                                                          ? current
                                                          : schedule_test::next_that_can(current,
                                                                                         can);
                                           }))
                    << "step " << step << ", run " << i;
            }
        }
    }
}

TEST(Simulation, all_orders_with_few_changes) {
    for (const Case &what : cases)
        schedule_test::all_with_changes(
            [&](const Schedule::Choice &choose) { return run(what, choose); },
            what.before == 0 ? 3 : 2);
}

TEST(Simulation, random_orders) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 4000; i++) {
        Case what = cases[random() % cases.size()];
        for (uint64_t more = random() % 4; more > 0; more--)
            what.lengths.push_back(static_cast<uint32_t>(random() % (LINES_MOST + 1)));
        const uint64_t rarely = 1 + random() % 6;
        ASSERT_TRUE(run(what, schedule_test::changing_at_random(random, rarely))) << "run " << i;
    }
}

}  // namespace
}  // namespace lines_test

extern "C" void simulated_step(void) { schedule_test::Schedule::stop(); }
