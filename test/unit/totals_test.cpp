// SPDX-License-Identifier: BSD-3-Clause
// What maps say about themselves: totals, bytes, descriptions.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "oracle.hpp"

#include <cstring>

namespace cmap_test {
namespace {

cmap_totals totals() {
    cmap_totals now;
    MPIR_cmap_get_totals(&now);
    return now;
}

TEST(Totals, FollowMapsAndReferences) {
    const cmap_totals before = totals();
    const Members members = random_permutation(1000, 1);
    Map map = map_of(members, forced(CMAP_REP_PACKED));
    cmap_totals now = totals();
    EXPECT_EQ(before.maps + 1, now.maps);
    EXPECT_EQ(before.bytes + MPIR_cmap_bytes(map.get()), now.bytes);
    EXPECT_EQ(before.array_bytes + 4000, now.array_bytes);
    EXPECT_EQ(before.shared_array_bytes + 4000, now.shared_array_bytes);
    EXPECT_EQ(before.builds[CMAP_REP_PACKED] + 1, now.builds[CMAP_REP_PACKED]);
    EXPECT_EQ(before.intern_hits, now.intern_hits);

    Map again = map_of(members, forced(CMAP_REP_PACKED));
    Map third(MPIR_cmap_addref(map.get()));
    now = totals();
    EXPECT_EQ(before.maps + 1, now.maps);
    EXPECT_EQ(before.intern_hits + 1, now.intern_hits);
    EXPECT_EQ(before.array_bytes + 4000, now.array_bytes);
    EXPECT_EQ(before.shared_array_bytes + 12000, now.shared_array_bytes);
    EXPECT_EQ(before.builds[CMAP_REP_PACKED] + 1, now.builds[CMAP_REP_PACKED]);

    again.reset();
    third.reset();
    map.reset();
    now = totals();
    EXPECT_EQ(before.maps, now.maps);
    EXPECT_EQ(before.bytes, now.bytes);
    EXPECT_EQ(before.array_bytes, now.array_bytes);
    EXPECT_EQ(before.shared_array_bytes, now.shared_array_bytes);
}

TEST(Totals, CountInversesWhileTheyLive) {
    const Map map = map_of(random_permutation(5000, 1), forced(CMAP_REP_PACKED));
    const cmap_totals before = totals();
    const size_t bare = MPIR_cmap_bytes(map.get());
    EXPECT_EQ(bare, MPIR_cmap_bytes(map.get()));
    (void)MPIR_cmap_rank(map.get(), 77);
    EXPECT_GE(MPIR_cmap_bytes(map.get()), bare);
    EXPECT_EQ(before.bytes + (MPIR_cmap_bytes(map.get()) - bare), totals().bytes);
    EXPECT_EQ(bare, MPIR_cmap_bytes(map.get()) - MPIR_cmap_cached_bytes(map.get()));
}

TEST(Totals, CountDeclinedForces) {
    const cmap_totals before = totals();
    const Map map = map_of(random_permutation(1000, 3), forced(CMAP_REP_BITMAP));
    EXPECT_EQ(before.force_declined + 1, totals().force_declined);
    EXPECT_EQ(before.builds[CMAP_REP_BITMAP], totals().builds[CMAP_REP_BITMAP]);
    EXPECT_EQ(before.builds[MPIR_cmap_representation(map.get())] + 1,
              totals().builds[MPIR_cmap_representation(map.get())]);
}

// The bytes a map owns up to are the bytes it took from the allocator.
TEST(Bytes, AreWhatTheAllocatorGave) {
    for (cmap_rep rep : all_reps()) {
        SCOPED_TRACE(MPIR_cmap_rep_name(rep));
        CountingAllocator allocator(MPIR_cmap_set_allocator);
        const Map keeper =
            range_map(0, 1, 2, forced(rep));  // the intern table is there before we count
        for (const Members &members :
             {random_permutation(5000, 1), random_set(9000, 0.5, 2), random_pieces(20, 300, 3)}) {
            const uint64_t before = allocator.bytes_alive();
            const Map map = map_of(members, forced(rep));
            const uint64_t taken = allocator.bytes_alive() - before;
            EXPECT_GE(taken, MPIR_cmap_bytes(map.get()));
            // A header begins a cache line, and the parent of a sub is a map of its own.
            EXPECT_LE(taken, MPIR_cmap_bytes(map.get()) + 256 + 3 * 48);
        }
    }
}

TEST(Bytes, SmallMapsTakeTheHeaderOnly) {
    EXPECT_LE(header_bytes(), 128u);
    for (cmap_rep rep : all_reps())
        for (uint32_t n = 0; n <= CMAP_INLINE_MEMBERS; n++)
            EXPECT_EQ(header_bytes(),
                      MPIR_cmap_bytes(map_of(random_list(n, 1000000, n + 1), forced(rep)).get()))
                << MPIR_cmap_rep_name(rep) << " " << n;
}

TEST(Describe, CutsAsSnprintfDoes) {
    for (cmap_rep rep : all_reps()) {
        const Map map =
            map_of(rep == CMAP_REP_BITMAP ? random_set(1000, 0.5, 1) : random_pieces(30, 20, 9),
                   forced(rep));
        char whole[1024], part[1024];
        const int length = MPIR_cmap_describe(map.get(), whole, sizeof whole);
        ASSERT_GT(length, 0);
        ASSERT_EQ(static_cast<size_t>(length), std::strlen(whole));
        EXPECT_EQ(length, MPIR_cmap_describe(map.get(), nullptr, 0));
        for (int room = 1; room <= length + 2; room++) {
            std::memset(part, 'Z', sizeof part);
            EXPECT_EQ(length, MPIR_cmap_describe(map.get(), part, static_cast<size_t>(room)));
            EXPECT_EQ(std::string(whole, static_cast<size_t>(std::min(length, room - 1))), part);
            EXPECT_EQ('Z', part[room]);
        }
        EXPECT_EQ(0u,
                  std::string(whole).find(MPIR_cmap_rep_name(MPIR_cmap_representation(map.get()))))
            << whole;
    }
}

TEST(Describe, SaysTheClosedForm) {
    char text[256];
    MPIR_cmap_describe(map_of(transpose(32, 16), by(CMAP_STRATEGY_HYBRID)).get(), text,
                       sizeof text);
    EXPECT_NE(nullptr, std::strstr(text, "affine")) << text;
    EXPECT_NE(nullptr, std::strstr(text, "16")) << text;
    EXPECT_NE(nullptr, std::strstr(text, "32")) << text;
}

}  // namespace
}  // namespace cmap_test
