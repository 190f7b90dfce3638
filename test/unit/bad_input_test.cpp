// SPDX-License-Identifier: BSD-3-Clause
// What a caller does wrong is answered by a status, and leaves nothing behind.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <cmath>

namespace cmap_test {
namespace {

cmap_t *const stale =
    reinterpret_cast<cmap_t *>(uintptr_t{0x10});  // *out must be written even on failure

cmap_status status_of(const Members &members, uint32_t universe, const cmap_policy &policy) {
    cmap_t *map = stale;
    const cmap_status status = MPIR_cmap_from_array(
        members.data(), static_cast<uint32_t>(members.size()), universe, &policy, &map);
    if (status == CMAP_OK)
        MPIR_cmap_release(map);
    else
        EXPECT_EQ(nullptr, map);
    return status;
}

class BadInput : public ::testing::Test {
  protected:
    void TearDown() override {
        EXPECT_EQ(0u, allocator.blocks_alive());
        EXPECT_EQ(0u, allocator.bytes_alive());
    }

    CountingAllocator allocator{MPIR_cmap_set_allocator};
    const cmap_policy hybrid = by(CMAP_STRATEGY_HYBRID);
};

TEST_F(BadInput, Duplicates) {
    std::vector<cmap_rep> reps = all_reps();
    reps.push_back(CMAP_REP_ANY);
    for (cmap_rep rep : reps) {
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        EXPECT_EQ(CMAP_ERR_DUPLICATE, status_of({1, 1}, 10, forced(rep)));
        EXPECT_EQ(CMAP_ERR_DUPLICATE, status_of({1, 2, 3, 1}, 10, forced(rep)));
        for (uint32_t n : {9u, 64u, 1000u, 70000u}) {
            Members members = random_permutation(n, n);
            members[n - 1] = members[n / 2];
            EXPECT_EQ(CMAP_ERR_DUPLICATE, status_of(members, n, forced(rep))) << n;
            members = range_members(0, 1, n);
            members.push_back(n / 3);
            EXPECT_EQ(CMAP_ERR_DUPLICATE, status_of(members, n + 1, forced(rep))) << n;
        }
        EXPECT_EQ(CMAP_ERR_DUPLICATE, status_of(levels(0, {{4, 1}, {4, 3}}), 100, forced(rep)));
        EXPECT_EQ(CMAP_ERR_DUPLICATE,
                  status_of(levels(5000, {{10, 1}, {10, -9}}), 6000, forced(rep)));
    }
}

TEST_F(BadInput, OverlappingRangesNeedNoMembersToBeSeen) {
    const struct {
        uint32_t first;
        int32_t stride;
        uint32_t count;
        cmap_status want;
    } second[] = {
        {0, 1, 5, CMAP_ERR_DUPLICATE},         {999999999, 1, 5, CMAP_ERR_DUPLICATE},
        {1000000000, 1, 5, CMAP_OK},           {2000000000, -1, 1000000002, CMAP_ERR_DUPLICATE},
        {2000000000, -1, 1000000001, CMAP_OK}, {500000000, 7, 200000000, CMAP_ERR_DUPLICATE}};
    for (const auto &range : second) {
        const Builder builder = builder_for(CMAP_MAX_SIZE, hybrid);
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), 0, 1, 1000000000));
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), range.first, range.stride,
                                                       range.count));
        cmap_t *map = stale;
        EXPECT_EQ(range.want, MPIR_cmap_builder_finish(builder.get(), &map)) << range.first;
        MPIR_cmap_release(map);
    }
    EXPECT_LT(allocator.bytes_asked(), 1u << 20);
}

// Arithmetic modulo 2^32 must not take a run beyond the universe for one inside it.
TEST_F(BadInput, IndicesThatWrapAreOutside) {
    constexpr uint32_t top = UINT32_MAX, half = 1u << 31;
    const Members lists[] = {{0, 1, 2, 3, top},
                             {top},
                             {top, 0},
                             {top, 0, 1},
                             {1, 0, top},
                             {1, 0, top, top - 1},
                             {3, top, 4, 0, 5, 1},
                             {0, half, 1, half + 1, 2, half + 2},
                             {top - 4, top - 1, 2},
                             {5, half + 5, 6, half + 6},
                             {2, 0, top - 1, top - 3}};
    std::vector<cmap_rep> reps = all_reps();
    reps.push_back(CMAP_REP_ANY);
    for (cmap_rep rep : reps)
        for (const Members &list : lists)
            for (uint32_t n : {1u, 40u, 9000u})
                for (uint32_t universe : {1u, 8u, 20000u, CMAP_MAX_SIZE}) {
                    Members members = list;
                    for (uint32_t i = 6; i < n; i += 2)  // pairs that no piece holds
                        members.insert(members.end(), {i * 7 % 20000, i * 13 % 20000});
                    EXPECT_EQ(CMAP_ERR_RANGE, status_of(members, universe, forced(rep)));
                    std::rotate(members.begin(), members.begin() + list.size(), members.end());
                    EXPECT_EQ(CMAP_ERR_RANGE, status_of(members, universe, forced(rep)));
                }
}

TEST_F(BadInput, NoWayIntoABuilderTakesIndicesOutside) {
    for (uint32_t universe : {1u, 4u, 1000u, CMAP_MAX_SIZE}) {
        const Builder builder = builder_for(universe, hybrid);
        for (uint32_t wrong : {universe, 1u << 31, UINT32_MAX - 1, UINT32_MAX}) {
            const uint32_t block[] = {0, wrong};
            EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add(builder.get(), wrong));
            EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_block(builder.get(), block, 2));
            for (int32_t stride : {1, -1, 3, INT32_MAX, INT32_MIN}) {
                EXPECT_EQ(CMAP_ERR_RANGE,
                          MPIR_cmap_builder_add_range(builder.get(), wrong, stride, 2));
                EXPECT_EQ(CMAP_ERR_RANGE,
                          MPIR_cmap_builder_add_range(builder.get(), 0, stride, UINT32_MAX));
                cmap_t *map = stale;
                EXPECT_EQ(CMAP_ERR_RANGE,
                          MPIR_cmap_from_range(wrong, stride, 3, universe, &hybrid, &map));
                EXPECT_EQ(nullptr, map);
            }
        }
        EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    }
}

TEST_F(BadInput, ASliceWithAMemberOutsideAddsNothing) {
    Members members = range_members(0, 1, 60);
    const Members outside = range_members(200, 2, 90);
    members.insert(members.end(), outside.begin(), outside.end());
    for (cmap_rep rep : {CMAP_REP_RUNS, CMAP_REP_ARRAY}) {
        const Map map = map_of(members, forced(rep));
        const Builder builder = builder_for(100, hybrid);
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 0, 150));
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 10, 51));
        EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
        EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 10, 50));
        EXPECT_EQ(50u, MPIR_cmap_builder_size(builder.get()));
    }
}

TEST_F(BadInput, InterleavedRangesAreToldFromOverlappingOnes) {
    for (uint32_t shift = 0; shift < 12; shift++) {
        const Builder builder = builder_for(CMAP_MAX_SIZE, hybrid);
        ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), 0, 6, 100000000));
        ASSERT_EQ(CMAP_OK,
                  MPIR_cmap_builder_add_range(builder.get(), 300000000 + shift, 4, 50000000));
        cmap_t *map = stale;
        const cmap_status want = shift % 2 == 0 ? CMAP_ERR_DUPLICATE : CMAP_OK;
        EXPECT_EQ(want, MPIR_cmap_builder_finish(builder.get(), &map)) << shift;
        MPIR_cmap_release(map);
    }
    EXPECT_LT(allocator.bytes_asked(), 1u << 20);
}

TEST_F(BadInput, OutOfRange) {
    EXPECT_EQ(CMAP_ERR_RANGE, status_of({10}, 10, hybrid));
    EXPECT_EQ(CMAP_ERR_RANGE, status_of({0, 1, 2, CMAP_NONE}, 10, hybrid));
    EXPECT_EQ(CMAP_ERR_RANGE, status_of({0}, 0, hybrid));
    EXPECT_EQ(CMAP_ERR_RANGE, status_of({CMAP_MAX_SIZE}, CMAP_MAX_SIZE, hybrid));
    EXPECT_EQ(CMAP_OK, status_of({CMAP_MAX_SIZE - 1}, CMAP_MAX_SIZE, hybrid));
    EXPECT_EQ(CMAP_OK, status_of({}, 0, hybrid));
    EXPECT_NE(CMAP_OK, status_of({1}, CMAP_MAX_SIZE + 1, hybrid));
}

struct Range {
    uint32_t first;
    int32_t stride;
    uint32_t count;
};

TEST_F(BadInput, RangesThatLeaveTheUniverseOrStandStill) {
    const Builder builder = builder_for(1000, hybrid);
    const Range wrong[] = {{0, 1, 1001},
                           {999, 1, 2},
                           {5, -1, 7},
                           {0, 0, 2},
                           {0, -1, 2},
                           {1000, 1, 1},
                           {0, 1, CMAP_NONE},
                           {999, -1, CMAP_NONE},
                           {0, INT32_MAX, 2},
                           {999, INT32_MIN, 2},
                           {0, INT32_MAX, CMAP_NONE},
                           {0, INT32_MIN, CMAP_NONE},
                           {CMAP_NONE, 1, 2},
                           {CMAP_NONE, -1, 100}};
    for (const Range &range : wrong) {
        EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_range(builder.get(), range.first,
                                                              range.stride, range.count))
            << range.first << ":" << range.stride << ":" << range.count;
        EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    }
    for (const Range &range : {Range{5, 0, 1}, Range{6, 0, 0}, Range{7, INT32_MIN, 1}})
        EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_range(builder.get(), range.first, range.stride,
                                                       range.count));
    expect_map_is(finish(builder).get(), {5, 7});
}

TEST_F(BadInput, SlicesThatLeaveTheirMap) {
    const Map map = range_map(0, 1, 100, hybrid);
    const Builder builder = builder_for(50, hybrid);
    EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 99, 2));
    EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 101, 0));
    EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 2, CMAP_NONE));
    EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 40, 11));
    EXPECT_EQ(0u, MPIR_cmap_builder_size(builder.get()));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 100, 0));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_slice(builder.get(), map.get(), 40, 10));
    expect_map_is(finish(builder).get(), range_members(40, 1, 10));
}

TEST_F(BadInput, AFailedAddAddsNothing) {
    const Builder builder = builder_for(10, hybrid);
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_add(builder.get(), 4));
    const uint32_t block[] = {1, 2, 10};
    EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add(builder.get(), 10));
    EXPECT_EQ(CMAP_ERR_RANGE, MPIR_cmap_builder_add_block(builder.get(), block, 3));
    EXPECT_EQ(1u, MPIR_cmap_builder_size(builder.get()));
    expect_map_is(finish(builder).get(), {4});
}

TEST_F(BadInput, NullPointers) {
    cmap_t *map = stale;
    cmap_builder *builder = nullptr;
    const uint32_t one[] = {1};
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_from_array(nullptr, 1, 10, &hybrid, &map));
    EXPECT_EQ(nullptr, map);
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_from_array(one, 1, 10, &hybrid, nullptr));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_from_range(0, 1, 1, 10, &hybrid, nullptr));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_create(10, &hybrid, nullptr));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add(nullptr, 1));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add_block(nullptr, one, 1));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add_range(nullptr, 0, 1, 1));
    ASSERT_EQ(CMAP_OK, MPIR_cmap_builder_create(10, nullptr, &builder));
    const Builder owner(builder);
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add_block(builder, nullptr, 1));
    EXPECT_EQ(CMAP_OK, MPIR_cmap_builder_add_block(builder, nullptr, 0));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_add_slice(builder, nullptr, 0, 1));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_finish(builder, nullptr));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_policy_set_default(nullptr));
}

TEST_F(BadInput, Policies) {
    const cmap_policy wrong[] = {
        {CMAP_STRATEGY_HYBRID, -0.01, CMAP_REP_ANY},
        {CMAP_STRATEGY_HYBRID, 1.01, CMAP_REP_ANY},
        {CMAP_STRATEGY_HYBRID, std::nan(""), CMAP_REP_ANY},
        {static_cast<cmap_strategy>(3), 0.5, CMAP_REP_ANY},
        {CMAP_STRATEGY_TIME, 0.5, static_cast<cmap_rep>(CMAP_REP_COUNT + 1)}};
    for (const cmap_policy &policy : wrong) {
        cmap_builder *builder = reinterpret_cast<cmap_builder *>(stale);
        EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_builder_create(10, &policy, &builder));
        EXPECT_EQ(nullptr, builder);
        EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_policy_set_default(&policy));
        EXPECT_EQ(CMAP_ERR_ARG, status_of({1, 2}, 10, policy));
    }
    for (double alpha : {0.0, 1.0})
        EXPECT_EQ(CMAP_OK, status_of({1, 2}, 10, by(CMAP_STRATEGY_HYBRID, alpha)));
}

TEST(Names, GoBothWays) {
    for (int value = 0; value <= CMAP_REP_ANY; value++) {
        const auto rep = static_cast<cmap_rep>(value);
        cmap_rep back = CMAP_REP_COUNT;
        EXPECT_EQ(CMAP_OK, MPIR_cmap_rep_from_name(MPIR_cmap_rep_name(rep), &back));
        EXPECT_EQ(rep, back);
    }
    for (cmap_strategy strategy : {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME, CMAP_STRATEGY_SPACE}) {
        cmap_strategy back = CMAP_STRATEGY_HYBRID;
        EXPECT_EQ(CMAP_OK, MPIR_cmap_strategy_from_name(MPIR_cmap_strategy_name(strategy), &back));
        EXPECT_EQ(strategy, back);
    }
    EXPECT_STREQ("affine", MPIR_cmap_rep_name(CMAP_REP_AFFINE));
    EXPECT_STREQ("concat", MPIR_cmap_rep_name(CMAP_REP_CONCAT));
    EXPECT_STREQ("any", MPIR_cmap_rep_name(CMAP_REP_ANY));
    EXPECT_STREQ("space", MPIR_cmap_strategy_name(CMAP_STRATEGY_SPACE));
}

TEST(Names, UnknownOnesAreAnError) {
    cmap_rep rep = CMAP_REP_RUNS;
    cmap_strategy strategy = CMAP_STRATEGY_TIME;
    for (const char *name : {"", "Affine", "affine ", "affin", "hybrid", "-1"})
        EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_rep_from_name(name, &rep)) << name;
    for (const char *name : {"", "Hybrid", "fast", "any", "packed"})
        EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_strategy_from_name(name, &strategy)) << name;
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_rep_from_name(nullptr, &rep));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_rep_from_name("affine", nullptr));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_strategy_from_name(nullptr, &strategy));
    EXPECT_EQ(CMAP_ERR_ARG, MPIR_cmap_strategy_from_name("time", nullptr));
}

TEST(Names, EveryStatusHasWords) {
    for (int status = CMAP_OK; status <= CMAP_ERR_INVALID; status++)
        EXPECT_GT(std::string(MPIR_cmap_strerror(static_cast<cmap_status>(status))).size(), 1u);
    EXPECT_NE(nullptr, MPIR_cmap_strerror(static_cast<cmap_status>(99)));
}

}  // namespace
}  // namespace cmap_test
