// SPDX-License-Identifier: BSD-3-Clause
// The rows of a description, and the members of a colour: by colours.h, and from the rows.
#ifndef TEST_COLOURS_ROWS_HPP_INCLUDED
#define TEST_COLOURS_ROWS_HPP_INCLUDED

#include <algorithm>
#include <cstdint>
#include <vector>

#include "colours.h"

namespace colours_test {

using Bytes = std::vector<uint8_t>;
using Rows = std::vector<colours_row>;

inline Rows decode(const Bytes &description) {
    Rows rows;
    MPIR_colours_decode(
        description.data(),
        [](void *to, colours_row row) { static_cast<Rows *>(to)->push_back(row); }, &rows);
    return rows;
}

// The members of a colour, in the order of (key, rank).
inline std::vector<uint32_t> ordered(const Rows &rows, int32_t colour) {
    std::vector<uint32_t> members;
    for (uint32_t r = 0; r < rows.size(); r++)
        if (rows[r].colour == colour) members.push_back(r);
    std::stable_sort(members.begin(), members.end(),
                     [&](uint32_t a, uint32_t b) { return rows[a].key < rows[b].key; });
    return members;
}

inline bool add_members(void *to, const colours_grid *grid) {
    auto *members = static_cast<std::vector<uint32_t> *>(to);
    for (uint32_t i = 0; i < grid->members; i++) {
        int64_t rank = grid->rank, left = i;
        for (uint32_t k = 0; k < grid->levels; k++) {
            rank += left % grid->count[k] * grid->stride[k];
            left /= grid->count[k];
        }
        members->push_back(static_cast<uint32_t>(rank));
    }
    return true;
}

// The same by MPIR_colours_arrange(), where it has a form; `order` says so.
inline std::vector<uint32_t> arranged(const Bytes &description, int32_t colour, uint32_t self,
                                      colours_order *order) {
    std::vector<uint32_t> members;
    MPIR_colours_arrange(description.data(), colour, self, order);
    if (order->form != COLOURS_TABLE)
        MPIR_colours_each_grid(description.data(), colour, order, add_members, &members);
    return members;
}

}  // namespace colours_test

#endif  // TEST_COLOURS_ROWS_HPP_INCLUDED
