// SPDX-License-Identifier: BSD-3-Clause
#include "heap.hpp"

#include "../allocator.hpp"

namespace cid {
namespace {

MPIR_common::Allocator allocator;

}  // namespace

void *allocate(std::size_t bytes) noexcept { return allocator.allocate(bytes); }

void deallocate(void *memory) noexcept { allocator.deallocate(memory); }

void set_allocator(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept {
    allocator.set(allocate, deallocate);
}

}  // namespace cid
