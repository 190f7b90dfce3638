// SPDX-License-Identifier: BSD-3-Clause Random programs of several origins on one target.  The
// oracle: each origin's operations are done once, in their order, and nobody else's come between
// those of an exclusive epoch.

#include "network.hpp"

namespace rma_issue_test {

struct Program {
    Network network;
    rma_issue_settings_t settings;
    std::vector<std::unique_ptr<Epochs>> origins;
    std::vector<std::vector<int>> epoch_of;  // by origin and serial
    std::vector<std::vector<bool>> exclusive;
    std::vector<int> serials;

    Program(uint64_t seed, int count) : network(seed) {
        auto &random = network.random();
        settings = {random() % 3 ? RI_HYBRID : RI_LAZY, unsigned(random() % 4), random() % 300,
                    unsigned(1 + random() % 20), random() % 2 == 0};
        for (int i = 0; i < count; i++)
            origins.push_back(std::make_unique<Epochs>(network, i, settings, 64 + random() % 500));
        epoch_of.resize(count);
        exclusive.resize(count);
        serials.assign(count, 0);
    }

    void operation(int origin) {
        auto &random = network.random();
        size_t bytes = random() % 400, answer = random() % 2 ? bytes : 0;
        epoch_of[origin].push_back(int(exclusive[origin].size()) - 1);
        serials[origin]++;
        origins[origin]->put(bytes, random() % 5 ? bytes + 24 : 0, answer);
    }

    // An origin that would wait for a lock can be helped by nobody but itself here, so one epoch is
    // run at a time up to its end; shared ones nest.
    void epoch(int origin, int depth) {
        auto &random = network.random();
        bool alone = depth == 0 && random() % 2 == 0;
        exclusive[origin].push_back(alone);
        origins[origin]->open(alone);
        for (unsigned left = random() % 12; left > 0; left--) {
            operation(origin);
            if (random() % 6 == 0) origins[origin]->reach(random() % 2 ? RI_FLUSH : RI_CLEAR);
            if (random() % 6 == 0) origins[origin]->flush();
            if (random() % 3 == 0) network.progress();
            if (!alone && random() % 8 == 0 && origin + 1 < int(origins.size()))
                nested(origin + 1, depth + 1);
        }
        origins[origin]->close();
    }

    void nested(int origin, int depth) {
        if (origins[origin]->target.permission == RI_CLOSED) epoch(origin, depth);
    }

    void check() {
        std::vector<int> next(origins.size(), 0);
        const auto &log = network.target.log;
        for (size_t i = 0; i < log.size(); i++) {
            int origin = log[i].origin, serial = log[i].serial;
            ASSERT_EQ(serial, next[origin]++) << "origin " << origin;
            if (serial == 0) continue;
            int epoch = epoch_of[origin][serial];
            if (epoch == epoch_of[origin][serial - 1] && exclusive[origin][epoch]) {
                ASSERT_EQ(log[i - 1].origin, origin) << "between two of an exclusive epoch";
            }
        }
        EXPECT_EQ(next, serials);
        EXPECT_TRUE(network.idle());
        EXPECT_TRUE(network.target.holders.empty());
    }
};

TEST(Simulation, RandomPrograms) {
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        Program program(seed, 1 + int(seed % 5));
        for (int i = 0; i < 20; i++)
            program.epoch(int(program.network.random()() % program.origins.size()), 0);
        program.check();
        ASSERT_FALSE(::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure())
            << "seed " << seed;
    }
}

// Exclusive locks are asked for while another holds one: the permission comes when that one ends.
TEST(Simulation, ContendedLocks) {
    for (uint64_t seed = 1; seed <= 500; seed++) {
        Network network(seed);
        // nobody may wait here
        rma_issue_settings_t settings{RI_HYBRID, unsigned(seed % 3), 100, 8, false};
        std::vector<std::unique_ptr<Epochs>> origins;
        for (int i = 0; i < 4; i++)
            origins.push_back(std::make_unique<Epochs>(network, i, settings, 200));
        for (int round = 0; round < 10; round++) {
            for (auto &one : origins)
                one->open(true);
            // all ask; those behind the first wait in the target's queue with what they sent
            for (auto &one : origins) {
                one->put(300, 0);
                one->put(8, 32);
            }
            while (!network.idle())
                network.progress();
            // who holds it may end
            for (size_t left = origins.size(); left > 0; left--) {
                ASSERT_EQ(network.target.holders.size(), 1u);
                origins[network.target.holders[0]]->close();
            }
        }
        EXPECT_EQ(network.target.log.size(), 4u * 2 * 10);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

}  // namespace rma_issue_test
