// SPDX-License-Identifier: BSD-3-Clause
// The members of a map to be, with everything known about them: what estimators and builders of
// representations get.
#ifndef CMAP_CORE_ANALYSIS_HPP_INCLUDED
#define CMAP_CORE_ANALYSIS_HPP_INCLUDED

#include "core/diagram.hpp"
#include "core/limits.hpp"
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
    Stats set;
    // The lengths of the ascending runs of its inverse, if they are not more than its own.
    Buffer<uint32_t> inverse_runs;
    // Of two sets in a row: the statistics of each.  Size 0: not known.
    Stats part[2];
    Relation *relation = nullptr;  // optional: to the map these are members of
    // Where only building tells the size: what an estimator made, for the builder of its kind.
    mutable Buffer<unsigned char> draft;
    mutable unsigned draft_kind = CMAP_REP_ANY;
    mutable uint32_t draft_number = 0;
    mutable double draft_share = 0;

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
    // Fills `sorter` and `set`.
    cmap_status sort() noexcept;

    // The diagram of a set with at most limit(*this) nodes, read when it is asked for first.
    // nullptr: it has more, or there is no memory.  For one thread, as all of this.
    const Diagram *diagram(uint32_t (*limit)(const Analysis &)) const noexcept;

  private:
    cmap_status mark() noexcept;

    enum class Known { nothing, nodes, too_many };
    mutable Known known_ = Known::nothing;
    mutable Diagram diagram_;
};

// Do two runs have a member in common?
bool runs_meet(const Run &a, const Run &b) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_ANALYSIS_HPP_INCLUDED
