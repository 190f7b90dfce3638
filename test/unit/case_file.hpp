// SPDX-License-Identifier: BSD-3-Clause
// Named maps from cases.txt.  The grammar is explained at the top of that file.
#ifndef TEST_UNIT_CASE_FILE_HPP_INCLUDED
#define TEST_UNIT_CASE_FILE_HPP_INCLUDED

#include "support.hpp"

#include <string>
#include <vector>

namespace cmap_test {

struct Case {
    std::string name;
    std::vector<std::string> words;  // generator and arguments
    uint32_t universe = 0;           // 0: one past the greatest member
    bool affine = false;             // detection must find a closed form
    bool slim = false;               // only where the payload depends on n, not on the span
};

// Read once; a line that does not parse is a test failure and ends the program.
const std::vector<Case> &cases();
// Remembers the case asked for last.
const Members &members_of(const Case &one);

// The generators, for tests that make their maps in loops.
Members transpose(uint32_t rows, uint32_t columns);
// MPI_Cart_sub: `keep` has a bit per dimension (bit 0 is the first, slowest one), `at` the fixed
// coordinates.
Members cart_sub(const std::vector<uint32_t> &dims, uint32_t keep, const std::vector<uint32_t> &at);
// Pattern such as "0**1": a character per dimension, the most significant first.
Members hypercube_face(const std::string &pattern);
struct Level {
    uint32_t count;
    int32_t stride;
};
Members levels(uint32_t base, const std::vector<Level> &innermost_first);
Members random_set(uint32_t universe, double density, uint32_t seed);
Members random_permutation(uint32_t n, uint32_t seed);
// `count` different indices below `universe`, in no order.
Members random_list(uint32_t count, uint32_t universe, uint32_t seed);
// The same, in `runs` parts of about equal size, each of them in order: as many ascending runs, or
// by chance fewer.
Members ascending_runs(uint32_t runs, uint32_t count, uint32_t universe, uint32_t seed);
// `pieces` disjoint arithmetic pieces in a random order, some of them reversed.
Members random_pieces(uint32_t pieces, uint32_t longest, uint32_t seed);

}  // namespace cmap_test

#endif  // TEST_UNIT_CASE_FILE_HPP_INCLUDED
