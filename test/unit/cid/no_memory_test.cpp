// SPDX-License-Identifier: BSD-3-Clause
// Each scenario runs with its first allocation failing, then its second, and so on until none does.
#include "table_cases.hpp"

#include "counting_allocator.hpp"

namespace cid_test {
namespace {

using cmap_test::CountingAllocator;

// Claims in an order that makes and joins runs, and makes nodes on every level.
const std::vector<uint32_t> ids = {5, 7, 6, 300, 301, 299, 70000, 0, 200000, 63, 64, 4};

// A table stays as it was when a claim fails, and works on.  True when no allocation failed.
bool claims_and_releases(cid_kind kind, CountingAllocator &allocator) {
    const Table table = table_of(kind, 1 << 18);
    if (table == nullptr) {
        EXPECT_TRUE(allocator.has_failed());
        return false;
    }
    Oracle oracle(1 << 18);
    bool failed = false;
    for (uint32_t id : ids) {
        const cid_status status = MPIR_cid_claim(table.get(), id, owner_number(id));
        EXPECT_TRUE(status == CID_OK || (status == CID_ERR_MEMORY && allocator.has_failed()));
        if (status == CID_OK) oracle.claim(id, owner_number(id));
        failed |= status != CID_OK;
        expect_same(table.get(), oracle, id);
    }
    // From here on nothing needs memory.
    allocator.fail_from(0);
    for (uint32_t id : ids) {
        EXPECT_EQ(oracle.replace(id, owner_number(1)),
                  MPIR_cid_replace(table.get(), id, owner_number(1)));
        EXPECT_EQ(oracle.release(id), MPIR_cid_release(table.get(), id));
        expect_same(table.get(), oracle, id);
    }
    return !failed;
}

TEST(CidNoMemory, EveryFailureIsSurvived) {
    for (cid_kind kind : all_kinds())
        for (bool lasting : {false, true}) {
            CountingAllocator allocator(MPIR_cid_set_allocator);
            bool done = false;
            for (uint64_t k = 0; !done; k++) {
                SCOPED_TRACE(::testing::Message()
                             << MPIR_cid_kind_name(kind) << " allocation " << k);
                ASSERT_LT(k, 200u);
                if (lasting)
                    allocator.fail_from(k);
                else
                    allocator.fail_at(k);
                done = claims_and_releases(kind, allocator);
                ASSERT_EQ(0u, allocator.blocks_alive());
            }
        }
}

// Two holders claim what they held without memory, wherever it is, and whatever ran in between.
TEST(CidNoMemory, HeldClaimsNeedNone) {
    for (cid_kind kind : all_kinds())
        for (uint32_t end : {1u, 65u, 300u, 70001u}) {
            SCOPED_TRACE(::testing::Message() << MPIR_cid_kind_name(kind) << " to " << end);
            CountingAllocator allocator(MPIR_cid_set_allocator);
            const Table table = table_of(kind, 1 << 18);
            Oracle oracle(1 << 18);
            const uint32_t first = MPIR_cid_hold(table.get(), end),
                           second = MPIR_cid_hold(table.get(), 1);
            ASSERT_GE(first, end);
            ASSERT_GE(second, 1u);
            for (uint32_t id = 1000; id < 2000; id += 2) {  // the table may grow and shrink
                ASSERT_EQ(CID_OK, MPIR_cid_claim(table.get(), id, owner_number(id)));
                MPIR_cid_release(table.get(), id);
            }
            allocator.fail_from(0);
            for (uint32_t id : {first - 1, second / 2}) {
                ASSERT_EQ(oracle.claim(id, owner_number(id)),
                          MPIR_cid_claim_held(table.get(), id, owner_number(id)));
                MPIR_cid_let_go(table.get());
                expect_same(table.get(), oracle, id);
            }
        }
}

// Without memory a hold promises only what the table has room for.
TEST(CidNoMemory, HoldsFailWithoutMemory) {
    for (cid_kind kind : all_kinds()) {
        CountingAllocator allocator(MPIR_cid_set_allocator);
        const Table table = table_of(kind, 1 << 18);
        ASSERT_EQ(CID_OK, MPIR_cid_claim(table.get(), 5, owner_number(5)));
        allocator.fail_from(0);
        EXPECT_LT(MPIR_cid_hold(table.get(), 1000), 1000u) << MPIR_cid_kind_name(kind);
        MPIR_cid_let_go(table.get());
        allocator.fail_never();
        EXPECT_GE(MPIR_cid_hold(table.get(), 1000), 1000u) << MPIR_cid_kind_name(kind);
        MPIR_cid_let_go(table.get());
    }
}

// A run in the middle of which ids become free is split without memory.
TEST(CidNoMemory, ReleasesSplitRunsWithoutMemory) {
    CountingAllocator allocator(MPIR_cid_set_allocator);
    for (cid_kind kind : all_kinds()) {
        const Table table = table_of(kind, 1000);
        Oracle oracle(1000);
        for (uint32_t id = 0; id < 1000; id++)
            ASSERT_EQ(oracle.claim(id, owner_number(id)),
                      MPIR_cid_claim(table.get(), id, owner_number(id)));
        allocator.fail_from(0);
        for (uint32_t start : {1u, 0u})
            for (uint32_t id = start; id < 1000; id += 2) {
                ASSERT_EQ(oracle.release(id), MPIR_cid_release(table.get(), id));
                expect_same(table.get(), oracle, id);
            }
        allocator.fail_never();
    }
}

TEST(CidNoMemory, BytesAreThoseOfTheAllocator) {
    for (cid_kind kind : all_kinds()) {
        CountingAllocator allocator(MPIR_cid_set_allocator);
        const Table table = table_of(kind, 1 << 18);
        for (int round = 0; round < 2; round++) {
            for (uint32_t id : ids) {
                if (round == 0)
                    MPIR_cid_claim(table.get(), id, owner_number(id));
                else
                    MPIR_cid_release(table.get(), id);
                cid_figures_t figures;
                MPIR_cid_figures(table.get(), &figures);
                ASSERT_EQ(allocator.bytes_alive(), figures.bytes) << MPIR_cid_kind_name(kind);
            }
        }
    }
}

}  // namespace
}  // namespace cid_test
