// SPDX-License-Identifier: BSD-3-Clause
// Members that merge their descriptions along the tree of src/mpi/comm/split, and what is right.
#ifndef TEST_COLOURS_WORLD_HPP_INCLUDED
#define TEST_COLOURS_WORLD_HPP_INCLUDED

#include <functional>

#include "rows.hpp"

inline bool operator==(const colours_row &a, const colours_row &b) {
    return a.colour == b.colour && a.key == b.key;
}

namespace colours_test {

void fold_max(uint64_t *all, uint64_t offer);

Bytes leaf(colours_row row, uint64_t offer = 7, uint32_t flags = 0);
Bytes merge(const Bytes &low, const Bytes &high);

// Blocks of ranks first .. first+count-1, along the tree.  `seen` gets every description.
Bytes describe(const Rows &rows, const std::function<void(const Bytes &)> &seen = {});

}  // namespace colours_test

#endif  // TEST_COLOURS_WORLD_HPP_INCLUDED
