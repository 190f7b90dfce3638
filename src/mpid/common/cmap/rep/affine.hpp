// SPDX-License-Identifier: BSD-3-Clause
// affine: a closed form of up to 6 levels in the header.
//
// Payload none.  select O(levels): one multiplication for level 0 and two, independent of the
// others', for each further level, no division (cmap_lookup.h).  rank O(levels) by greedy digit
// extraction, because levels nest (see core/affine_form.hpp).  Ranges, strides, strided blocks,
// sub-meshes, hypercube faces, transposes, reversals.
#ifndef CMAP_REP_AFFINE_HPP_INCLUDED
#define CMAP_REP_AFFINE_HPP_INCLUDED

#include "core/affine_form.hpp"
#include "core/registry.hpp"

namespace cmap {

// What the header of an affine map stands for.
AffineForm form_of(const cmap_t *map) noexcept;

}  // namespace cmap

#endif  // CMAP_REP_AFFINE_HPP_INCLUDED
