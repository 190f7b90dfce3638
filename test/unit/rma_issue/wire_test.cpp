// SPDX-License-Identifier: BSD-3-Clause
// Records of operations in messages: the narrow form and the wide one, and what is between them.

#include <random>
#include <vector>

#include "rma_issue_wire.h"

namespace rma_issue_test {

constexpr size_t kNarrow = 8, kWide = 24;

static bool operator==(const rma_issue_record_t &a, const rma_issue_record_t &b) {
    return a.disp == b.disp && a.count == b.count && a.type == b.type && a.op == b.op &&
           a.kind == b.kind;
}

static size_t sizeOf(int64_t disp, uint32_t count, uint32_t type) {
    rma_issue_record_t record = {disp, count, type, 31, 7}, got = {};
    std::vector<char> message(MPIR_rma_issue_record_size(&record) + 8, '\x5a');
    char *end = MPIR_rma_issue_record_write(message.data(), &record);

    EXPECT_EQ(size_t(end - message.data()), MPIR_rma_issue_record_size(&record));
    EXPECT_EQ(*end, '\x5a');
    EXPECT_EQ(MPIR_rma_issue_record_read(message.data(), &got), end);
    EXPECT_TRUE(got == record) << disp << " " << count << " " << type;
    return size_t(end - message.data());
}

TEST(Wire, FrequentRecordsAreShort) {
    EXPECT_EQ(sizeOf(0, 1, 0), kNarrow);
    EXPECT_EQ(sizeOf(1000, 64, 0x80d), kNarrow);
    EXPECT_EQ(sizeOf(UINT32_MAX, UINT8_MAX, UINT16_MAX), kNarrow);
}

TEST(Wire, WhatDoesNotFitIsWide) {
    EXPECT_EQ(sizeOf(int64_t(UINT32_MAX) + 1, 1, 0), kWide);
    EXPECT_EQ(sizeOf(INT64_MAX, 1, 0), kWide);
    EXPECT_EQ(sizeOf(-1, 1, 0), kWide);
    EXPECT_EQ(sizeOf(INT64_MIN, 1, 0), kWide);
    EXPECT_EQ(sizeOf(0, UINT8_MAX + 1, 0), kWide);
    EXPECT_EQ(sizeOf(0, UINT32_MAX, 0), kWide);
    EXPECT_EQ(sizeOf(0, 1, UINT16_MAX + 1), kWide);
    EXPECT_EQ(sizeOf(0, 1, UINT32_MAX), kWide);
}

TEST(Wire, BothFormsInOneMessage) {
    std::mt19937_64 random(7);
    std::vector<rma_issue_record_t> records;
    size_t bytes = 0, narrow = 0;

    for (int i = 0; i < 1000; i++) {
        rma_issue_record_t record = {int64_t(random()) >> (random() % 64),
                                     uint32_t(1 + random() % 400), uint32_t(random() % 70000),
                                     uint8_t(random() % 32), uint8_t(random() % 8)};
        records.push_back(record);
        bytes += MPIR_rma_issue_record_size(&record);
        narrow += MPIR_rma_issue_record_is_narrow(&record);
    }
    std::vector<char> message(bytes);
    char *end = message.data(), *from = message.data();
    for (auto &record : records)
        end = MPIR_rma_issue_record_write(end, &record);
    EXPECT_EQ(end, message.data() + bytes);
    for (auto &record : records) {
        rma_issue_record_t got = {};
        from = MPIR_rma_issue_record_read(from, &got);
        EXPECT_TRUE(got == record);
    }
    EXPECT_EQ(from, end);
    EXPECT_TRUE(narrow > 100 && narrow < 900) << narrow;
}

}  // namespace rma_issue_test
