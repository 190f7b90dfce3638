// SPDX-License-Identifier: BSD-3-Clause
// Allocations of the module that fail: the linker sends them here (src/mpid/common/agree/Makefile).
#ifndef TEST_UNIT_AGREE_NO_MEMORY_HPP_INCLUDED
#define TEST_UNIT_AGREE_NO_MEMORY_HPP_INCLUDED

namespace agree_test {

// As long as it lives, allocation number k of this thread fails; all from it on, if `for_good` is
// set.
class NoMemory {
  public:
    NoMemory(int k, bool for_good);
    ~NoMemory();
    NoMemory(const NoMemory &) = delete;
    NoMemory &operator=(const NoMemory &) = delete;

    // k, less the allocations since then.
    int left() const;
};

}  // namespace agree_test

#endif  // TEST_UNIT_AGREE_NO_MEMORY_HPP_INCLUDED
