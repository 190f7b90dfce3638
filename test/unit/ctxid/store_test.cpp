// SPDX-License-Identifier: BSD-3-Clause
// Agreement on context ids, without MPI: what members decide, and that ids are used again.
#include "cid.h"
#include "counting_allocator.hpp"
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

namespace ctxid_test {
namespace {

constexpr uint32_t ALL_IDS = 1 << 18;

class Tables : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(EveryKind, Tables, testing::Values(0, 1, 2));

TEST_P(Tables, DuplicatesGetTheNextIdByOneCollective) {
    World world(5, GetParam(), ALL_IDS);
    for (uint32_t i = 1; i <= 300; i++) {
        Creation creation(world.processes(), *world.world(), {0, 1, 2, 3, 4}, {0, 0, 0, 0, 0}, 7,
                          true, Fold::words);
        world.run(creation);
        for (size_t m = 0; m < 5; m++) {
            EXPECT_EQ(creation.prefixes[m], i);
            EXPECT_EQ(creation.collectives[m], 1);
        }
        world.commit(creation);
    }
    EXPECT_EQ(world.end(), 301U);
}

// Cycles of creating and freeing; "id used" must stay below twice the most that were alive, and a
// few.
void expect_bounded(const World &world, size_t peak) { EXPECT_LE(world.end(), 2 * peak + 8); }

TEST_P(Tables, LeapfrogUsesIdsAgain) {
    World world(3, GetParam(), ALL_IDS);
    Comm *last = world.dup(world.world());
    for (int i = 0; i < 2000; i++) {
        Comm *next = world.dup(world.world());
        world.free(last);
        last = next;
    }
    expect_bounded(world, 3);
}

TEST_P(Tables, ChainUsesIdsAgain) {
    World world(3, GetParam(), ALL_IDS);
    Comm *last = world.dup(world.world());
    for (int i = 0; i < 2000; i++) {
        Comm *next = world.dup(last);
        world.free(last);
        last = next;
    }
    expect_bounded(world, 3);
}

TEST_P(Tables, TwoParentsUseIdsAgain) {
    World world(3, GetParam(), ALL_IDS);
    Comm *a = world.dup(world.world()), *b = world.dup(world.world());
    std::deque<Comm *> alive;
    for (int i = 0; i < 4000; i++) {
        alive.push_back(world.dup(i % 2 ? a : b));
        if (alive.size() > 4) {
            world.free(alive.front());
            alive.pop_front();
        }
    }
    expect_bounded(world, 8);
}

TEST_P(Tables, ChurnAmongLongLivedOnesIsBounded) {
    std::mt19937 random(3);
    World world(4, GetParam(), ALL_IDS);
    size_t peak = 1;
    for (int i = 0; i < 6000; i++) {
        world.dup(world.any(random()));
        peak = std::max(peak, world.live());
        while (world.live() > 1 && (random() % 100 < 55 || world.live() > 60)) {
            Comm *gone = world.any(random());
            if (gone == world.world()) break;
            world.free(gone);
        }
    }
    expect_bounded(world, peak);
}

TEST(Offers, FoldingByWordsFindsTheSameId) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 100000; i++) {
        const uint64_t a = random() & random(), b = random() & random();
        const uint64_t fields = fold_offers(a, b), words = fold_words(a, b);
        EXPECT_EQ(fields >> 63, words >> 63) << "refused";
        if ((fields >> 63) != 0) continue;
        EXPECT_EQ(fields >> 60, words >> 60) << "flags";
        const bool busy = (fields >> 62 & 1) != 0;
        EXPECT_TRUE(busy || (fields >> 40 & 0xfffff) == (words >> 40 & 0xfffff)) << "end";
        EXPECT_EQ(fold_offers(a, b), fold_offers(b, a));
        EXPECT_EQ(fold_offers(a, a), a);
    }
}

TEST_P(Tables, ColoursGetIdsOfTheirOwnAndOneCursor) {
    std::mt19937 random(11);
    World world(6, GetParam(), ALL_IDS);
    for (int i = 0; i < 1500; i++) {
        Comm *parent = world.any(random());
        std::vector<int> colours;
        for (size_t m = 0; m < parent->members.size(); m++)
            colours.push_back(static_cast<int>(random() % 4) - 1);
        Creation creation(world.processes(), *parent, parent->members, colours, 7, true,
                          Fold::fields);
        world.run(creation);
        for (int n : creation.collectives)
            EXPECT_EQ(n, 1);
        for (int p : parent->members)
            EXPECT_EQ(communicator_cursor(parent->at[p]),
                      communicator_cursor(parent->at[parent->members[0]]));
        world.commit(creation);
        while (world.live() > 40) {
            Comm *gone = world.any(random());
            if (gone != world.world()) world.free(gone);
        }
    }
}

TEST_P(Tables, WhenNoIdIsLeftAllMembersSaySoAndGoOn) {
    World world(3, GetParam(), 40);
    std::vector<Comm *> made;
    while (Comm *comm = world.dup(world.world()))
        made.push_back(comm);
    EXPECT_EQ(made.size(), 39U) << "every id can be used";
    for (int i = 0; i < 30; i++) {
        world.free(made[static_cast<size_t>(i)]);
        Comm *again = world.dup(world.world());
        ASSERT_NE(again, nullptr);
        EXPECT_EQ(world.dup(again), nullptr);
    }
}

// Process 0 with everybody in turn: what is free at one is not free at the other.
TEST_P(Tables, FragmentedIdsAreFound) {
    World world(4, GetParam(), 64);
    for (int i = 0; i < 40; i++) {
        const int other = 1 + i % 3;
        Creation creation(world.processes(), *world.world(), {0, other}, {0, 0},
                          static_cast<uint32_t>(i), false, Fold::words);
        world.run(creation);
        world.commit(creation);
    }
    int more = 0;
    while (world.dup(world.world()) != nullptr)
        more++;
    EXPECT_EQ(more, 64 - 1 - 40) << "process 0 used 41, and the others use none that it does not";
}

TEST_P(Tables, GivingUpLeavesNothing) {
    World world(2, GetParam(), ALL_IDS);
    for (int i = 0; i < 100; i++) {
        uint64_t offer = 0;
        process_t *process = world.processes()[0];
        creation_t *creation =
            creation_begin(process, world.world()->at[0], 7, false, true, &offer);
        creation_abandon(creation);
        creation_destroy(creation);
        Creation unused(world.processes(), *world.world(), {0, 1}, {0, 0}, 7, true, Fold::words);
        world.run(unused);
        process_give_back(world.processes()[0], unused.prefixes[0]);
        process_give_back(world.processes()[1], unused.prefixes[1]);
    }
    EXPECT_EQ(process_used(world.processes()[0]), 1U);
}

// All outcomes alike, no id taken or reserved, and the parent's cursor where it was.
void expect_refused(World &world, Comm *parent, size_t refuses, Fold fold) {
    const std::vector<int> &members = parent->members;
    std::vector<uint32_t> before;
    for (process_t *process : world.processes()) {
        before.push_back(process_used(process));
        before.push_back(process_reserved(process));
        before.push_back(process_end(process));
    }
    const uint32_t cursor = communicator_cursor(parent->at[members[0]]);
    Creation creation(world.processes(), *parent, members, std::vector<int>(members.size(), 0), 7,
                      true, fold);
    creation.refuses[refuses] = true;
    world.run(creation);
    for (size_t m = 0; m < members.size(); m++) {
        EXPECT_EQ(creation.outcomes[m], STEP_REFUSED);
        EXPECT_EQ(creation.collectives[m], 1);
        EXPECT_EQ(communicator_cursor(parent->at[members[m]]), cursor);
    }
    std::vector<uint32_t> after;
    for (process_t *process : world.processes()) {
        after.push_back(process_used(process));
        after.push_back(process_reserved(process));
        after.push_back(process_end(process));
    }
    EXPECT_EQ(before, after);
}

TEST_P(Tables, OneMemberThatRefusesEndsItForAll) {
    std::mt19937 random(17);
    World world(5, GetParam(), ALL_IDS);
    for (int i = 0; i < 500; i++) {
        expect_refused(world, world.any(random()), random() % 5,
                       i % 2 ? Fold::words : Fold::fields);
        ASSERT_NE(world.dup(world.any(random())), nullptr);
        while (world.live() > 20) {
            Comm *gone = world.any(random());
            if (gone != world.world()) world.free(gone);
        }
    }
}

TEST_P(Tables, OneMemberWithoutMemoryEndsItForAll) {
    cmap_test::CountingAllocator allocator(cid_set_allocator);
    int failures = 0;
    {
        World world(3, GetParam(), ALL_IDS);
        for (int i = 0; i < 400; i++) {
            Creation creation(world.processes(), *world.world(), {0, 1, 2}, {0, 0, 0}, 7, true,
                              Fold::words);
            const size_t poor = static_cast<size_t>(i % 3);
            allocator.fail_from(0);
            creation.step(poor);
            allocator.fail_never();
            world.run(creation);
            if (creation.outcomes[poor] == STEP_DECIDED) {
                world.commit(creation);
                continue;
            }
            failures++;
            for (size_t m = 0; m < 3; m++)
                EXPECT_EQ(creation.outcomes[m], m == poor ? STEP_NO_MEMORY : STEP_REFUSED);
            ASSERT_NE(world.dup(world.world()), nullptr) << "with memory";
        }
    }
    EXPECT_GT(failures, 0);
}

// Threads and pending duplicates: many creations at once, each member of each as far as chance has
// it.
class Crowd {
  public:
    Crowd(World &world, uint32_t seed) : world_(world), random_(seed) {}

    void run(int creations, size_t at_once) {
        int64_t steps_left = INT64_C(2000) * creations;
        while (creations > 0 || !active_.empty()) {
            ASSERT_GT(steps_left--, 0) << "no end in sight";
            if (creations > 0 && active_.size() < at_once && random_() % 4 == 0) {
                start();
                creations--;
            }
            if (!active_.empty()) advance();
        }
    }
    int decided = 0, exhausted = 0, most_collectives = 0, one_collective = 0;

  private:
    void start() {
        Comm *parent = world_.any(random_());
        const bool whole = random_() % 3 != 0;
        std::vector<int> who = parent->members;
        if (!whole) {
            std::shuffle(who.begin(), who.end(), random_);
            who.resize(1 + random_() % who.size());
            std::sort(who.begin(), who.end());
        }
        const bool split = whole && random_() % 2 == 0;
        const bool some = whole && !split && random_() % 2 == 0;  // MPI_Comm_create of a group
        std::vector<int> colours(who.size(), 0);
        for (int &colour : colours)
            colour = static_cast<int>(split ? random_() % 3 : some ? random_() % 2 : 1) - 1;
        active_.push_back(std::make_unique<Creation>(world_.processes(), *parent, who, colours,
                                                     whole ? 5000 + tag_ : tag_, whole,
                                                     split ? Fold::fields : Fold::words));
        if (random_() % 16 == 0)
            active_.back()->refuses[random_() % active_.back()->refuses.size()] = true;
        tag_++;
    }
    // The members call the collectives of a communicator in the same order.
    bool may_begin(const Creation &creation, size_t member) const {
        for (const auto &other : active_) {
            if (other.get() == &creation) return true;
            if (other->parent != creation.parent) continue;
            const auto it = std::find(other->who.begin(), other->who.end(), creation.who[member]);
            if (it == other->who.end()) continue;
            if (other->collectives[static_cast<size_t>(it - other->who.begin())] == 0) return false;
        }
        return true;
    }
    void advance() {
        const size_t chosen = random_() % active_.size();
        Creation &creation = *active_[chosen];
        const size_t member = random_() % creation.who.size();
        if (creation.collectives[member] > 0 || may_begin(creation, member)) creation.step(member);
        if (!creation.is_done()) return;
        finish(creation);
        active_.erase(active_.begin() + static_cast<ptrdiff_t>(chosen));
    }
    void finish(const Creation &creation) {
        for (int outcome : creation.outcomes)
            EXPECT_EQ(outcome, creation.outcomes[0]);
        for (int n : creation.collectives)
            most_collectives = std::max(most_collectives, n);
        one_collective += creation.collectives[0] == 1;
        const auto &refuses = creation.refuses;
        const bool refused = std::find(refuses.begin(), refuses.end(), true) != refuses.end();
        EXPECT_EQ(creation.outcomes[0] == STEP_REFUSED, refused);
        if (refused) return;
        if (creation.outcomes[0] != STEP_DECIDED) {
            exhausted++;
            free_some(0);
            return;
        }
        decided++;
        world_.commit(creation);
        free_some(25);
    }
    void free_some(size_t keep) {
        for (int tries = 0; tries < 50 && world_.live() > keep; tries++) {
            Comm *gone = world_.any(random_());
            const bool in_use = gone == world_.world() ||
                                std::any_of(active_.begin(), active_.end(),
                                            [&](const auto &c) { return c->parent == gone; });
            if (!in_use) world_.free(gone);
        }
    }

    World &world_;
    std::mt19937 random_;
    uint32_t tag_ = 1;
    std::vector<std::unique_ptr<Creation>> active_;
};

TEST_P(Tables, CreationsAtTheSameTimeAgree) {
    for (uint32_t seed = 1; seed <= 8; seed++) {
        World world(5, GetParam(), ALL_IDS);
        Crowd crowd(world, seed);
        crowd.run(1500, 1 + seed);
        EXPECT_EQ(crowd.exhausted, 0);
        EXPECT_GT(crowd.one_collective, 1400) << "collisions should be rare";
    }
}

TEST_P(Tables, CreationsAtTheSameTimeShareFewIds) {
    for (uint32_t seed = 1; seed <= 8; seed++) {
        World world(4, GetParam(), 40 + 8 * seed);
        Crowd crowd(world, 100 + seed);
        crowd.run(1500, 6);
        EXPECT_GT(crowd.decided, 500);
        EXPECT_GT(crowd.most_collectives, 1) << "too easy to test the masks";
    }
}

}  // namespace
}  // namespace ctxid_test
