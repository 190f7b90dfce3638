// SPDX-License-Identifier: BSD-3-Clause
// What one origin sends to one target, epoch by epoch.

#include <thread>

#include "network.hpp"

namespace rma_issue_test {

constexpr size_t room = 256;

rma_issue_settings_t settings(rma_issue_mode_t mode, bool adapt = false) {
    return {mode, 1, 128, 64, adapt};
}

struct Epoch : ::testing::Test {
    Network network{1};
    rma_issue_settings_t set = settings(RI_HYBRID);
    Epochs epochs{network, 0, set, room};

    // Messages of an epoch with so many puts of 8 bytes.
    Counts puts(unsigned count, size_t wire = 32, rma_issue_goal_t before_end = RI_GO_ON) {
        epochs.counts = Counts();
        epochs.open(true);
        for (unsigned i = 0; i < count; i++)
            epochs.put(8, wire);
        epochs.reach(before_end);
        epochs.close();
        return epochs.counts;
    }
};

TEST_F(Epoch, WithoutOperationsSendsNothing) {
    EXPECT_EQ(puts(0).messages, 0u);
    EXPECT_EQ(puts(0, 32, RI_FLUSH).messages, 0u);
}

TEST_F(Epoch, OfOneShortOperationIsOneMessage) {
    Counts counts = puts(1);
    EXPECT_EQ(counts.messages, 1u);
    EXPECT_EQ(counts.natives, 0u);
    EXPECT_EQ(network.target.log.size(), 1u);
}

TEST_F(Epoch, SecondOperationAsksAndTheLastCarriesTheEnd) {
    Counts counts = puts(3);
    EXPECT_EQ(counts.asked, 1u);
    EXPECT_EQ(counts.messages, 2u);  // the request, and the end with what then fits
    EXPECT_EQ(counts.ended, 1u);
    EXPECT_EQ(network.target.log.size(), 3u);
}

TEST_F(Epoch, LongOperationAsksAtOnce) {
    epochs.open(true);
    epochs.put(1000, 0);
    EXPECT_EQ(epochs.counts.asked, 1u);
    EXPECT_EQ(epochs.counts.natives, 0u);
    epochs.close();
    EXPECT_EQ(epochs.counts.natives, 1u);
    EXPECT_EQ(epochs.counts.messages, 2u);
}

// An operation with a request may travel with the question as long as nobody has asked.
TEST_F(Epoch, QuestionTakesWhatFits) {
    rma_issue_target_t &target = epochs.target;
    const rma_issue_op_t fits = {nullptr, 8, room, 0, 0}, full = {nullptr, 8, room + 1, 0, 0},
                         answer = {nullptr, 8, 32, room + 1, 0}, bound = {nullptr, 8, 0, 0, 0},
                         empty = {nullptr, 0, 32, 0, 0}, small = {nullptr, 8, 32, 8, 0};
    epochs.open(true);
    EXPECT_TRUE(MPIR_rma_issue_asks_with(&target, &fits));
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &full));
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &answer));
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &bound));
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &empty));
    epochs.put(8, 32);
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &fits)) << "with what waits it is too long";
    EXPECT_TRUE(MPIR_rma_issue_asks_with(&target, &small));
    epochs.reach(RI_CLEAR);
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &small)) << "the permission is there";
    epochs.close();
    EXPECT_FALSE(MPIR_rma_issue_asks_with(&target, &small)) << "no epoch";
}

TEST_F(Epoch, AfterPermissionTheFirstWaitsForTheEnd) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    epochs.put(8, 32);
    EXPECT_EQ(epochs.target.waiting, 1u);
    epochs.close();
    EXPECT_EQ(epochs.counts.natives, 0u);
    EXPECT_EQ(epochs.counts.messages, 2u);
}

TEST_F(Epoch, AfterPermissionManyGoInFullMessages) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    for (unsigned i = 1; i <= 20; i++) {
        epochs.put(8, 32);
        EXPECT_EQ(epochs.counts.messages, 1 + (i - 1) / 8) << "a message holds 8 of them";
    }
    epochs.close();
    EXPECT_EQ(epochs.counts.natives, 0u);
    EXPECT_EQ(epochs.counts.messages, 4u);
}

TEST_F(Epoch, MessagesAreFullWithTheBytesThatMayWait) {
    set.bytes = 64 + 1;
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    for (unsigned i = 1; i <= 20; i++)
        epochs.put(8, 9);
    EXPECT_EQ(epochs.counts.messages, 1u + 2);
    EXPECT_EQ(epochs.target.waiting, 4u);
    epochs.close();
}

TEST_F(Epoch, LongOperationAfterPermissionGoesAtOnceAndAllAfterIt) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    epochs.put(8, 32);
    EXPECT_EQ(epochs.counts.natives, 0u);
    epochs.put(1000, 0);
    EXPECT_EQ(epochs.counts.natives, 2u);
    for (unsigned i = 0; i < 20; i++)
        epochs.put(8, 32);
    EXPECT_EQ(epochs.counts.natives, 22u);
    epochs.close();
    EXPECT_EQ(epochs.counts.messages, 2u);
}

TEST_F(Epoch, MiddlingOperationsGoNatively) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    for (unsigned i = 0; i < 20; i++)
        epochs.put(60, 84);  // two fit into the bytes that may wait: not enough for a message
    EXPECT_EQ(epochs.counts.natives, 20u);
    epochs.close();
}

TEST_F(Epoch, FlushOfSeveralIsAMessage) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    for (unsigned i = 0; i < 3; i++)
        epochs.put(8, 32);
    epochs.reach(RI_FLUSH);
    EXPECT_EQ(epochs.counts.messages, 2u);
    EXPECT_EQ(epochs.counts.natives, 0u);
    epochs.put(8, 32);
    epochs.reach(RI_FLUSH);
    EXPECT_EQ(epochs.counts.natives, 1u);
    epochs.close();
}

TEST_F(Epoch, ShortOperationsShareMessagesAgainOnceWhatIsNativeIsDone) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    epochs.put(8, 32);
    epochs.flush();
    EXPECT_EQ(epochs.counts.natives, 1u);
    for (unsigned i = 0; i < 20; i++)
        epochs.put(8, 32);
    epochs.flush();
    EXPECT_EQ(epochs.counts.natives, 1u);
    epochs.put(1000, 0);
    epochs.put(8, 32);
    EXPECT_EQ(epochs.counts.natives, 3u) << "nothing overtakes it";
    epochs.close();
}

// A program that flushes behind each operation gets each out at once, and loses that when it stops.
TEST_F(Epoch, FlushBehindEachOperationPassesTheQueue) {
    set.adapt = true;
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    for (int i = 0; i < RI_HABIT; i++) {
        EXPECT_FALSE(MPIR_rma_issue_goes_alone(&epochs.target));
        epochs.put(8, 32);
        EXPECT_EQ(epochs.target.waiting, 1u);
        epochs.flush();
        epochs.flush();  // behind nothing: it changes nothing
    }
    EXPECT_TRUE(MPIR_rma_issue_goes_alone(&epochs.target));
    epochs.put(8, 32);
    EXPECT_EQ(epochs.target.waiting, 0u);
    EXPECT_TRUE(MPIR_rma_issue_went_alone(&epochs.target));
    EXPECT_FALSE(MPIR_rma_issue_goes_alone(&epochs.target)) << "not before the flush";
    epochs.put(8, 32);
    EXPECT_FALSE(MPIR_rma_issue_went_alone(&epochs.target));
    EXPECT_EQ(epochs.counts.natives, RI_HABIT + 2u) << "nothing overtakes the first";
    epochs.flush();
    EXPECT_FALSE(MPIR_rma_issue_goes_alone(&epochs.target));
    epochs.put(8, 32);
    EXPECT_EQ(epochs.target.waiting, 1u);
    epochs.close();
}

TEST_F(Epoch, NothingPassesTheQueueWhereItMustNot) {
    for (bool adapt : {false, true}) {
        set = settings(adapt ? RI_LAZY : RI_HYBRID, adapt);
        epochs.open(true);
        epochs.reach(RI_CLEAR);
        for (int i = 0; i < 2 * RI_HABIT; i++) {
            epochs.put(8, 32);
            EXPECT_EQ(epochs.target.waiting, 1u);
            epochs.flush();
        }
        epochs.close();
    }
    set = settings(RI_HYBRID, true);
    epochs.open(true);
    for (int i = 0; i < RI_HABIT; i++) {
        epochs.put(8, 32);
        epochs.flush();
    }
    EXPECT_TRUE(MPIR_rma_issue_goes_alone(&epochs.target));
    epochs.close();
    EXPECT_FALSE(MPIR_rma_issue_goes_alone(&epochs.target)) << "no epoch";
    epochs.open(true);
    EXPECT_FALSE(MPIR_rma_issue_goes_alone(&epochs.target)) << "no permission";
    epochs.put(8, 32);
    epochs.close();
    EXPECT_EQ(network.target.log.size(), 4u * RI_HABIT + RI_HABIT + 1);
}

TEST_F(Epoch, IsNotSettledByAWaitThatBeganBefore) {
    uint64_t before;
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    before = epochs.target.issued;
    epochs.put(1000, 0);
    MPIR_rma_issue_settled(&epochs.target, before);
    EXPECT_TRUE(MPIR_rma_issue_has_native(&epochs.target));
    MPIR_rma_issue_settled(&epochs.target, before + 1);
    EXPECT_TRUE(MPIR_rma_issue_has_native(&epochs.target))
        << "it was not yet handed to the network";
    epochs.flush();
    EXPECT_FALSE(MPIR_rma_issue_has_native(&epochs.target));
    MPIR_rma_issue_settled(&epochs.target, before);
    EXPECT_FALSE(MPIR_rma_issue_has_native(&epochs.target));
    epochs.close();
}

TEST_F(Epoch, MayHaveManyNativeOperationsInFlight) {
    epochs.open(true);
    epochs.reach(RI_CLEAR);
    epochs.put(1000, 0);
    epochs.target.issued = epochs.target.settled + (UINT64_C(1) << 32);
    EXPECT_TRUE(MPIR_rma_issue_has_native(&epochs.target));
    epochs.flush();
    EXPECT_FALSE(MPIR_rma_issue_has_native(&epochs.target));
    EXPECT_EQ(epochs.target.settled, epochs.target.issued);
    epochs.close();
}

TEST_F(Epoch, FlushCarriesAWaitingOperation) {
    Counts counts = puts(1, 32, RI_FLUSH);
    EXPECT_EQ(counts.messages, 2u);
    EXPECT_EQ(counts.natives, 0u);
}

TEST_F(Epoch, OfPostsEndsEvenWithoutOperations) {
    MPIR_rma_issue_open(&epochs.target, RI_ASKED);
    network.target.holders.push_back(0);
    MPIR_rma_issue_granted(&epochs.target);
    epochs.close();
    EXPECT_EQ(epochs.counts.messages, 1u);
    EXPECT_EQ(epochs.counts.ended, 1u);
}

TEST_F(Epoch, LazyIsOneMessageWhenItFits) {
    set = settings(RI_LAZY);
    EXPECT_EQ(puts(8).messages, 1u);
    Counts counts = puts(9);
    EXPECT_EQ(counts.messages, 3u);  // the request, a full one, and the end with the last
    EXPECT_EQ(counts.natives, 0u);
    EXPECT_EQ(counts.asked, 1u);
}

TEST_F(Epoch, LazyAsksAtTheQueuesLimit) {
    set = settings(RI_LAZY);
    epochs.open(true);
    for (unsigned i = 0; i < set.queue; i++)
        epochs.put(8, 32);
    EXPECT_EQ(epochs.counts.messages, 0u);
    epochs.put(8, 32);
    EXPECT_EQ(epochs.counts.asked, 1u);
    EXPECT_EQ(epochs.counts.messages, 2u);
    EXPECT_LE(epochs.target.waiting, set.queue + 1);
    epochs.close();
}

TEST_F(Epoch, QueueIsLimitedWhileItWaitsForPermission) {
    set.queue = 4;
    epochs.open(true);
    for (int i = 0; i < 3; i++)
        epochs.put(8, 0);
    EXPECT_EQ(epochs.target.permission, RI_ASKED);
    for (int i = 0; i < 10; i++)
        epochs.put(8, 0);
    EXPECT_EQ(epochs.target.permission, RI_GRANTED);
    epochs.close();
}

TEST_F(Epoch, ResultsThatFitNoAnswerDoNotTravel) {
    epochs.open(true);
    epochs.put(room + 8, 32, room + 8);
    EXPECT_EQ(epochs.counts.asked, 1u);
    epochs.close();
    EXPECT_EQ(epochs.counts.natives, 1u);
}

// Ten epochs are enough to find the better side after a change of the pattern.
TEST_F(Epoch, HabitTurnsWithinTenEpochs) {
    set = settings(RI_HYBRID, true);
    for (int change = 0; change < 6; change++) {
        for (int i = 0; i < 10; i++)
            puts(5);
        EXPECT_EQ(puts(5).messages, 1u) << "five operations that a message holds";
        for (int i = 0; i < 10; i++)
            puts(40);
        epochs.open(true);
        epochs.counts = Counts();
        epochs.put(8, 32);
        EXPECT_EQ(epochs.counts.asked, 1u) << "the first of many asks at once";
        for (int i = 0; i < 40; i++)
            epochs.put(8, 32);
        epochs.close();
    }
}

TEST_F(Epoch, EmptyEpochsAreNoHabit) {
    set = settings(RI_HYBRID, true);
    for (int i = 0; i < 10; i++)
        puts(40);
    int habit = epochs.target.habit;
    for (int i = 0; i < 10; i++)
        puts(0);
    EXPECT_EQ(epochs.target.habit, habit);
}

// A program whose epochs with a long operation wait so long, by whether they wait for the
// permission at once.
struct LongEpochs : Epoch {
    double waited[2];

    bool flows = false;

    bool stays(size_t bytes = 1000) {
        epochs.open(true);
        if (flows) MPIR_rma_issue_flows(&epochs.target);
        epochs.put(bytes, 0);
        bool stayed = epochs.counts.natives > 0;
        MPIR_rma_issue_waited(&epochs.target, waited[stayed]);
        epochs.close();
        epochs.counts = Counts();
        return stayed;
    }

    unsigned stay(unsigned count, size_t bytes = 1000) {
        unsigned stayed = 0;
        for (unsigned i = 0; i < count; i++)
            stayed += stays(bytes);
        return stayed;
    }

    LongEpochs() { set = settings(RI_HYBRID, true); }
};

TEST_F(LongEpochs, TakeTheWayWithWhichTheyWaitLess) {
    waited[false] = 5, waited[true] = 2;
    stay(10);
    EXPECT_GE(stay(100), 96u) << "the other way is tried once in 32";
    waited[false] = 1;
    stay(70);
    EXPECT_LE(stay(100), 4u);
}

TEST_F(LongEpochs, OfAnotherSizeFindTheirWayWithinTenEpochs) {
    for (int change = 0; change < 6; change++) {
        waited[false] = 5, waited[true] = 2;
        stay(10, 1000);
        EXPECT_GE(stay(20, 1000), 19u);
        waited[false] = 2, waited[true] = 5;
        stay(10, 100000);
        EXPECT_LE(stay(20, 100000), 1u);
    }
}

TEST_F(LongEpochs, AreNotMisledByOneThatWasDisturbed) {
    waited[false] = 5, waited[true] = 4;
    stay(10);
    waited[true] = 1e6;
    stays();
    waited[true] = 4;
    stay(40);
    EXPECT_GE(stay(20), 18u);
}

TEST_F(LongEpochs, NeverStayWhereProgressIsMadeMeanwhile) {
    waited[false] = 5, waited[true] = 2;
    EXPECT_GE(stay(20), 16u);
    flows = true;
    EXPECT_EQ(stay(100), 0u);
    flows = false;
    EXPECT_GE(stay(50), 40u);
}

// How long native operations keep their thread, which a helper could be.
struct Copies : Epoch {
    bool leaves(size_t bytes) { return MPIR_rma_issue_leaves(&epochs.target, &set, bytes); }

    // The first operation behind a flush, or behind others in flight.
    void issue(double seconds, size_t bytes = 1 << 20, bool is_first = true) {
        rma_issue_target_t &target = epochs.target;
        if (is_first) MPIR_rma_issue_settled(&target, target.issued);
        MPIR_rma_issue_issued(&target);
        MPIR_rma_issue_took(&target, bytes, seconds);
        MPIR_rma_issue_went_out(&target);
    }

    void SetUp() override {
        epochs.open(true);
        epochs.reach(RI_CLEAR);
    }
    void TearDown() override { epochs.close(); }
};

TEST_F(Copies, LeaveWhatTakesLong) {
    EXPECT_FALSE(leaves(SIZE_MAX)) << "nothing is known yet";
    issue(400e-6);
    EXPECT_TRUE(leaves(1 << 20));
    EXPECT_TRUE(leaves(1 << 18));
    EXPECT_FALSE(leaves(1 << 16)) << "25 us";
}

TEST_F(Copies, StayWhereTheNetworkReadsTheMemory) {
    issue(2e-6);
    EXPECT_FALSE(leaves(1 << 20));
    issue(2e-6, 1 << 22);
    EXPECT_FALSE(leaves(1 << 24));
}

TEST_F(Copies, AreAMeanInWhichOneDisturbanceDoesLittle) {
    for (int i = 0; i < 10; i++)
        issue(20e-6);
    issue(1.0);
    EXPECT_FALSE(leaves(1 << 20));
    for (int i = 0; i < 10; i++)
        issue(400e-6);
    EXPECT_TRUE(leaves(1 << 20));
    for (int i = 0; i < 10; i++)
        issue(2e-6);
    EXPECT_FALSE(leaves(1 << 20));
}

TEST_F(Copies, AreNotMeasuredBehindOthersInFlight) {
    issue(400e-6);
    for (int i = 0; i < 10; i++)
        issue(1e-6, 1 << 20, false);
    EXPECT_TRUE(leaves(1 << 20));
}

TEST_F(Copies, StayWithAFullQueueAndInOtherModes) {
    issue(400e-6);
    epochs.target.waiting = set.queue;
    EXPECT_TRUE(leaves(1 << 20));
    epochs.target.waiting++;
    EXPECT_FALSE(leaves(1 << 20));
    epochs.target.waiting = 0;
    for (rma_issue_mode_t mode : {RI_EAGER, RI_LAZY}) {
        set.mode = mode;
        EXPECT_FALSE(leaves(1 << 20));
    }
    set.mode = RI_HYBRID;
}

TEST_F(LongEpochs, DoNotStayWithoutHistory) {
    set.adapt = false;
    waited[false] = 5, waited[true] = 1;
    EXPECT_EQ(stay(20), 0u);
}

// The module has no state but what it is given.
TEST(Threads, EachItsOwnTargets) {
    auto work = [](uint64_t seed) {
        Network network(seed);
        rma_issue_settings_t set = settings(RI_HYBRID, true);
        Epochs epochs(network, 0, set, room);
        for (int i = 0; i < 200; i++) {
            epochs.open(true);
            for (int n = i % 20; n > 0; n--)
                epochs.put(8, 32);
            epochs.close();
        }
    };
    std::vector<std::thread> threads;
    for (uint64_t seed = 0; seed < 4; seed++)
        threads.emplace_back(work, seed);
    for (auto &thread : threads)
        thread.join();
}

}  // namespace rma_issue_test
