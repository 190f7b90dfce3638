// SPDX-License-Identifier: BSD-3-Clause
// The table of all maps alive: one map per content and policy.
#ifndef CMAP_CORE_INTERN_HPP_INCLUDED
#define CMAP_CORE_INTERN_HPP_INCLUDED

#include "core/map.hpp"

namespace cmap {

// The map of these members under this policy: the one alive, or a new one.  `analysis` has been
// measured.
cmap_status intern(Analysis &analysis, cmap_t **out) noexcept;
// The same of a closed form that wins (strategy.hpp); the analysis needs its stats and no content.
cmap_status intern_form(Analysis &analysis, cmap_t **out) noexcept;
// For the commonest of all contents, without an analysis: the live affine map of this one run
// inside the universe, under the policy (null: the default one), with a reference for the caller.
// nullptr: there is none, or something is wrong with the arguments; the builder tells.
cmap_t *find_run(const Run &run, uint32_t universe, const cmap_policy *policy) noexcept;
void unref(cmap_t *map) noexcept;
void gather_totals(cmap_totals &out) noexcept;

inline cmap_t *ref(const cmap_t *map) noexcept {
    cmap_t *counted = const_cast<cmap_t *>(map);
    __atomic_fetch_add(&counted->refs, 1, __ATOMIC_RELAXED);
    return counted;
}

}  // namespace cmap

#endif  // CMAP_CORE_INTERN_HPP_INCLUDED
