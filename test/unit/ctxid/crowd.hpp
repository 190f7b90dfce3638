// SPDX-License-Identifier: BSD-3-Clause
// Threads: many creations at once, each member of each as far as chance has it.
#ifndef CTXID_TEST_CROWD_HPP_INCLUDED
#define CTXID_TEST_CROWD_HPP_INCLUDED

#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace ctxid_test {

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
    int alone = 0;   // creations in which some members failed after others had their id
    int failed = 0;  // creations in which all members failed, for lack of memory
    // At some members and not at others, now and then, when these are through.
    bool collectives_fail = false;
    // Threads of each process: one makes its creations in turn, and those on one parent begin in
    // turn.  0: as many as creations.
    uint32_t threads = 0;
    uint32_t most_ids = 0;  // of blocks
    size_t keep = 25;       // communicators that are alive, more or less; half after an exhaustion
    int silent = 0;         // duplicates without a collective
    int broken = 0;         // duplicates that not all members have
    int revoked = 0;        // communicators, as a member did not know what the others have

  private:
    void start() {
        // blocks need parents that are duplicated again
        Comm *parent = most_ids > 0 && random_() % 2 == 0 ? world_.world() : world_.any(random_());
        const bool whole = random_() % 3 != 0 && !parent->broken;
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
        active_.push_back(std::make_unique<Creation>(world_, *parent, who, colours,
                                                     whole ? 5000 + tag_ : tag_, whole,
                                                     split ? Fold::rows : Fold::reduction));
        if (most_ids > 0 && whole && !split && !some) active_.back()->most_ids = most_ids;
        if (random_() % 16 == 0)
            active_.back()->refuses[random_() % active_.back()->refuses.size()] = true;
        if (collectives_fail && random_() % 6 == 0) fail_some(*active_.back());
        if (threads > 0) active_.back()->thread = static_cast<int>(random_() % threads);
        tag_++;
    }
    void fail_some(Creation &creation) {
        const size_t first = random_() % creation.who.size(), others = random_();
        for (size_t m = 0; m < creation.who.size(); m++)
            creation.fails[m] = m == first || (others >> m) % 4 == 0;
        creation.fails[(first + 1) % creation.who.size()] = false;
    }
    // A process that makes both of them
    static bool is_before(const Creation &earlier, size_t place, const Creation &later) {
        if (later.thread >= 0 && earlier.thread == later.thread) return !earlier.is_done(place);
        if (earlier.parent != later.parent) return false;
        if (earlier.most_ids > 0 && later.most_ids > 0) return !earlier.is_done(place);
        return !earlier.has_begun(place);
    }
    // The members call the collectives of a communicator, or in a thread, in the same order.
    bool may_begin(const Creation &creation, size_t member) const {
        for (const auto &other : active_) {
            if (other.get() == &creation) return true;
            const auto it = std::find(other->who.begin(), other->who.end(), creation.who[member]);
            if (it == other->who.end()) continue;
            if (is_before(*other, static_cast<size_t>(it - other->who.begin()), creation))
                return false;
        }
        return true;
    }
    void advance() {
        const size_t chosen = random_() % active_.size();
        Creation &creation = *active_[chosen];
        const size_t member = random_() % creation.who.size();
        if (creation.parent->revoked && !creation.is_done(member) && random_() % 4 == 0)
            creation.revoke(member);
        else if (creation.has_begun(member) || may_begin(creation, member))
            creation.step(member);
        if (!creation.is_done()) return;
        finish(creation);
        Comm *parent = creation.parent;
        active_.erase(active_.begin() + static_cast<ptrdiff_t>(chosen));
        if (parent->revoked && !has_creation(parent)) {
            world_.renew(parent);
            revoked++;
        }
    }
    bool has_creation(const Comm *parent) const {
        return std::any_of(active_.begin(), active_.end(),
                           [&](const auto &creation) { return creation->parent == parent; });
    }
    // All the same, but for those who had no memory.
    static int common_outcome(const Creation &creation) {
        int common = STEP_NO_MEMORY;
        for (int outcome : creation.outcomes) {
            if (outcome == STEP_NO_MEMORY) continue;
            EXPECT_TRUE(common == STEP_NO_MEMORY || outcome == common);
            common = outcome;
        }
        return common;
    }
    // Without a collective members fail alone, and the others have the same id.
    void finish_silent(const Creation &creation) {
        bool is_broken = false;
        for (size_t m = 0; m < creation.who.size(); m++) {
            EXPECT_TRUE(creation.silent[m]) << "some members agreed, and others did not";
            is_broken |= creation.outcomes[m] != STEP_DECIDED;
        }
        silent++;
        broken += is_broken;
        world_.commit(creation);
        free_some(keep);
    }
    void finish(const Creation &creation) {
        if (creation.parent->revoked) {
            world_.commit(creation);
            return;
        }
        if (std::find(creation.silent.begin(), creation.silent.end(), true) !=
            creation.silent.end()) {
            finish_silent(creation);
            return;
        }
        const int outcome = common_outcome(creation);
        const auto failures =
            std::count(creation.outcomes.begin(), creation.outcomes.end(), int{STEP_NO_MEMORY});
        for (int n : creation.collectives)
            most_collectives = std::max(most_collectives, n);
        one_collective += creation.collectives[0] == 1;
        const auto &refuses = creation.refuses;
        const bool refused = std::find(refuses.begin(), refuses.end(), true) != refuses.end();
        EXPECT_TRUE(!refused || outcome == STEP_REFUSED || outcome == STEP_NO_MEMORY);
        EXPECT_TRUE(outcome != STEP_REFUSED || refused || failures > 0);
        if (outcome == STEP_EXHAUSTED) {
            EXPECT_TRUE(creation.is_exhausted()) << "an id was free at all members";
            exhausted++;
        }
        failed += outcome != STEP_DECIDED && failures > 0;
        if (outcome == STEP_DECIDED) {
            decided++;
            alone += failures > 0;
            world_.commit(creation);
        }
        free_some(outcome == STEP_EXHAUSTED ? keep / 2 : keep);
    }
    void free_some(size_t keep) {
        for (int tries = 0; tries < 50 && world_.live() > keep; tries++) {
            Comm *gone = world_.any(random_());
            if (gone != world_.world() && !has_creation(gone)) world_.free(gone);
        }
    }

    World &world_;
    std::mt19937 random_;
    uint32_t tag_ = 1;
    std::vector<std::unique_ptr<Creation>> active_;
};

}  // namespace ctxid_test

#endif  // CTXID_TEST_CROWD_HPP_INCLUDED
