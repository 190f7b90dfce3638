// SPDX-License-Identifier: BSD-3-Clause
// The operations of the fuzz target on plain vectors, as simple as they can be written.
#ifndef TEST_FUZZ_ORACLE_ALGEBRA_HPP_INCLUDED
#define TEST_FUZZ_ORACLE_ALGEBRA_HPP_INCLUDED

#include "cmap.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cmap_fuzz {

using Members = std::vector<uint32_t>;

// What an operation must answer: a status and, when that is CMAP_OK, the members.
struct Answer {
    cmap_status status = CMAP_OK;
    Members members;
};

inline bool has(const Members &members, uint32_t index) {
    return std::find(members.begin(), members.end(), index) != members.end();
}

inline bool all_different(Members members) {
    std::sort(members.begin(), members.end());
    return std::adjacent_find(members.begin(), members.end()) == members.end();
}

inline Members kept(const Members &a, const Members &b, bool in_both) {
    Members sorted(b), result;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t index : a)
        if (std::binary_search(sorted.begin(), sorted.end(), index) == in_both)
            result.push_back(index);
    return result;
}

inline Members joined(const Members &a, const Members &b) {
    Members result(a);
    result.insert(result.end(), b.begin(), b.end());
    return result;
}

inline Answer composed(const Members &outer, const Members &inner) {
    Answer answer;
    for (uint32_t rank : inner) {
        if (rank >= outer.size()) return {CMAP_ERR_RANGE, {}};
        answer.members.push_back(outer[rank]);
    }
    return answer;
}

inline cmap_order compared(const Members &a, const Members &b) {
    if (a == b) return CMAP_EQUAL;
    return a.size() == b.size() && kept(a, b, true).size() == a.size() ? CMAP_SIMILAR
                                                                       : CMAP_DIFFERENT;
}

// The ranks a list of ranges names, or nothing when one is out of range.  The order of checks
// between a range's and a duplicate's error is the library's own: the caller accepts either when
// both are there.
inline bool ranks_of(const std::vector<cmap_rank_range> &ranges, uint32_t size, Members &ranks) {
    for (const cmap_rank_range &range : ranges) {
        const bool backwards = range.first > range.last;
        if (range.first >= size || range.last >= size || range.stride == 0) return false;
        if (range.first != range.last && backwards != (range.stride < 0)) return false;
        int64_t rank = range.first;
        for (; backwards ? rank >= range.last : rank <= range.last; rank += range.stride) {
            ranks.push_back(static_cast<uint32_t>(rank));
            if (range.first == range.last) break;
        }
    }
    return true;
}

inline Members picked(const Members &members, const Members &ranks) {
    Members result;
    for (uint32_t rank : ranks)
        result.push_back(members[rank]);
    return result;
}

inline Members left_out(const Members &members, const Members &ranks) {
    std::vector<bool> out(members.size());
    for (uint32_t rank : ranks)
        out[rank] = true;
    Members result;
    for (size_t r = 0; r < members.size(); r++)
        if (!out[r]) result.push_back(members[r]);
    return result;
}

}  // namespace cmap_fuzz

#endif  // TEST_FUZZ_ORACLE_ALGEBRA_HPP_INCLUDED
