// SPDX-License-Identifier: BSD-3-Clause
// The group algebra on two sets that are held as decision diagrams, by BuDDy: its work is in the
// number of nodes, however many members there are.
#ifndef CMAP_ALGEBRA_DIAGRAMS_HPP_INCLUDED
#define CMAP_ALGEBRA_DIAGRAMS_HPP_INCLUDED

#include "cmap.h"

namespace cmap {

// Of both the result is false if it is to be done another way, and `status` says how it went
// otherwise.
#ifdef CMAP_WITHOUT_BUDDY
inline bool select_diagrams(const cmap_t *, const cmap_t *, bool, const cmap_policy *, cmap_t **,
                            cmap_status &) noexcept {
    return false;
}
inline bool join_diagrams(const cmap_t *, const cmap_t *, const cmap_policy *, cmap_t **,
                          cmap_status &) noexcept {
    return false;
}
#else
// Two diagrams, and not better done word by word?
bool worth_diagrams(const cmap_t *a, const cmap_t *b) noexcept;

// The members of `a` that are (are not) in `b`.
bool select_diagrams(const cmap_t *a, const cmap_t *b, bool wanted, const cmap_policy *policy,
                     cmap_t **out, cmap_status &status) noexcept;
// The union, only where it is one set in MPI's order, too.
bool join_diagrams(const cmap_t *a, const cmap_t *b, const cmap_policy *policy, cmap_t **out,
                   cmap_status &status) noexcept;
#endif

}  // namespace cmap

#endif  // CMAP_ALGEBRA_DIAGRAMS_HPP_INCLUDED
