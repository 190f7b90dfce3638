// SPDX-License-Identifier: BSD-3-Clause
// A world of simulated processes that create and free communicators.  Collectives are tables that
// fill up step by step, so that a test decides who gets how far before whom.
#ifndef CTXID_TEST_SIMULATION_HPP_INCLUDED
#define CTXID_TEST_SIMULATION_HPP_INCLUDED

#include "process.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ctxid_test {

struct Comm {
    uint32_t prefix = 0;
    std::map<int, communicator_t *> at;  // by process; those that freed it are gone
    std::vector<int> members;
    bool broken = false;  // a member has not got it: no collective of all members ends
    bool revoked = false;
    std::set<int> knows;  // processes that know of it
};

enum class Fold { rows, reduction };  // the rows of a split, or a reduction

class World;

// One creation: members, and what they said in the round that each is in.
class Creation {
  public:
    // who: members of the parent that make the collectives; a colour of -1 takes no part.
    Creation(World &world, Comm &parent, std::vector<int> who, std::vector<int> colours,
             uint32_t tag, bool whole, Fold fold);
    Creation(const Creation &) = delete;
    Creation &operator=(const Creation &) = delete;
    ~Creation();

    // Lets a member do its next step; false when it has to wait for others, or is through.
    bool step(size_t member);
    bool is_done() const;
    bool is_done(size_t member) const;
    bool has_begun(size_t member) const { return begun_[member]; }
    // The parent is revoked, and the member learns of it.
    void revoke(size_t member);
    // After a search without success: did members in fact use every id?
    bool is_exhausted() const;

    std::vector<int> who, colours;
    std::vector<uint32_t> prefixes;
    std::vector<int> outcomes;
    std::vector<int> collectives;  // of each member
    std::vector<bool> refuses;     // members that cannot go on: set before they begin
    std::vector<bool> fails;       // not all: the last collective of these members fails
    uint32_t most_ids = 0;         // of a duplicate, the largest block; set before they begin
    std::vector<bool> silent;      // members that took an id of a block
    bool may_return;               // each process makes one creation at a time
    int thread = -1;               // of each member, which has no other creation meanwhile; -1: any
    Comm *parent;
    uint32_t limit;

  private:
    struct Round {
        std::vector<offer_t> offers;
        std::vector<uint32_t> window;  // folded
        std::vector<bool> used;        // by some member
        size_t arrived = 0;
    };
    bool take(size_t member);
    void doubt(size_t member);
    void fail(size_t member);
    bool others_are_done() const;
    bool others_go_on(size_t round) const;
    void arrive(size_t member);
    void leave(size_t member);
    void note_used(size_t member, Round &round) const;
    offer_t folded(int colour, bool all) const;

    std::vector<process_t *> &processes_;
    std::vector<creation_t *> creations_;
    std::vector<size_t> round_of_;
    std::vector<bool> waits_, begun_;
    std::vector<Round> rounds_;
    uint32_t tag_;
    bool whole_;
    Fold fold_;
};

class World {
  public:
    World(int processes, int table, uint32_t limit);
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    ~World();

    Comm *world() { return comms_.front().get(); }
    std::vector<process_t *> &processes() { return processes_; }
    uint32_t limit() const { return limit_; }
    bool may_return = false;  // for each creation: each process makes one at a time
    // Runs it to its end, all members in turn.
    void run(Creation &creation);
    // The communicators that a creation made, one a colour, of the members for which it succeeded.
    std::vector<Comm *> commit(const Creation &creation);
    Comm *dup(Comm *parent);
    // With a block of at most so many ids.  Null if it fails at a member.
    Comm *duplicate(Comm *parent, uint32_t most_ids);
    void renew(Comm *comm);
    void free(Comm *comm);
    void free_at(Comm *comm, int process);
    uint32_t end() const;  // the highest of all processes
    size_t live() const { return comms_.size(); }
    Comm *any(uint32_t random) { return comms_[random % comms_.size()].get(); }

  private:
    void join(Comm *comm, int process, uint32_t prefix);

    std::vector<process_t *> processes_;
    uint32_t limit_;
    std::vector<std::unique_ptr<Comm>> comms_;
};

}  // namespace ctxid_test

#endif  // CTXID_TEST_SIMULATION_HPP_INCLUDED
