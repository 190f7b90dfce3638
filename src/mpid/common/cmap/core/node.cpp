// SPDX-License-Identifier: BSD-3-Clause
#include "core/node.hpp"

#include <atomic>

#include "core/memory.hpp"

namespace cmap {
namespace {

using Keep = const void *(*)(const void *, std::size_t);
using Drop = void (*)(const void *, std::size_t);

// A thread that reads the size sees the functions.
std::atomic<std::size_t> least{SIZE_MAX};
std::atomic<Keep> keep{nullptr};
std::atomic<Drop> drop{nullptr};

}  // namespace

void set_node_memory(const cmap_node_memory *memory) noexcept {
    map_large_blocks(memory != nullptr);
    if (memory == nullptr) {
        least.store(SIZE_MAX, std::memory_order_relaxed);
        return;
    }
    keep.store(memory->keep, std::memory_order_relaxed);
    drop.store(memory->drop, std::memory_order_relaxed);
    least.store(memory->least == 0 ? 1 : memory->least, std::memory_order_release);
}

const void *node_keep(const void *bytes, std::size_t n) noexcept {
    if (n < least.load(std::memory_order_acquire)) return nullptr;
    return keep.load(std::memory_order_relaxed)(bytes, n);
}

void node_drop(const void *memory, std::size_t n) noexcept {
    drop.load(std::memory_order_relaxed)(memory, n);
}

}  // namespace cmap
