// SPDX-License-Identifier: BSD-3-Clause
// Lookups beside claims and releases that make and free what lookups read; meant for
// ThreadSanitizer.
#include "in_parallel.hpp"
#include "table_cases.hpp"

#include <atomic>

namespace cid_test {
namespace {

using thread_test::in_parallel;
using thread_test::Mistakes;

// The owners of an id are this one and the next.
void *owner_of(uint32_t id) { return owner_number(uintptr_t{2} * id); }
void *second_owner_of(uint32_t id) { return owner_number(uintptr_t{2} * id + 1); }

// One thread makes the changes.
void look_up_beside_changes(bool serialized) {
    Mistakes mistakes;
    for (cid_kind kind : all_kinds()) {
        const Table table = table_of(kind, 1 << 18);
        if (serialized) cid_table_serialized(table.get());
        std::atomic<bool> done{false};
        in_parallel([&](uint32_t number) {
            if (number != 0) {
                for (uint32_t i = number; !done; i = (i * 1664525 + 1013904223)) {
                    const uint32_t id = i % 3000 * 3;
                    const void *owner = cid_lookup(table.get(), id);
                    mistakes.unless(owner == nullptr || owner == owner_of(id) ||
                                    owner == second_owner_of(id));
                }
                return;
            }
            for (int round = 0; round < 6; round++) {
                for (uint32_t id = 0; id < 9000; id += 3) {
                    mistakes.unless(cid_claim(table.get(), id, owner_of(id)) == CID_OK);
                    mistakes.unless(cid_replace(table.get(), id, second_owner_of(id)) == CID_OK);
                }
                for (uint32_t id = 9000; id > 0; id -= 3)
                    mistakes.unless(cid_release(table.get(), id - 3) == second_owner_of(id - 3));
            }
            done = true;
        });
        EXPECT_EQ(0u, cid_used(table.get()));
    }
}

TEST(Threads, LookupsBesideChanges) { look_up_beside_changes(false); }
TEST(Threads, LookupsBesideChangesWithoutLock) { look_up_beside_changes(true); }

// All threads want the same ids: each is had by one at a time.
TEST(Threads, ClaimsRaceForTheSameIds) {
    Mistakes mistakes;
    for (cid_kind kind : all_kinds()) {
        const Table table = table_of(kind, 1000);
        std::vector<std::atomic<uint32_t>> holders(1000);
        in_parallel([&](uint32_t number) {
            for (uint32_t round = 0; round < 2000; round++) {
                const uint32_t id = cid_next_free(table.get(), round % 8 == 0 ? 700 : 0);
                if (id == 1000) continue;
                if (cid_claim(table.get(), id, owner_number(number)) != CID_OK) continue;
                mistakes.unless(holders[id]++ == 0);
                mistakes.unless(cid_lookup(table.get(), id) == owner_number(number));
                holders[id]--;
                mistakes.unless(cid_release(table.get(), id) == owner_number(number));
            }
        });
        EXPECT_EQ(0u, cid_used(table.get()));
        EXPECT_EQ(0u, cid_end(table.get()));
    }
}

TEST(Threads, QuestionsBesideChanges) {
    Mistakes mistakes;
    for (cid_kind kind : all_kinds()) {
        const Table table = table_of(kind, 100000);
        in_parallel([&](uint32_t number) {
            for (uint32_t round = 0; round < 1500; round++) {
                const uint32_t id = 4 * (round * 7 % 2000) + number;  // nobody else's
                mistakes.unless(cid_claim(table.get(), id, owner_of(id)) == CID_OK);
                cid_figures_t figures;
                cid_figures(table.get(), &figures);
                mistakes.unless(figures.used > 0 && figures.end > id);
                mistakes.unless(figures.used <= figures.allocated);
                mistakes.unless(cid_next_used(table.get(), id) == id);
                uint32_t mask = 1;
                cid_free_mask(table.get(), id, 1, &mask);
                mistakes.unless((mask & 1) == 0);
                mistakes.unless(cid_release(table.get(), id) == owner_of(id));
            }
        });
    }
}

// Blocks that lookups kept from being freed are freed by later calls.
TEST(Threads, NothingStaysBehind) {
    for (cid_kind kind : all_kinds()) {
        const Table table = table_of(kind, 1 << 18);
        std::atomic<bool> done{false};
        in_parallel([&](uint32_t number) {
            if (number != 0) {
                while (!done)
                    cid_lookup(table.get(), 256 * number);
                return;
            }
            for (uint32_t i = 0; i < 20000; i++) {
                cid_claim(table.get(), 256 * (i % 5), owner_number(1));
                cid_release(table.get(), 256 * (i % 5));
            }
            done = true;
        });
        cid_claim(table.get(), 0, owner_number(1));
        cid_release(table.get(), 0);
        const Table fresh = table_of(kind, 1 << 18);
        cid_figures_t used_one, fresh_one;
        cid_figures(table.get(), &used_one);
        cid_figures(fresh.get(), &fresh_one);
        EXPECT_LE(used_one.bytes, fresh_one.bytes + 16 * 2048) << cid_kind_name(kind);
    }
}

}  // namespace
}  // namespace cid_test
