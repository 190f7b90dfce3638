// SPDX-License-Identifier: BSD-3-Clause
// The calibrated times by name.
#ifndef CMAP_CORE_TIMES_HPP_INCLUDED
#define CMAP_CORE_TIMES_HPP_INCLUDED

namespace cmap {

struct CalibratedTime {
    const char *name;  // of the variable, such as TIME_PACKED
    double *values;    // ns
    unsigned count;
};

constexpr unsigned PS_IN_NS = 1000;

// All of them; `*count` is their number.
const CalibratedTime *calibrated_times(unsigned *count) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_TIMES_HPP_INCLUDED
