// SPDX-License-Identifier: BSD-3-Clause
#include "heap.hpp"

#include <cstdlib>

namespace cid {
namespace {

void *(*allocate_hook)(std::size_t) = std::malloc;
void (*deallocate_hook)(void *) = std::free;

}  // namespace

void *allocate(std::size_t bytes) noexcept { return allocate_hook(bytes); }

void deallocate(void *memory) noexcept {
    if (memory != nullptr) deallocate_hook(memory);
}

void set_allocator(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept {
    const bool defaults = allocate == nullptr || deallocate == nullptr;
    allocate_hook = defaults ? std::malloc : allocate;
    deallocate_hook = defaults ? std::free : deallocate;
}

}  // namespace cid
