// SPDX-License-Identifier: BSD-3-Clause
// The group algebra in closed form: results at a world of 2^20, and that no memory for its members
// is asked for.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <functional>

namespace cmap_test {
namespace {

using Ranks = std::vector<int>;
using Ranges = std::vector<cmap_rank_range>;
using Binary = cmap_status (*)(const cmap_t *, const cmap_t *, const cmap_policy *, cmap_t **);

constexpr uint32_t world_size = 1u << 20;

// A path through the members of the world would ask for a bitmap of 128 KiB or a buffer of more.
constexpr uint64_t closed_form_bytes = 8192;

// What measuring the diagram of a result may take for a while.
constexpr uint64_t diagram_bytes = 24576;

// What an operation asks the allocator for, in all, beyond the payload of its results.
class Budgeted {
  public:
    explicit Budgeted(const CountingAllocator &allocator, uint64_t bytes = closed_form_bytes)
        : allocator_(allocator), before_(allocator.bytes_asked()), bytes_(bytes) {}
    ~Budgeted() { EXPECT_LT(allocator_.bytes_asked() - before_, bytes_); }
    void grant(const Map &result) {
        bytes_ += closed_form_bytes + diagram_bytes + 4 * MPIR_cmap_payload_bytes(result.get());
    }

  private:
    const CountingAllocator &allocator_;
    uint64_t before_, bytes_;
};

Map made(cmap_status status, cmap_t *map) {
    EXPECT_EQ(CMAP_OK, status);
    return Map(map);
}

// Size, and `expected(rank)` at many ranks.
void expect_samples(const Map &map, uint32_t size,
                    const std::function<uint32_t(uint32_t)> &expected) {
    ASSERT_EQ(size, MPIR_cmap_size(map.get()));
    for (uint32_t rank = 0; rank < size; rank += 1 + rank / 61)
        ASSERT_EQ(expected(rank), MPIR_cmap_select_outlined(map.get(), rank)) << rank;
    for (uint32_t k = 1; k <= std::min(size, 50u); k++)
        ASSERT_EQ(expected(size - k), MPIR_cmap_select_outlined(map.get(), size - k)) << size - k;
}

class AlgebraOfTheWorld : public ::testing::Test {
  protected:
    CountingAllocator allocator{MPIR_cmap_set_allocator};  // first made, last destroyed
    const cmap_policy policy = by(CMAP_STRATEGY_HYBRID);
    const Map world = range_map(0, 1, world_size, policy);

    // A block of a mesh 1024 wide: `rows` from `row` on, `columns` from `column` on.
    Map block(uint32_t row, uint32_t rows, uint32_t column, uint32_t columns) const {
        const cmap_rank_range whole = {column + 1024 * row, column + 1024 * (row + rows) - 1024,
                                       1024};
        Builder builder = builder_for(world_size, policy);
        for (uint32_t r = 0; r < rows; r++)
            MPIR_cmap_builder_add_range(builder.get(), whole.first + 1024 * r, 1, columns);
        return finish(builder);
    }
    Map combined(Binary operation, const Map &a, const Map &b,
                 uint64_t bytes = closed_form_bytes) const {
        Budgeted budget(allocator, bytes);
        cmap_t *out = nullptr;
        const cmap_status status = operation(a.get(), b.get(), nullptr, &out);
        Map result = made(status, out);
        budget.grant(result);
        return result;
    }
    Map ranges(const Map &map, const Ranges &list, bool include) const {
        Budgeted budget(allocator);
        cmap_t *out = nullptr;
        const auto n = static_cast<uint32_t>(list.size());
        const cmap_status status =
            include ? MPIR_cmap_range_incl(map.get(), list.data(), n, nullptr, &out)
                    : MPIR_cmap_range_excl(map.get(), list.data(), n, nullptr, &out);
        Map result = made(status, out);
        budget.grant(result);
        return result;
    }
};

TEST_F(AlgebraOfTheWorld, WithoutAStride) {
    const Map even = range_map(0, 2, world_size / 2, policy),
              third = range_map(1, 3, 349525, policy);
    expect_samples(combined(MPIR_cmap_difference, world, even), world_size / 2,
                   [](uint32_t r) { return 2 * r + 1; });
    expect_samples(combined(MPIR_cmap_difference, world, third), world_size - 349525,
                   [](uint32_t r) { return r / 2 * 3 + r % 2 * 2; });
    expect_samples(combined(MPIR_cmap_intersection, even, third), 174762,
                   [](uint32_t r) { return 6 * r + 4; });
    EXPECT_EQ(world.get(), combined(MPIR_cmap_union, world, even).get());
    EXPECT_EQ(even.get(), combined(MPIR_cmap_intersection, world, even).get());
    EXPECT_EQ(0u, MPIR_cmap_size(combined(MPIR_cmap_difference, even, world).get()));
    expect_samples(combined(MPIR_cmap_union, even, world), world_size, [](uint32_t r) {
        return r < world_size / 2 ? 2 * r : 2 * (r - world_size / 2) + 1;
    });
}

TEST_F(AlgebraOfTheWorld, InAMesh) {
    const Map rows = block(100, 50, 0, 1024), columns = block(0, 1024, 32, 64),
              tile = block(100, 50, 32, 64);
    const Map upper = range_map(0, 1, 100 * 1024 + 40, policy);
    EXPECT_EQ(tile.get(), combined(MPIR_cmap_intersection, rows, columns).get());
    EXPECT_EQ(tile.get(), combined(MPIR_cmap_intersection, columns, rows).get());
    EXPECT_EQ(columns.get(), combined(MPIR_cmap_intersection, world, columns).get());
    expect_samples(combined(MPIR_cmap_difference, world, rows), world_size - 50 * 1024,
                   [](uint32_t r) { return r < 100 * 1024 ? r : r + 50 * 1024; });
    expect_samples(
        combined(MPIR_cmap_difference, world, columns), world_size - 64 * 1024,
        [](uint32_t r) { return r < 32 ? r : (r - 32) / 960 * 1024 + 96 + (r - 32) % 960; });
    expect_samples(combined(MPIR_cmap_intersection, tile, upper), 8,
                   [](uint32_t r) { return 100 * 1024 + 32 + r; });
}

TEST_F(AlgebraOfTheWorld, Transposed) {
    Builder builder = builder_for(world_size, policy);
    for (uint32_t column = 0; column < 1024; column++)
        MPIR_cmap_builder_add_range(builder.get(), column, 1024, 1024);
    const Map transposed = finish(builder),
              backwards = range_map(world_size - 1, -1, world_size, policy);
    const Map rows = block(100, 50, 0, 1024), columns = block(0, 1024, 32, 64);
    cmap_order order = CMAP_DIFFERENT;
    const Budgeted budget(allocator, 8 * closed_form_bytes);
    EXPECT_EQ(CMAP_OK, MPIR_cmap_compare(transposed.get(), world.get(), &order));
    EXPECT_EQ(CMAP_SIMILAR, order);
    EXPECT_EQ(CMAP_OK, MPIR_cmap_compare(backwards.get(), transposed.get(), &order));
    EXPECT_EQ(CMAP_SIMILAR, order);
    expect_samples(combined(MPIR_cmap_intersection, transposed, rows), 50 * 1024,
                   [](uint32_t r) { return r / 50 + (100 + r % 50) * 1024; });
    expect_samples(combined(MPIR_cmap_intersection, transposed, columns), 64 * 1024,
                   [](uint32_t r) { return 32 + r / 1024 + r % 1024 * 1024; });
    EXPECT_EQ(world.get(), combined(MPIR_cmap_compose, transposed, transposed).get());
    expect_samples(combined(MPIR_cmap_compose, transposed, backwards), world_size, [](uint32_t r) {
        const uint32_t back = world_size - 1 - r;
        return back / 1024 + back % 1024 * 1024;
    });
}

TEST_F(AlgebraOfTheWorld, EqualUnderAnotherPolicy) {
    const cmap_policy other = by(CMAP_STRATEGY_SPACE);
    const Map again = range_map(0, 1, world_size, other),
              odd = range_map(1, 2, world_size / 2, policy);
    const Budgeted budget(allocator);
    cmap_order order = CMAP_DIFFERENT;
    ASSERT_NE(again.get(), world.get());
    EXPECT_EQ(CMAP_OK, MPIR_cmap_compare(again.get(), world.get(), &order));
    EXPECT_EQ(CMAP_EQUAL, order);
    int yes = -1;
    uint32_t rank = 0;
    EXPECT_EQ(CMAP_OK, MPIR_cmap_is_subset(odd.get(), again.get(), &yes, &rank));
    EXPECT_EQ(1, yes);
    EXPECT_EQ(CMAP_OK, MPIR_cmap_is_subset(again.get(), odd.get(), &yes, &rank));
    EXPECT_EQ(0, yes);
    EXPECT_EQ(0u, rank);
}

TEST_F(AlgebraOfTheWorld, RangesOfRanks) {
    const Map columns = block(0, 1024, 32, 64);
    expect_samples(ranges(world, {{0, world_size - 1, 2}}, true), world_size / 2,
                   [](uint32_t r) { return 2 * r; });
    expect_samples(ranges(world, {{world_size - 1, 3, -4}}, true), world_size / 4,
                   [](uint32_t r) { return world_size - 1 - 4 * r; });
    expect_samples(ranges(world, {{0, world_size - 1, 1024}}, false), world_size - 1024,
                   [](uint32_t r) { return r / 1023 * 1024 + 1 + r % 1023; });
    expect_samples(ranges(world, {{10, 19, 1}, {500040, 40, -400}}, false), world_size - 10 - 1251,
                   [](uint32_t r) {
                       if (r < 30) return r < 10 ? r : r + 10;
                       const uint32_t gap = (r - 30) / 399;
                       return gap < 1251 ? 41 + gap * 400 + (r - 30) % 399 : r + 10 + 1251;
                   });
    // Every second column of the 64, then the rows from 512 on.
    expect_samples(ranges(columns, {{0, 64 * 1024 - 1, 2}}, true), 32 * 1024,
                   [](uint32_t r) { return r / 32 * 1024 + 32 + r % 32 * 2; });
    expect_samples(ranges(columns, {{0, 64 * 512 - 1, 1}}, false), 64 * 512,
                   [](uint32_t r) { return (512 + r / 64) * 1024 + 32 + r % 64; });
}

TEST_F(AlgebraOfTheWorld, FewRanks) {
    const Budgeted budget(allocator);
    const int ranks[] = {7, 100000, 3};
    cmap_t *out = nullptr;
    cmap_status status = MPIR_cmap_incl(world.get(), ranks, 3, nullptr, &out);
    expect_samples(made(status, out), 3,
                   [&](uint32_t r) { return static_cast<uint32_t>(ranks[r]); });
    status = MPIR_cmap_excl(world.get(), ranks, 3, nullptr, &out);
    expect_samples(made(status, out), world_size - 3, [](uint32_t r) {
        return r < 3 ? r : r < 6 ? r + 1 : r < 99998 ? r + 2 : r + 3;
    });
}

TEST_F(AlgebraOfTheWorld, MinusAScatteredFew) {
    const Members few = random_list(40, world_size, 5);
    const Map scattered = map_of(few, forced(CMAP_REP_PACKED));
    const Map rest = combined(MPIR_cmap_difference, world, scattered, 4 * closed_form_bytes);
    ASSERT_EQ(world_size - 40, MPIR_cmap_size(rest.get()));
    for (uint32_t member : few) {
        EXPECT_EQ(CMAP_NONE, MPIR_cmap_rank(rest.get(), member));
    }
}

TEST_F(AlgebraOfTheWorld, Translation) {
    const Map columns = block(0, 1024, 32, 64);
    const Budgeted budget(allocator);
    const int ranks[] = {0, 63, 64, 64 * 1024 - 1, -1};
    int there[5];
    ASSERT_EQ(CMAP_OK, MPIR_cmap_translate(columns.get(), ranks, 5, world.get(), there));
    EXPECT_EQ((Ranks{32, 95, 1056, 1023 * 1024 + 95, -1}), Ranks(there, there + 5));
    int back[5];
    ASSERT_EQ(CMAP_OK, MPIR_cmap_translate(world.get(), there, 5, columns.get(), back));
    EXPECT_EQ(Ranks(ranks, ranks + 5), Ranks(back, back + 5));
}

}  // namespace
}  // namespace cmap_test
