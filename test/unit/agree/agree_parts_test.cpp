// SPDX-License-Identifier: BSD-3-Clause
// Values in parts, of several senders at a time.
#include <cstring>

#include "agree_parts.h"
#include "no_memory.hpp"

namespace {

using agree_test::NoMemory;
using Bytes = std::vector<uint64_t>;

Bytes random_value(std::mt19937 &random) {
    Bytes bytes(sizeof(agree_value_t) / 8 + random() % 40);
    for (uint64_t &word : bytes)
        word = random();
    return bytes;
}

struct Sender {
    Bytes value;
    uint32_t sent = 0;
};

uint32_t bytes_of(const Bytes &value) { return static_cast<uint32_t>(value.size() * 8); }

agree_part_t next_part(const Sender &sender, uint32_t most) {
    return {bytes_of(sender.value), sender.sent,
            std::min(most, bytes_of(sender.value) - sender.sent),
            reinterpret_cast<const char *>(sender.value.data()) + sender.sent};
}

// Some senders begin anew: what they had sent before counts no more.
TEST(Parts, OfSeveralSenders) {
    std::mt19937 random(1);
    for (uint32_t most : {8u, 24u, 100u, 4000u}) {
        agree_parts_t parts = {};
        std::vector<Sender> senders(5);
        int complete = 0;

        for (int i = 0; i < 5000; i++) {
            const int from = static_cast<int>(random() % senders.size());
            Sender &sender = senders[static_cast<size_t>(from)];
            const agree_value_t *value;

            if (sender.sent == bytes_of(sender.value) || random() % 50 == 0)
                sender = {random_value(random), 0};
            const agree_part_t part = next_part(sender, most);
            ASSERT_TRUE(MPIR_agree_parts_join(&parts, from, part, &value));
            sender.sent += part.length;
            ASSERT_EQ(value != nullptr, sender.sent == bytes_of(sender.value));
            if (value) {
                ASSERT_EQ(std::memcmp(value, sender.value.data(), bytes_of(sender.value)), 0);
                complete++;
            }
        }
        EXPECT_GT(complete, 30);
        MPIR_agree_parts_free(&parts);
        EXPECT_EQ(parts.first, nullptr);
    }
}

TEST(Parts, WithoutMemory) {
    std::mt19937 random(2);
    agree_parts_t parts = {};
    const agree_value_t *value;
    Sender poor = {random_value(random), 0}, other = {random_value(random), 0};

    ASSERT_TRUE(MPIR_agree_parts_join(&parts, 1, next_part(other, 8), &value));
    {
        NoMemory none(0, true);
        EXPECT_FALSE(MPIR_agree_parts_join(&parts, 2, next_part(poor, 8), &value));
    }
    for (poor.sent = 8; poor.sent < bytes_of(poor.value); poor.sent += 8) {
        ASSERT_TRUE(MPIR_agree_parts_join(&parts, 2, next_part(poor, 8), &value));
        EXPECT_EQ(value, nullptr);
    }
    other.sent = 8;
    ASSERT_TRUE(MPIR_agree_parts_join(&parts, 1, next_part(other, 4000), &value));
    EXPECT_NE(value, nullptr);
    MPIR_agree_parts_free(&parts);
}

}  // namespace
