// SPDX-License-Identifier: BSD-3-Clause
#include "table_cases.hpp"

namespace cid_test {
namespace {

void expect_same_mask(const cid_table_t *table, const Oracle &oracle, uint32_t first) {
    constexpr uint32_t words = 5;
    uint32_t mask[words];
    MPIR_cid_free_mask(table, first, words, mask);
    for (uint32_t w = 0; w < words; w++) {
        uint32_t expected = 0;
        for (uint32_t i = 0; i < 32; i++)
            if (oracle.is_free(uint64_t{first} + 32 * w + i)) expected |= uint32_t{1} << i;
        ASSERT_EQ(expected, mask[w]) << "from " << first << " word " << w;
    }
}

void expect_same_figures(const cid_table_t *table, const Oracle &oracle) {
    cid_figures_t figures;
    MPIR_cid_figures(table, &figures);
    ASSERT_EQ(oracle.used(), figures.used);
    ASSERT_EQ(oracle.end(), figures.end);
    ASSERT_LE(figures.used, figures.allocated);
    ASSERT_LE(figures.allocated, oracle.limit());
    ASSERT_LE(figures.allocated / 8 * sizeof(void *), figures.bytes);
}

}  // namespace

void expect_same(const cid_table_t *table, const Oracle &oracle, uint32_t around) {
    ASSERT_EQ(oracle.used(), MPIR_cid_used(table));
    ASSERT_EQ(oracle.end(), MPIR_cid_end(table));
    const uint32_t far = around / 2;
    for (uint32_t id : {around, around + 1, far, 0u, oracle.end(), oracle.limit(), UINT32_MAX}) {
        ASSERT_EQ(oracle.lookup(id), MPIR_cid_owner(table, id)) << "id " << id;
        ASSERT_EQ(oracle.next_free(id), MPIR_cid_next_free(table, id)) << "id " << id;
        ASSERT_EQ(oracle.next_used(id), MPIR_cid_next_used(table, id)) << "id " << id;
    }
    expect_same_mask(table, oracle, around > 70 ? around - 70 : 0);
    expect_same_mask(table, oracle, oracle.end());
    expect_same_figures(table, oracle);
}

}  // namespace cid_test
