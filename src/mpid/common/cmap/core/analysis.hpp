// SPDX-License-Identifier: BSD-3-Clause
// The members of a map to be, with everything known about them: what estimators and builders of
// representations get.  For one thread.
#ifndef CMAP_CORE_ANALYSIS_HPP_INCLUDED
#define CMAP_CORE_ANALYSIS_HPP_INCLUDED

#include "core/limits.hpp"
#include "core/plans.hpp"
#include "core/sorter.hpp"
#include "core/stats.hpp"

namespace cmap {

class Relation;

struct Analysis {
    const Content &content;
    const cmap_policy policy;
    const cmap_limits limits;  // in force when the build began
    Stats stats;
    // Of a list that is neither affine nor proven free of duplicates by its runs: the members in
    // order, and their statistics as a set.
    Sorter sorter;
    Stats set_stats;
    // The lengths of the ascending runs of its inverse, if they are not more than its own.
    Buffer<uint32_t> inverse_runs;
    // Of two sets in a row: the statistics of each.  Size 0: not known.
    Stats split_stats[2];
    Relation *relation = nullptr;  // optional: to the map these are members of
    mutable Plans plans;           // from estimators to the builders of their kind

    Analysis(const Content &members, const cmap_policy &chosen) noexcept
        : content(members), policy(chosen), limits(cmap::limits()) {}
    // Of members below or beside those of `whole`, in the same build: nothing is forced on them.
    Analysis(const Content &members, const Analysis &whole) noexcept
        : content(members),
          policy{whole.policy.strategy, whole.policy.alpha, CMAP_REP_ANY},
          limits(whole.limits) {}

    // The first pass.
    void measure() noexcept;
    // CMAP_ERR_DUPLICATE when a member appears twice.
    cmap_status check_duplicates() noexcept;
    // Fills `sorter`, `set_stats` and, where it has few, `inverse_runs`; to be called once.
    cmap_status sort() noexcept;

  private:
    cmap_status mark() noexcept;
};

// Do two runs have a member in common?
bool runs_meet(const Run &a, const Run &b) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_ANALYSIS_HPP_INCLUDED
