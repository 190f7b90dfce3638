// SPDX-License-Identifier: BSD-3-Clause
// What fences exchange, for all numbers of processes; and what the epoch behind them may do.

#include <deque>
#include <random>
#include <vector>

#include "rma_issue_phase.h"
#include "rma_issue_sums.h"

namespace rma_issue_test {

using Words = std::vector<uint32_t>;

// All processes of an exchange, round by round.
struct Exchange {
    std::vector<Words> numbers;  // by process and destination
    std::vector<Words> memory;
    std::vector<rma_issue_sums_t> sums;
    size_t sent = 0;  // numbers, by each process

    explicit Exchange(uint32_t size) : numbers(size, Words(size)), memory(size, Words(size)), sums(size) {}

    void begin() {
        uint32_t size = uint32_t(sums.size());
        for (uint32_t i = 0; i < size; i++) {
            for (uint32_t ahead = 0; ahead < size; ahead++)
                memory[i][ahead] = numbers[i][(i + ahead) % size];
            rma_issue_sums_begin(&sums[i], size, memory[i].data());
        }
    }

    void round() {
        uint32_t size = uint32_t(sums.size()), distance = sums[0].distance;
        std::vector<Words> messages(size);
        for (uint32_t i = 0; i < size; i++) {
            messages[i].resize(rma_issue_sums_words(&sums[i]));
            rma_issue_sums_pack(&sums[i], messages[i].data());
        }
        sent += messages[0].size() - 1;
        for (uint32_t i = 0; i < size; i++)
            rma_issue_sums_merge(&sums[(i + distance) % size], messages[i].data());
    }

    unsigned run() {
        unsigned rounds = 0;
        for (; !rma_issue_sums_over(&sums[0]); rounds++)
            round();
        return rounds;
    }
};

TEST(Sums, AreThoseOfAllNumbersForAProcess) {
    std::mt19937_64 random(1);
    for (uint32_t size = 1; size <= 70; size++) {
        Exchange exchange(size);
        Words want(size);
        for (uint32_t i = 0; i < size; i++) {
            for (uint32_t to = 0; to < size; to++)
                want[to] += exchange.numbers[i][to] = random() % 3 ? 0 : uint32_t(random());
        }
        exchange.begin();
        unsigned rounds = exchange.run();
        EXPECT_EQ(rounds, size == 1 ? 0u : 32 - unsigned(__builtin_clz(size - 1)));
        EXPECT_EQ(exchange.sent, size - 1);
        for (uint32_t i = 0; i < size; i++)
            ASSERT_EQ(exchange.sums[i].sums[0], want[i]) << "of process " << i << " of " << size;
    }
}

TEST(Sums, FlagsOfEachReachAll) {
    for (uint32_t size = 1; size <= 33; size++) {
        for (uint32_t who = 0; who < size; who++) {
            Exchange exchange(size);
            exchange.begin();
            exchange.sums[who].flags = RF_MESSAGES | RF_BARRIER;
            exchange.run();
            for (uint32_t i = 0; i < size; i++)
                ASSERT_EQ(exchange.sums[i].flags, unsigned(RF_MESSAGES | RF_BARRIER)) << i << " of " << size;
        }
    }
}

TEST(Sums, NoMessageIsLongerThanTheFirst) {
    for (uint32_t size = 2; size <= 70; size++) {
        Exchange exchange(size);
        exchange.begin();
        for (size_t first = rma_issue_sums_words(&exchange.sums[0]); !rma_issue_sums_over(&exchange.sums[0]);) {
            EXPECT_LE(rma_issue_sums_words(&exchange.sums[0]), first);
            exchange.round();
        }
    }
}

TEST(Sums, DistancesDoNotOverflow) {
    rma_issue_sums_t sums = {UINT32_MAX, UINT32_C(1) << 31, 0, nullptr};
    EXPECT_EQ(rma_issue_sums_words(&sums), 2u);
    EXPECT_FALSE(rma_issue_sums_over(&sums));
    std::vector<uint32_t> numbers(UINT32_C(1) << 16);
    rma_issue_sums_begin(&sums, uint32_t(numbers.size()), numbers.data());
    unsigned rounds = 0;
    Words message(numbers.size());
    for (; !rma_issue_sums_over(&sums); rounds++)
        rma_issue_sums_merge(&sums, message.data());
    EXPECT_EQ(rounds, 16u);
}

struct Phase : ::testing::Test {
    rma_issue_phase_t phase;
    Phase() { rma_issue_phase_init(&phase, true); }
    bool native_allowed() const { return rma_issue_phase_permission(&phase) == RI_HELD; }
};

TEST_F(Phase, BeforeTheFirstFenceNothingGoesNatively) {
    EXPECT_FALSE(native_allowed());
    rma_issue_phase_passed_nothing(&phase, false);
    EXPECT_FALSE(native_allowed());
    EXPECT_FALSE(phase.entered_by_all);
}

TEST_F(Phase, AfterMessagesNothingGoesNativelyUntilAFenceHasNone) {
    EXPECT_FALSE(rma_issue_phase_passed_exchange(&phase, RF_MESSAGES));
    EXPECT_FALSE(native_allowed());
    EXPECT_TRUE(phase.entered_by_all);
    EXPECT_FALSE(rma_issue_phase_passed_exchange(&phase, 0));
    EXPECT_TRUE(native_allowed());
}

TEST_F(Phase, WhoNeedsNativeOperationsGetsABarrierAndOthersWithoutExchange) {
    EXPECT_TRUE(rma_issue_phase_passed_exchange(&phase, RF_MESSAGES | RF_BARRIER));
    for (int i = 0; i < RF_BARRIERS_LEAST; i++) {
        EXPECT_TRUE(native_allowed());
        ASSERT_TRUE(rma_issue_phase_is_barrier(&phase));
        rma_issue_phase_passed_barrier(&phase);
    }
    EXPECT_FALSE(rma_issue_phase_is_barrier(&phase));
    EXPECT_TRUE(native_allowed());
}

TEST_F(Phase, MessagesBesideNativeOperationsAreWaitedForByABarrier) {
    EXPECT_TRUE(rma_issue_phase_passed_exchange(&phase, RF_MESSAGES | RF_NATIVE));
    EXPECT_TRUE(native_allowed());
    rma_issue_phase_init(&phase, true);
    EXPECT_FALSE(rma_issue_phase_passed_exchange(&phase, RF_NATIVE));
    EXPECT_TRUE(native_allowed());
    EXPECT_TRUE(rma_issue_phase_is_barrier(&phase));
}

TEST_F(Phase, BarriersBecomeMoreAndFewerAgain) {
    unsigned most = 0;
    for (int i = 0; i < 10; i++) {
        rma_issue_phase_passed_exchange(&phase, RF_NATIVE);
        for (most = 0; rma_issue_phase_is_barrier(&phase); most++)
            rma_issue_phase_passed_barrier(&phase);
    }
    EXPECT_EQ(most, unsigned(RF_BARRIERS_MOST));
    for (int i = 0; i < 10; i++)
        rma_issue_phase_passed_exchange(&phase, RF_MESSAGES);
    rma_issue_phase_passed_exchange(&phase, RF_NATIVE);
    EXPECT_EQ(phase.barriers, unsigned(RF_BARRIERS_LEAST));
}

TEST_F(Phase, TheLastOfSeveralWaitsForAllMessages) {
    EXPECT_FALSE(rma_issue_phase_passed_exchange(&phase, RF_LAST));
    EXPECT_TRUE(rma_issue_phase_passed_exchange(&phase, RF_LAST | RF_MESSAGES));
    EXPECT_TRUE(native_allowed());
    EXPECT_FALSE(rma_issue_phase_is_barrier(&phase)) << "others go on as before";
    EXPECT_FALSE(rma_issue_phase_passed_nothing(&phase, true)) << "nothing is on its way";
    EXPECT_FALSE(rma_issue_phase_passed_exchange(&phase, RF_MESSAGES));
    EXPECT_TRUE(rma_issue_phase_passed_nothing(&phase, true));
    EXPECT_TRUE(native_allowed());
}

TEST_F(Phase, WithoutExchangesAllFencesAreBarriers) {
    rma_issue_phase_init(&phase, false);
    for (int i = 0; i < 3 * RF_BARRIERS_MOST; i++) {
        ASSERT_TRUE(rma_issue_phase_is_barrier(&phase));
        rma_issue_phase_passed_barrier(&phase);
        ASSERT_TRUE(native_allowed());
    }
}

TEST_F(Phase, NumbersOfEpochsBeginAnew) {
    phase.epoch = UINT32_MAX;
    EXPECT_FALSE(rma_issue_phase_is_ahead(&phase, UINT32_MAX));
    EXPECT_FALSE(rma_issue_phase_is_ahead(&phase, UINT32_MAX - 1));
    EXPECT_TRUE(rma_issue_phase_is_ahead(&phase, 0));
    rma_issue_phase_passed_exchange(&phase, 0);
    EXPECT_FALSE(rma_issue_phase_is_ahead(&phase, 0));
}

// The operations of an epoch of fences to one target.
struct FenceEpoch : ::testing::Test {
    rma_issue_settings_t settings{RI_HYBRID, 1, 128, 64, false};
    rma_issue_target_t target;
    std::deque<rma_issue_op_t> ops;
    std::vector<unsigned> messages;  // operations of each
    unsigned natives = 0;

    FenceEpoch() { rma_issue_target_init(&target, 256); }

    void add(size_t bytes, size_t wire) {
        ops.push_back({nullptr, bytes, wire, 0});
        rma_issue_add(&target, &ops.back());
    }

    rma_issue_what_t reach(rma_issue_goal_t goal) {
        for (;;) {
            rma_issue_step_t step = rma_issue_next(&target, &settings, goal);
            if (step.what == RI_SEND) {
                EXPECT_EQ(step.flags, 0u);
                messages.push_back(step.ops);
            } else if (step.what != RI_ISSUE) {
                return step.what;
            } else {
                natives++;
            }
            for (unsigned left = step.what == RI_SEND ? step.ops : 1; left > 0; left--)
                rma_issue_take(&target);
        }
    }
};

using Ops = std::vector<unsigned>;

TEST_F(FenceEpoch, OfMessagesSendsFullOnesAndTheRestAtTheFence) {
    rma_issue_open(&target, RI_MESSAGES);
    for (int i = 0; i < 20; i++) {
        add(8, 32);
        EXPECT_EQ(reach(RI_GO_ON), RI_DONE);
    }
    EXPECT_EQ(messages, (Ops{8, 8}));
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(messages, (Ops{8, 8, 4}));
    EXPECT_EQ(natives, 0u);
}

TEST_F(FenceEpoch, OfMessagesNeedsMoreForLongOperationsOnly) {
    rma_issue_open(&target, RI_MESSAGES);
    add(8, 32);
    EXPECT_EQ(reach(RI_GO_ON), RI_DONE);
    add(1000, 0);
    EXPECT_EQ(reach(RI_GO_ON), RI_WAIT);
    EXPECT_EQ(messages, (Ops{1})) << "what is in front of it need not wait";
    EXPECT_EQ(target.waiting, 1u);
    EXPECT_EQ(reach(RI_FENCE), RI_WAIT);
    EXPECT_EQ(messages, (Ops{1}));
    rma_issue_granted(&target);
    EXPECT_EQ(reach(RI_FLUSH), RI_DONE);
    EXPECT_EQ(natives, 1u);
}

TEST_F(FenceEpoch, TwoOperationsThatAMessageHoldsWaitForIt) {
    for (auto permission : {RI_MESSAGES, RI_HELD}) {
        rma_issue_open(&target, permission);
        messages.clear();
        for (int i = 0; i < 2; i++) {
            add(100, 112);
            EXPECT_EQ(reach(RI_GATHER), RI_DONE);
        }
        EXPECT_TRUE(messages.empty());
        add(100, 112);
        EXPECT_EQ(reach(RI_GATHER), RI_DONE);
        EXPECT_EQ(messages, (Ops{2}));
        EXPECT_EQ(reach(RI_FENCE), RI_DONE);
        EXPECT_EQ(messages, (Ops{2, 1}));
        EXPECT_EQ(natives, 0u);
        rma_issue_close(&target);
    }
}

TEST_F(FenceEpoch, LongOperationsAreNativeWhereTheyMay) {
    rma_issue_open(&target, RI_HELD);
    add(100, 112);
    EXPECT_EQ(reach(RI_GATHER), RI_DONE);
    add(200, 212);
    EXPECT_EQ(reach(RI_GATHER), RI_DONE);
    EXPECT_EQ(messages, (Ops{1}));
    EXPECT_EQ(natives, 1u);
    add(8, 32);
    EXPECT_EQ(reach(RI_GATHER), RI_DONE);
    EXPECT_EQ(natives, 2u) << "nothing overtakes it";
}

TEST_F(FenceEpoch, GathersNoMoreThanTheQueuesLimit) {
    settings.queue = 3;
    for (auto mode : {RI_HYBRID, RI_LAZY}) {
        settings.mode = mode;
        messages.clear();
        rma_issue_open(&target, RI_MESSAGES);
        for (int i = 0; i < 10; i++) {
            add(8, 32);
            EXPECT_EQ(reach(RI_GATHER), RI_DONE);
            EXPECT_LE(target.waiting, 3u);
        }
        EXPECT_EQ(messages, (Ops{4, 4}));
        reach(RI_FENCE);
        rma_issue_close(&target);
    }
}

TEST_F(FenceEpoch, LazyNeedsMoreAtTheQueuesLimit) {
    settings.mode = RI_LAZY;
    settings.queue = 3;
    rma_issue_open(&target, RI_MESSAGES);
    for (int i = 0; i < 3; i++) {
        add(1000, 0);
        EXPECT_EQ(reach(RI_GO_ON), RI_DONE);
    }
    add(1000, 0);
    EXPECT_EQ(reach(RI_GO_ON), RI_WAIT);
}

TEST_F(FenceEpoch, OneShortOperationIsAMessageWhereItMightBeNative) {
    rma_issue_open(&target, RI_HELD);
    add(8, 32);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(messages, (Ops{1}));
}

TEST_F(FenceEpoch, NothingOvertakesWhatIsNative) {
    rma_issue_open(&target, RI_HELD);
    add(1000, 0);
    add(8, 32);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(natives, 2u);
    EXPECT_TRUE(messages.empty());
    rma_issue_settled(&target);
    add(8, 32);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(messages, (Ops{1}));
}

TEST_F(FenceEpoch, WithoutOperationsSendsNothing) {
    rma_issue_open(&target, RI_MESSAGES);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(reach(RI_FLUSH), RI_DONE);
    EXPECT_TRUE(messages.empty());
}

}  // namespace rma_issue_test
