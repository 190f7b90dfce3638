// SPDX-License-Identifier: BSD-3-Clause
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace ctxid_test {

Creation::Creation(std::vector<process_t *> &processes, Comm &parent_comm, std::vector<int> members,
                   std::vector<int> their_colours, uint32_t tag, bool whole, Fold fold)
    : who(std::move(members)),
      colours(std::move(their_colours)),
      prefixes(who.size(), UINT32_MAX),
      outcomes(who.size(), STEP_MASKS),
      collectives(who.size(), 0),
      refuses(who.size(), false),
      parent(&parent_comm),
      processes_(processes),
      creations_(who.size(), nullptr),
      round_of_(who.size(), 0),
      waits_(who.size(), false),
      rounds_(1),
      tag_(tag),
      whole_(whole),
      fold_(fold) {
    rounds_[0].offers.resize(who.size());
}

Creation::~Creation() {
    for (creation_t *creation : creations_)
        if (creation != nullptr) creation_destroy(creation);
}

bool Creation::is_done(size_t member) const {
    return creations_[member] != nullptr && outcomes[member] != STEP_MASKS;
}

bool Creation::is_done() const {
    for (size_t i = 0; i < who.size(); i++)
        if (!is_done(i)) return false;
    return true;
}

void Creation::arrive(size_t member) {
    const size_t number = round_of_[member];
    if (number == 0) {
        uint64_t &offer = rounds_[0].offers[member];
        creations_[member] =
            creation_begin(processes_[static_cast<size_t>(who[member])], parent->at.at(who[member]),
                           tag_, whole_, colours[member] >= 0, &offer);
        if (refuses[member]) offer = offer_refusal(offer);
    } else {
        if (rounds_.size() <= number) rounds_.resize(number + 1);
        auto &masks = rounds_[number].masks;
        masks.resize(who.size());
        masks[member].resize(static_cast<size_t>(creation_mask_words(creations_[member])));
        creation_show_masks(creations_[member], masks[member].data());
    }
    rounds_[number].arrived++;
    collectives[member]++;
    waits_[member] = true;
}

uint64_t Creation::folded(int colour, bool all) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < who.size(); i++)
        if (all || colours[i] == colour)
            sum = fold_ == Fold::fields ? fold_offers(sum, rounds_[0].offers[i])
                                        : fold_words(sum, rounds_[0].offers[i]);
    return sum;
}

std::vector<uint32_t> Creation::common(const Round &round) const {
    std::vector<uint32_t> words = round.masks[0];
    for (const auto &mask : round.masks) {
        EXPECT_EQ(mask.size(), words.size()) << "members show masks of different lengths";
        for (size_t w = 0; w < std::min(words.size(), mask.size()); w++)
            words[w] &= mask[w];
    }
    return words;
}

void Creation::leave(size_t member) {
    const Round &round = rounds_[round_of_[member]];
    creation_t *creation = creations_[member];
    const bool own_only = fold_ == Fold::fields && colours[member] >= 0;
    outcomes[member] =
        round_of_[member] == 0
            ? creation_settle(creation, folded(colours[member], !own_only), folded(0, true),
                              &prefixes[member])
            : creation_settle_masks(creation, common(round).data(), &prefixes[member]);
    waits_[member] = false;
    round_of_[member]++;
}

bool Creation::step(size_t member) {
    if (is_done(member)) return false;
    if (!waits_[member]) {
        arrive(member);
        return true;
    }
    if (rounds_[round_of_[member]].arrived < who.size()) return false;
    leave(member);
    return true;
}

World::World(int processes, int table, uint32_t limit) {
    auto world = std::make_unique<Comm>();
    for (int p = 0; p < processes; p++) {
        processes_.push_back(process_create(table, limit));
        world->members.push_back(p);
        world->at[p] = communicator_commit(processes_.back(), 0, false);
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

std::vector<Comm *> World::commit(const Creation &creation) {
    std::map<int, Comm *> of_colour;
    std::vector<Comm *> made;
    for (size_t i = 0; i < creation.who.size(); i++) {
        if (creation.colours[i] < 0) {
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
        EXPECT_EQ(creation.prefixes[i], comm->prefix) << "members got different ids";
        const int p = creation.who[i];
        for (const auto &other : comms_)
            EXPECT_FALSE(other.get() != comm && other->at.count(p) > 0 &&
                         other->prefix == comm->prefix)
                << "id " << comm->prefix << " is in use at process " << p;
        comm->members.push_back(p);
        comm->at[p] = communicator_commit(processes_[static_cast<size_t>(p)], comm->prefix, false);
        EXPECT_TRUE(
            communicator_is_found(processes_[static_cast<size_t>(p)], comm->at[p], comm->prefix));
    }
    return made;
}

Comm *World::dup(Comm *parent) {
    Creation creation(processes_, *parent, parent->members,
                      std::vector<int>(parent->members.size(), 0), 1000, true, Fold::words);
    run(creation);
    for (int outcome : creation.outcomes)
        if (outcome != STEP_DECIDED) return nullptr;
    return commit(creation).front();
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
