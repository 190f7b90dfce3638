// SPDX-License-Identifier: BSD-3-Clause
// Natural logarithm and its inverse, for the comparison of costs.  libm's are as exact and as fast.
// But their code and tables lie in pages that nothing else of MPI uses.  The first map of a process
// that compares costs waited for four page faults: a third of its time at 2^20 ranks.
#ifndef CMAP_CORE_LOGARITHM_HPP_INCLUDED
#define CMAP_CORE_LOGARITHM_HPP_INCLUDED

#include <cmath>
#include <cstdint>
#include <cstring>

namespace cmap {

constexpr double LN_2 = 0.693147180559945309417;

// m * 2^e with m in [sqrt(1/2), sqrt(2)], and 2 artanh((m - 1) / (m + 1)) by its series.
// REQUIRES x is positive and normal.  Relative error below 1e-14.
inline double natural_log(double x) noexcept {
    constexpr uint64_t fraction = (UINT64_C(1) << 52) - 1, one = UINT64_C(1023) << 52;
    constexpr int terms = 11;
    uint64_t bits;
    double m, sum = 0;
    std::memcpy(&bits, &x, sizeof bits);
    auto exponent = static_cast<int>(bits >> 52) - 1023;
    bits = (bits & fraction) | one;
    std::memcpy(&m, &bits, sizeof m);
    if (m > 1.41421356237309504880) {
        m /= 2;
        exponent++;
    }
    const double s = (m - 1) / (m + 1);
    for (int k = terms; k >= 0; k--)
        sum = sum * s * s + 1.0 / (2 * k + 1);
    return 2 * s * sum + exponent * LN_2;
}

// 2^k e^r with |r| at most ln(2) / 2, by its series.  Relative error below 1e-13.
inline double natural_exp(double x) noexcept {
    constexpr int terms = 14;
    if (!(x <= 709)) return HUGE_VAL;
    if (x < -708) return 0;
    const auto k = static_cast<int64_t>(x / LN_2 + (x < 0 ? -0.5 : 0.5));
    const double r = x - static_cast<double>(k) * LN_2;
    const uint64_t bits = static_cast<uint64_t>(k + 1023) << 52;
    double power, sum = 1;
    std::memcpy(&power, &bits, sizeof power);
    for (int i = terms; i > 0; i--)
        sum = 1 + sum * r / i;
    return power * sum;
}

}  // namespace cmap

#endif  // CMAP_CORE_LOGARITHM_HPP_INCLUDED
