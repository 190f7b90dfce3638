// SPDX-License-Identifier: BSD-3-Clause
// The ordering part of MPI_Comm_split against std::stable_sort, and maps by descriptions against
// those by tables.
#include "split_grids.h"
#include "split_order.h"

#include "colours/world.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <functional>
#include <random>

namespace cmap_test {
namespace {

constexpr int32_t undefined = -32766, special = -32765;

using Rows = std::vector<split_row>;

// A table as the allgather leaves it: exactly so large, so that the sanitizer sees a step beyond.
class Table {
  public:
    explicit Table(const Rows &rows)
        : rows_(static_cast<split_row *>(std::malloc(rows.size() * sizeof(split_row)))) {
        std::copy(rows.begin(), rows.end(), rows_);
    }
    ~Table() { std::free(rows_); }
    Table(const Table &) = delete;
    Table &operator=(const Table &) = delete;

    split_row *get() const { return rows_; }
    void shrink(size_t bytes) {
        if (bytes != 0) rows_ = static_cast<split_row *>(std::realloc(rows_, bytes));
    }

  private:
    split_row *rows_;
};

Members expected(const Rows &rows, int32_t colour) {
    Members ranks;
    for (uint32_t rank = 0; rank < rows.size(); rank++)
        if (rows[rank].colour == colour) ranks.push_back(rank);
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](uint32_t a, uint32_t b) { return rows[a].key < rows[b].key; });
    return ranks;
}

split_view look(const Rows &rows, int32_t colour) {
    split_view view = MPIR_split_view_of(colour, special);
    for (const split_row &row : rows)
        MPIR_split_look(&view, &row);
    return view;
}

// The child of `colour` through `parent`, whose size is that of the rows.
void expect_child(const Rows &rows, int32_t colour, const cmap_t *parent) {
    const Members ranks = expected(rows, colour);
    const split_view view = look(rows, colour);
    ASSERT_EQ(ranks.size(), view.members);
    if (ranks.empty()) return;
    Table table(rows);
    const split_plan plan = MPIR_split_arrange(table.get(), &view);
    ASSERT_LE(plan.bytes, rows.size() * sizeof(split_row));
    const uint32_t step = 1 + uint32_t(ranks.size() / 64);
    for (uint32_t i = 0; i < ranks.size(); i += step)
        ASSERT_EQ(i, MPIR_split_rank_of(table.get(), &plan, ranks[i]));

    table.shrink(plan.bytes);
    cmap_t *child = nullptr;
    ASSERT_EQ(CMAP_OK, MPIR_split_map(parent, table.get(), &plan, &child));
    Map owner(child);
    Members members(ranks.size());
    MPIR_cmap_select_many(parent, ranks.data(), uint32_t(ranks.size()), members.data());
    EXPECT_EQ(members, decoded(child));
    EXPECT_TRUE(is_valid(child));
}

// What a description gives is the very same map.
void expect_described_child(const Rows &rows, const colours_test::Bytes &description,
                            int32_t colour, const cmap_t *parent) {
    Members ranks = expected(rows, colour), members(ranks.size());
    if (ranks.empty()) return;
    colours_order order;
    MPIR_colours_arrange(description.data(), colour, ranks.back(), &order);
    ASSERT_EQ(ranks.size(), order.members);
    if (order.form == COLOURS_TABLE) return;
    ASSERT_EQ(ranks.size() - 1, order.rank);
    cmap_t *child = nullptr, *other = nullptr;
    ASSERT_EQ(CMAP_OK, MPIR_split_grids_map(parent, description.data(), colour, &order, &child));
    Map owner(child);
    MPIR_cmap_select_many(parent, ranks.data(), uint32_t(ranks.size()), members.data());
    EXPECT_EQ(members, decoded(child));
    EXPECT_TRUE(is_valid(child));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_incl(parent, reinterpret_cast<const int *>(ranks.data()),
                                      uint32_t(ranks.size()), nullptr, &other));
    Map other_owner(other);
    EXPECT_EQ(other, child);
}

colours_test::Bytes described(const Rows &rows) {
    colours_test::Rows short_rows;
    for (const split_row &row : rows)
        short_rows.push_back({row.colour, row.key});
    return colours_test::describe(short_rows);
}

void expect_all_children(const Rows &rows, const cmap_t *parent) {
    const colours_test::Bytes description = described(rows);
    std::vector<int32_t> colours{undefined};
    for (const split_row &row : rows)
        colours.push_back(row.colour);
    std::sort(colours.begin(), colours.end());
    colours.erase(std::unique(colours.begin(), colours.end()), colours.end());
    for (int32_t colour : colours) {
        SCOPED_TRACE(::testing::Message() << "colour " << colour);
        expect_child(rows, colour, parent);
        expect_described_child(rows, description, colour, parent);
    }
}

using Pattern = std::function<int32_t(uint32_t rank, uint32_t n, std::mt19937 &random)>;

const std::vector<std::pair<const char *, Pattern>> key_patterns = {
    {"rank", [](uint32_t r, uint32_t, std::mt19937 &) { return int32_t(r); }},
    {"equal", [](uint32_t, uint32_t, std::mt19937 &) { return 5; }},
    {"reversed", [](uint32_t r, uint32_t n, std::mt19937 &) { return int32_t(n - r); }},
    {"reversed negative", [](uint32_t r, uint32_t, std::mt19937 &) { return -int32_t(r) * 7; }},
    {"pairs reversed", [](uint32_t r, uint32_t n, std::mt19937 &) { return int32_t(n - r) / 2; }},
    {"rotated",
     [](uint32_t r, uint32_t n, std::mt19937 &) { return int32_t((r + n / 3) % n) - 100; }},
    {"transposed",
     [](uint32_t r, uint32_t n, std::mt19937 &) {
         const uint32_t rows = n % 4 == 0 ? 4 : 1;
         return int32_t(r % rows * (n / rows) + r / rows);
     }},
    {"nearly a permutation",
     [](uint32_t r, uint32_t n, std::mt19937 &) {
         return int32_t(r == n / 2 ? n - 1 : n - 1 - r);
     }},
    {"extremes",
     [](uint32_t r, uint32_t, std::mt19937 &) {
         return r % 3 == 0 ? INT_MAX : r % 3 == 1 ? INT_MIN : -1;
     }},
    {"few values", [](uint32_t, uint32_t, std::mt19937 &g) { return int32_t(g() % 5) - 2; }},
    {"one byte", [](uint32_t, uint32_t, std::mt19937 &g) { return int32_t(g() % 256) << 9; }},
    {"anything", [](uint32_t, uint32_t, std::mt19937 &g) { return int32_t(g()); }},
};

const std::vector<std::pair<const char *, Pattern>> colour_patterns = {
    {"all", [](uint32_t, uint32_t, std::mt19937 &) { return 3; }},
    {"permute", [](uint32_t, uint32_t, std::mt19937 &) { return special; }},
    {"nobody", [](uint32_t, uint32_t, std::mt19937 &) { return undefined; }},
    {"two", [](uint32_t r, uint32_t, std::mt19937 &) { return int32_t(r % 2); }},
    {"halves", [](uint32_t r, uint32_t n, std::mt19937 &) { return r < n / 2 ? 0 : INT_MAX; }},
    {"blocks of five", [](uint32_t r, uint32_t, std::mt19937 &) { return int32_t(r / 5 % 3); }},
    {"some out", [](uint32_t r, uint32_t, std::mt19937 &) { return r % 4 == 0 ? undefined : 1; }},
    {"random", [](uint32_t, uint32_t, std::mt19937 &g) { return int32_t(g() % 3); }},
    {"own", [](uint32_t r, uint32_t, std::mt19937 &) { return int32_t(r % 64); }},
};

Rows make_rows(uint32_t n, const Pattern &colour, const Pattern &key, uint32_t seed) {
    std::mt19937 random(seed);
    Rows rows(n);
    for (uint32_t rank = 0; rank < n; rank++)
        rows[rank] = {colour(rank, n, random), key(rank, n, random), rank + 1};
    return rows;
}

Rows permuted_rows(uint32_t n, int32_t least, uint32_t seed) {
    std::vector<int32_t> keys(n);
    for (uint32_t i = 0; i < n; i++)  // not iota: one beyond the last may be beyond int
        keys[i] = least + static_cast<int32_t>(i);
    std::shuffle(keys.begin(), keys.end(), std::mt19937(seed));
    Rows rows(n);
    for (uint32_t rank = 0; rank < n; rank++)
        rows[rank] = {0, keys[rank], 0};
    return rows;
}

cmap_policy usual() {
    cmap_policy policy;
    MPIR_cmap_policy_default(&policy);
    return policy;
}

// n of the first 2n, in any order.
Members shuffled_members(uint32_t n) {
    Members members = range_members(0, 1, 2 * n);
    std::shuffle(members.begin(), members.end(), std::mt19937(n));
    members.resize(n);
    return members;
}

std::vector<Map> parents_of(uint32_t n, const cmap_policy &policy = usual()) {
    std::vector<Map> parents;
    parents.push_back(range_map(0, 1, n, policy));
    parents.push_back(range_map(3 * n, -3, n, policy));
    Members members = shuffled_members(n);
    parents.push_back(map_of(members, policy));
    std::sort(members.begin(), members.end());
    parents.push_back(map_of(members, policy));
    return parents;
}

TEST(Split, AllPatterns) {
    for (uint32_t n : {1u, 2u, 3u, 5u, 16u, 31u, 32u, 33u, 40u, 100u, 256u, 1000u, 5000u})
        for (const Map &parent : parents_of(n))
            for (const auto &[colour_name, colour] : colour_patterns)
                for (const auto &[key_name, key] : key_patterns) {
                    SCOPED_TRACE(::testing::Message()
                                 << n << " rows, colours " << colour_name << ", keys " << key_name);
                    expect_all_children(make_rows(n, colour, key, n), parent.get());
                    if (HasFatalFailure()) return;
                }
}

TEST(Split, PermutationsOfConsecutiveKeys) {
    for (uint32_t n : {2u, 7u, 33u, 4096u, 50000u})
        for (int32_t least : {0, -1, 17, INT_MIN, INT_MAX - int32_t(n) + 1}) {
            SCOPED_TRACE(::testing::Message() << n << " keys from " << least);
            const Map world = range_map(0, 1, n, usual());
            expect_child(permuted_rows(n, least, n), 0, world.get());
        }
}

TEST(Split, ManyRandomTables) {
    std::mt19937 random(4711);
    for (int round = 0; round < 2000; round++) {
        const uint32_t n = 1 + random() % 80, colours = 1 + random() % 4,
                       keys = round % 2 ? 1 + random() % 100 : 0;
        Rows rows(n);
        for (split_row &row : rows) {
            const uint32_t key = random();
            row = {int32_t(random() % colours), int32_t(keys ? key % keys : key), 0};
        }
        const Map world = range_map(0, 1, n, usual());
        expect_all_children(rows, world.get());
        if (HasFatalFailure()) return;
    }
}

TEST(Split, LargeTable) {
    const uint32_t n = 300000;
    const Map world = range_map(0, 1, n, usual());
    for (const auto &[name, key] : key_patterns) {
        SCOPED_TRACE(name);
        expect_child(make_rows(n, colour_patterns[0].second, key, 1), 3, world.get());
    }
}

TEST(Split, EqualSplitsShareTheMap) {
    for (const Map &parent : parents_of(500))
        for (const Pattern &key : {key_patterns[0].second, key_patterns[1].second}) {
            const Rows rows = make_rows(500, colour_patterns[1].second, key, 0);
            const split_view view = look(rows, special);
            EXPECT_EQ(500u, view.special_rows);
            Table table(rows);
            const split_plan plan = MPIR_split_arrange(table.get(), &view);
            EXPECT_EQ(SPLIT_SAME, plan.form);
            cmap_t *child = nullptr;
            ASSERT_EQ(CMAP_OK, MPIR_split_map(parent.get(), table.get(), &plan, &child));
            EXPECT_EQ(parent.get(), child);
            MPIR_cmap_release(child);
        }
}

split_form form_of(uint32_t n, const Pattern &colour, int32_t which, const Pattern &key) {
    const Rows rows = make_rows(n, colour, key, 3);
    const split_view view = look(rows, which);
    Table table(rows);
    return MPIR_split_arrange(table.get(), &view).form;
}

TEST(Split, OrderedKeysNeedNoList) {
    const Pattern rank = key_patterns[0].second, reversed = key_patterns[2].second,
                  two = colour_patterns[3].second, blocks = colour_patterns[5].second;
    EXPECT_EQ(SPLIT_RANGES, form_of(1000, two, 1, rank));
    EXPECT_EQ(SPLIT_RANGES, form_of(1000, two, 0, reversed));
    EXPECT_EQ(SPLIT_RANGES, form_of(1000, blocks, 2, rank));
    EXPECT_EQ(SPLIT_RANGES, form_of(1000, blocks, 1, reversed));
    EXPECT_EQ(SPLIT_RANGES, form_of(1000, colour_patterns[0].second, 3, reversed));
    EXPECT_EQ(SPLIT_RANKS, form_of(1000, colour_patterns[7].second, 1, rank));
}

TEST(Split, RowsOfTheMembersAndSpecialOnes) {
    const Rows rows = {{0, 1, 9}, {1, 1, 0}, {0, 1, 7}, {special, 1, 1}};
    const split_view view = look(rows, 0);
    EXPECT_EQ(2u, view.members);
    EXPECT_EQ(1u, view.special_rows);
    EXPECT_EQ(4u, view.rows);
}

// Table and everything that building the map takes, with the map itself, a row.
double bytes_for_each(const CountingAllocator &allocator, const Rows &rows, int32_t colour,
                      const cmap_t *parent, uint64_t before) {
    Table table(rows);
    const split_view view = look(rows, colour);
    const split_plan plan = MPIR_split_arrange(table.get(), &view);
    table.shrink(plan.bytes);
    cmap_t *child = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_split_map(parent, table.get(), &plan, &child));
    MPIR_cmap_release(child);
    const uint64_t building = plan.bytes + allocator.bytes_peak();
    const uint64_t table_alone = before + rows.size() * sizeof(split_row);
    return double(std::max(table_alone, building) - before) / double(rows.size());
}

// What bzip2 works in takes a megabyte, whatever the number of rows.
uint64_t bytes_for_all(cmap_strategy strategy) {
    return strategy == CMAP_STRATEGY_SPACE ? 1100000 : 0;
}

class SplitMemory : public ::testing::TestWithParam<cmap_strategy> {};

TEST_P(SplitMemory, AtMost24BytesARow) {
    CountingAllocator allocator(MPIR_cmap_set_allocator);
    const uint32_t n = 1 << 16;
    cmap_policy policy = usual();
    policy.strategy = GetParam();
    for (const Map &parent : parents_of(n, policy))
        for (const auto &[colour_name, colour] : colour_patterns)
            for (const auto &[key_name, key] : key_patterns) {
                const Rows rows = make_rows(n, colour, key, 8);
                if (rows[1].colour == undefined) continue;
                SCOPED_TRACE(::testing::Message()
                             << "colours " << colour_name << ", keys " << key_name);
                allocator.restart_peak();
                EXPECT_LE(bytes_for_each(allocator, rows, rows[1].colour, parent.get(),
                                         allocator.bytes_alive() + bytes_for_all(GetParam())),
                          24.0);
            }
}

INSTANTIATE_TEST_SUITE_P(Strategies, SplitMemory,
                         ::testing::Values(CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME,
                                           CMAP_STRATEGY_SPACE),
                         [](const auto &info) { return MPIR_cmap_strategy_name(info.param); });

}  // namespace
}  // namespace cmap_test
