// SPDX-License-Identifier: BSD-3-Clause
// The calibrated times T of the strategies: ns of a dependent random select, without the loop
// around it. Written by maint/bench calibrate, which keeps the comments; measured on: AMD EPYC, 2
// cores.
#ifndef CMAP_TIMES_HPP_INCLUDED
#define CMAP_TIMES_HPP_INCLUDED

#include <cstdint>

namespace cmap {

// These are variables, so that MPIR_cmap_times_read() and the calibration can set them.  A time
// belongs into CALIBRATED_TIMES below, too.

inline double TIME_AFFINE[] = {0.0, 1.7, 2.7, 2.9, 3.1, 3.6, 3.9};  // by levels

// Beside the access to the payload.
inline double TIME_PACKED = 1.5;
inline double TIME_RUNS[] = {1.8,  3.3,  4.8,  6.3,  7.8,  9.3, 10.8,
                             12.3, 13.8, 15.3, 16.8, 18.3, 19.8};  // by bits of the number of runs
inline double TIME_BITMAP = 13.6;
// A diagram held as cells: TIME_BDD and TIME_BDD_STEP for each cell that a select visits, on
// average over the members.  Held as p paths: TIME_BDD_PATH and TIME_BDD_SPLIT * lg p.  Both with
// as many accesses to the payload as steps or splits, beyond what the first-level cache has.
inline double TIME_BDD = 0.1;
inline double TIME_BDD_STEP = 3.8;
inline double TIME_BDD_PATH = 6.7;
inline double TIME_BDD_SPLIT = 7.9;
inline double TIME_ELIASFANO = 10.4;
// Beside it where members lie in long runs: how many words a select scans is hard to predict then.
inline double TIME_ELIASFANO_RUNS = 6.0;
inline double TIME_GAP = 4.2;
inline double TIME_GAP_STEP = 0.8;   // for each load of gaps that a full block takes
inline double TIME_GAP_DIGIT = 0.7;  // for each digit that is summed
// bwt: a block in its own width; and what decompressing one takes: once, for each member and for
// each byte it is squeezed to.
inline double TIME_BWT = 14;
inline double TIME_BWT_BLOCK = 4000;
inline double TIME_BWT_MEMBER = 3;
inline double TIME_BWT_BYTE = 25;
inline double TIME_WTR = 8.4;         // search of the run
inline double TIME_WTR_LEVEL = 17.2;  // for each level, on average over the members
inline double TIME_WTR_DOWN = 5.2;    // the same in the tree of the inverse
// sub, beside its parent's select: a level of a form in its header; the step from an inner map.
inline double TIME_SUB_LEVEL = 1.0;
inline double TIME_SUB = 1.0;
inline double TIME_PART = 0.6;  // a level of indirection: pperm, concat

// ns of one random access to a payload of 2^(k + 12) bytes; TIME_ACCESS[0] below, the last one
// beyond. Rising: what the neighbours on the machine did is smoothed out.
inline double TIME_ACCESS[] = {2.0, 2.0,  2.0,  2.0,  2.6,  3.5,   4.1,   4.6,
                               8.4, 23.5, 23.5, 38.0, 69.2, 114.6, 167.4, 178.9};

// Each name once: one(name) for a value, several(name) for an array.
#define CALIBRATED_TIMES(one, several)                                                             \
    several(TIME_AFFINE) several(TIME_ACCESS) several(TIME_RUNS) one(TIME_PACKED) one(TIME_BITMAP) \
        one(TIME_BDD) one(TIME_BDD_STEP) one(TIME_BDD_PATH) one(TIME_BDD_SPLIT)                    \
            one(TIME_ELIASFANO) one(TIME_ELIASFANO_RUNS) one(TIME_GAP) one(TIME_GAP_STEP)          \
                one(TIME_GAP_DIGIT) one(TIME_BWT) one(TIME_BWT_BLOCK) one(TIME_BWT_MEMBER)         \
                    one(TIME_BWT_BYTE) one(TIME_WTR) one(TIME_WTR_LEVEL) one(TIME_WTR_DOWN)        \
                        one(TIME_SUB_LEVEL) one(TIME_SUB) one(TIME_PART)

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
