// SPDX-License-Identifier: BSD-3-Clause
// Agreement on context ids, without MPI: what members decide, and that ids are used again.
#include "counting_allocator.hpp"
#include "crowd.hpp"
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

namespace ctxid_test {
namespace {

using cmap_test::CountingAllocator;

constexpr uint32_t ALL_IDS = 1 << 18;

class Tables : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(EveryKind, Tables, testing::Values(0, 1, 2));

TEST_P(Tables, DuplicatesGetTheNextIdByOneCollective) {
    World world(5, GetParam(), ALL_IDS);
    for (uint32_t i = 1; i <= 300; i++) {
        Creation creation(world, *world.world(), {0, 1, 2, 3, 4}, {0, 0, 0, 0, 0}, 7, true,
                          Fold::reduction);
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

// Many stay for long, few come and go, and all are parents.
TEST_P(Tables, ParentsThatStayDoNotTakeIdsForEver) {
    constexpr size_t stay = 50, go = 6;
    std::mt19937 random(7);
    World world(2, GetParam(), ALL_IDS);
    std::vector<Comm *> alive;
    for (size_t i = 0; i < stay + go; i++)
        alive.push_back(world.dup(world.world()));
    for (size_t i = 0; i < 20000; i++) {
        Comm *made = world.dup(alive[random() % alive.size()]);
        Comm *&place = alive[i % 500 == 0 ? random() % stay : stay + i % go];
        world.free(place);
        place = made;
        expect_bounded(world, stay + go + 2);
    }
}

// Now and then of one who takes no part.
uint64_t random_offer(std::mt19937_64 &random) {
    constexpr uint64_t flags = UINT64_C(15) << 60, numbers = (UINT64_C(1) << 54) - 1;
    const uint64_t offer = random() & random() & (flags | numbers);
    return random() % 8 == 0 ? offer & flags : offer | UINT64_C(1) << 36;
}

TEST(Offers, FoldingIsTheSameInEveryOrder) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 100000; i++) {
        const uint64_t a = random_offer(random), b = random_offer(random), c = random_offer(random);
        EXPECT_EQ(fold_packed(a, b), fold_packed(b, a));
        EXPECT_EQ(fold_packed(a, a), a);
        EXPECT_EQ(fold_packed(fold_packed(a, b), c), fold_packed(a, fold_packed(b, c)));
    }
}

TEST(Offers, MembersThatCountDifferentlyFindOut) {
    const uint64_t offer = 1 << 20, probe_taken = UINT64_C(1) << 57;
    const offer_t five = {offer, 5}, six = {offer, 6};
    EXPECT_EQ(fold_offers(five, five).packed, offer);
    EXPECT_EQ(fold_offers(five, six).packed, offer | probe_taken);
    EXPECT_EQ(fold_offers(fold_offers(six, five), six).packed, offer | probe_taken);
    EXPECT_EQ(fold_offers(five, six).number, 6U);
}

TEST_P(Tables, ColoursGetIdsOfTheirOwnAndOneCursor) {
    std::mt19937 random(11);
    World world(6, GetParam(), ALL_IDS);
    int searches = 0;
    for (int i = 0; i < 1500; i++) {
        Comm *parent = world.any(random());
        std::vector<int> colours;
        for (size_t m = 0; m < parent->members.size(); m++)
            colours.push_back(static_cast<int>(random() % 4) - 1);
        Creation creation(world, *parent, parent->members, colours, 7, true, Fold::rows);
        world.run(creation);
        searches += creation.collectives[0] > 1;
        for (int p : parent->members)
            EXPECT_EQ(communicator_cursor(parent->at[p]),
                      communicator_cursor(parent->at[parent->members[0]]));
        world.commit(creation);
        while (world.live() > 40) {
            Comm *gone = world.any(random());
            if (gone != world.world()) world.free(gone);
        }
    }
    // A member whose table is smaller than the others' makes it larger before it takes an id.
    EXPECT_LE(searches, 3);
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
        Creation creation(world, *world.world(), {0, other}, {0, 0}, static_cast<uint32_t>(i),
                          false, Fold::reduction);
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
        offer_t offer{};
        process_t *process = world.processes()[0];
        creation_t *creation =
            creation_begin(process, world.world()->at[0], 7, false, 0, true, 0, &offer);
        creation_abandon(creation);
        creation_destroy(creation);
        Creation unused(world, *world.world(), {0, 1}, {0, 0}, 7, true, Fold::reduction);
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
    Creation creation(world, *parent, members, std::vector<int>(members.size(), 0), 7, true, fold);
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
                       i % 2 ? Fold::reduction : Fold::rows);
        ASSERT_NE(world.dup(world.any(random())), nullptr);
        while (world.live() > 20) {
            Comm *gone = world.any(random());
            if (gone != world.world()) world.free(gone);
        }
    }
}

TEST_P(Tables, OneMemberWithoutMemoryEndsItForAll) {
    CountingAllocator allocator(process_set_allocator);
    int failures = 0;
    {
        World world(3, GetParam(), ALL_IDS);
        for (int i = 0; i < 400; i++) {
            Creation creation(world, *world.world(), {0, 1, 2}, {0, 0, 0}, 7, true,
                              Fold::reduction);
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

// Runs a creation in which a member has memory for its offer alone; true if all members succeed.
bool expect_all_or_none(World &world, CountingAllocator &allocator, Creation &creation,
                        size_t poor) {
    while (!creation.is_done())
        for (size_t m = 0; m < creation.who.size(); m++) {
            if (m == poor && creation.has_begun(m)) allocator.fail_from(0);
            creation.step(m);
            allocator.fail_never();
        }
    const bool succeeded = creation.outcomes[poor] == STEP_DECIDED;
    for (size_t m = 0; m < creation.who.size(); m++)
        EXPECT_EQ(creation.outcomes[m] == STEP_DECIDED, succeeded) << "member " << m;
    if (succeeded) world.commit(creation);
    return succeeded;
}

// One more communicator of members 1 and 2.
void let_others_create(World &world) {
    Creation others(world, *world.world(), {1, 2}, {0, 0}, 9, false, Fold::reduction);
    world.run(others);
    world.commit(others);
}

// Member 0 is in few communicators, so the others' ids are beyond its table.
TEST_P(Tables, MembersWithFewIdsHaveMemoryForTheIdsOfOthers) {
    CountingAllocator allocator(process_set_allocator);
    int successes = 0;
    {
        World world(3, GetParam(), ALL_IDS);
        for (int i = 0; i < 1500; i++) {
            let_others_create(world);
            if (i % 50 != 13) continue;
            SCOPED_TRACE(testing::Message() << "with " << i << " of the others");
            Creation all(world, *world.world(), {0, 1, 2}, {0, 0, 0}, 7, true,
                         i % 100 == 13 ? Fold::rows : Fold::reduction);
            successes += expect_all_or_none(world, allocator, all, 0);
            ASSERT_NE(world.dup(world.world()), nullptr) << "with memory";
        }
    }
    EXPECT_GE(successes, 20);  // of 30
}

// As a shrink, whose offers are part of an agreement and are repeated, because no search can be
// part of one.  Returns the offers that each member made, and the ids of all members; 0: none.
int offer_until_decided(World &world, std::vector<uint32_t> &prefixes) {
    constexpr int most = 32;
    const size_t members = world.processes().size();
    for (int offers = 1; offers <= most; offers++) {
        std::vector<creation_t *> creations(members);
        std::vector<offer_t> own(members);
        std::vector<int> steps(members);
        for (size_t m = 0; m < members; m++)
            creations[m] =
                creation_begin(world.processes()[m], world.world()->at[static_cast<int>(m)], 11,
                               false, 0, true, 0, &own[m]);
        const offer_t all = std::accumulate(own.begin() + 1, own.end(), own[0], fold_offers);
        for (size_t m = 0; m < members; m++) {
            steps[m] = creation_settle(creations[m], all.packed, all, &prefixes[m]);
            EXPECT_EQ(steps[m], steps[0]) << "member " << m;
            if (steps[m] != STEP_DECIDED) creation_abandon(creations[m]);
            creation_destroy(creations[m]);
        }
        if (steps[0] == STEP_DECIDED) return offers;
    }
    return 0;
}

// The same, where no search follows: the next offer has memory for the id that all wanted.
TEST_P(Tables, OffersAloneReachTheIdsOfOthers) {
    World world(3, GetParam(), ALL_IDS);
    for (int i = 0; i < 1500; i++) {
        let_others_create(world);
        if (i % 50 != 13) continue;
        std::vector<uint32_t> prefixes(3);
        const int offers = offer_until_decided(world, prefixes);
        ASSERT_TRUE(offers == 1 || offers == 2)
            << offers << " offers with " << i << " of the others";
        for (size_t m = 0; m < 3; m++) {
            EXPECT_EQ(prefixes[m], prefixes[0]);
            process_give_back(world.processes()[m], prefixes[m]);
        }
    }
}

// The first offer beside another one has no memory for its probe.
TEST_P(Tables, BusyMembersHaveMemoryForTheirProbes) {
    CountingAllocator allocator(process_set_allocator);
    int successes = 0;
    {
        World world(3, GetParam(), ALL_IDS);
        for (int i = 0; i < 300; i++) {
            Creation late(world, *world.world(), {1, 2}, {0, 0}, 9, false, Fold::reduction);
            Creation all(world, *world.world(), {0, 1, 2}, {0, 0, 0}, 7, true, Fold::reduction);
            late.step(0);
            successes += expect_all_or_none(world, allocator, all, static_cast<size_t>(i % 3));
            world.run(late);
            world.commit(late);
        }
    }
    EXPECT_GE(successes, 250);
}

// A parent that stays, children that come and go: none gets an id before those freed earlier.
TEST_P(Tables, IdsFreedLongestAgoComeFirst) {
    constexpr size_t peak = 24, alive = 4;
    World world(3, GetParam(), ALL_IDS);
    std::vector<Comm *> first;
    for (size_t i = 1; i < peak; i++)
        first.push_back(world.dup(world.world()));
    for (Comm *comm : first)
        world.free(comm);
    std::deque<Comm *> children;
    std::map<uint32_t, int> freed;  // when, by id
    for (int i = 0; i < 1000; i++) {
        children.push_back(world.dup(world.world()));
        const uint32_t id = children.back()->prefix;
        ASSERT_LT(id, 2 * peak);
        if (freed.count(id) > 0) {
            EXPECT_GE(i - freed[id], int{2 * peak - 2 * alive}) << "id " << id;
        }
        if (children.size() < alive) continue;
        freed[children.front()->prefix] = i;
        world.free(children.front());
        children.pop_front();
    }
    EXPECT_GE(freed.size(), 2 * peak - alive - 1);
}

// Rank 0 waits in a creation for somebody who does not come.  Others need one collective each:
// their probes differ from call to call, though the tag is the same.
TEST_P(Tables, PartsOfAParentAreFastBesideOneThatWaits) {
    World world(3, GetParam(), ALL_IDS);
    Creation waits(world, *world.world(), {0, 1}, {0, 0}, 3, false, Fold::reduction);
    waits.step(0);
    int slow = 0;
    constexpr int calls = 3000;
    for (int i = 0; i < calls; i++) {
        Creation creation(world, *world.world(), {0, 2}, {0, 0}, 7, false, Fold::reduction);
        world.run(creation);
        ASSERT_EQ(creation.outcomes[0], STEP_DECIDED);
        slow += creation.collectives[0] > 1;
        EXPECT_LE(creation.collectives[0], 2);
        world.commit(creation);
    }
    EXPECT_LT(slow, calls / 10);
    while (!waits.is_done())
        for (size_t member = 0; member < 2; member++)
            waits.step(member);
    EXPECT_EQ(waits.outcomes[0], STEP_DECIDED);
    world.commit(waits);
}

// What it may get is withheld, and a cursor here and there; all else can be had.
TEST_P(Tables, IdsCanBeHadBesideOneThatWaits) {
    World world(3, GetParam(), 400);
    std::vector<Comm *> early;
    for (int i = 0; i < 200; i++)
        early.push_back(world.dup(world.world()));
    Creation waits(world, *world.world(), {0, 1}, {0, 0}, 3, false, Fold::reduction);
    waits.step(0);
    for (Comm *comm : early)
        world.free(comm);
    for (int i = 0; i < 200 + 100 - 4; i++) {
        Creation creation(world, *world.world(), {0, 2}, {0, 0}, 7, false, Fold::reduction);
        world.run(creation);
        ASSERT_EQ(creation.outcomes[0], STEP_DECIDED) << i;
        world.commit(creation);
    }
    while (!waits.is_done())
        for (size_t member = 0; member < 2; member++)
            waits.step(member);
    world.commit(waits);
}

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
    for (uint32_t seed = 1; seed <= 12; seed++) {
        World world(4, GetParam(), 40 + 8 * seed);
        Crowd crowd(world, 100 + seed);
        crowd.run(1500, 6);
        EXPECT_GT(crowd.decided, 500);
        EXPECT_GT(crowd.most_collectives, 1) << "too easy to test the masks";
    }
}

// A third of 100,000 for each kind of table; the sanitizers are ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t ORDERS = 3334;
#else
constexpr uint32_t ORDERS = 33334;
#endif

// Crowd::finish checks each verdict.
TEST_P(Tables, NoIdIsFreeWhereTheySaySo) {
    int exhausted = 0;
    for (uint32_t seed = 1; seed <= ORDERS; seed++) {
        World world(3, GetParam(), 8 + seed % 3);
        Crowd crowd(world, seed);
        crowd.run(12, 4);
        exhausted += crowd.exhausted;
        ASSERT_FALSE(HasFailure()) << "order " << seed;
    }
    EXPECT_GT(exhausted, int{ORDERS / 50});
}

// What a creation waits for, directly or not, are creations that every thread reaches without it.
TEST_P(Tables, NoThreadWaitsForEver) {
    int exhausted = 0;
    for (uint32_t seed = 1; seed <= ORDERS; seed++) {
        World world(3 + static_cast<int>(seed % 2), GetParam(), 8 + seed % 5);
        Crowd crowd(world, seed);
        crowd.threads = 2 + seed % 3;
        crowd.run(16, 12);
        exhausted += crowd.exhausted;
        ASSERT_FALSE(HasFatalFailure()) << "order " << seed;
    }
    EXPECT_GT(exhausted, int{ORDERS / 50});
}

// Each allocation fails once, whenever it comes, in one member alone.
TEST_P(Tables, AllMembersFailWhenOneHasNoMemory) {
    CountingAllocator allocator(process_set_allocator);
    int failures = 0;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        for (uint64_t k = 0, more = 1; more; k++) {
            World world(4, GetParam(), seed % 2 ? ALL_IDS : 40);
            Crowd crowd(world, seed);
            allocator.fail_at(k);
            crowd.run(60, seed);
            more = allocator.has_failed();
            allocator.fail_never();
            failures += crowd.failed;
            ASSERT_EQ(crowd.alone, 0) << "allocation " << k << " of order " << seed;
            ASSERT_FALSE(HasFailure()) << "allocation " << k << " of order " << seed;
        }
    }
    EXPECT_GT(failures, 0);
}

TEST_P(Tables, NoMembersEverDifferWhenManyFail) {
    int failures = 0;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        World world(4, GetParam(), seed % 2 ? ALL_IDS : 40);
        Crowd crowd(world, seed);
        crowd.collectives_fail = true;
        crowd.run(300, 1 + seed % 5);
        failures += crowd.alone;
        ASSERT_FALSE(HasFailure()) << "order " << seed;
    }
    EXPECT_GT(failures, 100);
}

// ---- duplicates that take ids of blocks ----

constexpr uint32_t MOST = 16;

void set_most_blocked(World &world, uint32_t most) {
    for (process_t *process : world.processes())
        process_set_most_blocked(process, most);
}

// 1 id, then 4, then 16 at a time: the first member of each block agrees.
TEST_P(Tables, FifteenOfSixteenDuplicatesSendNothing) {
    World world(5, GetParam(), ALL_IDS);
    int collectives = 0;
    for (int i = 0; i < 1 + 4 + 10 * 16; i++) {
        Creation creation(world, *world.world(), {0, 1, 2, 3, 4}, {0, 0, 0, 0, 0}, 7, true,
                          Fold::reduction);
        creation.most_ids = MOST;
        world.run(creation);
        const bool agrees = i < 2 || i % 16 == 5;
        for (size_t m = 0; m < 5; m++) {
            EXPECT_EQ(creation.outcomes[m], STEP_DECIDED);
            EXPECT_EQ(creation.collectives[m], agrees) << "duplicate " << i;
            EXPECT_EQ(creation.prefixes[m], static_cast<uint32_t>(i) + 1);
        }
        collectives += creation.collectives[0];
        world.commit(creation);
    }
    EXPECT_EQ(collectives, 12);
    for (process_t *process : world.processes())
        EXPECT_EQ(process_reserved(process), 0U);
}

// Of n duplicates that come and go.
int collectives_of(World &world, Comm *parent, uint32_t most_ids, int n) {
    int collectives = 0;
    for (int i = 0; i < n; i++) {
        Creation creation(world, *parent, parent->members,
                          std::vector<int>(parent->members.size(), 0), 7, true, Fold::reduction);
        creation.most_ids = most_ids;
        world.run(creation);
        collectives += creation.collectives[0];
        world.free(world.commit(creation).front());
    }
    return collectives;
}

// So do those of members of which some have many more ids in use than others.
TEST_P(Tables, MembersWithFewIdsFollowTheOthers) {
    for (int more : {0, 30, 100, 500}) {
        World world(3, GetParam(), ALL_IDS);
        for (int i = 0; i < more; i++) {
            Creation pair(world, *world.world(), {1, 2}, {0, 0}, 7, false, Fold::reduction);
            world.run(pair);
            world.commit(pair);
        }
        EXPECT_LE(collectives_of(world, world.world(), MOST, 320), 64)
            << more << " communicators more";
    }
}

Comm *make_alone(World &world, int process) {
    Creation alone(world, *world.world(), {process}, {0}, 7, false, Fold::reduction);
    world.run(alone);
    return world.commit(alone).front();
}

// Two members' ids lie far apart, as a third one has many.  They find no block below twice the
// number of those that they use, and look behind all.
TEST_P(Tables, MembersWithFewIdsFarApartGetABlock) {
    World world(3, GetParam(), ALL_IDS);
    Creation two(world, *world.world(), {0, 1}, {0, 0}, 7, false, Fold::reduction);
    world.run(two);
    Comm *pair = world.commit(two).front();
    for (int i = 0; i < 40; i++) {
        ASSERT_NE(world.dup(world.world()), nullptr);
        for (int k = 0; k < 7; k++)
            make_alone(world, 2);
    }
    EXPECT_LE(collectives_of(world, pair, MOST, 100), 16);
}

// The members' runs of free ids overlap by three at most, so a block of four is free at all of them
// only beyond the ids in use.
TEST_P(Tables, MembersWithScatteredIdsAgreeOnABlock) {
    World world(2, GetParam(), ALL_IDS);
    for (int process = 0; process < 2; process++) {
        std::vector<Comm *> made;
        for (int i = 0; i < 800; i++)
            made.push_back(make_alone(world, process));
        for (Comm *comm : made)
            if (comm->prefix % 8 != 4 * static_cast<uint32_t>(process)) world.free(comm);
        for (int i = 0; i < 1000; i++)  // so that new ids are not preferred any more
            world.free(make_alone(world, process));
    }
    EXPECT_LE(collectives_of(world, world.world(), 4, 20), 8);
}

// Duplicates that come and go: blocks are of ids freed longest ago, and ids stay few.
TEST_P(Tables, BlocksUseIdsAgain) {
    World world(3, GetParam(), ALL_IDS);
    std::deque<Comm *> alive;
    for (int i = 0; i < 5000; i++) {
        alive.push_back(world.duplicate(world.world(), MOST));
        ASSERT_NE(alive.back(), nullptr);
        if (alive.size() <= 4) continue;
        world.free(alive.front());
        alive.pop_front();
    }
    expect_bounded(world, 6 + 3 * MOST);
}

// What a communicator has not used comes back with it.
TEST_P(Tables, FreedParentsGiveTheirBlocksBack) {
    World world(3, GetParam(), ALL_IDS);
    for (int i = 0; i < 300; i++) {
        Comm *parent = world.dup(world.world());
        for (int j = 0; j < i % 30; j++)
            world.free(world.duplicate(parent, MOST));
        world.free(parent);
        for (process_t *process : world.processes()) {
            EXPECT_EQ(process_used(process), 1U);
            EXPECT_EQ(process_reserved(process), 0U);
        }
    }
    expect_bounded(world, 3 + 3 * MOST);
}

// With threads a search takes no id of a block, also not of one that belongs to its own parent: a
// member that is ahead may have sent messages on the duplicate, and freed it.
TEST_P(Tables, IdsOfBlocksStay) {
    constexpr uint32_t limit = 128;
    World world(3, GetParam(), limit);
    set_most_blocked(world, limit);
    std::vector<Comm *> parents = {world.world()}, made;
    for (int i = 0; i < 7; i++)
        made.push_back(world.duplicate(world.world(), MOST));
    parents.push_back(made[0]);
    for (int i = 0; i < 3; i++)
        made.push_back(world.duplicate(made[0], MOST));
    const uint32_t set_aside = process_reserved(world.processes()[0]);
    EXPECT_GT(set_aside, 10U);
    while (Comm *comm = world.dup(world.world()))
        made.push_back(comm);
    EXPECT_EQ(made.size(), limit - 1 - set_aside);
    for (process_t *process : world.processes())
        EXPECT_EQ(process_reserved(process), set_aside);
    uint32_t silent = 0;
    for (Comm *parent : parents)
        while (world.duplicate(parent, MOST) != nullptr)
            silent++;
    EXPECT_EQ(silent, set_aside) << "the duplicates have them";
}

// A search among some members leaves them, too.
TEST_P(Tables, IdsOfOthersBlocksStay) {
    constexpr uint32_t limit = 128;
    World world(3, GetParam(), limit);
    set_most_blocked(world, limit);
    for (int i = 0; i < 7; i++)
        world.duplicate(world.world(), MOST);
    const uint32_t set_aside = process_reserved(world.processes()[0]);
    EXPECT_GT(set_aside, 10U);
    Creation pair(world, *world.world(), {0, 1}, {0, 0}, 7, false, Fold::reduction);
    world.run(pair);
    Comm *parent = world.commit(pair).front();
    uint32_t more = 0;
    while (world.dup(parent) != nullptr)
        more++;
    EXPECT_EQ(more, limit - 1 - 7 - 1 - set_aside);
    for (uint32_t i = 0; i < set_aside; i++)
        EXPECT_NE(world.duplicate(world.world(), MOST), nullptr) << "the block is there";
}

// Some communicators have blocks of their own, and ids run out.
std::vector<Comm *> make_blocks(World &world, Comm *parent, int parents) {
    std::vector<Comm *> made;
    for (int i = 0; i < parents; i++)
        made.push_back(world.dup(parent));
    for (int i = 0; i < parents; i++)
        for (int k = 0; k < 3 + 4 * (i % 2); k++)
            world.duplicate(made[static_cast<size_t>(i)], MOST);
    return made;
}

// If each process makes one creation at a time, blocks give their ids back at the end of the ids.
TEST_P(Tables, NoIdOfABlockIsLost) {
    constexpr uint32_t limit = 160;
    World world(3, GetParam(), limit);
    set_most_blocked(world, limit);
    world.may_return = true;
    std::vector<Comm *> parents = make_blocks(world, world.world(), 4);
    EXPECT_GT(process_reserved(world.processes()[0]), 10U);
    while (world.dup(parents[1]) != nullptr)
        continue;
    EXPECT_EQ(world.live(), limit);
    for (process_t *process : world.processes())
        EXPECT_EQ(process_reserved(process), 0U);
    for (Comm *parent : parents)
        EXPECT_EQ(world.duplicate(parent, MOST), nullptr);
    for (int i = 0; i < 40; i++)
        world.free(world.any(limit - 1 - static_cast<uint32_t>(i)));
    for (int i = 0; i < 40; i++)
        EXPECT_NE(world.duplicate(parents[i % 4U], MOST), nullptr) << "all agree";
    EXPECT_EQ(world.live(), limit);
}

// Those of a communicator with a member outside stay; others are for all, also for a member that
// takes no part in the new communicator.
TEST_P(Tables, OnlyMembersGiveIdsOfTheirBlocksBack) {
    constexpr uint32_t limit = 160;
    World world(4, GetParam(), limit);
    set_most_blocked(world, limit);
    world.may_return = true;
    make_blocks(world, world.world(), 3);
    const uint32_t of_all = process_reserved(world.processes()[0]);
    Creation split(world, *world.world(), {0, 1, 2, 3}, {0, 0, 0, 1}, 7, true, Fold::rows);
    world.run(split);
    Comm *three = world.commit(split).front();
    make_blocks(world, three, 3);
    EXPECT_GT(process_reserved(world.processes()[0]), of_all);
    while (world.dup(three) != nullptr)
        continue;
    EXPECT_EQ(process_reserved(world.processes()[0]), of_all);
    EXPECT_EQ(process_used(world.processes()[0]), limit - of_all);
    for (uint32_t i = 0; i < of_all; i++) {
        Creation some(world, *world.world(), {0, 1, 2, 3}, {0, -1, 0, 0}, 8, true, Fold::reduction);
        world.run(some);
        ASSERT_EQ(some.outcomes[1], STEP_DECIDED);
        world.commit(some);
    }
    for (process_t *process : world.processes())
        EXPECT_EQ(process_reserved(process), 0U);
    EXPECT_EQ(process_used(world.processes()[0]), limit);
    EXPECT_EQ(world.dup(world.world()), nullptr);
}

// Ids that the search cannot have, although every process makes one creation at a time.
void expect_kept(World &world, const std::vector<uint32_t> &kept) {
    while (world.dup(world.world()) != nullptr)
        continue;
    for (size_t p = 0; p < kept.size(); p++)
        EXPECT_EQ(process_reserved(world.processes()[p]), kept[p]) << "process " << p;
}

// The others may have duplicates that the member, which knows of the revocation, has not made.
TEST_P(Tables, ARevokedParentGivesNothingBack) {
    World world(3, GetParam(), 160);
    set_most_blocked(world, 160);
    world.may_return = true;
    Comm *parent = make_blocks(world, world.world(), 1).front();
    const uint32_t left = process_reserved(world.processes()[0]);
    EXPECT_GT(left, 0U);
    communicator_revoke(parent->at[1]);
    expect_kept(world, {left, left, left});
}

// The collective failed at one member alone, which does not know whether the others have the block.
TEST_P(Tables, ABlockInDoubtGivesNothingBack) {
    World world(3, GetParam(), 160);
    set_most_blocked(world, 160);
    world.may_return = true;
    Comm *parent = world.dup(world.world());
    world.duplicate(parent, MOST);
    Creation second(world, *parent, {0, 1, 2}, {0, 0, 0}, 1000, true, Fold::reduction);
    second.most_ids = MOST;
    second.fails[2] = true;
    world.run(second);
    world.commit(second);
    expect_kept(world, {3, 3, 4});
}

// Another member may have duplicates of a revoked parent that this one has not made.
TEST_P(Tables, IdsOfARevokedParentAreNotUsedAgain) {
    constexpr uint32_t limit = 128;
    World world(3, GetParam(), limit);
    set_most_blocked(world, limit);
    Comm *parent = world.dup(world.world());
    for (int i = 0; i < 3; i++)
        world.free(world.duplicate(parent, MOST));
    const uint32_t left = process_reserved(world.processes()[0]);
    EXPECT_GT(left, 0U);
    for (const auto &[process, communicator] : parent->at)
        communicator_revoke(communicator);
    world.free(parent);
    uint32_t made = 0;
    while (world.dup(world.world()) != nullptr)
        made++;
    EXPECT_EQ(made, limit - 1 - left);
}

TEST_P(Tables, OneMemberFailsASilentDuplicateAlone) {
    std::mt19937 random(19);
    World world(4, GetParam(), ALL_IDS);
    int broken = 0;
    for (int i = 0; i < 2000; i++) {
        Creation creation(world, *world.world(), {0, 1, 2, 3}, {0, 0, 0, 0}, 7, true,
                          Fold::reduction);
        const size_t poor = random() % 4;
        creation.most_ids = MOST;
        creation.refuses[poor] = random() % 32 == 0;
        world.run(creation);
        if (!creation.refuses[poor] || creation.silent[poor]) {
            broken += creation.refuses[poor];
            world.free(world.commit(creation).front());
            continue;
        }
        for (int outcome : creation.outcomes)
            EXPECT_EQ(outcome, STEP_REFUSED) << "with a collective all fail";
    }
    EXPECT_GT(broken, 10);
    EXPECT_EQ(process_used(world.processes()[0]), 1U);
}

TEST_P(Tables, DuplicatesBesideOtherCreationsAgree) {
    int silent = 0, broken = 0, revoked = 0;
    for (uint32_t seed = 1; seed <= 24; seed++) {
        World world(5, GetParam(), seed % 2 ? ALL_IDS : 120 + 8 * seed);
        set_most_blocked(world, seed % 2 ? ALL_IDS / 64 : 60);
        Crowd crowd(world, 200 + seed);
        crowd.most_ids = MOST;
        crowd.collectives_fail = seed % 3 == 0;
        crowd.run(1500, 1 + seed % 8);
        silent += crowd.silent;
        broken += crowd.broken;
        revoked += crowd.revoked;
        ASSERT_FALSE(HasFailure()) << "order " << seed;
    }
    EXPECT_GT(silent, 500);
    EXPECT_GT(broken, 10);
    EXPECT_GT(revoked, 10);
}

// Few ids are left, with and without threads: a search ends, and tells the truth, beside blocks.
TEST_P(Tables, FewIdsAndBlocks) {
    int exhausted = 0, silent = 0;
    for (uint32_t seed = 1; seed <= ORDERS / 20; seed++) {
        const uint32_t limit = 90 + seed % 9;
        World world(3 + static_cast<int>(seed % 2), GetParam(), limit);
        set_most_blocked(world, 5 + seed % 32);
        for (uint32_t i = 0; i < 6 + seed % 3; i++)
            world.duplicate(world.world(), MOST);
        for (uint32_t i = 0; i < 4; i++)
            world.duplicate(world.any(1 + seed % 2), MOST);
        while (world.live() + process_reserved(world.processes()[0]) < limit - 8)
            world.dup(world.any(seed + static_cast<uint32_t>(world.live())));
        Crowd crowd(world, seed);
        crowd.most_ids = seed % 2 ? 4 : MOST;
        crowd.threads = seed % 4;
        crowd.collectives_fail = seed % 3 == 0;
        crowd.keep = limit;
        crowd.run(60, 2 + seed % 6);
        exhausted += crowd.exhausted;
        silent += crowd.silent;
        ASSERT_FALSE(HasFailure()) << "order " << seed;
    }
    EXPECT_GT(exhausted, int{ORDERS / 100});
    EXPECT_GT(silent, int{ORDERS / 100});
}

// As above, where each process makes one creation at a time and blocks give ids back.
TEST_P(Tables, FewIdsThatBlocksGiveBack) {
    int exhausted = 0, silent = 0, revoked = 0;
    for (uint32_t seed = 1; seed <= ORDERS / 20; seed++) {
        const uint32_t limit = 90 + seed % 9;
        World world(3 + static_cast<int>(seed % 2), GetParam(), limit);
        set_most_blocked(world, limit);
        world.may_return = true;
        make_blocks(world, world.world(), 3);
        while (world.live() + process_reserved(world.processes()[0]) < limit - 8)
            world.dup(world.any(seed + static_cast<uint32_t>(world.live())));
        Crowd crowd(world, seed);
        crowd.most_ids = seed % 2 ? 4 : MOST;
        crowd.threads = 1;
        crowd.collectives_fail = seed % 3 == 0;
        crowd.keep = limit;
        crowd.run(160, 2 + seed % 6);
        exhausted += crowd.exhausted;
        silent += crowd.silent;
        revoked += crowd.revoked;
        ASSERT_FALSE(HasFailure()) << "order " << seed;
    }
    EXPECT_GT(exhausted, int{ORDERS / 100});
    EXPECT_GT(silent, int{ORDERS / 300});
    EXPECT_GT(revoked, 0);
}

// Each allocation fails once, whenever it comes, in one member alone.
TEST_P(Tables, BlocksWhenOneHasNoMemory) {
    CountingAllocator allocator(process_set_allocator);
    int silent = 0;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        for (uint64_t k = 0, more = 1; more; k++) {
            World world(4, GetParam(), seed % 2 ? ALL_IDS : 60);
            set_most_blocked(world, seed % 2 ? ALL_IDS / 64 : 30);
            Crowd crowd(world, seed);
            crowd.most_ids = MOST;
            allocator.fail_at(k);
            crowd.run(150, seed);
            more = allocator.has_failed();
            allocator.fail_never();
            silent += crowd.silent;
            ASSERT_FALSE(HasFailure()) << "allocation " << k << " of order " << seed;
        }
    }
    EXPECT_GT(silent, 0);
}

}  // namespace
}  // namespace ctxid_test
