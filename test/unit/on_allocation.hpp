// SPDX-License-Identifier: BSD-3-Clause
// Something that happens in the middle of the module's work: at one of its allocations.
#ifndef TEST_UNIT_ON_ALLOCATION_HPP_INCLUDED
#define TEST_UNIT_ON_ALLOCATION_HPP_INCLUDED

#include "cmap.h"

#include <cstdint>
#include <cstdlib>
#include <functional>

namespace cmap_test {

// Calls `what` at the k-th allocation from now on, the next one being 0.  REQUIRES at its
// constructor and its destructor that no map is alive, and one thread that builds.
class OnAllocation {
  public:
    explicit OnAllocation(std::function<void()> what) {
        what_ = std::move(what);
        left_ = UINT64_MAX;
        MPIR_cmap_set_allocator(allocate, std::free);
    }
    ~OnAllocation() { MPIR_cmap_set_allocator(nullptr, nullptr); }
    OnAllocation(const OnAllocation &) = delete;
    OnAllocation &operator=(const OnAllocation &) = delete;

    void at(uint64_t k) { left_ = k; }
    bool has_happened() const { return left_ == UINT64_MAX; }

  private:
    static void *allocate(size_t bytes) {
        if (left_ != UINT64_MAX && left_-- == 0) what_();
        return std::malloc(bytes);
    }

    // The C face takes plain functions.
    static inline std::function<void()> what_;
    static inline uint64_t left_ = UINT64_MAX;  // that: never
};

}  // namespace cmap_test

#endif  // TEST_UNIT_ON_ALLOCATION_HPP_INCLUDED
