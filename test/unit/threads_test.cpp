// SPDX-License-Identifier: BSD-3-Clause
// Lookup, interning, inverses and release from several threads at once; meant for ThreadSanitizer.
#include "case_file.hpp"
#include "in_parallel.hpp"
#include "oracle.hpp"

#include "cmap_lookup.h"

#include <atomic>

namespace cmap_test {
namespace {

using thread_test::in_parallel;
using thread_test::Mistakes;

TEST(Threads, EqualMapsMeetInOneAndDieOnce) {
    cmap_totals before, after;
    MPIR_cmap_get_totals(&before);
    Mistakes mistakes;
    // Two sets in a row are a map of maps: its parts meet and die, too.
    Members in_a_row = random_set(1500, 0.5, 4);
    const size_t first = in_a_row.size();
    for (uint32_t member = 0, k = 0; member < 1500; member++)
        if (k < first && in_a_row[k] == member)
            k++;
        else
            in_a_row.push_back(member);
    const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID);
    const struct {
        Members members;
        cmap_policy policy;
    } lists[] = {{random_permutation(64, 1), hybrid},
                 {random_set(300, 0.5, 2), hybrid},
                 {random_pieces(5, 20, 3), hybrid},
                 {{4, 2, 9}, hybrid},
                 {in_a_row, forced(CMAP_REP_CONCAT)},
                 {in_a_row, forced(CMAP_REP_WTR)},
                 {random_permutation(80, 5), forced(CMAP_REP_PPERM)}};
    for (const auto &list : lists)
        ASSERT_FALSE(MPIR_cmap_force_declined(map_of(list.members, list.policy).get()));
    in_parallel([&](unsigned id) {
        for (int round = 0; round < 1500; round++) {
            const auto &list = lists[(id + static_cast<unsigned>(round)) % std::size(lists)];
            const Members &members = list.members;
            const cmap_policy &policy = list.policy;
            cmap_t *one = nullptr, *two = nullptr;
            const auto n = static_cast<uint32_t>(members.size());
            mistakes.unless(MPIR_cmap_from_array(members.data(), n, 1u << 20, &policy, &one) ==
                            CMAP_OK);
            mistakes.unless(MPIR_cmap_from_array(members.data(), n, 1u << 20, &policy, &two) ==
                            CMAP_OK);
            mistakes.unless(one == two && MPIR_cmap_sharers(one) >= 2);
            MPIR_cmap_release(two);
            mistakes.unless(MPIR_cmap_select(one, n - 1) == members[n - 1]);
            MPIR_cmap_release(one);
        }
    });
    MPIR_cmap_get_totals(&after);
    EXPECT_EQ(before.maps, after.maps);
    EXPECT_EQ(before.bytes, after.bytes);
    EXPECT_EQ(before.shared_array_bytes, after.shared_array_bytes);
}

TEST(Threads, RanksRaceToBuildOneInverse) {
    Mistakes mistakes;
    for (int round = 0; round < 40; round++)
        for (cmap_rep rep : all_reps()) {
            const Members members = random_permutation(500, static_cast<uint32_t>(round));
            const Map map = map_of(members, forced(rep));
            in_parallel([&](unsigned id) {
                for (uint32_t i = 0; i < 500; i++) {
                    const uint32_t rank = (i * 7 + id * 100) % 500;
                    mistakes.unless(MPIR_cmap_rank(map.get(), members[rank]) == rank);
                }
                mistakes.unless(MPIR_cmap_rank(map.get(), 500) == CMAP_NONE);
            });
            const size_t payload = MPIR_cmap_payload_bytes(map.get());
            EXPECT_GE(payload, MPIR_cmap_cached_bytes(map.get()));
        }
}

// What lookups add to a map stays while others count it, and goes with the map.
TEST(Threads, TotalsBesideLookupsThatAddToMaps) {
    Mistakes mistakes;
    cmap_totals before, after;
    MPIR_cmap_get_totals(&before);
    for (uint32_t round = 0; round < 8; round++)
        for (cmap_rep rep : {CMAP_REP_PACKED, CMAP_REP_BWT, CMAP_REP_PPERM}) {
            const Members members = random_permutation(700, round);
            const Map map = map_of(members, forced(rep));
            in_parallel([&](unsigned id) {
                const Map own = map_of(random_permutation(300, id * 100 + round), forced(rep));
                for (uint32_t i = 0; i < 20; i++) {
                    const uint32_t rank = (i * 7 + id * 100) % 700;
                    mistakes.unless(MPIR_cmap_rank(map.get(), members[rank]) == rank);
                    mistakes.unless(MPIR_cmap_rank(own.get(), 300) == CMAP_NONE);
                    cmap_totals now;
                    MPIR_cmap_get_totals(&now);
                    mistakes.unless(now.bytes > before.bytes);
                    const size_t added = MPIR_cmap_cached_bytes(map.get());  // it only grows
                    mistakes.unless(rep == CMAP_REP_BWT ||
                                    added <= MPIR_cmap_payload_bytes(map.get()));
                }
            });
        }
    MPIR_cmap_get_totals(&after);
    EXPECT_EQ(before.bytes, after.bytes);
}

TEST(Threads, LookupsOfASharedMapAreRight) {
    Mistakes mistakes;
    std::vector<Members> contents = {random_set(20000, 0.5, 1), random_permutation(20000, 2),
                                     random_pieces(40, 500, 3), transpose(100, 200)};
    for (cmap_rep rep : all_reps())
        for (const Members &members : contents) {
            const Map map = map_of(members, forced(rep));
            in_parallel([&](unsigned id) {
                const Map mine(MPIR_cmap_addref(map.get()));
                const auto n = static_cast<uint32_t>(members.size());
                for (uint32_t i = 0, rank = id; i < 500; i++) {
                    const uint32_t index = MPIR_cmap_select(mine.get(), rank);
                    mistakes.unless(index == members[rank] &&
                                    MPIR_cmap_rank(mine.get(), index) == rank);
                    rank = (index * 31 + i) % n;
                }
                uint32_t block[100];
                MPIR_cmap_decode(mine.get(), id * 50, 100, block);
                mistakes.unless(block[99] == members[id * 50 + 99]);
            });
        }
}

TEST(Threads, TotalsAndDefaultsBesideBuilds) {
    Mistakes mistakes;
    cmap_policy policy;
    MPIR_cmap_policy_default(&policy);
    in_parallel([&](unsigned id) {
        for (uint32_t round = 0; round < 800; round++) {
            cmap_totals now;
            MPIR_cmap_get_totals(&now);
            cmap_t *map = nullptr;
            mistakes.unless(
                MPIR_cmap_from_range(id, 3, 100 + round % 10, 1u << 20, nullptr, &map) == CMAP_OK);
            mistakes.unless(MPIR_cmap_select(map, 99) == id + 3 * 99);
            MPIR_cmap_release(map);
            if (id == 0) mistakes.unless(MPIR_cmap_policy_set_default(&policy) == CMAP_OK);
        }
    });
}

// Threads make permutations of one set, and of each other's, and drop the set before its last user.
TEST(Threads, PermutationsOutliveTheSetTheyShare) {
    Mistakes mistakes;
    cmap_totals before, after;
    MPIR_cmap_get_totals(&before);
    const Members set = random_set(1u << 14, 0.05, 6);
    const auto n = static_cast<uint32_t>(set.size());
    const Members orders[] = {random_permutation(n, 7), range_members(n - 1, -1, n),
                              ascending_runs(3, n, n, 8)};
    const cmap_policy policies[] = {by(CMAP_STRATEGY_HYBRID), by(CMAP_STRATEGY_SPACE)};
    in_parallel([&](unsigned id) {
        for (uint32_t round = 0; round < 150; round++) {
            const Members &first = orders[(id + round) % 3], &second = orders[round % 3];
            const cmap_policy &policy = policies[round / 3 % 2];
            const std::vector<int> one(first.begin(), first.end()),
                two(second.begin(), second.end());
            cmap_t *whole = nullptr, *child = nullptr, *below = nullptr;
            mistakes.unless(MPIR_cmap_from_array(set.data(), n, 1u << 14, &policy, &whole) ==
                            CMAP_OK);
            mistakes.unless(MPIR_cmap_incl(whole, one.data(), n, &policy, &child) == CMAP_OK);
            MPIR_cmap_release(whole);
            mistakes.unless(MPIR_cmap_incl(child, two.data(), n, &policy, &below) == CMAP_OK);
            MPIR_cmap_release(child);
            const uint32_t rank = (id * 97 + round) % n, index = set[first[second[rank]]];
            mistakes.unless(MPIR_cmap_select(below, rank) == index);
            mistakes.unless(MPIR_cmap_rank(below, index) == rank);
            MPIR_cmap_release(below);
        }
    });
    MPIR_cmap_get_totals(&after);
    EXPECT_EQ(before.maps, after.maps);
    EXPECT_EQ(before.bytes, after.bytes);
}

// Threads take and drop references of maps that others make: the last release races with the next
// lookup.
TEST(Threads, ReleaseRacesWithTheNextBuild) {
    Mistakes mistakes;
    in_parallel([&](unsigned) {
        for (uint32_t round = 0; round < 4000; round++) {
            cmap_t *map = nullptr;
            mistakes.unless(MPIR_cmap_from_range(5, -1, 6, 100, nullptr, &map) == CMAP_OK);
            const cmap_t *other = MPIR_cmap_addref(map);
            MPIR_cmap_release(map);
            mistakes.unless(MPIR_cmap_size(other) == 6 && MPIR_cmap_select(other, 5) == 0);
            MPIR_cmap_release(other);
        }
    });
}

}  // namespace
}  // namespace cmap_test
