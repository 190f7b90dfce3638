// SPDX-License-Identifier: BSD-3-Clause
// How a module allocates: by malloc and free, or as a test says, so that any allocation can fail.
#ifndef ALLOCATOR_HPP_INCLUDED
#define ALLOCATOR_HPP_INCLUDED

#include <cstddef>
#include <cstdlib>

namespace MPIR_common {

class Allocator {
  public:
    void *allocate(std::size_t bytes) const noexcept { return allocate_(bytes); }
    void deallocate(void *memory) const noexcept {
        if (memory != nullptr) deallocate_(memory);
    }
    // nullptr for either: malloc and free again.
    void set(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept {
        const bool defaults = allocate == nullptr || deallocate == nullptr;
        allocate_ = defaults ? std::malloc : allocate;
        deallocate_ = defaults ? std::free : deallocate;
    }

  private:
    void *(*allocate_)(std::size_t) = std::malloc;
    void (*deallocate_)(void *) = std::free;
};

}  // namespace MPIR_common

#endif  // ALLOCATOR_HPP_INCLUDED
