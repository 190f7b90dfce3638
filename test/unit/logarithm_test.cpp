// SPDX-License-Identifier: BSD-3-Clause
// The logarithm and its inverse that costs are compared by, beside libm's.
#include "core/logarithm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cmap_test {
namespace {

void expect_near(double ours, double theirs, double relative, double x) {
    EXPECT_LE(std::fabs(ours - theirs), relative * std::fabs(theirs)) << "of " << x;
}

TEST(Logarithm, IsThatOfLibm) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> octave(-300, 300);
    for (int i = 0; i < 100000; i++) {
        const double x = std::exp2(octave(random));
        expect_near(cmap::natural_log(x), std::log(x), 1e-14, x);
    }
    for (int i = 1; i < 100000; i++)
        expect_near(cmap::natural_log(i), std::log(i), 1e-14, i);
}

// As close to 0 as doubles allow; the error is relative there, too.
TEST(Logarithm, NearOne) {
    for (double x = 1; x < 2; x += (x - 1) / 2 + 1e-15) {
        expect_near(cmap::natural_log(x), std::log(x), 1e-14, x);
        expect_near(cmap::natural_log(1 / x), std::log(1 / x), 1e-14, 1 / x);
    }
    EXPECT_EQ(cmap::natural_log(1), 0);
}

TEST(Exponential, IsThatOfLibm) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> any(-708, 709);
    for (int i = 0; i < 100000; i++) {
        const double x = any(random);
        expect_near(cmap::natural_exp(x), std::exp(x), 1e-13, x);
        expect_near(cmap::natural_exp(x / 1000), std::exp(x / 1000), 1e-14, x / 1000);
    }
    EXPECT_EQ(cmap::natural_exp(0), 1);
}

// More bytes than there are, and none.
TEST(Exponential, BeyondDoubles) {
    EXPECT_GT(cmap::natural_exp(1e9), 1e300);
    EXPECT_LT(cmap::natural_exp(-1e9), 1e-300);
}

}  // namespace
}  // namespace cmap_test
