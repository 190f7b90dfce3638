// SPDX-License-Identifier: BSD-3-Clause
#include "core/registry.hpp"

#include "rep/affine.hpp"
#include "rep/array.hpp"
#include "rep/bdd.hpp"
#include "rep/bitmap.hpp"
#include "rep/bwt.hpp"
#include "rep/concat.hpp"
#include "rep/eliasfano.hpp"
#include "rep/gap.hpp"
#include "rep/packed.hpp"
#include "rep/pperm.hpp"
#include "rep/runs.hpp"
#include "rep/sub.hpp"
#include "rep/wtr.hpp"

namespace cmap {

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
