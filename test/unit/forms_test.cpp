// SPDX-License-Identifier: BSD-3-Clause
// Closed forms in and out of maps, and through one another, against plain arrays.
#include "forms.hpp"
#include "cmap_lookup.h"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <random>
#include <set>

namespace cmap_test {
namespace {

using Random = std::mt19937;

cmap_form form_of(uint32_t base, const std::vector<std::pair<uint32_t, int32_t>> &levels) {
    cmap_form form = {};
    form.base = base;
    for (const auto &[count, stride] : levels) {
        form.count[form.levels] = count;
        form.stride[form.levels++] = stride;
    }
    return form;
}

// Digits of 0 .. n-1 in a random order and direction, from `base` on.
cmap_form random_form(Random &random, uint32_t most_levels, uint32_t *n) {
    std::vector<std::pair<uint32_t, int32_t>> levels;
    uint32_t weight = 1;
    for (uint32_t k = 1 + random() % most_levels; k > 0 && weight < 3000; k--) {
        const uint32_t count = 1 + random() % 5;
        levels.emplace_back(count, static_cast<int32_t>(weight));
        weight *= count * (random() % 4 == 0 ? 2 : 1);
    }
    std::shuffle(levels.begin(), levels.end(), random);
    int32_t base = static_cast<int32_t>(random() % 7);
    for (auto &[count, stride] : levels)
        if (random() % 4 == 0) {
            base += stride * static_cast<int32_t>(count - 1);
            stride = -stride;
        }
    *n = weight + 7;
    return form_of(static_cast<uint32_t>(base), levels);
}

Map map_from(const cmap_form &form, uint32_t universe, const cmap_policy &policy) {
    cmap_t *map = nullptr;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_from_form(&form, universe, &policy, &map));
    return Map(map);
}

void expect_forms_give(const cmap_t *map, const Members &members) {
    cmap_form forms[64];
    const uint32_t n = MPIR_cmap_forms_of(map, forms, 64);
    Members all;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t member : members_of(forms[i]))
            all.push_back(member);
    EXPECT_TRUE(n == 0 || members == all);
    EXPECT_TRUE(n != 0 || members.empty() || MPIR_cmap_representation(map) != CMAP_REP_AFFINE);
}

// However a map is made, it is the same one.
TEST(Forms, AreTheMapsOfTheirMembers) {
    Random random(3);
    for (int i = 0; i < 3000; i++) {
        uint32_t universe;
        const cmap_form form = random_form(random, i % 2 ? 5 : 9, &universe);
        const Members members = members_of(form);
        for (const cmap_policy &policy :
             {by(CMAP_STRATEGY_HYBRID), by(CMAP_STRATEGY_SPACE), by(CMAP_STRATEGY_TIME),
              by(CMAP_STRATEGY_HYBRID, 1), forced(CMAP_REP_ARRAY), forced(CMAP_REP_RUNS)}) {
            const bool first = random() % 2;
            Map plain = first ? nullptr : map_of(members, policy, universe);
            const Map map = map_from(form, universe, policy);
            if (first) plain = map_of(members, policy, universe);
            ASSERT_EQ(plain.get(), map.get());
            expect_map_is(map.get(), members);
            expect_forms_give(map.get(), members);
        }
    }
}

// The representation does not depend on the way, either: without the first map alive.
TEST(Forms, HaveTheRepresentationOfTheirMembers) {
    Random random(4);
    for (int i = 0; i < 2000; i++) {
        uint32_t universe;
        const cmap_form form = random_form(random, 8, &universe);
        for (const cmap_policy &policy : {by(CMAP_STRATEGY_HYBRID), by(CMAP_STRATEGY_SPACE),
                                          by(CMAP_STRATEGY_TIME), by(CMAP_STRATEGY_HYBRID, 0.6)}) {
            const cmap_rep from_form =
                MPIR_cmap_representation(map_from(form, universe, policy).get());
            ASSERT_EQ(from_form,
                      MPIR_cmap_representation(map_of(members_of(form), policy, universe).get()));
        }
    }
}

TEST(Forms, OfWrongShapes) {
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const auto status = [&](const cmap_form &form, uint32_t universe) {
        cmap_t *map = nullptr;
        const cmap_status result = MPIR_cmap_from_form(&form, universe, &policy, &map);
        EXPECT_TRUE(result == CMAP_OK || map == nullptr);
        MPIR_cmap_release(map);
        return result;
    };
    cmap_t *map = nullptr;
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_from_form(nullptr, 1, &policy, &map));
    EXPECT_EQ(CMAP_ERR_ARG, status(cmap_form{0, CMAP_FORM_LEVELS + 1, {}, {}}, 1));
    EXPECT_EQ(CMAP_ERR_RANGE, status(form_of(5, {}), 5));
    EXPECT_EQ(CMAP_OK, status(form_of(4, {}), 5));
    EXPECT_EQ(CMAP_OK, status(form_of(4, {{0, 7}}), 5));
    EXPECT_EQ(CMAP_OK, status(form_of(4, {{0, 7}, {3, 9}}), 5));
    EXPECT_EQ(CMAP_ERR_RANGE, status(form_of(0, {{10, 1}}), 9));
    EXPECT_EQ(CMAP_ERR_RANGE, status(form_of(0, {{2, -1}}), 9));
    EXPECT_EQ(CMAP_ERR_DUPLICATE, status(form_of(0, {{2, 0}}), 9));
    EXPECT_EQ(CMAP_ERR_DUPLICATE, status(form_of(0, {{4, 1}, {4, 1}}), 90));
    EXPECT_EQ(CMAP_ERR_DUPLICATE, status(form_of(0, {{16, 2}, {16, 4}}), 900));
    EXPECT_EQ(CMAP_ERR_RANGE,
              status(form_of(0, {{1u << 16, 1}, {1u << 16, 1}, {1u << 16, 1}}), CMAP_MAX_SIZE));
}

TEST(Forms, OfEmptyMapsAndLists) {
    cmap_form forms[4];
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    EXPECT_EQ(0u, MPIR_cmap_forms_of(map_of({}, policy).get(), forms, 4));
    EXPECT_EQ(0u, MPIR_cmap_forms_of(map_of({5, 1, 7, 4}, policy).get(), forms, 4));
    // ends inside its outermost count: two forms, for which there may be no room
    const Map cut = map_of({0, 1, 2, 8, 9, 10, 16, 17, 18, 24, 25}, policy);
    EXPECT_EQ(2u, MPIR_cmap_forms_of(cut.get(), forms, 4));
    EXPECT_EQ(0u, MPIR_cmap_forms_of(cut.get(), forms, 1));
}

TEST(Forms, ThroughForms) {
    Random random(5);
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    for (int i = 0; i < 4000; i++) {
        uint32_t universe, ranks;
        const Members outer = members_of(random_form(random, 5, &universe));
        cmap_form inner = random_form(random, 4, &ranks);
        const Members picked = members_of(inner);
        const uint32_t most = *std::max_element(picked.begin(), picked.end());
        if (most >= outer.size()) continue;
        const Map map = map_of(outer, policy, universe), at = map_of(picked, policy, ranks);
        cmap_t *composed = nullptr;
        ASSERT_EQ(CMAP_OK, MPIR_cmap_compose(map.get(), at.get(), &policy, &composed));
        const Map result(composed);
        Members want;
        for (uint32_t rank : picked)
            want.push_back(outer[rank]);
        expect_map_is(result.get(), want);
        ASSERT_EQ(map_of(want, policy, universe).get(), result.get());
    }
}

// The tiles of a grid of a million, and the planes of the tiled grid: no pass over the members, and
// nothing but headers.
TEST(Forms, OfAMillionTiles) {
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    // 128 x 128 x 64 in tiles of 2 x 2 x 4; the last dimension's rank runs first
    const cmap_form tiles = form_of(0, {{4, 1}, {16, 16}, {2, 4}, {64, 256}, {2, 8}, {64, 16384}});
    const Map map = map_from(tiles, 1 << 20, policy);
    ASSERT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(map.get()));
    EXPECT_EQ(0u, MPIR_cmap_payload_bytes(map.get()));
    for (const cmap_form &plane :
         {form_of(8192 * 77, {{8192, 1}}), form_of(64 * 5, {{64, 1}, {128, 8192}}),
          form_of(3, {{16384, 64}}), form_of(8192, {{64, 1}})}) {
        const Map ranks = map_from(plane, 1 << 20, policy);
        cmap_t *composed = nullptr;
        ASSERT_EQ(CMAP_OK, MPIR_cmap_compose(map.get(), ranks.get(), &policy, &composed));
        const Map part(composed);
        EXPECT_EQ(CMAP_REP_AFFINE, MPIR_cmap_representation(part.get()));
        Members want;
        for (uint32_t rank : members_of(plane))
            want.push_back(MPIR_cmap_select(map.get(), rank));
        expect_map_is(part.get(), want);
    }
}

// Headers are all that is asked for: nothing goes piece by piece.
TEST(Forms, OfAMillionTilesAskForNoMemory) {
    CountingAllocator heap(MPIR_cmap_set_allocator);
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map map = map_from(form_of(0, {{4, 1}, {16, 16}, {2, 4}, {64, 256}, {2, 8}, {64, 16384}}),
                             1 << 20, policy);
    const Map plane = map_from(form_of(64 * 5, {{64, 1}, {128, 8192}}), 1 << 20, policy);
    cmap_t *composed = nullptr;
    ASSERT_EQ(CMAP_OK, MPIR_cmap_compose(map.get(), plane.get(), &policy, &composed));
    const Map part(composed);
    EXPECT_LE(heap.bytes_asked(), 3 * 256u);
}

TEST(Forms, RangesOfTiles) {
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const cmap_form tiles = form_of(0, {{4, 1}, {4, 16}, {4, 4}, {4, 64}});
    const Members members = members_of(tiles);
    const Map map = map_from(tiles, 256, policy);
    for (uint32_t first = 0; first < 256; first += 5)
        for (uint32_t last = first; last < 256; last += 3)
            for (int32_t stride : {1, 2, 3, 4, 16, 64}) {
                const cmap_rank_range range{first, last, stride};
                cmap_t *some = nullptr;
                ASSERT_EQ(CMAP_OK, MPIR_cmap_range_incl(map.get(), &range, 1, &policy, &some));
                const Map part(some);
                Members want;
                for (uint32_t rank = first; rank <= last; rank += static_cast<uint32_t>(stride))
                    want.push_back(members[rank]);
                ASSERT_EQ(want, decoded(part.get()));
                ASSERT_EQ(map_of(want, policy, 256).get(), part.get());
            }
}

}  // namespace
}  // namespace cmap_test
