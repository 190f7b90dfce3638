// SPDX-License-Identifier: BSD-3-Clause
// runs: k arithmetic runs (first, step) and the prefix sums of their lengths.
//
// Payload 12k bytes; 4k more in a list of more than RUNS_SCAN runs, for their order; none up to
// CMAP_INLINE_MEMBERS members when k <= 3.  select O(log k): a branch-free bisection over
// contiguous keys.  rank O(log k) in a set, and in a list whose runs are apart or have one step,
// however they are interleaved: by the residue of their members, then by the least.  With g
// different steps g such searches, up to RUNS_GROUPS; beyond that an inverse is kept, or where
// there is none (space strategy, no memory) g searches, or a scan if that is shorter.  Declines
// beyond RUNS_LIMIT runs or 4n bytes.  (Ranges of ranges: Chaarawi and Gabriel 2008.)
#ifndef CMAP_REP_RUNS_HPP_INCLUDED
#define CMAP_REP_RUNS_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation runs_representation;

}  // namespace cmap

#endif  // CMAP_REP_RUNS_HPP_INCLUDED
