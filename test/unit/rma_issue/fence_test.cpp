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

    explicit Exchange(uint32_t size)
        : numbers(size, Words(size)), memory(size, Words(size)), sums(size) {}

    uint32_t size() const { return uint32_t(sums.size()); }

    void begin(uint32_t radix) {
        for (uint32_t i = 0; i < size(); i++) {
            for (uint32_t ahead = 0; ahead < size(); ahead++)
                memory[i][ahead] = numbers[i][(i + ahead) % size()];
            MPIR_rma_issue_sums_begin(&sums[i], size(), radix, memory[i].data());
        }
    }

    // The i-th messages of a round.
    void send(uint32_t message) {
        std::vector<Words> messages(size());
        for (uint32_t i = 0; i < size(); i++) {
            messages[i].resize(MPIR_rma_issue_sums_words(&sums[i], message));
            MPIR_rma_issue_sums_pack(&sums[i], message, messages[i].data());
        }
        sent += messages[0].size() - 1;
        for (uint32_t i = 0; i < size(); i++) {
            uint64_t to = (i + uint64_t(message) * sums[0].distance) % size();
            MPIR_rma_issue_sums_merge(&sums[to], message, messages[i].data());
        }
    }

    void round() {
        for (uint32_t message = MPIR_rma_issue_sums_messages(&sums[0]); message > 0; message--)
            send(message);
        for (rma_issue_sums_t &one : sums)
            MPIR_rma_issue_sums_end_round(&one);
    }

    unsigned run() {
        unsigned rounds = 0;
        for (; !MPIR_rma_issue_sums_over(&sums[0]); rounds++)
            round();
        return rounds;
    }
};

// Those that are tried with so many processes.
std::vector<uint32_t> radices(uint32_t size) {
    std::vector<uint32_t> some = {2, 3, 5, 16};
    if (size > 1) some.push_back(size);
    return some;
}

unsigned rounds_of(uint32_t size, uint32_t radix) {
    unsigned rounds = 0;
    for (uint64_t reached = 1; reached < size; reached *= radix)
        rounds++;
    return rounds;
}

TEST(Sums, AreThoseOfAllNumbersForAProcess) {
    std::mt19937_64 random(1);
    for (uint32_t size = 1; size <= 70; size++) {
        for (uint32_t radix : radices(size)) {
            Exchange exchange(size);
            Words want(size);
            for (uint32_t i = 0; i < size; i++) {
                for (uint32_t to = 0; to < size; to++)
                    want[to] += exchange.numbers[i][to] = random() % 3 ? 0 : uint32_t(random());
            }
            exchange.begin(radix);
            EXPECT_EQ(exchange.run(), rounds_of(size, radix));
            EXPECT_EQ(exchange.sent, size - 1);
            for (uint32_t i = 0; i < size; i++)
                ASSERT_EQ(exchange.sums[i].sums[0], want[i])
                    << "of process " << i << " of " << size << " to the base " << radix;
        }
    }
}

TEST(Sums, FlagsOfEachReachAll) {
    for (uint32_t size = 1; size <= 33; size++) {
        for (uint32_t radix : radices(size)) {
            for (uint32_t who = 0; who < size; who++) {
                Exchange exchange(size);
                exchange.begin(radix);
                exchange.sums[who].flags = RF_MESSAGES | RF_BARRIER;
                exchange.run();
                for (uint32_t i = 0; i < size; i++)
                    ASSERT_EQ(exchange.sums[i].flags, unsigned(RF_MESSAGES | RF_BARRIER))
                        << i << " of " << size;
            }
        }
    }
}

TEST(Sums, MessagesGetNoLongerAndNoMore) {
    for (uint32_t size = 2; size <= 70; size++) {
        for (uint32_t radix : radices(size)) {
            Exchange exchange(size);
            exchange.begin(radix);
            const rma_issue_sums_t &sums = exchange.sums[0];
            const uint32_t most = MPIR_rma_issue_sums_messages(&sums);
            const size_t longest = MPIR_rma_issue_sums_words(&sums, 1);
            for (; !MPIR_rma_issue_sums_over(&sums); exchange.round()) {
                EXPECT_LE(MPIR_rma_issue_sums_messages(&sums), most);
                for (uint32_t i = 1; i <= MPIR_rma_issue_sums_messages(&sums); i++)
                    EXPECT_LE(MPIR_rma_issue_sums_words(&sums, i), longest);
            }
        }
    }
}

TEST(Sums, DistancesDoNotOverflow) {
    rma_issue_sums_t sums = {UINT32_MAX, 2, UINT32_C(1) << 31, 0, nullptr};
    EXPECT_EQ(MPIR_rma_issue_sums_messages(&sums), 1u);
    EXPECT_EQ(MPIR_rma_issue_sums_words(&sums, 1), 2u);
    EXPECT_FALSE(MPIR_rma_issue_sums_over(&sums));
    MPIR_rma_issue_sums_end_round(&sums);
    EXPECT_TRUE(MPIR_rma_issue_sums_over(&sums));
    sums = {UINT32_MAX, UINT32_MAX, 1, 0, nullptr};
    MPIR_rma_issue_sums_end_round(&sums);
    EXPECT_TRUE(MPIR_rma_issue_sums_over(&sums));
    std::vector<uint32_t> numbers(UINT32_C(1) << 16);
    MPIR_rma_issue_sums_begin(&sums, uint32_t(numbers.size()), 2, numbers.data());
    unsigned rounds = 0;
    Words message(numbers.size());
    for (; !MPIR_rma_issue_sums_over(&sums); rounds++) {
        MPIR_rma_issue_sums_merge(&sums, 1, message.data());
        MPIR_rma_issue_sums_end_round(&sums);
    }
    EXPECT_EQ(rounds, 16u);
}

struct Phase : ::testing::Test {
    rma_issue_phase_t phase;
    Phase() { MPIR_rma_issue_phase_init(&phase, true); }
    bool native_allowed() const { return MPIR_rma_issue_phase_permission(&phase) == RI_GRANTED; }
};

TEST_F(Phase, BeforeTheFirstFenceNothingGoesNatively) {
    EXPECT_FALSE(native_allowed());
    MPIR_rma_issue_phase_passed_nothing(&phase);
    EXPECT_FALSE(native_allowed());
    EXPECT_FALSE(phase.entered_by_all);
}

TEST_F(Phase, AfterMessagesNothingGoesNativelyUntilAFenceHasNone) {
    EXPECT_FALSE(MPIR_rma_issue_phase_passed_exchange(&phase, RF_MESSAGES));
    EXPECT_FALSE(native_allowed());
    EXPECT_TRUE(phase.entered_by_all);
    EXPECT_FALSE(MPIR_rma_issue_phase_passed_exchange(&phase, 0));
    EXPECT_TRUE(native_allowed());
}

TEST_F(Phase, WhoNeedsNativeOperationsGetsABarrierAndOthersWithoutExchange) {
    EXPECT_TRUE(MPIR_rma_issue_phase_passed_exchange(&phase, RF_MESSAGES | RF_BARRIER));
    for (int i = 0; i < RF_BARRIERS_LEAST; i++) {
        EXPECT_TRUE(native_allowed());
        ASSERT_TRUE(MPIR_rma_issue_phase_is_barrier(&phase));
        MPIR_rma_issue_phase_passed_barrier(&phase);
    }
    EXPECT_FALSE(MPIR_rma_issue_phase_is_barrier(&phase));
    EXPECT_TRUE(native_allowed());
}

TEST_F(Phase, MessagesBesideNativeOperationsAreWaitedForByABarrier) {
    EXPECT_TRUE(MPIR_rma_issue_phase_passed_exchange(&phase, RF_MESSAGES | RF_NATIVE));
    EXPECT_TRUE(native_allowed());
    MPIR_rma_issue_phase_init(&phase, true);
    EXPECT_FALSE(MPIR_rma_issue_phase_passed_exchange(&phase, RF_NATIVE));
    EXPECT_TRUE(native_allowed());
    EXPECT_TRUE(MPIR_rma_issue_phase_is_barrier(&phase));
}

TEST_F(Phase, BarriersBecomeMoreAndFewerAgain) {
    unsigned most = 0;
    for (int i = 0; i < 10; i++) {
        MPIR_rma_issue_phase_passed_exchange(&phase, RF_NATIVE);
        for (most = 0; MPIR_rma_issue_phase_is_barrier(&phase); most++)
            MPIR_rma_issue_phase_passed_barrier(&phase);
    }
    EXPECT_EQ(most, unsigned(RF_BARRIERS_MOST));
    for (int i = 0; i < 10; i++)
        MPIR_rma_issue_phase_passed_exchange(&phase, RF_MESSAGES);
    MPIR_rma_issue_phase_passed_exchange(&phase, RF_NATIVE);
    EXPECT_EQ(phase.barriers, unsigned(RF_BARRIERS_LEAST));
}

TEST_F(Phase, WithoutExchangesAllFencesAreBarriers) {
    MPIR_rma_issue_phase_init(&phase, false);
    for (int i = 0; i < 3 * RF_BARRIERS_MOST; i++) {
        ASSERT_TRUE(MPIR_rma_issue_phase_is_barrier(&phase));
        MPIR_rma_issue_phase_passed_barrier(&phase);
        ASSERT_TRUE(native_allowed());
    }
}

TEST_F(Phase, NumbersOfEpochsBeginAnew) {
    phase.epoch = UINT32_MAX;
    EXPECT_FALSE(MPIR_rma_issue_phase_is_ahead(&phase, UINT32_MAX));
    EXPECT_FALSE(MPIR_rma_issue_phase_is_ahead(&phase, UINT32_MAX - 1));
    EXPECT_TRUE(MPIR_rma_issue_phase_is_ahead(&phase, 0));
    MPIR_rma_issue_phase_passed_exchange(&phase, 0);
    EXPECT_FALSE(MPIR_rma_issue_phase_is_ahead(&phase, 0));
}

// The operations of an epoch of fences to one target.
struct FenceEpoch : ::testing::Test {
    rma_issue_settings_t settings{RI_HYBRID, 1, 128, 64, false};
    rma_issue_target_t target;
    std::deque<rma_issue_op_t> ops;
    std::vector<unsigned> messages;  // operations of each
    unsigned natives = 0;

    FenceEpoch() { MPIR_rma_issue_target_init(&target, 256); }

    void add(size_t bytes, size_t wire) {
        ops.push_back({nullptr, bytes, wire, 0, 0});
        MPIR_rma_issue_add(&target, &ops.back());
    }

    rma_issue_what_t reach(rma_issue_goal_t goal) {
        for (;;) {
            rma_issue_step_t step = MPIR_rma_issue_next(&target, &settings, goal);
            if (step.what == RI_SEND) {
                EXPECT_EQ(step.flags, 0u);
                messages.push_back(step.ops);
            } else if (step.what != RI_ISSUE) {
                return step.what;
            } else {
                natives++;
            }
            for (unsigned left = step.what == RI_SEND ? step.ops : 1; left > 0; left--)
                MPIR_rma_issue_take(&target);
        }
    }
};

using Ops = std::vector<unsigned>;

TEST_F(FenceEpoch, OfMessagesSendsFullOnesAndTheRestAtTheFence) {
    MPIR_rma_issue_open(&target, RI_MESSAGES);
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
    MPIR_rma_issue_open(&target, RI_MESSAGES);
    add(8, 32);
    EXPECT_EQ(reach(RI_GO_ON), RI_DONE);
    add(1000, 0);
    EXPECT_EQ(reach(RI_GO_ON), RI_WAIT);
    EXPECT_EQ(messages, (Ops{1})) << "what is in front of it need not wait";
    EXPECT_EQ(target.waiting, 1u);
    EXPECT_EQ(reach(RI_FENCE), RI_WAIT);
    EXPECT_EQ(messages, (Ops{1}));
    MPIR_rma_issue_granted(&target);
    EXPECT_EQ(reach(RI_FLUSH), RI_DONE);
    EXPECT_EQ(natives, 1u);
}

TEST_F(FenceEpoch, TwoOperationsThatAMessageHoldsWaitForIt) {
    for (auto permission : {RI_MESSAGES, RI_GRANTED}) {
        MPIR_rma_issue_open(&target, permission);
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
        MPIR_rma_issue_close(&target);
    }
}

TEST_F(FenceEpoch, LongOperationsAreNativeWhereTheyMay) {
    MPIR_rma_issue_open(&target, RI_GRANTED);
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
        MPIR_rma_issue_open(&target, RI_MESSAGES);
        for (int i = 0; i < 10; i++) {
            add(8, 32);
            EXPECT_EQ(reach(RI_GATHER), RI_DONE);
            EXPECT_LE(target.waiting, 3u);
        }
        EXPECT_EQ(messages, (Ops{4, 4}));
        reach(RI_FENCE);
        MPIR_rma_issue_close(&target);
    }
}

TEST_F(FenceEpoch, LazyNeedsMoreAtTheQueuesLimit) {
    settings.mode = RI_LAZY;
    settings.queue = 3;
    MPIR_rma_issue_open(&target, RI_MESSAGES);
    for (int i = 0; i < 3; i++) {
        add(1000, 0);
        EXPECT_EQ(reach(RI_GO_ON), RI_DONE);
    }
    add(1000, 0);
    EXPECT_EQ(reach(RI_GO_ON), RI_WAIT);
}

TEST_F(FenceEpoch, OneShortOperationIsAMessageWhereItMightBeNative) {
    MPIR_rma_issue_open(&target, RI_GRANTED);
    add(8, 32);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(messages, (Ops{1}));
}

TEST_F(FenceEpoch, NothingOvertakesWhatIsNative) {
    MPIR_rma_issue_open(&target, RI_GRANTED);
    add(1000, 0);
    add(8, 32);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(natives, 2u);
    EXPECT_TRUE(messages.empty());
    MPIR_rma_issue_settled(&target, target.issued);
    add(8, 32);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(messages, (Ops{1}));
}

TEST_F(FenceEpoch, WithoutOperationsSendsNothing) {
    MPIR_rma_issue_open(&target, RI_MESSAGES);
    EXPECT_EQ(reach(RI_FENCE), RI_DONE);
    EXPECT_EQ(reach(RI_FLUSH), RI_DONE);
    EXPECT_TRUE(messages.empty());
}

}  // namespace rma_issue_test
