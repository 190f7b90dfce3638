// SPDX-License-Identifier: BSD-3-Clause
// Single calls, sequences of them beside a std::map, and what tables need and give back.
#include "table_cases.hpp"

#include <algorithm>
#include <numeric>
#include <random>

extern "C" uint32_t c_first_free_id(uint32_t limit);

namespace cid_test {
namespace {

class EveryKind : public ::testing::TestWithParam<cid_kind> {
  protected:
    Table make(uint32_t limit) { return table_of(GetParam(), limit); }
};

std::string name_of(const ::testing::TestParamInfo<cid_kind> &info) {
    return MPIR_cid_kind_name(info.param);
}

INSTANTIATE_TEST_SUITE_P(Cid, EveryKind, ::testing::ValuesIn(all_kinds()), name_of);

TEST(CidNames, GoBothWays) {
    for (cid_kind kind : all_kinds()) {
        cid_kind found = CID_KIND_COUNT;
        EXPECT_EQ(CID_OK, MPIR_cid_kind_from_name(MPIR_cid_kind_name(kind), &found));
        EXPECT_EQ(kind, found);
    }
    cid_kind kept = CID_RADIX;
    for (const char *wrong : {"", "Array", "unknown", "arrays"}) {
        EXPECT_EQ(CID_ERR_ARG, MPIR_cid_kind_from_name(wrong, &kept)) << wrong;
        EXPECT_EQ(CID_RADIX, kept);
    }
    EXPECT_EQ(CID_ERR_ARG, MPIR_cid_kind_from_name(nullptr, &kept));
    EXPECT_EQ(CID_ERR_ARG, MPIR_cid_kind_from_name("array", nullptr));
    EXPECT_EQ(nullptr, MPIR_cid_table_create(CID_KIND_COUNT, 10));
    MPIR_cid_table_destroy(nullptr);
}

TEST(CidNames, EveryStatusHasWordsOfItsOwn) {
    std::vector<std::string> words;
    for (int status = CID_OK; status <= CID_ERR_ARG + 1; status++)
        words.push_back(MPIR_cid_strerror(static_cast<cid_status>(status)));
    EXPECT_EQ("unknown status", words.back());
    std::sort(words.begin(), words.end());
    EXPECT_EQ(words.end(), std::adjacent_find(words.begin(), words.end()));
}

TEST(CidHeader, WorksFromC) { EXPECT_EQ(3u, c_first_free_id(100)); }

TEST_P(EveryKind, ClaimsReplacesAndReleases) {
    const Table table = make(1000);
    EXPECT_EQ(GetParam(), MPIR_cid_table_kind(table.get()));
    EXPECT_EQ(1000u, MPIR_cid_table_limit(table.get()));
    void *one = owner_number(1), *two = owner_number(2);
    EXPECT_EQ(CID_OK, MPIR_cid_claim(table.get(), 999, one));
    EXPECT_EQ(CID_ERR_TAKEN, MPIR_cid_claim(table.get(), 999, two));
    EXPECT_EQ(one, MPIR_cid_owner(table.get(), 999));
    EXPECT_EQ(CID_OK, MPIR_cid_replace(table.get(), 999, two));
    EXPECT_EQ(CID_ERR_FREE, MPIR_cid_replace(table.get(), 998, two));
    EXPECT_EQ(two, MPIR_cid_release(table.get(), 999));
    EXPECT_EQ(nullptr, MPIR_cid_release(table.get(), 999));
    EXPECT_EQ(nullptr, MPIR_cid_owner(table.get(), 999));
}

TEST_P(EveryKind, RefusesWhatIsWrong) {
    const Table table = make(1000);
    Oracle oracle(1000);
    for (uint32_t id : {1000u, 1001u, UINT32_MAX}) {
        EXPECT_EQ(CID_ERR_RANGE, MPIR_cid_claim(table.get(), id, owner_number(1)));
        EXPECT_EQ(CID_ERR_RANGE, MPIR_cid_replace(table.get(), id, owner_number(1)));
        EXPECT_EQ(nullptr, MPIR_cid_release(table.get(), id));
    }
    EXPECT_EQ(CID_ERR_ARG, MPIR_cid_claim(table.get(), 5, nullptr));
    EXPECT_EQ(CID_ERR_ARG, MPIR_cid_replace(table.get(), 5, nullptr));
    expect_same(table.get(), oracle, 5);
}

TEST_P(EveryKind, EveryIdCanBeUsedAndNoMore) {
    for (uint32_t limit : {1u, 63u, 64u, 65u, 257u, 4097u}) {
        const Table table = make(limit);
        for (uint32_t id = 0; id < limit; id++) {
            ASSERT_EQ(id, MPIR_cid_next_free(table.get(), 0));
            ASSERT_EQ(CID_OK, MPIR_cid_claim(table.get(), id, owner_number(id)));
        }
        EXPECT_EQ(limit, MPIR_cid_next_free(table.get(), 0));
        EXPECT_EQ(limit, MPIR_cid_end(table.get()));
        for (uint32_t id = limit; id-- > 0;) {
            ASSERT_EQ(owner_number(id), MPIR_cid_release(table.get(), id));
            ASSERT_EQ(id, MPIR_cid_end(table.get()));
        }
    }
}

TEST_P(EveryKind, ATableWithoutIds) {
    const Table table = make(0);
    EXPECT_EQ(CID_ERR_RANGE, MPIR_cid_claim(table.get(), 0, owner_number(0)));
    expect_same(table.get(), Oracle(0), 0);
}

// Ids near 2^32; an array would need 32 GiB for them.
TEST(CidTable, TheHighestIds) {
    for (cid_kind kind : {CID_RBTREE, CID_RADIX}) {
        const Table table = table_of(kind, UINT32_MAX);
        Oracle oracle(UINT32_MAX);
        for (uint32_t id : {UINT32_MAX - 1, UINT32_MAX - 3, UINT32_MAX - 300, 0x80000000u, 0u}) {
            ASSERT_EQ(oracle.claim(id, owner_number(7)),
                      MPIR_cid_claim(table.get(), id, owner_number(7)));
            expect_same(table.get(), oracle, id);
        }
        EXPECT_EQ(UINT32_MAX, MPIR_cid_next_free(table.get(), UINT32_MAX - 1));
        for (uint32_t id : {UINT32_MAX - 1, 0x80000000u, 0u}) {
            ASSERT_EQ(oracle.release(id), MPIR_cid_release(table.get(), id));
            expect_same(table.get(), oracle, id);
        }
    }
}

// How ids come: spread over the whole range, or the lowest free one, or in clusters.
uint32_t draw(std::mt19937 &random, uint32_t limit, int manner, const cid_table_t *table) {
    const auto any = static_cast<uint32_t>(random() % (limit + 2));
    if (manner == 0) return any;
    if (manner == 1) return MPIR_cid_next_free(table, random() % 4 == 0 ? any : 0);
    return (any & ~127u) % 1024 + random() % 128;
}

void random_calls(cid_table_t *table, Oracle &oracle, std::mt19937 &random, int manner, int calls) {
    for (int call = 0; call < calls && !::testing::Test::HasFatalFailure(); call++) {
        // Mostly claims, then mostly releases, and so on: full and empty are both reached.
        const bool filling = call / 400 % 2 == 0;
        const uint32_t id = draw(random, oracle.limit(), manner, table);
        void *owner = owner_number(random() % 1000);
        const uint32_t what = random() % 8;
        if (what == 0) {
            ASSERT_EQ(oracle.replace(id, owner), MPIR_cid_replace(table, id, owner));
        } else if ((what < 6) == filling) {
            ASSERT_EQ(oracle.claim(id, owner), MPIR_cid_claim(table, id, owner));
        } else {
            const uint32_t victim = random() % 2 == 0 ? id : oracle.next_used(id % 1024);
            ASSERT_EQ(oracle.release(victim), MPIR_cid_release(table, victim));
        }
        expect_same(table, oracle, id);
    }
}

TEST_P(EveryKind, RandomCallsAreAnsweredAsByAMap) {
    std::mt19937 random(static_cast<unsigned>(GetParam()));
    for (uint32_t limit : {40u, 700u, 5000u, 66000u})
        for (int manner = 0; manner < 3; manner++) {
            SCOPED_TRACE(::testing::Message() << "limit " << limit << " manner " << manner);
            const Table table = make(limit);
            Oracle oracle(limit);
            random_calls(table.get(), oracle, random, manner, 1600);
        }
}

TEST_P(EveryKind, FreeIdsAreFoundAfterReleasesInAnyOrder) {
    constexpr uint32_t limit = 1 << 16;
    const Table table = make(limit);
    std::vector<uint32_t> order(limit);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    for (uint32_t id : order)
        ASSERT_EQ(CID_OK, MPIR_cid_claim(table.get(), id, owner_number(id)));
    std::shuffle(order.begin(), order.end(), std::mt19937(4));
    uint32_t lowest = limit;
    for (uint32_t id : order) {
        ASSERT_EQ(owner_number(id), MPIR_cid_release(table.get(), id));
        lowest = std::min(lowest, id);
        ASSERT_EQ(lowest, MPIR_cid_next_free(table.get(), 0));
        ASSERT_EQ(id, MPIR_cid_next_free(table.get(), id));
    }
    EXPECT_EQ(0u, MPIR_cid_end(table.get()));
}

// ---- memory

cid_figures_t figures_of(const Table &table) {
    cid_figures_t figures;
    MPIR_cid_figures(table.get(), &figures);
    return figures;
}

TEST_P(EveryKind, MemoryComesBack) {
    const Table table = make(1 << 18);
    const size_t before = figures_of(table).bytes;
    for (uint32_t id = 0; id < 100000; id++)
        ASSERT_EQ(CID_OK, MPIR_cid_claim(table.get(), id, owner_number(id)));
    const cid_figures_t full = figures_of(table);
    EXPECT_GE(full.bytes, before + 100000 * sizeof(void *));
    EXPECT_LE(full.allocated, 1u << 17);
    for (uint32_t id = 0; id < 100000; id++)
        MPIR_cid_release(table.get(), id);
    const cid_figures_t empty = figures_of(table);
    EXPECT_LE(empty.bytes, before + 1024);
    EXPECT_LE(empty.allocated, 64u);
}

TEST(CidTable, DensityAsInThePaper) {
    const Table array = table_of(CID_ARRAY, 1 << 18), rbtree = table_of(CID_RBTREE, 1 << 18),
                radix = table_of(CID_RADIX, 1 << 18);
    for (const Table *table : {&array, &rbtree, &radix})
        for (uint32_t id : {3u, 4u, 200u, 300u, 70000u})
            ASSERT_EQ(CID_OK, MPIR_cid_claim(table->get(), id, owner_number(id)));
    EXPECT_EQ(1u << 17, figures_of(array).allocated);
    EXPECT_EQ(5u, figures_of(rbtree).allocated);
    EXPECT_EQ(3u * 256, figures_of(radix).allocated);
    MPIR_cid_release(radix.get(), 300);
    EXPECT_EQ(2u * 256, figures_of(radix).allocated);
}

// Ids that come and go at the end of an array must not move it each time.
TEST(CidTable, AnArrayDoesNotBreathe) {
    const Table table = table_of(CID_ARRAY, 1 << 18);
    uint32_t before = 0, changes = 0;
    for (int call = 0; call < 20000; call++) {
        if (call % 2 == 0)
            MPIR_cid_claim(table.get(), 100000, owner_number(1));
        else
            MPIR_cid_release(table.get(), 100000);
        const uint32_t now = figures_of(table).allocated;
        changes += now != before;
        before = now;
    }
    EXPECT_LE(changes, 3u);
}

}  // namespace
}  // namespace cid_test
