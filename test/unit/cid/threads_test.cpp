// SPDX-License-Identifier: BSD-3-Clause
// Calls that do not change a table may be made at the same time; meant for ThreadSanitizer.
#include "in_parallel.hpp"
#include "table_cases.hpp"

namespace cid_test {
namespace {

constexpr uint32_t limit = 5000;

bool is_claimed(uint32_t id) { return id % 3 == 0 || id % 64 < 20; }

void look_everywhere(const cid_table_t *table, uint32_t first, thread_test::Mistakes &mistakes) {
    for (uint32_t i = 0; i < limit; i += 7) {
        const uint32_t id = (first + i) % limit;
        mistakes.unless(MPIR_cid_owner(table, id) == (is_claimed(id) ? owner_number(id) : nullptr));
        uint32_t free = id, used = id, mask[4];
        while (free < limit && is_claimed(free))
            free++;
        while (used < limit && !is_claimed(used))
            used++;
        mistakes.unless(MPIR_cid_next_free(table, id) == free &&
                        MPIR_cid_next_used(table, id) == used);
        MPIR_cid_free_mask(table, id / 32 * 32, 4, mask);
        mistakes.unless((mask[0] >> id % 32 & 1) == !is_claimed(id));
    }
    cid_figures_t figures;
    MPIR_cid_figures(table, &figures);
    mistakes.unless(figures.used == MPIR_cid_used(table) && figures.end == MPIR_cid_end(table));
}

TEST(Threads, LookAtOneTableAtTheSameTime) {
    for (cid_kind kind : all_kinds()) {
        const Table table = table_of(kind, limit);
        thread_test::Mistakes mistakes;
        for (uint32_t id = 0; id < limit; id++)
            if (is_claimed(id)) {
                ASSERT_EQ(MPIR_cid_claim(table.get(), id, owner_number(id)), CID_OK);
            }
        thread_test::in_parallel(
            [&](unsigned number) { look_everywhere(table.get(), number * 1000, mistakes); });
    }
}

}  // namespace
}  // namespace cid_test
