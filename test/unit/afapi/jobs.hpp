// SPDX-License-Identifier: BSD-3-Clause
// Programs of AFAPI run as jobs by tests.
#ifndef AFAPI_TEST_JOBS_HPP
#define AFAPI_TEST_JOBS_HPP

#include <functional>
#include <string>

namespace afapi_test {

struct Ended {
    int status;         // as the shell has it
    std::string said;   // to stdout and stderr
    bool nothing_left;  // all processes that had the output open are gone
};

// What a process that runs `program` does with AFAPI_NPROC set so (nullptr: not set).
Ended run(const char *processes, const std::function<int()> &program);

// The same for a body between p_init and p_exit that tells whether all was right.
bool job(int processes, const std::function<bool()> &body);

}  // namespace afapi_test

#endif
