// SPDX-License-Identifier: BSD-3-Clause
// Closed forms as the C face takes and gives them, and one form through another.
#ifndef CMAP_CORE_CLOSED_FORM_HPP_INCLUDED
#define CMAP_CORE_CLOSED_FORM_HPP_INCLUDED

#include "core/affine_form.hpp"

namespace cmap {

// The map of a form's members: without a look at each of them where the form has as many levels as
// an affine map, and otherwise piece by piece.
cmap_status map_from_form(const cmap_form &form, uint32_t universe, const cmap_policy *policy,
                          cmap_t **out) noexcept;

// The members of `outer` at the ranks of `inner`.  False: they are no form.  REQUIRES an affine
// map, and ranks below its size.
bool compose_forms(const cmap_t *outer, const cmap_form &inner, cmap_form &out) noexcept;

// The whole forms of an affine map, one after the other: of one that ends inside its outermost
// count one for each level at most.
uint32_t forms_of_affine(const cmap_t *map, cmap_form *forms, uint32_t room) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_CLOSED_FORM_HPP_INCLUDED
