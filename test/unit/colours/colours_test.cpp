// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of blocks beside plain rows, and the members of a colour beside a sort.
#include <algorithm>
#include <climits>
#include <random>
#include <set>
#include <thread>

#include "world.hpp"

namespace {

using namespace colours_test;

using Pattern = std::function<colours_row(int r, int n)>;

Rows rows_of(const Pattern &pattern, int n) {
    Rows rows;
    for (int r = 0; r < n; r++)
        rows.push_back(pattern(r, n));
    return rows;
}

constexpr int UNDEFINED = -32766;

struct Named {
    const char *name;
    Pattern pattern;
    bool closed;  // the members of each colour have a form, in every world of whole grids
};

// Grids of width w; the keys of some are not ranks.
std::vector<Named> patterns(int w) {
    return {
        {"rows",
         [w](int r, int) {
             return colours_row{r / w, r};
         },
         true},
        {"columns",
         [w](int r, int) {
             return colours_row{r % w, r};
         },
         true},
        {"columns by row",
         [w](int r, int) {
             return colours_row{r % w, r / w};
         },
         true},
        {"rows by column",
         [w](int r, int) {
             return colours_row{r / w, r % w};
         },
         true},
        {"rows turned",
         [w](int r, int) {
             return colours_row{r / w, -r};
         },
         true},
        {"planes",
         [w](int r, int) {
             return colours_row{r / (w * w), r};
         },
         true},
        {"middle",
         [w](int r, int) {
             return colours_row{r / w % w, r / (w * w) * w + r % w};
         },
         w > 2},
        {"even and odd",
         [](int r, int) {
             return colours_row{r % 2, r};
         },
         true},
        {"same",
         [](int, int) {
             return colours_row{0, 0};
         },
         true},
        {"reversed",
         [](int r, int n) {
             return colours_row{0, n - 1 - r};
         },
         true},
        {"transposed",
         [w](int r, int n) {
             return colours_row{0, r % w * ((n + w - 1) / w) + r / w};
         },
         false},
        {"halves",
         [](int r, int n) {
             return colours_row{r < n / 2, r};
         },
         true},
        {"some out",
         [w](int r, int n) {
             return colours_row{r < n - w ? 1 : UNDEFINED, r < n - w ? r : 0};
         },
         true},
        {"permute",
         [](int r, int n) {
             return colours_row{-32765, (r + n / 2) % n};
         },
         true},
        {"ends",
         [](int r, int n) {
             return colours_row{r < n / 2 ? INT_MAX : 0, r < n / 2 ? INT_MIN : INT_MAX};
         },
         true},
    };
}

std::set<int32_t> colours_in(const Rows &rows) {
    std::set<int32_t> colours;
    for (const colours_row &row : rows)
        colours.insert(row.colour);
    return colours;
}

// All that follows from a description, beside what is right; how many colours have no form.
int check(const Rows &rows, const Bytes &description, size_t most_colours = SIZE_MAX) {
    const uint32_t n = static_cast<uint32_t>(rows.size());
    EXPECT_TRUE(MPIR_colours_check(description.data(), description.size(), n));
    EXPECT_LE(description.size(), n * COLOURS_ROW + COLOURS_EXTRA);
    EXPECT_TRUE(decode(description) == rows);
    int tables = 0;
    std::set<int32_t> colours = colours_in(rows);
    colours.insert(12345);
    for (int32_t colour : colours) {
        if (most_colours-- == 0) break;
        const std::vector<uint32_t> right = ordered(rows, colour);
        for (uint32_t place : {size_t{0}, right.size() / 2, right.size() - 1}) {
            if (place >= right.size()) continue;
            colours_order order;
            const std::vector<uint32_t> found = arranged(description, colour, right[place], &order);
            EXPECT_EQ(right.size(), order.members);
            if (order.form == COLOURS_TABLE) {
                tables += place == 0;
                continue;
            }
            EXPECT_EQ(right, found);
            EXPECT_EQ(place, order.rank);
            bool whole = right.size() == rows.size() && std::is_sorted(right.begin(), right.end());
            EXPECT_TRUE(whole || !order.whole);
        }
        EXPECT_EQ(right.size(), MPIR_colours_count(description.data(), colour));
        if (::testing::Test::HasFailure()) break;
    }
    return tables;
}

TEST(Colours, PatternsInEverySmallWorld) {
    for (int w : {1, 2, 3, 5, 8, 12})
        for (const Named &named : patterns(w))
            for (int n = 1; n <= 100; n++) {
                const Rows rows = rows_of(named.pattern, n);
                check(rows, describe(rows), 5);
                ASSERT_FALSE(HasFailure()) << named.name << " of " << w << ", " << n << " ranks";
            }
}

TEST(Colours, WholeGridsHaveForms) {
    for (int w : {2, 3, 4, 7, 10, 16, 24, 31})
        for (int h : {w * w, w * 16, 64 * w})
            for (const Named &named : patterns(w)) {
                const Rows rows = rows_of(named.pattern, w * h);
                const int tables = check(rows, describe(rows), 40);
                ASSERT_FALSE(HasFailure()) << named.name << " of " << w << " x " << h;
                EXPECT_TRUE(!named.closed || tables == 0)
                    << named.name << " of " << w << " x " << h;
            }
}

TEST(Colours, MessagesAreShort) {
    for (int n : {1 << 16, 60000, 65535, 40 * 40 * 40, 3 * 5 * 7 * 128})
        for (int w : {40, 256, 1000, 3, 4})
            for (const Named &named : patterns(w)) {
                size_t most = 0;
                const Rows rows = rows_of(named.pattern, n);
                describe(rows, [&](const Bytes &block) { most = std::max(most, block.size()); });
                EXPECT_LE(most, 256u) << named.name << " of " << w << ", " << n << " ranks";
            }
}

// Blocks in their order, each merged with all before it.
Bytes fold(const std::vector<Bytes> &blocks) {
    Bytes all = blocks[0];
    for (size_t i = 1; i < blocks.size(); i++)
        all = merge(all, blocks[i]);
    return all;
}

Bytes chunk(const Rows &rows, size_t first, size_t end) {
    Bytes out(COLOURS_HEADER + COLOURS_EXTRA + (end - first) * COLOURS_ROW);
    out.resize(
        MPIR_colours_rows(out.data(), &rows[first], static_cast<uint32_t>(end - first), first, 0));
    return out;
}

// What the first processes of nodes find: each its own from chunks of rows, and all together.
Bytes describe_nodes(const Rows &rows, size_t node) {
    std::vector<Bytes> nodes;
    for (size_t first = 0; first < rows.size(); first += node) {
        const size_t end = std::min(first + node, rows.size());
        std::vector<Bytes> chunks;
        for (size_t r = first, next; r < end; r = next) {
            next = end - r < COLOURS_PARSE ? end : r + COLOURS_PARSE / 2;
            chunks.push_back(chunk(rows, r, next));
        }
        nodes.push_back(fold(chunks));
    }
    for (size_t width = 1; width < nodes.size(); width *= 2)
        for (size_t i = 0; i + width < nodes.size(); i += 2 * width) {
            const size_t most = nodes[i].size() + nodes[i + width].size();
            nodes[i] = merge(nodes[i], nodes[i + width]);
            EXPECT_LE(nodes[i].size(), most);
        }
    return nodes[0];
}

TEST(Colours, NodesHaveTheSameRows) {
    for (size_t node : {1, 3, 8, 16, 37, 128})
        for (int w : {3, 8, 12})
            for (const Named &named : patterns(w)) {
                const Rows rows = rows_of(named.pattern, 1536);
                const Bytes all = describe_nodes(rows, node);
                check(rows, all, 5);
                EXPECT_LE(all.size(), 256u) << named.name;
                EXPECT_GE(MPIR_colours_offer(all.data()), 1520u);
                ASSERT_FALSE(HasFailure()) << named.name << " of " << w << ", nodes of " << node;
            }
}

TEST(Colours, RanksOfADescription) {
    const Rows rows = rows_of([](int r, int) { return colours_row{r % 2, r}; }, 100);
    const Bytes all = describe(rows), failed = leaf({0, 0}, 1, COLOURS_FAILED);
    EXPECT_EQ(MPIR_colours_ranks(all.data()), 100u);
    EXPECT_FALSE(MPIR_colours_check_most(all.data(), all.size(), 99));
    EXPECT_TRUE(MPIR_colours_check_most(all.data(), all.size(), 100));
    EXPECT_TRUE(MPIR_colours_check_most(all.data(), all.size(), 1000));
    EXPECT_FALSE(MPIR_colours_check_most(all.data(), all.size() - 1, 1000));
    EXPECT_EQ(MPIR_colours_ranks(failed.data()), 0u);
    EXPECT_TRUE(MPIR_colours_check_most(failed.data(), failed.size(), 1));
}

Rows random_rows(std::mt19937 &random, int n) {
    const auto below = [&](int limit) {
        return static_cast<int>(random() % static_cast<unsigned>(limit));
    };
    Rows rows;
    const int kind = below(4), colours = 1 + below(5), width = 1 + below(20);
    for (int r = 0; r < n;) {
        const int length = kind == 0 ? 1 : 1 + below(kind == 1 ? 4 : 60);
        const colours_row first{below(colours), kind == 3 ? r : below(1000) - 500};
        const colours_row step{below(3) - 1, below(5) - 2};
        for (int i = 0; i < length && r < n; i++, r++)
            rows.push_back({first.colour + i / width * step.colour,
                            first.key + (kind == 2 ? i % width : i) * step.key});
    }
    return rows;
}

TEST(Colours, AnyRows) {
    std::mt19937 random(5);
    for (int turn = 0; turn < 1000; turn++) {
        const Rows rows = random_rows(random, 1 + static_cast<int>(random() % 300));
        check(rows, describe(rows));
        ASSERT_FALSE(HasFailure()) << "turn " << turn << ", " << rows.size() << " ranks";
    }
}

TEST(Colours, ExtremeValues) {
    const int32_t values[] = {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX};
    std::mt19937 random(6);
    for (int turn = 0; turn < 700; turn++) {
        Rows rows;
        const int period = 1 + static_cast<int>(random() % 9);
        std::vector<colours_row> row;
        for (int i = 0; i < period; i++)
            row.push_back({values[random() % 7], values[random() % 7]});
        for (int r = 0, n = 1 + static_cast<int>(random() % 100); r < n; r++)
            rows.push_back(row[static_cast<size_t>(r % period)]);
        check(rows, describe(rows));
        ASSERT_FALSE(HasFailure()) << "turn " << turn;
    }
}

// Products of digits in any order of keys, with steps that may not nest.
TEST(Colours, DigitsInAnyOrder) {
    std::mt19937 random(8);
    for (int turn = 0; turn < 1000; turn++) {
        const int levels = 1 + static_cast<int>(random() % 4);
        int count[4], colour[4], key[4], n = 1;
        for (int k = 0; k < levels; k++) {
            count[k] = 2 + static_cast<int>(random() % 7);
            colour[k] = static_cast<int>(random() % 4) ? 0 : static_cast<int>(random() % 9) - 4;
            key[k] = static_cast<int>(random() % 40) - 20;
            n *= count[k];
        }
        Rows rows;
        for (int r = 0; r < n; r++) {
            colours_row row{50, 0};
            for (int k = 0, left = r; k < levels; left /= count[k++]) {
                row.colour += left % count[k] * colour[k];
                row.key += left % count[k] * key[k];
            }
            rows.push_back(row);
        }
        check(rows, describe(rows));
        ASSERT_FALSE(HasFailure()) << "turn " << turn << ", " << n << " ranks";
    }
}

TEST(Colours, BytesFollowThePieces) {
    std::mt19937 random(3);
    for (int pieces : {10, 100, 1000}) {
        Rows rows;
        for (int i = 0; i < pieces; i++) {
            const int colour = static_cast<int>(random() % 1000);
            for (int j = 0, length = 60 + static_cast<int>(random() % 60); j < length; j++)
                rows.push_back({colour, static_cast<int>(rows.size())});
        }
        const Bytes description = describe(rows);
        check(rows, description, 10);
        EXPECT_LE(description.size(), size_t(pieces) * 12 + 64);
    }
}

TEST(Colours, OffersAndFlagsAreFolded) {
    Bytes all = leaf({1, 0}, 3);
    all = merge(all, leaf({1, 1}, 9));
    all = merge(all, leaf({1, 2}, 4));
    EXPECT_EQ(9u, MPIR_colours_offer(all.data()));
    EXPECT_EQ(0u, MPIR_colours_flags(all.data()));
    all = merge(leaf({1, 0}, 11, COLOURS_FAILED), all);
    EXPECT_EQ(11u, MPIR_colours_offer(all.data()));
    EXPECT_EQ(uint32_t{COLOURS_FAILED}, MPIR_colours_flags(all.data()));
    EXPECT_EQ(size_t{COLOURS_HEADER}, all.size());
    EXPECT_TRUE(MPIR_colours_check(all.data(), all.size(), 4));
}

TEST(Colours, BytesAreWhatTheHeaderSays) {
    // version, flags, bytes, offer, one piece: L = 2, 16 ranks, first (0, 0), step (1, 1),
    // count 2, step (0, 2), phase 0
    const Bytes right = {1, 0, 0, 0, 25, 0, 0, 0, 7, 0, 0, 0, 0,
                         0, 0, 0, 2, 16, 0, 0, 2, 2, 2, 0, 4, 0};
    Bytes found = describe(rows_of([](int r, int) { return colours_row{r % 2, r}; }, 16));
    Bytes expected = right;
    expected[4] = static_cast<uint8_t>(right.size());
    EXPECT_EQ(expected, found);
    const Bytes row = {1, 0, 0, 0, 26, 0, 0, 0, 7, 0,    0,    0,    0,
                       0, 0, 0, 0, 1,  2, 1, 0, 0, 0xff, 0xff, 0xff, 0xff};
    EXPECT_EQ(row, leaf({258, -1}));
}

// Any change of one byte, and any cut, is rejected or has another meaning: never one that is
// unsafe.
TEST(Colours, BytesThatAreNone) {
    const Rows rows = rows_of(patterns(7)[4].pattern, 100);
    const Bytes right = describe(rows);
    for (size_t i = 0; i < right.size(); i++)
        EXPECT_FALSE(MPIR_colours_check(right.data(), i, 100));
    EXPECT_FALSE(MPIR_colours_check(right.data(), right.size(), 99));
    for (size_t i = 0; i < right.size(); i++)
        for (int value = 0; value < 256; value++) {
            Bytes bytes = right;
            bytes[i] = static_cast<uint8_t>(value);
            if (!MPIR_colours_check(bytes.data(), bytes.size(), 100)) continue;
            colours_order order;
            if (!(MPIR_colours_flags(bytes.data()) & COLOURS_FAILED)) arranged(bytes, 0, 3, &order);
            merge(right, bytes);
            merge(bytes, right);
        }
}

// The functions have no state.
TEST(Threads, MergeAtTheSameTime) {
    const Rows rows = rows_of(patterns(7)[4].pattern, 300);
    const Bytes right = describe(rows);
    std::vector<std::thread> threads;
    std::vector<Bytes> found(4);
    for (Bytes &mine : found)
        threads.emplace_back([&rows, &mine] { mine = describe(rows); });
    for (std::thread &thread : threads)
        thread.join();
    for (const Bytes &one : found)
        EXPECT_EQ(right, one);
}

}  // namespace
