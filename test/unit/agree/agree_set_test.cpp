// SPDX-License-Identifier: BSD-3-Clause
// The algebra of runs against plain arrays of bits.
#include "agree_set.h"

static inline bool operator==(const agree_run_t &a, const agree_run_t &b) {
    return a.first == b.first && a.length == b.length;
}

namespace {

using Bits = std::vector<bool>;
using Runs = std::vector<agree_run_t>;

agree_set_t set_of(const Runs &runs) { return {runs.data(), static_cast<uint32_t>(runs.size())}; }

Runs runs_of(const Bits &bits) {
    Runs runs;
    for (uint32_t i = 0; i < bits.size(); i++) {
        if (!bits[i]) continue;
        if (i > 0 && bits[i - 1])
            runs.back().length++;
        else
            runs.push_back({i, 1});
    }
    return runs;
}

using Operation = uint32_t (*)(agree_set_t, agree_set_t, agree_run_t *);

Runs apply(Operation operation, const Runs &a, const Runs &b) {
    Runs out(a.size() + b.size());
    out.resize(operation(set_of(a), set_of(b), out.data()));
    return out;
}

// Bits in blocks: of 1 to `most` that are set or not, together.
Bits random_bits(size_t n, size_t most, std::mt19937 &random) {
    Bits bits;
    while (bits.size() < n) {
        const bool bit = random() % 2 == 0;
        for (size_t i = random() % most + 1; i > 0 && bits.size() < n; i--)
            bits.push_back(bit);
    }
    return bits;
}

void compare(const Bits &a, const Bits &b) {
    const Runs x = runs_of(a), y = runs_of(b);
    Bits any(a.size()), both(a.size());
    bool is_within = true;

    for (size_t i = 0; i < a.size(); i++) {
        any[i] = a[i] || b[i];
        both[i] = a[i] && b[i];
        is_within = is_within && (!a[i] || b[i]);
        ASSERT_EQ(MPIR_agree_set_has(set_of(x), static_cast<uint32_t>(i)), a[i]);
    }
    EXPECT_EQ(apply(MPIR_agree_set_unite, x, y), runs_of(any));
    EXPECT_EQ(apply(MPIR_agree_set_intersect, x, y), runs_of(both));
    EXPECT_EQ(MPIR_agree_set_is_within(set_of(x), set_of(y)), is_within);
    EXPECT_EQ(MPIR_agree_set_is_equal(set_of(x), set_of(y)), a == b);
}

TEST(Set, OfFewMembersAllPairs) {
    for (unsigned n = 0; n <= 6; n++) {
        for (unsigned x = 0; x < 1u << n; x++) {
            for (unsigned y = 0; y < 1u << n; y++) {
                Bits a, b;
                for (unsigned i = 0; i < n; i++) {
                    a.push_back(x >> i & 1);
                    b.push_back(y >> i & 1);
                }
                compare(a, b);
            }
        }
    }
}

TEST(Set, OfManyMembers) {
    std::mt19937 random(1);
    for (size_t i = 0; i < 3000; i++) {
        const size_t n = 1 + random() % 300;
        const Bits a = random_bits(n, 1 + i % 40, random), b = random_bits(n, 1 + i % 7, random);
        Bits larger = a;
        for (size_t k = 0; k < n; k++)
            larger[k] = a[k] || b[k];
        compare(a, b);
        compare(a, larger);
        compare(a, a);
    }
}

TEST(Set, OfRunsInAnyOrder) {
    std::mt19937 random(2);
    for (size_t i = 0; i < 2000; i++) {
        Bits bits(200);
        Runs runs;
        for (size_t k = random() % 30; k > 0; k--) {
            const agree_run_t run = {static_cast<uint32_t>(random() % 180),
                                     static_cast<uint32_t>(random() % 20)};
            runs.push_back(run);
            std::fill_n(bits.begin() + run.first, run.length, true);
        }
        runs.resize(MPIR_agree_set_order(runs.data(), static_cast<uint32_t>(runs.size())));
        EXPECT_EQ(runs, runs_of(bits));
    }
}

Runs content(const agree_list_t &list) { return Runs(list.runs, list.runs + list.n); }

TEST(List, TakesMembersAndSets) {
    std::mt19937 random(3);
    for (size_t i = 0; i < 300; i++) {
        const size_t n = 1 + random() % 100;
        agree_list_t list = {};
        Bits bits(n);
        for (size_t k = 0; k < 2 * n; k++) {
            const uint32_t member = static_cast<uint32_t>(random() % n);
            ASSERT_TRUE(MPIR_agree_list_put(&list, member));
            bits[member] = true;
            if (k % 16 == 15) {
                const Bits more = random_bits(n, 9, random);
                for (size_t m = 0; m < n; m++)
                    bits[m] = bits[m] || (more[m] && k % 32 == 15);
                if (k % 32 == 15) {
                    ASSERT_TRUE(MPIR_agree_list_unite(&list, set_of(runs_of(more))));
                }
            }
            ASSERT_EQ(content(list), runs_of(bits));
        }
        MPIR_agree_list_free(&list);
        EXPECT_EQ(list.n, 0u);
    }
}

// A whole machine is one run.
TEST(List, OfAMillion) {
    agree_list_t list = {};
    for (uint32_t i = 0; i < 1u << 20; i += 2)
        ASSERT_TRUE(MPIR_agree_list_put(&list, i));
    EXPECT_EQ(list.n, 1u << 19);
    for (uint32_t i = (1u << 20) - 1; i < 1u << 20; i -= 2)
        ASSERT_TRUE(MPIR_agree_list_put(&list, i));
    EXPECT_EQ(content(list), (Runs{{0, 1u << 20}}));
    MPIR_agree_list_free(&list);
}

}  // namespace
