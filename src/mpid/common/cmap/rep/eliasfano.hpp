// SPDX-License-Identifier: BSD-3-Clause
// eliasfano: a sparse set, high parts of its members in unary and low parts as they are.
//
// Of each member less the least, the l = floor(lg(span / n)) lowest bits stand in a packed string.
// The rest is a string of bits with a one for each member, in order, and a zero behind each value
// of the high part: member k has the high part (position of one number k) - k.  Payload n * l + n +
// span / 2^l bits, at most n * (2 + lg(span / n)), and the directories of core/rank_select.hpp over
// the second string, 5 % of it.  select O(1): one select1 and one number.  rank: two select0 and
// bisection of the low parts between.
//
// P. Elias, "Efficient storage and retrieval by content and address of static files", J. ACM 21(2),
// 1974; R. M. Fano, "On the number of bits required to implement an associative memory", MIT
// Project MAC, 1971; with the directories D. Okanohara and K. Sadakane, "Practical entropy-
// compressed rank/select dictionary", ALENEX 2007, section 6 (sdarray).
#ifndef CMAP_REP_ELIASFANO_HPP_INCLUDED
#define CMAP_REP_ELIASFANO_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {

extern const Representation eliasfano_representation;

}  // namespace cmap

#endif  // CMAP_REP_ELIASFANO_HPP_INCLUDED
