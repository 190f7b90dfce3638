// SPDX-License-Identifier: BSD-3-Clause
// The two forms of gap: fixed widths, and digits to the base of the largest distance.
#include "case_file.hpp"
#include "oracle.hpp"

#include "core/registry.hpp"

#include <random>

namespace cmap_test {
namespace {

const cmap_policy smallest = {CMAP_STRATEGY_SPACE, 0, CMAP_REP_GAP};

// The largest step is there, at the end if nowhere else.
Members steps_up_to(uint32_t most, uint32_t n, uint32_t seed) {
    std::mt19937 random(seed);
    Members members;
    uint32_t at = random() % 1000;
    for (uint32_t i = 0; i + 1 < n; i++, at += 1 + random() % most)
        members.push_back(at);
    if (!members.empty()) members.push_back(members.back() + most);
    return members;
}

uint64_t estimated(const Members &members) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    cmap::Analysis analysis(content, smallest);
    analysis.measure();
    return cmap::representation(CMAP_REP_GAP).estimate(analysis).space;
}

bool in_digits(const Map &map) {
    char text[200];
    MPIR_cmap_describe(map.get(), text, sizeof text);
    return std::string(text).find("digits") != std::string::npos;
}

TEST(Gap, EveryBaseAndBlocksThatEndAnywhere) {
    const uint32_t bases[] = {2,   3,   4,   5,   6,   7,    8,    9,     11,    13,
                              16,  17,  23,  41,  45,  79,   84,   85,    138,   139,
                              255, 256, 257, 565, 566, 1625, 1626, 65535, 65536, 65537};
    unsigned digits = 0;
    for (uint32_t base : bases)
        for (uint32_t n : {9u, 10u, 33u, 65u, 66u, 353u, 354u, 1025u, 2000u}) {
            SCOPED_TRACE(::testing::Message() << n << " members, base " << base);
            const Members members = steps_up_to(base, n, n + base);
            const Map map = map_of(members, smallest);
            ASSERT_EQ(CMAP_REP_GAP, MPIR_cmap_representation(map.get()));
            expect_map_is(map.get(), members);
            EXPECT_EQ(estimated(members), MPIR_cmap_payload_bytes(map.get()));
            digits += in_digits(map);
        }
    EXPECT_GT(digits, 100u);
}

TEST(Gap, DigitsAtTheirLargest) {
    for (uint32_t base : {2u, 7u, 79u, 65536u})
        for (uint32_t n : {100u, 3000u}) {
            Members members;  // every digit the largest, then every other one
            for (uint32_t i = 0; i < n; i++)
                members.push_back(i < n / 2 ? i * base
                                            : n / 2 * base + (i - n / 2) / 2 * (base + 1) +
                                                  (i - n / 2) % 2);
            expect_map_is(map_of(members, smallest).get(), members);
        }
}

// Experiments 8 and 9 of the thesis save 4.756 and 55.300 MB: 4 * n * 320 / 2^20 less that.
TEST(Gap, TheThesissBytes) {
    const struct {
        uint32_t n, most;
        double saved;
    } experiments[] = {{5000, 79, 4.756}, {50000, 7, 55.300}};
    for (const auto &one : experiments) {
        const Members members = steps_up_to(one.most, one.n, 61);
        const Map map = map_of(members, by(CMAP_STRATEGY_SPACE));
        EXPECT_EQ(CMAP_REP_GAP, MPIR_cmap_representation(map.get()));
        const double spared = 4.0 * one.n - static_cast<double>(MPIR_cmap_payload_bytes(map.get()));
        EXPECT_GE(spared * 320 / (1 << 20), one.saved);
    }
}

// Where time counts as it does by default, the fast form stays.
TEST(Gap, DigitsAreForThoseWhoCountBytes) {
    for (uint32_t most : {7u, 79u, 1000u}) {
        const Members members = steps_up_to(most, 5000, most);
        EXPECT_FALSE(in_digits(map_of(members, forced(CMAP_REP_GAP))));
        EXPECT_FALSE(in_digits(map_of(members, {CMAP_STRATEGY_TIME, 0, CMAP_REP_GAP})));
        EXPECT_LE(MPIR_cmap_payload_bytes(map_of(members, smallest).get()),
                  MPIR_cmap_payload_bytes(map_of(members, forced(CMAP_REP_GAP)).get()));
    }
}

}  // namespace
}  // namespace cmap_test
