// SPDX-License-Identifier: BSD-3-Clause
#include "core/registry.hpp"

#include "cmap_tuning.hpp"

namespace cmap {

Estimate estimate_of(uint32_t size, uint64_t bytes, uint64_t room, double time) noexcept {
    if (!inside(size)) return Estimate{true, bytes, time + time_access(bytes)};
    return bytes <= room ? Estimate{true, 0, time + time_access(0)} : cannot();
}

#ifdef CMAP_WITHOUT_BUDDY
constexpr Representation bdd_representation = left_out("bdd");
#endif
#ifdef CMAP_WITHOUT_BZIP2
constexpr Representation bwt_representation = left_out("bwt");
#endif

namespace {

constexpr const Representation *table[] = {
    &affine_representation,    &packed_representation, &array_representation,  &runs_representation,
    &bitmap_representation,    &pperm_representation,  &concat_representation, &gap_representation,
    &eliasfano_representation, &bdd_representation,    &bwt_representation,    &wtr_representation,
    &sub_representation,
};

static_assert(sizeof table / sizeof *table == CMAP_REP_COUNT,
              "one entry for each tag, in their order");

}  // namespace

const Representation &representation(unsigned kind) noexcept {
    assert(kind < CMAP_REP_COUNT);
    return *table[kind];
}

}  // namespace cmap
