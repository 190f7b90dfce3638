// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.hpp"

#include "../../allocator.hpp"

namespace cmap {
namespace {

MPIR_common::Allocator allocator;

}  // namespace

void *allocate(std::size_t bytes) noexcept {
    return bytes == 0 ? nullptr : allocator.allocate(bytes);
}

void deallocate(void *memory) noexcept { allocator.deallocate(memory); }

void set_allocator(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept {
    allocator.set(allocate, deallocate);
}

}  // namespace cmap
