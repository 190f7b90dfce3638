// SPDX-License-Identifier: BSD-3-Clause
// The array oracle: everything a map answers, against the plain list of its members.
#ifndef TEST_UNIT_ORACLE_HPP_INCLUDED
#define TEST_UNIT_ORACLE_HPP_INCLUDED

#include "support.hpp"

namespace cmap_test {

// Checks select (inline and outlined), rank, decode, cursor, select_many, extremes, validate and
// the byte counts. Records a failure for each kind of answer that is wrong.  All ranks are asked up
// to 2^18 members, beyond that every seventh and all near the borders of blocks.
void expect_map_is(const cmap_t *map, const Members &members);

// The parts of it, for tests that want only one.
::testing::AssertionResult selects_match(const cmap_t *map, const Members &members);
::testing::AssertionResult ranks_match(const cmap_t *map, const Members &members);
::testing::AssertionResult is_valid(const cmap_t *map);

}  // namespace cmap_test

#endif  // TEST_UNIT_ORACLE_HPP_INCLUDED
