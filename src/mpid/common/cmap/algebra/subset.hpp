// SPDX-License-Identifier: BSD-3-Clause
// The subset test, shared by MPIR_cmap_is_subset() and MPIR_cmap_compare().
#ifndef CMAP_ALGEBRA_SUBSET_HPP_INCLUDED
#define CMAP_ALGEBRA_SUBSET_HPP_INCLUDED

#include "algebra/operands.hpp"

namespace cmap {

// The first rank of `part` whose member is missing in `whole`; the size of `part` when none is.
uint32_t first_missing(const cmap_t *part, const cmap_t *whole) noexcept;

}  // namespace cmap

#endif  // CMAP_ALGEBRA_SUBSET_HPP_INCLUDED
