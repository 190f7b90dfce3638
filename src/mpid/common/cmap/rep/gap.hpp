// SPDX-License-Identifier: BSD-3-Clause
// gap: a set as the distances of neighbours, in fixed width.
//
// Blocks of B members.  Each has its first member, 32 bits, and for the others the distance to the
// one before less 1, in w = lg(largest distance) bits, rounded up and at least GAP_MIN_WIDTH.
// Payload n * w + n / B * (32 - w) bits; B goes with w, see below.  select sums up to B - 1
// numbers, several at a time in one word; rank is bisection of the blocks and a walk through one of
// them.  Where bytes weigh enough, distances are digits to the base of the largest one instead: see
// gap_digits.hpp.
//
// S. Mir Taheri, "Scalability of communicators in MPI", UBC 2011, section 4.1.4.
#ifndef CMAP_REP_GAP_HPP_INCLUDED
#define CMAP_REP_GAP_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation gap_representation;

}  // namespace cmap

#endif  // CMAP_REP_GAP_HPP_INCLUDED
