// SPDX-License-Identifier: BSD-3-Clause
// Permutations of a map's members: they share its set by reference and pay for the order alone.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"
#include "picked.hpp"

#include "core/map.hpp"
#include "rep/sub.hpp"

#include <algorithm>

namespace cmap_test {
namespace {

constexpr uint32_t span = 1u << 20;

const Members &sparse() {
    static const Members members = random_set(span, 0.05, 11);
    return members;
}

Map reversed(const cmap_t *of, const cmap_policy &policy) {
    return included(of, cmap_rank_range{MPIR_cmap_size(of) - 1, 0, -1}, policy);
}

cmap_totals totals() {
    cmap_totals now;
    MPIR_cmap_get_totals(&now);
    return now;
}

uint32_t size_of(const Members &members) { return static_cast<uint32_t>(members.size()); }

// What n numbers below n take, packed.
size_t permutation_bytes(uint32_t n) {
    unsigned width = 0;
    while ((uint64_t{1} << width) < n)
        width++;
    return (size_t{n} * width + 7) / 8 + 8;
}

// The set that a permutation refers to.
const cmap_t *set_below(const Map &map) {
    if (const cmap_t *parent = cmap::sub_parent(map.get())) return parent;
    const auto part = cmap::representation(map.get()).part;
    return part == nullptr ? nullptr : part(map.get(), 0);
}

TEST(SharedSet, APermutationCostsItsOrderAlone) {
    const uint32_t n = size_of(sparse());
    const Members order = random_permutation(n, 1);
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_SPACE}) {
        SCOPED_TRACE(MPIR_cmap_strategy_name(strategy));
        const Map parent = map_of(sparse(), by(strategy), span);
        const cmap_totals before = totals();
        const Map child = included(parent.get(), order, by(strategy));
        const cmap_totals after = totals();
        EXPECT_EQ(CMAP_REP_PPERM, MPIR_cmap_representation(child.get()));
        EXPECT_EQ(parent.get(), set_below(child));
        EXPECT_LE(MPIR_cmap_payload_bytes(child.get()), permutation_bytes(n));
        EXPECT_EQ(before.maps + 1, after.maps);
        EXPECT_EQ(before.bytes + header_bytes() + MPIR_cmap_payload_bytes(child.get()),
                  after.bytes);
        expect_map_is(child.get(), at_ranks(sparse(), order));
    }
}

TEST(SharedSet, AnOrderWithAFormulaCostsNothing) {
    const uint32_t n = size_of(sparse());
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map parent = map_of(sparse(), policy, span);
    const Map back = reversed(parent.get(), policy);
    EXPECT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(back.get()));
    EXPECT_EQ(0u, MPIR_cmap_payload_bytes(back.get()));
    Members turned(sparse());
    std::reverse(turned.begin(), turned.end());
    expect_map_is(back.get(), turned);

    Members rotation = range_members(1000, 1, n - 1000);
    const Members head = range_members(0, 1, 1000);
    rotation.insert(rotation.end(), head.begin(), head.end());
    const Map rotated = included(parent.get(), rotation, policy);
    EXPECT_EQ(parent.get(), set_below(rotated));
    EXPECT_LE(MPIR_cmap_payload_bytes(rotated.get()), 256u);
    expect_map_is(rotated.get(), at_ranks(sparse(), rotation));
}

TEST(SharedSet, FewRunsAreAWaveletTreeOnIt) {
    const uint32_t n = size_of(sparse());
    const Members order = ascending_runs(4, n, n, 5);
    const Map parent = map_of(sparse(), by(CMAP_STRATEGY_SPACE), span);
    const Map child = included(parent.get(), order, by(CMAP_STRATEGY_SPACE));
    EXPECT_EQ(CMAP_REP_WTR, MPIR_cmap_representation(child.get()));
    EXPECT_EQ(parent.get(), set_below(child));
    EXPECT_LE(MPIR_cmap_payload_bytes(child.get()), size_t{n} * 2 / 8 * 11 / 10 + 200);
    expect_map_is(child.get(), at_ranks(sparse(), order));
}

// Of a permutation only the set is kept: there is no chain, whatever the permutation is held as.
TEST(SharedSet, PermutationsOfPermutationsReferToTheSet) {
    const uint32_t n = size_of(sparse());
    const cmap_policy policy = by(CMAP_STRATEGY_SPACE);
    const Members shuffle = random_permutation(n, 2), runs = ascending_runs(4, n, n, 3);
    const Members back = range_members(n - 1, -1, n), again = random_permutation(n, 4);
    const cmap_totals before = totals();
    for (const Members &first : {shuffle, runs, back})
        for (const Members &second : {again, back}) {
            Map parent = map_of(sparse(), policy, span);
            const cmap_t *const set = parent.get();
            Map middle = included(set, first, policy);
            const Members members = at_ranks(sparse(), first);
            const Map child = included(middle.get(), second, policy);
            if (first == back && second == back) {
                EXPECT_EQ(parent, child);
                continue;
            }
            EXPECT_EQ(set, set_below(child));
            parent.reset();
            middle.reset();
            // the child, the set, and perhaps its order as a map
            EXPECT_LE(totals().maps, before.maps + 3);
            EXPECT_LE(MPIR_cmap_payload_bytes(child.get()), permutation_bytes(n) + header_bytes());
            expect_map_is(child.get(), at_ranks(members, second));
        }
    EXPECT_EQ(before.maps, totals().maps);
    EXPECT_EQ(before.bytes, totals().bytes);
}

TEST(SharedSet, TheInversePermutationIsTheParentAgain) {
    const uint32_t n = size_of(sparse());
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map parent = map_of(sparse(), policy, span);
    const Members order = random_permutation(n, 6);
    Members inverse(n);
    for (uint32_t rank = 0; rank < n; rank++)
        inverse[order[rank]] = rank;
    const Map child = included(parent.get(), order, policy);
    EXPECT_EQ(parent, included(child.get(), inverse, policy));
    EXPECT_EQ(child, map_of(at_ranks(sparse(), order), policy));
    // Every second member of a permuted one is nobody's permutation.
    const Map half = included(child.get(), range_members(0, 2, n / 2), policy);
    EXPECT_NE(parent.get(), set_below(half));
    EXPECT_TRUE(
        selects_match(half.get(), at_ranks(at_ranks(sparse(), order), range_members(0, 2, n / 2))));
}

TEST(SharedSet, ASetWithinASetIsSharedToo) {
    const cmap_policy policy = by(CMAP_STRATEGY_SPACE);
    Map world = map_of(sparse(), policy, span);
    const Members ranks = range_members(1, 2, size_of(sparse()) / 2);
    Map half = included(world.get(), ranks, policy);
    ASSERT_EQ(CMAP_REP_SUB, MPIR_cmap_representation(half.get()));
    const Members order = random_permutation(size_of(ranks), 8);
    const Map child = included(half.get(), order, policy);
    EXPECT_EQ(half.get(), set_below(child));
    EXPECT_LE(MPIR_cmap_payload_bytes(child.get()), permutation_bytes(size_of(ranks)));
    world.reset();
    half.reset();
    expect_map_is(child.get(), at_ranks(at_ranks(sparse(), ranks), order));
}

// Where it saves next to nothing, or time is what counts, the list is as it is without a parent.
TEST(SharedSet, NotWhereAListIsBetter) {
    const struct {
        const char *name;
        double density;
        cmap_policy policy;
    } cases[] = {{"time", 0.05, by(CMAP_STRATEGY_TIME)},
                 {"time weighs more", 0.05, by(CMAP_STRATEGY_HYBRID, 0.75)},
                 {"half of all", 0.5, by(CMAP_STRATEGY_HYBRID)}};
    for (const auto &c : cases) {
        SCOPED_TRACE(c.name);
        const Members members = random_set(span, c.density, 12);
        const Members order = random_permutation(size_of(members), 9);
        const Members list = at_ranks(members, order);
        const Map parent = map_of(members, c.policy, span);
        cmap_rep alone = CMAP_REP_ANY;
        size_t bytes = 0;
        {
            const Map flat = map_of(list, c.policy, span);
            alone = MPIR_cmap_representation(flat.get());
            bytes = MPIR_cmap_payload_bytes(flat.get());
        }
        const Map child = included(parent.get(), order, c.policy);
        EXPECT_EQ(alone, MPIR_cmap_representation(child.get()));
        EXPECT_EQ(bytes, MPIR_cmap_payload_bytes(child.get()));
        EXPECT_TRUE(selects_match(child.get(), list));
    }
}

// A set chosen to be small may be slow: who asks for time does not get it from the parent.
TEST(SharedSet, NotOfAnotherStrategy) {
    const Map parent = map_of(sparse(), by(CMAP_STRATEGY_SPACE), span);
    const Members order = random_permutation(size_of(sparse()), 10);
    const Map child = included(parent.get(), order, by(CMAP_STRATEGY_HYBRID));
    EXPECT_NE(parent.get(), set_below(child));
    EXPECT_TRUE(selects_match(child.get(), at_ranks(sparse(), order)));
}

TEST(SharedSet, WhatIsForcedIsMadeOnIt) {
    const Members members = random_set(20000, 0.1, 13);
    const Members order = ascending_runs(6, size_of(members), size_of(members), 14);
    for (cmap_rep rep : {CMAP_REP_PPERM, CMAP_REP_WTR, CMAP_REP_SUB, CMAP_REP_PACKED}) {
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        const Map parent = map_of(members, by(CMAP_STRATEGY_HYBRID));
        const Map child = included(parent.get(), order, forced(rep));
        EXPECT_EQ(rep, MPIR_cmap_representation(child.get()));
        EXPECT_EQ(rep == CMAP_REP_PACKED ? nullptr : parent.get(), set_below(child));
        expect_map_is(child.get(), at_ranks(members, order));
    }
}

TEST(SharedSet, NothingIsLeftWhenMemoryFails) {
    const Members members = random_set(6000, 0.1, 15);
    const uint32_t n = size_of(members);
    const Members shuffle = random_permutation(n, 16), runs = ascending_runs(3, n, n, 17);
    const cmap_policy policy = by(CMAP_STRATEGY_SPACE);
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    for (uint64_t k = 0;; k++) {
        ASSERT_LT(k, 2000u);
        allocator.fail_at(k);
        cmap_t *parent = nullptr, *child = nullptr, *below = nullptr;
        const std::vector<int> one(shuffle.begin(), shuffle.end()), two(runs.begin(), runs.end());
        if (MPIR_cmap_from_array(members.data(), n, 6000, &policy, &parent) == CMAP_OK &&
            MPIR_cmap_incl(parent, one.data(), n, &policy, &child) == CMAP_OK &&
            MPIR_cmap_incl(child, two.data(), n, &policy, &below) == CMAP_OK) {
            EXPECT_EQ(members[shuffle[runs[7]]], MPIR_cmap_select_outlined(below, 7));
        }
        MPIR_cmap_release(parent);
        MPIR_cmap_release(child);
        MPIR_cmap_release(below);
        EXPECT_EQ(0u, allocator.blocks_alive());
        if (!allocator.has_failed()) break;
    }
}

}  // namespace
}  // namespace cmap_test
