// SPDX-License-Identifier: BSD-3-Clause
// Which representation a map gets: the step between its Analysis and its payload, see
// core/builder.hpp.
//
//   time     the smallest T, ties by S
//   space    the smallest S, ties by T
//   hybrid   the smallest alpha * log T + (1 - alpha) * log(S + header)
//
// T: ns of a dependent random select, from cmap_times.hpp; S: payload in bytes.  The header is paid
// in every case, and with it a map without payload has a finite logarithm.
//
// A permutation of the members of another map may share its set, which then counts for nothing in
// S, and in T with what it takes.  Under hybrid the formula alone would take a list wherever that
// fits a near cache: the set's time would be weighed again, though it was when the set was chosen.
// So sharing wins where it saves a sixteenth of the bytes, within the limits of cmap_tuning.hpp.
//
// Under hybrid and space nothing with more payload than the plain array is a candidate.  Up to
// CMAP_INLINE_MEMBERS members S is 0 for all; there a whole affine form is taken for its closed
// rank() and its pieces, else the array in the header.
#ifndef CMAP_CORE_STRATEGY_HPP_INCLUDED
#define CMAP_CORE_STRATEGY_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

// Kinds to try, the best first: a forced one leads when it fits.
struct Choice {
    unsigned count = 0;
    uint8_t kind[CMAP_REP_COUNT];
    double time[CMAP_REP_COUNT];  // estimated
};

// Where a closed form wins, it alone.
Choice choose(const Analysis &analysis) noexcept;
// Whether a closed form, of more than CMAP_INLINE_MEMBERS members and with nothing forced, wins.
bool closed_form_wins(const Analysis &analysis) noexcept;
// All kinds that are allowed, to be compared: in every map, nothing forced.
Choice ranking(const Analysis &analysis) noexcept;
// What the policy makes as small as it can.
double cost_of(const Estimate &estimate, const cmap_policy &policy) noexcept;
// The winner's estimate.
Estimate best(const Analysis &analysis) noexcept;
// The same of a set below or beside what is analysed, for estimators of representations made of
// others; and where its members are not at hand, without those that must read them.
Estimate best_simple(const Content &members, const Stats &stats, const Analysis &whole) noexcept;
Estimate best_simple(const Stats &stats, const Analysis &whole) noexcept;

// The most payload with which a representation that takes `time` is preferred to all those whose
// tags come before `kind`; below 0 when none is little enough.
double space_worth(const Analysis &analysis, cmap_rep kind, double time) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_STRATEGY_HPP_INCLUDED
