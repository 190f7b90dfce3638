// SPDX-License-Identifier: BSD-3-Clause
// Agreements in shared memory: in orders of steps, where members stop before each access to what
// others write and die at any step, and in threads.
#include <atomic>
#include <cstring>
#include <thread>

#include "agree.h"
#include "agree_lines.h"
#include "no_memory.hpp"
#include "schedule.hpp"

using Fold = void (*)(uint64_t all[2], const uint64_t offer[2]);
extern "C" {
void simulated_step(void) { schedule_test::Schedule::stop(); }
void simulated_lines_put(const agree_lines_t *lines, const agree_bits_t *value);
bool simulated_lines_poll(agree_lines_t *lines, uint64_t dead, Fold fold, agree_bits_t *result);
}

namespace {

using agree_test::NoMemory;
using schedule_test::Schedule;

struct alignas(64) Line {
    unsigned char bytes[64];
};
using Memory = std::vector<Line>;

Memory memory_for(int members) { return Memory(MPIR_agree_lines_bytes(members) / sizeof(Line)); }

void fold_offers(uint64_t all[2], const uint64_t offer[2]) {
    all[0] = std::max(all[0], offer[0]);
    all[1] = std::min(all[1], offer[1]);
}

uint64_t bit(size_t member) { return UINT64_C(1) << member; }

// What a member says in an agreement; no two say the same.
agree_bits_t value_of(size_t me, uint32_t number, uint64_t dead) {
    agree_bits_t value = {};
    value.offer[0] = value.offer[1] = number * UINT64_C(1000) + me;
    value.flag = ~static_cast<uint32_t>(bit(me % 32));
    value.dead = value.acked = dead;
    return value;
}

bool is_equal(const agree_bits_t &a, const agree_bits_t &b) {
    return a.offer[0] == b.offer[0] && a.offer[1] == b.offer[1] && a.dead == b.dead &&
           a.acked == b.acked && a.flag == b.flag;
}

// Is it a result of this agreement, for a member with this value?  `dead`: those who are.
bool is_right(const agree_bits_t &result, const agree_bits_t &own, uint32_t number, size_t me,
              uint64_t dead) {
    return result.offer[0] / 1000 == number && result.offer[1] / 1000 == number &&
           result.offer[0] >= own.offer[0] && result.offer[1] <= own.offer[1] &&
           (result.flag & ~own.flag) == 0 && (result.dead & own.dead) == own.dead &&
           (result.dead & ~dead) == 0 && !(result.dead & bit(me)) &&
           (result.acked & ~own.acked) == 0;
}

// Who is not among the dead has a part in it.
bool holds_others(const agree_bits_t &result, size_t members) {
    for (size_t m = 0; m < members; m++)
        if (!(result.dead & bit(m)) && result.flag & bit(m % 32)) return false;
    return true;
}

struct Kill {
    size_t member, step;
};

// So many agreements, one after the other.
bool run(size_t members, uint32_t agreements, const std::vector<Kill> &kills,
         const Schedule::Choice &choose) {
    Memory memory = memory_for(static_cast<int>(members));
    std::vector<std::vector<agree_bits_t>> results(members);
    const std::unique_ptr<bool[]> is_dead(new bool[members]());
    const auto deaths = [&] {
        uint64_t all = 0;
        for (size_t m = 0; m < members; m++)
            all |= is_dead[m] ? bit(m) : 0;
        return all;
    };
    Schedule schedule(static_cast<int>(members), [&](int rank) {
        const size_t me = static_cast<size_t>(rank);
        uint64_t known = 0;
        for (uint32_t number = 1; number <= agreements; number++) {
            agree_lines_t lines = {memory.data(), static_cast<int>(members), rank, number, 0};
            const agree_bits_t own = value_of(me, number, known);
            agree_bits_t result;

            simulated_lines_put(&lines, &own);
            Schedule::until([&] {
                if (simulated_lines_poll(&lines, known, fold_offers, &result)) return true;
                if (known == deaths()) return false;
                known = deaths();
                return simulated_lines_poll(&lines, known, fold_offers, &result);
            });
            if (!is_right(result, own, number, me, deaths()) || !holds_others(result, members))
                return false;
            results[me].push_back(result);
        }
        return true;
    });
    for (const Kill &kill : kills)
        schedule.kill(kill.member, kill.step, &is_dead[kill.member]);
    if (!schedule.go(choose)) return false;
    for (const auto &one : results)
        for (const auto &other : results)
            for (size_t i = 0; i < std::min(one.size(), other.size()); i++)
                if (!is_equal(one[i], other[i])) return false;
    return true;
}

TEST(Lines, AllOrdersWithFewChanges) {
    schedule_test::all_with_changes(
        [](const Schedule::Choice &choose) { return run(2, 1, {}, choose); }, 3);
    schedule_test::all_with_changes(
        [](const Schedule::Choice &choose) { return run(2, 3, {}, choose); }, 2);
    schedule_test::all_with_changes(
        [](const Schedule::Choice &choose) { return run(3, 1, {}, choose); }, 2);
}

// Steps of a member in an agreement: 5 to put its value, 1 + 5 or so for each other value, and 8.
TEST(Lines, AllOrdersWithFewChangesAndADeathAtEachStep) {
    for (size_t victim = 0; victim < 3; victim++)
        for (size_t step = 1; step <= 35; step++)
            schedule_test::all_with_changes(
                [&](const Schedule::Choice &choose) {
                    return run(3, 1, {{victim, step}}, choose);
                },
                1);
    for (size_t step = 1; step <= 30; step++)
        schedule_test::all_with_changes(
            [&](const Schedule::Choice &choose) {
                return run(2, 1, {{0, step}}, choose);
            },
            2);
}

TEST(Lines, RandomOrdersAndDeaths) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 3000; i++) {
        const size_t members = 2 + random() % 5, deaths = random() % members;
        std::vector<Kill> kills;
        for (size_t k = 0; k < deaths; k++)
            kills.push_back({random() % members, 1 + random() % 150});
        ASSERT_TRUE(
            run(members, 3, kills, schedule_test::changing_at_random(random, 1 + random() % 8)))
            << "run " << i;
    }
}

TEST(Lines, RandomDeathsAmong64) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 12; i++) {
        std::vector<Kill> kills;
        for (size_t k = random() % 63; k > 0; k--)
            kills.push_back({random() % 64, 1 + random() % 1000});
        ASSERT_TRUE(
            run(64, 3, kills, schedule_test::changing_at_random(random, 1 + random() % 100)))
            << "run " << i;
    }
}

// ---- the same by agree.h ----

agree_t *make(const Memory &memory, int members, int me, uint32_t number) {
    const agree_calls_t calls = {[](void *, int, const agree_value_t *) {
                                     ADD_FAILURE() << "a message";
                                     return true;
                                 },
                                 fold_offers, nullptr};
    agree_t *agree = MPIR_agree_create(members, me, 8, &calls);
    if (agree) MPIR_agree_share(agree, const_cast<Line *>(memory.data()), number);
    return agree;
}

void contribute(agree_t *agree, int me, uint32_t number, agree_set_t acked) {
    const agree_bits_t value = value_of(static_cast<size_t>(me), number, 0);
    MPIR_agree_contribute(agree, value.flag, value.offer, acked);
}

const agree_run_t some[] = {{0, 2}, {31, 2}, {62, 1}};
const agree_set_t some_dead = {some, 3};

bool is_among_some(int member) {
    return MPIR_agree_set_has(some_dead, static_cast<uint32_t>(member));
}

// 64 members, some of them dead.  One has not acknowledged the last of them.
TEST(Lines, HoldSets) {
    const Memory memory = memory_for(64);
    std::vector<agree_t *> all;
    for (int m = 0; m < 64; m++) {
        const agree_set_t acked = {some, m == 5 ? 2u : 3u};
        if (is_among_some(m)) continue;
        all.push_back(make(memory, 64, m, 7));
        MPIR_agree_deaths(all.back(), some_dead);
        EXPECT_EQ(MPIR_agree_awaited(all.back()), -1);
        contribute(all.back(), m, 7, acked);
        MPIR_agree_poll(all.back());
        EXPECT_EQ(MPIR_agree_result(all.back()) != nullptr, m == 63);
    }
    for (agree_t *agree : all) {
        MPIR_agree_poll(agree);
        const agree_value_t *result = MPIR_agree_result(agree);
        ASSERT_NE(result, nullptr);
        EXPECT_EQ(result->offer[0], 7063u);
        EXPECT_EQ(result->offer[1], 7002u);
        EXPECT_EQ(result->flag, 1u);  // members 0 and 32 are dead
        EXPECT_TRUE(MPIR_agree_set_is_equal(MPIR_agree_dead(result), some_dead));
        EXPECT_TRUE(MPIR_agree_set_is_equal(MPIR_agree_acked(result), {some, 2}));
        MPIR_agree_free(agree);
    }
}

// All but one of 64 are dead, those at both ends among them.
TEST(Lines, HoldTheLongestRuns) {
    for (uint32_t lives : {0u, 1u, 40u, 63u}) {
        const Memory memory = memory_for(64);
        const agree_run_t runs[] = {{0, lives}, {lives + 1, 63 - lives}};
        const agree_set_t dead = {lives > 0 ? runs : runs + 1, lives % 63 > 0 ? 2u : 1u};
        agree_t *agree = make(memory, 64, static_cast<int>(lives), 1);

        MPIR_agree_deaths(agree, dead);
        contribute(agree, static_cast<int>(lives), 1, dead);
        MPIR_agree_poll(agree);
        ASSERT_NE(MPIR_agree_result(agree), nullptr);
        EXPECT_TRUE(MPIR_agree_set_is_equal(MPIR_agree_dead(MPIR_agree_result(agree)), dead));
        EXPECT_TRUE(MPIR_agree_set_is_equal(MPIR_agree_acked(MPIR_agree_result(agree)), dead));
        MPIR_agree_free(agree);
    }
}

// A member without memory for the result says so, and the others have it.
TEST(Lines, WithoutMemoryInOneMember) {
    const Memory memory = memory_for(3);
    const agree_run_t run = {2, 1};
    agree_t *agrees[] = {make(memory, 3, 0, 1), make(memory, 3, 1, 1)};

    for (int m = 0; m < 2; m++) {
        MPIR_agree_deaths(agrees[m], {&run, 1});
        contribute(agrees[m], m, 1, {nullptr, 0});
    }
    {
        NoMemory poor(0, true);
        MPIR_agree_poll(agrees[0]);
    }
    MPIR_agree_poll(agrees[1]);
    EXPECT_TRUE(MPIR_agree_has_failed(agrees[0]));
    EXPECT_EQ(MPIR_agree_result(agrees[0]), nullptr);
    ASSERT_NE(MPIR_agree_result(agrees[1]), nullptr);
    EXPECT_TRUE(MPIR_agree_set_is_equal(MPIR_agree_dead(MPIR_agree_result(agrees[1])), {&run, 1}));
    for (agree_t *agree : agrees)
        MPIR_agree_free(agree);
}

// Threads as members.  The last one ends in the middle; the others are told of it.
TEST(Threads, AgreeInSharedMemory) {
    enum { MEMBERS = 4, AGREEMENTS = 200, LAST = 120 };
    const Memory memory = memory_for(MEMBERS);
    const agree_run_t last = {MEMBERS - 1, 1};
    std::atomic<bool> has_died{false};
    std::vector<std::vector<std::pair<uint64_t, uint32_t>>> results(MEMBERS);
    std::vector<std::thread> threads;

    for (int me = 0; me < MEMBERS; me++) {
        threads.emplace_back([&, me] {
            for (uint32_t number = 1; number <= AGREEMENTS; number++) {
                agree_t *agree = make(memory, MEMBERS, me, number);
                contribute(agree, me, number, {nullptr, 0});
                if (me == MEMBERS - 1 && number == LAST) {
                    MPIR_agree_free(agree);
                    has_died = true;
                    return;
                }
                for (; !MPIR_agree_result(agree); std::this_thread::yield()) {
                    if (has_died) MPIR_agree_deaths(agree, {&last, 1});
                    MPIR_agree_poll(agree);
                }
                const agree_value_t *result = MPIR_agree_result(agree);
                results[static_cast<size_t>(me)].emplace_back(result->offer[0], result->dead);
                MPIR_agree_free(agree);
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(results[0].size(), static_cast<size_t>(AGREEMENTS));
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    EXPECT_EQ(results[3].size(), static_cast<size_t>(LAST - 1));
}

}  // namespace
