// SPDX-License-Identifier: BSD-3-Clause
// The ascending runs of a list: its longest parts in a row that increase.
#ifndef CMAP_CORE_ASCENTS_HPP_INCLUDED
#define CMAP_CORE_ASCENTS_HPP_INCLUDED

#include "core/content.hpp"

namespace cmap {

// visit(uint32_t rank) for the rank at which each ascending run but the first begins; false stops.
template <class Visit>
bool each_descent(const uint32_t *members, uint32_t n, Visit &&visit) noexcept {
    for (uint32_t i = 1; i < n; i++)
        if (members[i] <= members[i - 1] && !visit(i)) return false;
    return true;
}

template <class Visit>
bool each_descent(const Content &content, Visit &&visit) noexcept {
    if (content.array() != nullptr) return each_descent(content.array(), content.size(), visit);
    uint32_t rank = 0, last = 0;
    return content.each_run([&](const Run &run) {
        if (rank != 0 && run.first <= last && !visit(rank)) return false;
        for (uint32_t i = 1; run.step <= 0 && i < run.count; i++)
            if (!visit(rank + i)) return false;
        rank += run.count;
        last = run.last();
        return true;
    });
}

// Appends the lengths of the ascending runs, of which there are `ascents`.  False: no memory.
bool ascent_lengths(const Content &content, uint64_t ascents, Buffer<uint32_t> &lengths) noexcept;

class Sorter;

// So many ascending runs a list or its inverse may have that somebody is interested in their
// lengths: the limit of the build, and no more than 16 bits can number.
constexpr uint32_t MAX_ASCENTS = 1u << 16;
uint32_t most_ascents(const cmap_limits &limits) noexcept;

// The lengths of the ascending runs of the permutation that sorts the list, in the order of the
// set, when they are not more than `most`; otherwise none are given.  False: no memory.
bool inverse_ascents(const Content &content, const Sorter &sorter, uint64_t most,
                     Buffer<uint32_t> &lengths) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_ASCENTS_HPP_INCLUDED
