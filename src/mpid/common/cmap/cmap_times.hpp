// SPDX-License-Identifier: BSD-3-Clause
// The calibrated times T of the strategies: ns of a dependent random select, without the loop
// around it. Written by maint/bench calibrate, which keeps the comments; measured on: AMD EPYC, 2
// cores.
#ifndef CMAP_TIMES_HPP_INCLUDED
#define CMAP_TIMES_HPP_INCLUDED

#include <cstdint>

namespace cmap {

constexpr double TIME_AFFINE[] = {0.0, 1.7, 2.7, 2.9, 3.1, 3.6, 3.9};  // by levels

// Beside the access to the payload.
constexpr double TIME_PACKED = 1.5;
constexpr double TIME_RUNS = 1.8;
constexpr double TIME_RUNS_STEP = 1.5;  // for each doubling of the number of runs
constexpr double TIME_BITMAP = 13.6;
// A diagram held as cells: TIME_BDD and TIME_BDD_STEP for each cell that a select visits, on
// average over the members.  Held as p paths: TIME_BDD_PATH and TIME_BDD_SPLIT * lg p.  Both with
// as many accesses to the payload as steps or splits, beyond what the first-level cache has.
constexpr double TIME_BDD = 0.1;
constexpr double TIME_BDD_STEP = 3.8;
constexpr double TIME_BDD_PATH = 6.7;
constexpr double TIME_BDD_SPLIT = 7.9;
constexpr double TIME_ELIASFANO = 10.4;
constexpr double TIME_GAP = 4.2;
constexpr double TIME_GAP_STEP = 0.8;   // for each load of gaps that a full block takes
constexpr double TIME_GAP_DIGIT = 0.7;  // for each digit that is summed
// bwt: a block in its own width; and what decompressing one takes: once, for each member and for
// each byte it is squeezed to.
constexpr double TIME_BWT = 14;
constexpr double TIME_BWT_BLOCK = 4000;
constexpr double TIME_BWT_MEMBER = 3;
constexpr double TIME_BWT_BYTE = 25;
constexpr double TIME_WTR = 8.4;         // search of the run
constexpr double TIME_WTR_LEVEL = 17.2;  // for each level, on average over the members
constexpr double TIME_WTR_DOWN = 5.2;    // the same in the tree of the inverse
// sub, beside its parent's select: a level of a form in its header; the step from an inner map.
constexpr double TIME_SUB_LEVEL = 1.0;
constexpr double TIME_SUB = 1.0;
constexpr double TIME_PART = 0.6;  // a level of indirection: pperm, concat

// ns of one random access to a payload of 2^(k + 12) bytes; TIME_ACCESS[0] below, the last one
// beyond. Rising: what the neighbours on the machine did is smoothed out.
constexpr double TIME_ACCESS[] = {2.0, 2.0,  2.0,  2.0,  2.6,  3.5,   4.1,   4.6,
                                  8.4, 23.5, 23.5, 38.0, 69.2, 114.6, 167.4, 178.9};

// Between two sizes of the table, along a straight line.
inline double time_access(uint64_t bytes) noexcept {
    unsigned k = 0;
    constexpr unsigned last = sizeof TIME_ACCESS / sizeof *TIME_ACCESS - 1;
    while (k < last && uint64_t{1} << (k + 12) < bytes)
        k++;
    const uint64_t full = uint64_t{1} << (k + 12);
    if (k == 0 || full < bytes) return TIME_ACCESS[k];
    const double missing = 2.0 - 2.0 * static_cast<double>(bytes) / static_cast<double>(full);
    return TIME_ACCESS[k] - missing * (TIME_ACCESS[k] - TIME_ACCESS[k - 1]);
}

}  // namespace cmap

#endif  // CMAP_TIMES_HPP_INCLUDED
