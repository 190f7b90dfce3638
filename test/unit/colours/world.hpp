// SPDX-License-Identifier: BSD-3-Clause
// Members that merge their descriptions along the tree of src/mpi/comm/split, and what is right.
#ifndef TEST_COLOURS_WORLD_HPP_INCLUDED
#define TEST_COLOURS_WORLD_HPP_INCLUDED

#include <cstdint>
#include <functional>
#include <vector>

#include "colours.h"

inline bool operator==(const colours_row &a, const colours_row &b) {
    return a.colour == b.colour && a.key == b.key;
}

namespace colours_test {

using Bytes = std::vector<uint8_t>;
using Rows = std::vector<colours_row>;

void fold_max(uint64_t *all, uint64_t offer);

Bytes leaf(colours_row row, uint64_t offer = 7, uint32_t flags = 0);
Bytes merge(const Bytes &low, const Bytes &high);

// Blocks of ranks first .. first+count-1, along the tree.  `seen` gets every description.
Bytes describe(const Rows &rows, const std::function<void(const Bytes &)> &seen = {});

Rows decode(const Bytes &description);
// The members of a colour, in the order of (key, rank).
std::vector<uint32_t> ordered(const Rows &rows, int32_t colour);
// The same by colours_arrange(), where it has a form; `order` says so.
std::vector<uint32_t> arranged(const Bytes &description, int32_t colour, uint32_t self,
                               colours_order *order);

}  // namespace colours_test

#endif  // TEST_COLOURS_WORLD_HPP_INCLUDED
