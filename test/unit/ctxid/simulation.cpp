// SPDX-License-Identifier: BSD-3-Clause
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace ctxid_test {

namespace {

uint64_t set_of(const std::vector<int> &processes) {
    uint64_t set = 0;
    for (int process : processes)
        set |= UINT64_C(1) << process;
    return set;
}

}  // namespace

Creation::Creation(World &world, Comm &parent_comm, std::vector<int> members,
                   std::vector<int> their_colours, uint32_t tag, bool whole, Fold fold)
    : who(std::move(members)),
      colours(std::move(their_colours)),
      prefixes(who.size(), UINT32_MAX),
      outcomes(who.size(), STEP_SEARCH),
      collectives(who.size(), 0),
      refuses(who.size(), false),
      fails(who.size(), false),
      silent(who.size(), false),
      may_return(world.may_return),
      parent(&parent_comm),
      limit(world.limit()),
      processes_(world.processes()),
      creations_(who.size(), nullptr),
      round_of_(who.size(), 0),
      waits_(who.size(), false),
      begun_(who.size(), false),
      rounds_(1),
      tag_(tag),
      whole_(whole),
      fold_(fold) {}

Creation::~Creation() {
    for (creation_t *creation : creations_)
        if (creation != nullptr) creation_destroy(creation);
}

bool Creation::is_done(size_t member) const {
    return begun_[member] && outcomes[member] != STEP_SEARCH;
}

bool Creation::is_done() const {
    for (size_t i = 0; i < who.size(); i++)
        if (!is_done(i)) return false;
    return true;
}

bool Creation::others_are_done() const {
    for (size_t i = 0; i < who.size(); i++)
        if (!fails[i] && !is_done(i)) return false;
    return true;
}

bool Creation::others_go_on(size_t round) const {
    for (size_t i = 0; i < who.size(); i++)
        if (!fails[i] && !is_done(i) && round_of_[i] > round) return true;
    return false;
}

void Creation::fail(size_t member) {
    if (creations_[member] != nullptr) creation_abandon(creations_[member]);
    outcomes[member] = STEP_NO_MEMORY;
    begun_[member] = true;
    waits_[member] = false;
}

void Creation::revoke(size_t member) {
    parent->knows.insert(who[member]);
    fail(member);
}

// The others have these ids, or some of them, or wait for this member.
void Creation::doubt(size_t member) {
    process_t *process = processes_[static_cast<size_t>(who[member])];
    uint32_t first, n;
    duplicate_take_rest(process, parent->at.at(who[member]), &first, &n);
    for (uint32_t id = first; id < first + n; id++)
        duplicate_burn(process, id);
    parent->revoked = true;
    revoke(member);
}

// Of a search: what the member really uses when it shows its ids.
void Creation::note_used(size_t member, Round &round) const {
    constexpr uint32_t most_watched = 4096;
    if (limit > most_watched) return;
    round.used.resize(limit);
    for (uint32_t id = 0; id < limit; id++)
        if (creation_lacks(creations_[member], id)) round.used[id] = true;
}

// A duplicate whose id is known already: a member that refuses, or failed before, fails alone.
bool Creation::take(size_t member) {
    process_t *process = processes_[static_cast<size_t>(who[member])];
    uint32_t prefix;
    const int taken = duplicate_take(process, parent->at.at(who[member]), &prefix);
    begun_[member] = true;
    if (taken == TAKE_EMPTY) {
        arrive(member);
        return true;
    }
    if (taken == TAKE_DOUBT) {
        doubt(member);
        return true;
    }
    silent[member] = true;
    outcomes[member] = STEP_DECIDED;
    if (!refuses[member]) {
        prefixes[member] = prefix;
        return true;
    }
    duplicate_burn(process, prefix);
    outcomes[member] = STEP_NO_MEMORY;
    return true;
}

void Creation::arrive(size_t member) {
    begun_[member] = true;
    const size_t number = round_of_[member];
    if (rounds_.size() <= number) rounds_.resize(number + 1);
    Round &round = rounds_[number];
    if (number == 0) {
        round.offers.resize(who.size());
        offer_t &offer = round.offers[member];
        creations_[member] = creation_begin(
            processes_[static_cast<size_t>(who[member])], parent->at.at(who[member]), tag_, whole_,
            may_return ? set_of(who) : 0, colours[member] >= 0 && !refuses[member],
            refuses[member] ? 0 : most_ids, &offer);
        if (refuses[member]) offer.packed = offer_refusal(offer.packed);
    } else {
        std::vector<uint32_t> window(WINDOW_SIZE);
        creation_show(creations_[member], window.data());
        if (round.arrived == 0)
            round.window = window;
        else
            fold_windows(round.window.data(), window.data());
        note_used(member, round);
    }
    round.arrived++;
    collectives[member]++;
    waits_[member] = true;
}

offer_t Creation::folded(int colour, bool all) const {
    offer_t sum = {0, 0};
    bool is_first = true;
    for (size_t i = 0; i < who.size(); i++) {
        if (!all && colours[i] != colour) continue;
        const offer_t &offer = rounds_[0].offers[i];
        if (fold_ == Fold::rows)
            sum = {fold_packed(sum.packed, offer.packed), offer.number};
        else
            sum = is_first ? offer : fold_offers(sum, offer);
        is_first = false;
    }
    return sum;
}

// A pass takes three windows when there are few ids: the rest of the reserved ones, the others, and
// those before.
bool Creation::is_exhausted() const {
    constexpr size_t pass = 3;
    for (uint32_t id = 0; id < limit; id++) {
        size_t free = 0;
        for (size_t back = 1; back <= pass && back < rounds_.size(); back++)
            free += !rounds_[rounds_.size() - back].used[id];
        if (free == std::min(pass, rounds_.size() - 1)) return false;
    }
    return true;
}

void Creation::leave(size_t member) {
    const Round &round = rounds_[round_of_[member]];
    creation_t *creation = creations_[member];
    const bool own_only = fold_ == Fold::rows && colours[member] >= 0;
    outcomes[member] =
        round_of_[member] == 0
            ? creation_settle(creation, folded(colours[member], !own_only).packed, folded(0, true),
                              &prefixes[member])
            : creation_settle_window(creation, round.window.data(), &prefixes[member]);
    waits_[member] = false;
    round_of_[member]++;
}

bool Creation::step(size_t member) {
    if (is_done(member)) return false;
    if (parent->knows.count(who[member]) > 0) {
        revoke(member);
        return true;
    }
    if (fails[member] && waits_[member] && !others_go_on(round_of_[member])) {
        if (!others_are_done()) return false;
        fail(member);
        return true;
    }
    if (most_ids > 0 && !begun_[member]) return take(member);
    if (!waits_[member]) {
        arrive(member);
        return true;
    }
    if (rounds_[round_of_[member]].arrived < who.size()) return false;
    leave(member);
    return true;
}

World::World(int processes, int table, uint32_t limit) : limit_(limit) {
    auto world = std::make_unique<Comm>();
    for (int p = 0; p < processes; p++) {
        processes_.push_back(process_create(table, limit));
        world->members.push_back(p);
        world->at[p] = communicator_commit(processes_.back(), 0, false);
        communicator_set_members(world->at[p], (UINT64_C(1) << processes) - 1);
    }
    comms_.push_back(std::move(world));
}

World::~World() {
    while (!comms_.empty())
        free(comms_.back().get());
    for (process_t *process : processes_) {
        EXPECT_EQ(process_used(process), 0U) << "ids are left";
        EXPECT_EQ(process_reserved(process), 0U) << "reservations are left";
        process_destroy(process);
    }
}

void World::run(Creation &creation) {
    while (!creation.is_done()) {
        bool moved = false;
        for (size_t i = 0; i < creation.who.size(); i++)
            moved |= creation.step(i);
        ASSERT_TRUE(moved) << "no member can go on";
    }
}

// What a member got, after checking that it is right.
void World::join(Comm *comm, int process, uint32_t prefix) {
    process_t *at = processes_[static_cast<size_t>(process)];
    EXPECT_EQ(prefix, comm->prefix) << "members got different ids";
    for (const auto &other : comms_)
        EXPECT_FALSE(other.get() != comm && other->at.count(process) > 0 && other->prefix == prefix)
            << "id " << prefix << " is in use at process " << process;
    comm->members.push_back(process);
    comm->at[process] = communicator_commit(at, prefix, false);
    EXPECT_TRUE(communicator_is_found(at, comm->at[process], prefix));
}

std::vector<Comm *> World::commit(const Creation &creation) {
    std::map<int, Comm *> of_colour;
    std::vector<Comm *> made;
    for (size_t i = 0; i < creation.who.size(); i++) {
        if (creation.colours[i] < 0 || creation.outcomes[i] != STEP_DECIDED) {
            EXPECT_EQ(creation.prefixes[i], UINT32_MAX);
            continue;
        }
        Comm *&comm = of_colour[creation.colours[i]];
        if (comm == nullptr) {
            comms_.push_back(std::make_unique<Comm>());
            comm = comms_.back().get();
            comm->prefix = creation.prefixes[i];
            made.push_back(comm);
        }
        join(comm, creation.who[i], creation.prefixes[i]);
    }
    for (const auto &[colour, comm] : of_colour) {
        uint64_t members = 0;
        for (size_t i = 0; i < creation.who.size(); i++)
            if (creation.colours[i] == colour) members |= UINT64_C(1) << creation.who[i];
        for (const auto &[process, communicator] : comm->at)
            communicator_set_members(communicator, members);
        comm->broken = comm->members.size() < static_cast<size_t>(__builtin_popcountll(members));
    }
    return made;
}

Comm *World::dup(Comm *parent) {
    Creation creation(*this, *parent, parent->members, std::vector<int>(parent->members.size(), 0),
                      1000, true, Fold::reduction);
    run(creation);
    for (int outcome : creation.outcomes)
        if (outcome != STEP_DECIDED) return nullptr;
    return commit(creation).front();
}

Comm *World::duplicate(Comm *parent, uint32_t most_ids) {
    Creation creation(*this, *parent, parent->members, std::vector<int>(parent->members.size(), 0),
                      1000, true, Fold::reduction);
    creation.most_ids = most_ids;
    run(creation);
    for (int outcome : creation.outcomes)
        if (outcome != STEP_DECIDED) return nullptr;
    return commit(creation).front();
}

void World::renew(Comm *comm) {
    for (const auto &[process, communicator] : comm->at)
        communicator_renew(processes_[static_cast<size_t>(process)], communicator);
    comm->revoked = false;
    comm->knows.clear();
}

void World::free_at(Comm *comm, int process) {
    communicator_free(processes_[static_cast<size_t>(process)], comm->at.at(process));
    comm->at.erase(process);
    if (!comm->at.empty()) return;
    comms_.erase(
        std::find_if(comms_.begin(), comms_.end(), [&](const auto &c) { return c.get() == comm; }));
}

void World::free(Comm *comm) {
    while (comm->at.size() > 1)
        free_at(comm, comm->at.begin()->first);
    free_at(comm, comm->at.begin()->first);
}

uint32_t World::end() const {
    uint32_t end = 0;
    for (process_t *process : processes_)
        end = std::max(end, process_end(process));
    return end;
}

}  // namespace ctxid_test
