// SPDX-License-Identifier: BSD-3-Clause
// The lookup header comes first: it must compile alone as C++, too.  c_face.c and c_header.c are
// its C99 halves.
#include "cmap_lookup.h"

#include "oracle.hpp"

extern "C" {
size_t c_size_of_map(void);
uint32_t c_select(const cmap_t *map, uint32_t rank);
uint32_t c_sum(const cmap_t *map);
cmap_status c_even_ranks(uint32_t world, cmap_t **out);
}

namespace cmap_test {
namespace {

static_assert(sizeof(struct cmap_s) <= 128, "a map's header is at most two cache lines");

TEST(Headers, CAndCxxSeeOneLayout) { EXPECT_EQ(sizeof(struct cmap_s), c_size_of_map()); }

TEST(Headers, InlineSelectWorksFromC) {
    cmap_t *map = nullptr;
    ASSERT_EQ(CMAP_OK, c_even_ranks(101, &map));
    const Map owner(map);
    ASSERT_EQ(51u, MPIR_cmap_size(map));
    for (uint32_t rank = 0; rank < 51; rank++)
        EXPECT_EQ(2 * rank, c_select(map, rank));
    EXPECT_EQ(51u * 50u, c_sum(map));
}

}  // namespace
}  // namespace cmap_test
