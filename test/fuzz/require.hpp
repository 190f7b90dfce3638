// SPDX-License-Identifier: BSD-3-Clause
// A condition of a fuzz target.  Where it does not hold the target aborts, so the fuzzer keeps the
// input.
#ifndef TEST_FUZZ_REQUIRE_HPP_INCLUDED
#define TEST_FUZZ_REQUIRE_HPP_INCLUDED

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                     \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                      \
        }                                                                                      \
    } while (0)

#endif  // TEST_FUZZ_REQUIRE_HPP_INCLUDED
