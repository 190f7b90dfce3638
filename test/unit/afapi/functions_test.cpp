// SPDX-License-Identifier: BSD-3-Clause
#include "afapi_checks.h"
#include "jobs.hpp"

namespace afapi_test {
namespace {

class Functions : public testing::TestWithParam<int> {};

TEST_P(Functions, agree_with_the_oracle) {
    EXPECT_TRUE(job(GetParam(), [] { return afapi_check_all(6) == 0; }));
}

INSTANTIATE_TEST_SUITE_P(processes, Functions, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 17));

// Overflow is that of the type, and only signed types have negative numbers.
TEST(Functions, results_are_those_of_the_type) {
    EXPECT_TRUE(job(4, [] {
        return p_reduceAdd8(100) == static_cast<int8_t>(400) && p_reduceAdd8u(100) == 400 % 256 &&
               p_reduceMul8u(10) == 10000 % 256 &&
               p_reduceMul16(200) == static_cast<int16_t>(1600000000) &&
               p_reduceMin8(IPROC ? 1 : -1) == -1 && p_reduceMin8u(IPROC ? 1 : 255) == 1 &&
               p_reduceMax32(IPROC ? 1 : -1) == 1 &&
               p_reduceMax32u(IPROC ? 1 : 0xffffffff) == 0xffffffff &&
               p_reduceAdd32f(0.25f) == 1.0f && p_scanMul64f(2) == static_cast<double>(2 << IPROC);
    }));
}

// A sum of doubles depends on its order: here that of the processes, from the last on.
TEST(Functions, sums_of_floats_have_one_order) {
    EXPECT_TRUE(job(5, [] {
        double expected = 0.1 * 5;
        for (int p = 3; p >= 0; p--)
            expected = 0.1 * (p + 1) + expected;
        return p_reduceAdd64f(0.1 * (IPROC + 1)) == expected;
    }));
}

}  // namespace
}  // namespace afapi_test
