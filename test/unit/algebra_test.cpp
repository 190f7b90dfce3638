// SPDX-License-Identifier: BSD-3-Clause
// The group algebra: random operands against plain arrays, and closed forms at a world of 2^20.
// Seeds are fixed.
#include "case_file.hpp"
#include "oracle.hpp"
#include "picked.hpp"

#include <algorithm>
#include <random>
#include <unordered_map>

namespace cmap_test {
namespace {

using Random = std::mt19937;
using Ranks = std::vector<int>;
using Ranges = std::vector<cmap_rank_range>;

uint32_t below(Random &random, uint32_t n) { return n == 0 ? 0 : random() % n; }

// ---- the oracle ----

class Index {
  public:
    explicit Index(const Members &members) {
        for (uint32_t rank = 0; rank < members.size(); rank++)
            ranks_.emplace(members[rank], rank);
    }
    bool has(uint32_t member) const { return ranks_.count(member) != 0; }
    int rank(uint32_t member) const {
        const auto found = ranks_.find(member);
        return found == ranks_.end() ? -1 : static_cast<int>(found->second);
    }

  private:
    std::unordered_map<uint32_t, uint32_t> ranks_;
};

Members part_of(const Members &a, const Members &b, bool wanted) {
    const Index in_b(b);
    Members part;
    std::copy_if(a.begin(), a.end(), std::back_inserter(part),
                 [&](uint32_t m) { return in_b.has(m) == wanted; });
    return part;
}

Members joined(Members a, const Members &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Members not_at_ranks(const Members &members, const Ranks &ranks) {
    std::vector<bool> out(members.size());
    for (int rank : ranks)
        out[static_cast<size_t>(rank)] = true;
    Members left;
    for (size_t rank = 0; rank < members.size(); rank++)
        if (!out[rank]) left.push_back(members[rank]);
    return left;
}

Ranks expanded(const Ranges &ranges) {
    Ranks ranks;
    for (const cmap_rank_range &range : ranges) {
        const int last = static_cast<int>(range.last), stride = range.stride;
        for (int rank = static_cast<int>(range.first); stride > 0 ? rank <= last : rank >= last;
             rank += stride)
            ranks.push_back(rank);
    }
    return ranks;
}

cmap_order order_of(Members a, Members b) {
    if (a == b) return CMAP_EQUAL;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b ? CMAP_SIMILAR : CMAP_DIFFERENT;
}

// ---- random operands ----

bool injective(Members members) {
    std::sort(members.begin(), members.end());
    return std::adjacent_find(members.begin(), members.end()) == members.end();
}

// Up to four levels with strides that divide each other or do not, forwards or backwards.
Members random_levels(Random &random) {
    static const int32_t strides[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 64, 96, 128, 256, 512};
    for (;;) {
        std::vector<Level> shape;
        int64_t under = 0;
        uint64_t n = 1;
        for (uint32_t k = 1 + below(random, 4); k > 0; k--) {
            const uint32_t count = 1 + below(random, k == 1 ? 40 : 8);
            const int32_t stride = strides[below(random, 14)] * (random() % 3 ? 1 : -1);
            shape.push_back({count, stride});
            under += stride < 0 ? int64_t{stride} * (count - 1) : 0;
            n *= count;
        }
        if (n > 1500) continue;
        const Members members = levels(static_cast<uint32_t>(below(random, 200) - under), shape);
        if (injective(members)) return members;
    }
}

Members moved(Members members, uint32_t by) {
    for (uint32_t &member : members)
        member += by;
    return members;
}

Members random_members(Random &random) {
    const uint32_t seed = static_cast<uint32_t>(random());
    switch (random() % 10) {
        case 0: return {};
        case 1: return {below(random, 1000)};
        case 2: return range_members(below(random, 300), 1, 1 + below(random, 1500));
        case 3: return moved(random_set(1500, (1 + seed % 99) / 100.0, seed), below(random, 300));
        case 4: return random_list(1 + below(random, 600), 1500, seed);
        case 5: return random_permutation(1 + below(random, 800), seed);
        case 6: return random_pieces(1 + seed % 20, 1 + below(random, 60), seed);
        default: return random_levels(random);
    }
}

cmap_policy random_policy(Random &random) {
    cmap_policy policy = {static_cast<cmap_strategy>(random() % 3), CMAP_ALPHA_DEFAULT,
                          CMAP_REP_ANY};
    if (random() % 2) policy.force = static_cast<cmap_rep>(random() % CMAP_REP_COUNT);
    return policy;
}

struct Operand {
    Members members;
    Map map;
};

Operand random_operand(Random &random) {
    Members members = random_members(random);
    Map map = map_of(members, random_policy(random));
    return {std::move(members), std::move(map)};
}

Ranks random_ranks(Random &random, uint32_t size) {
    const uint32_t n =
        random() % 2 ? below(random, size + 1) : below(random, std::min(size, 9u) + 1);
    const Members drawn = random_list(n, size == 0 ? 1 : size, static_cast<uint32_t>(random()));
    Ranks ranks(drawn.begin(), drawn.end());
    if (random() % 3 == 0) std::sort(ranks.begin(), ranks.end());
    return ranks;
}

// Ranges that share no rank: those that would are left out.
Ranges random_ranges(Random &random, uint32_t size) {
    Ranges ranges;
    std::vector<bool> used(size);
    for (uint32_t k = size == 0 ? 0 : below(random, 7); k > 0; k--) {
        cmap_rank_range range = {below(random, size), below(random, size), 0};
        range.stride = static_cast<int32_t>(1 + below(random, random() % 2 ? 3 : 200));
        if (range.last < range.first) range.stride = -range.stride;
        const Ranks ranks = expanded({range});
        if (std::any_of(ranks.begin(), ranks.end(),
                        [&](int rank) { return used[static_cast<size_t>(rank)]; }))
            continue;
        for (int rank : ranks)
            used[static_cast<size_t>(rank)] = true;
        ranges.push_back(range);
    }
    return ranges;
}

void expect_result(cmap_status status, cmap_t *map, const Members &members, const char *what) {
    const Map owned(map);
    ASSERT_EQ(CMAP_OK, status) << what;
    ASSERT_EQ(members.size(), MPIR_cmap_size(map)) << what;
    EXPECT_EQ(members, decoded(map)) << what;
    EXPECT_TRUE(is_valid(map)) << what;
}

// Calls check(random, a, b, policy) for many random pairs; every third pair shares its members, in
// part or all.
template <class Check>
void for_random_pairs(uint32_t seed, int trials, Check check) {
    Random random(seed);
    for (int trial = 0; trial < trials && !::testing::Test::HasFailure(); trial++) {
        const Operand a = random_operand(random);
        Operand b = random_operand(random);
        if (trial % 3 == 0) {
            b.members = a.members;
            if (trial % 2) std::shuffle(b.members.begin(), b.members.end(), random);
            if (trial % 4 == 0 && !b.members.empty()) b.members.pop_back();
            b.map = map_of(b.members, random_policy(random));
        }
        const cmap_policy policy = random_policy(random);
        SCOPED_TRACE(::testing::Message()
                     << "trial " << trial << ": "
                     << MPIR_cmap_rep_name(MPIR_cmap_representation(a.map.get())) << " of "
                     << a.members.size() << " and "
                     << MPIR_cmap_rep_name(MPIR_cmap_representation(b.map.get())) << " of "
                     << b.members.size());
        check(random, a, b, policy);
    }
}

// ---- random operands against the oracle ----

TEST(Algebra, SetOperationsAnswerAsArraysDo) {
    for_random_pairs(
        1, 600, [](Random &, const Operand &a, const Operand &b, const cmap_policy &policy) {
            cmap_t *out = nullptr;
            const Members added = part_of(b.members, a.members, false);
            cmap_status status = MPIR_cmap_union(a.map.get(), b.map.get(), &policy, &out);
            expect_result(status, out, joined(a.members, added), "union");
            status = MPIR_cmap_intersection(a.map.get(), b.map.get(), &policy, &out);
            expect_result(status, out, part_of(a.members, b.members, true), "intersection");
            status = MPIR_cmap_difference(a.map.get(), b.map.get(), &policy, &out);
            expect_result(status, out, part_of(a.members, b.members, false), "difference");
        });
}

TEST(Algebra, ResultsAreInterned) {
    for_random_pairs(
        2, 100, [](Random &, const Operand &a, const Operand &b, const cmap_policy &policy) {
            cmap_t *out = nullptr;
            ASSERT_EQ(CMAP_OK, MPIR_cmap_difference(a.map.get(), b.map.get(), &policy, &out));
            const Map difference(out),
                direct = map_of(part_of(a.members, b.members, false), policy);
            EXPECT_EQ(direct.get(), difference.get());
        });
}

TEST(Algebra, CompareAnswersAsArraysDo) {
    for_random_pairs(3, 500, [](Random &, const Operand &a, const Operand &b, const cmap_policy &) {
        cmap_order order = CMAP_DIFFERENT;
        ASSERT_EQ(CMAP_OK, MPIR_cmap_compare(a.map.get(), b.map.get(), &order));
        EXPECT_EQ(order_of(a.members, b.members), order);
        ASSERT_EQ(CMAP_OK, MPIR_cmap_compare(a.map.get(), a.map.get(), &order));
        EXPECT_EQ(CMAP_EQUAL, order);
    });
}

// Two maps of a few pieces that differ in one place, a run of two.
TEST(Algebra, CompareSeesASmallDifference) {
    const auto near = [](uint32_t second) {
        Members members = joined(range_members(0, 3, 50), {1000, 1000 + second});
        return joined(members, range_members(2000, -7, 40));
    };
    const Map a = map_of(near(10), forced(CMAP_REP_RUNS));
    for (uint32_t second : {10u, 11u}) {
        const Map b = map_of(near(second), by(CMAP_STRATEGY_SPACE));
        cmap_order order = CMAP_SIMILAR;
        ASSERT_EQ(CMAP_OK, MPIR_cmap_compare(a.get(), b.get(), &order));
        EXPECT_EQ(second == 10 ? CMAP_EQUAL : CMAP_DIFFERENT, order);
    }
}

TEST(Algebra, SubsetFindsTheFirstMissingRank) {
    for_random_pairs(4, 500, [](Random &, const Operand &a, const Operand &b, const cmap_policy &) {
        const Index whole(b.members);
        const auto missing = std::find_if(a.members.begin(), a.members.end(),
                                          [&](uint32_t m) { return !whole.has(m); });
        int yes = -1;
        uint32_t rank = 0;
        ASSERT_EQ(CMAP_OK, MPIR_cmap_is_subset(a.map.get(), b.map.get(), &yes, &rank));
        ASSERT_EQ(missing == a.members.end(), yes != 0);
        if (!yes) {
            EXPECT_EQ(missing - a.members.begin(), rank);
        }
    });
}

TEST(Algebra, ComposeAnswersAsArraysDo) {
    for_random_pairs(
        5, 500, [](Random &, const Operand &a, const Operand &b, const cmap_policy &policy) {
            cmap_t *out = nullptr;
            const cmap_status status = MPIR_cmap_compose(a.map.get(), b.map.get(), &policy, &out);
            if (!b.members.empty() && universe_of(b.members) > a.members.size()) {
                EXPECT_EQ(CMAP_ERR_RANGE, status);
                EXPECT_EQ(nullptr, out);
                return;
            }
            Members composed;
            for (uint32_t rank : b.members)
                composed.push_back(a.members[rank]);
            expect_result(status, out, composed, "compose");
        });
}

TEST(Algebra, ConcatAnswersAsArraysDo) {
    for_random_pairs(6, 250,
                     [](Random &, const Operand &a, const Operand &b, const cmap_policy &policy) {
                         cmap_t *out = nullptr;
                         const cmap_t *parts[] = {a.map.get(), b.map.get()};
                         const cmap_status status = MPIR_cmap_concat(parts, 2, &policy, &out);
                         if (part_of(a.members, b.members, true).empty()) {
                             expect_result(status, out, joined(a.members, b.members), "concat");
                         } else {
                             EXPECT_EQ(CMAP_ERR_DUPLICATE, status);
                             EXPECT_EQ(nullptr, out);
                         }
                         const cmap_t *alone[] = {b.map.get()};
                         const cmap_status status_alone = MPIR_cmap_concat(alone, 1, &policy, &out);
                         expect_result(status_alone, out, b.members, "concat of one");
                     });
}

TEST(Algebra, InclusionAnswersAsArraysDo) {
    for_random_pairs(
        7, 400, [](Random &random, const Operand &a, const Operand &, const cmap_policy &policy) {
            const auto size = static_cast<uint32_t>(a.members.size());
            const Ranks ranks = random_ranks(random, size);
            const auto n = static_cast<uint32_t>(ranks.size());
            cmap_t *out = nullptr;
            cmap_status status = MPIR_cmap_incl(a.map.get(), ranks.data(), n, &policy, &out);
            expect_result(status, out, at_ranks(a.members, ranks), "incl");
            status = MPIR_cmap_excl(a.map.get(), ranks.data(), n, &policy, &out);
            expect_result(status, out, not_at_ranks(a.members, ranks), "excl");
        });
}

TEST(Algebra, RangesAnswerAsArraysDo) {
    for_random_pairs(
        8, 600, [](Random &random, const Operand &a, const Operand &, const cmap_policy &policy) {
            const Ranges ranges = random_ranges(random, static_cast<uint32_t>(a.members.size()));
            const auto n = static_cast<uint32_t>(ranges.size());
            const Ranks ranks = expanded(ranges);
            cmap_t *out = nullptr;
            cmap_status status = MPIR_cmap_range_incl(a.map.get(), ranges.data(), n, &policy, &out);
            expect_result(status, out, at_ranks(a.members, ranks), "range_incl");
            status = MPIR_cmap_range_excl(a.map.get(), ranges.data(), n, &policy, &out);
            expect_result(status, out, not_at_ranks(a.members, ranks), "range_excl");
        });
}

TEST(Algebra, RanksNamedTwiceAreRefused) {
    for_random_pairs(
        9, 300, [](Random &random, const Operand &a, const Operand &, const cmap_policy &policy) {
            const auto size = static_cast<uint32_t>(a.members.size());
            Ranks ranks = random_ranks(random, size);
            Ranges ranges = random_ranges(random, size);
            cmap_t *out = nullptr;
            if (!ranks.empty()) {
                ranks.insert(ranks.begin() + below(random, static_cast<uint32_t>(ranks.size())),
                             ranks.back());
                const auto n = static_cast<uint32_t>(ranks.size());
                EXPECT_EQ(CMAP_ERR_DUPLICATE,
                          MPIR_cmap_incl(a.map.get(), ranks.data(), n, &policy, &out));
                EXPECT_EQ(CMAP_ERR_DUPLICATE,
                          MPIR_cmap_excl(a.map.get(), ranks.data(), n, &policy, &out));
            }
            if (!ranges.empty()) {
                const uint32_t again = static_cast<uint32_t>(expanded(ranges).back());
                ranges.push_back({again, again, 1 + static_cast<int32_t>(below(random, 9))});
                const auto n = static_cast<uint32_t>(ranges.size());
                EXPECT_EQ(CMAP_ERR_DUPLICATE,
                          MPIR_cmap_range_incl(a.map.get(), ranges.data(), n, &policy, &out));
                EXPECT_EQ(CMAP_ERR_DUPLICATE,
                          MPIR_cmap_range_excl(a.map.get(), ranges.data(), n, &policy, &out));
            }
            EXPECT_EQ(nullptr, out);
        });
}

TEST(Algebra, RanksOutsideAreRefused) {
    const Map map = range_map(10, 2, 5, by(CMAP_STRATEGY_HYBRID));
    cmap_t *out = nullptr;
    for (int bad : {5, -1, 1 << 30}) {
        const int ranks[] = {0, bad};
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_incl(map.get(), ranks, 2, nullptr, &out)) << bad;
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_excl(map.get(), ranks, 2, nullptr, &out)) << bad;
    }
    const cmap_rank_range bad_ranges[] = {{0, 5, 1},  {5, 0, -1}, {0, 4, 0},
                                          {0, 4, -1}, {4, 0, 1},  {7, 7, 1}};
    for (const cmap_rank_range &range : bad_ranges) {
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_range_incl(map.get(), &range, 1, nullptr, &out))
            << range.first;
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_range_excl(map.get(), &range, 1, nullptr, &out))
            << range.first;
    }
    EXPECT_EQ(nullptr, out);
}

TEST(Algebra, NothingAtAllIsFine) {
    const Map map = range_map(10, 2, 5, by(CMAP_STRATEGY_HYBRID));
    cmap_t *out = nullptr;
    cmap_policy policy;
    MPIR_cmap_policy_default(&policy);
    cmap_status status = MPIR_cmap_incl(map.get(), nullptr, 0, &policy, &out);
    expect_result(status, out, {}, "incl");
    status = MPIR_cmap_excl(map.get(), nullptr, 0, &policy, &out);
    expect_result(status, out, decoded(map.get()), "excl");
    status = MPIR_cmap_range_incl(map.get(), nullptr, 0, &policy, &out);
    expect_result(status, out, {}, "range_incl");
    status = MPIR_cmap_range_excl(map.get(), nullptr, 0, &policy, &out);
    expect_result(status, out, decoded(map.get()), "range_excl");
    status = MPIR_cmap_concat(nullptr, 0, &policy, &out);
    expect_result(status, out, {}, "concat");
    EXPECT_EQ(CMAP_OK, MPIR_cmap_translate(map.get(), nullptr, 0, map.get(), nullptr));
}

TEST(Algebra, TranslateAnswersAsArraysDo) {
    for_random_pairs(
        10, 400, [](Random &random, const Operand &a, const Operand &b, const cmap_policy &) {
            const Index in_b(b.members);
            Ranks ranks = random_ranks(random, static_cast<uint32_t>(a.members.size()));
            ranks.push_back(-1 - static_cast<int>(below(random, 3)));
            Ranks expected;
            for (int rank : ranks)
                expected.push_back(rank < 0 ? -1 : in_b.rank(a.members[static_cast<size_t>(rank)]));
            Ranks out(ranks.size(), -7);
            const auto n = static_cast<uint32_t>(ranks.size());
            ASSERT_EQ(CMAP_OK,
                      MPIR_cmap_translate(a.map.get(), ranks.data(), n, b.map.get(), out.data()));
            EXPECT_EQ(expected, out);
            ASSERT_EQ(CMAP_OK,
                      MPIR_cmap_translate(a.map.get(), ranks.data(), n, b.map.get(), ranks.data()));
            EXPECT_EQ(expected, ranks) << "in place";
            const int outside = static_cast<int>(a.members.size());
            EXPECT_EQ(CMAP_ERR_RANGE,
                      MPIR_cmap_translate(a.map.get(), &outside, 1, b.map.get(), out.data()));
        });
}

}  // namespace
}  // namespace cmap_test
