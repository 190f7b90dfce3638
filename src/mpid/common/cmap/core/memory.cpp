// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory.hpp"

#include <atomic>

#include "../../allocator.hpp"
#include "core/pages.hpp"

namespace cmap {
namespace {

constexpr std::size_t LARGE = std::size_t{1} << 16;

MPIR_common::Allocator allocator;
std::atomic<bool> maps_large{false};

}  // namespace

void *allocate(std::size_t bytes) noexcept {
    if (bytes == 0) return nullptr;
    if (bytes >= LARGE && maps_large.load(std::memory_order_relaxed))
        if (void *const pages = pages_allocate(bytes)) return pages;
    return allocator.allocate(bytes);
}

void deallocate(void *memory) noexcept {
    if (!pages_deallocate(memory)) allocator.deallocate(memory);
}

void set_allocator(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept {
    allocator.set(allocate, deallocate);
}

void map_large_blocks(bool on) noexcept { maps_large.store(on, std::memory_order_relaxed); }

}  // namespace cmap
