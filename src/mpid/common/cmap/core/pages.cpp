// SPDX-License-Identifier: BSD-3-Clause
#include "core/pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <mutex>

namespace cmap {
namespace {

// Where a block begins in its first page.  Few other blocks begin there, so that deallocating these
// seldom takes the lock.
constexpr std::size_t PAGE = 4096, OFFSET = 64;

struct Block {
    void *memory;  // nullptr: this place is free
    std::size_t mapped;
};

std::mutex lock;
Block blocks[MOST_BLOCKS];

Block *find(const void *memory) noexcept {
    for (Block &block : blocks)
        if (block.memory == memory) return &block;
    return nullptr;
}

}  // namespace

void *pages_allocate(std::size_t bytes) noexcept {
    if (bytes > SIZE_MAX - OFFSET) return nullptr;
    const std::lock_guard<std::mutex> guard(lock);
    Block *const block = find(nullptr);
    if (block == nullptr) return nullptr;
    const std::size_t mapped = bytes + OFFSET;
    void *const pages =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    *block = {static_cast<unsigned char *>(pages) + OFFSET, mapped};
    return block->memory;
}

bool pages_deallocate(void *memory) noexcept {
    if (reinterpret_cast<std::uintptr_t>(memory) % PAGE != OFFSET) return false;
    const std::lock_guard<std::mutex> guard(lock);
    Block *const block = find(memory);
    if (block == nullptr) return false;
    munmap(static_cast<unsigned char *>(memory) - OFFSET, block->mapped);
    block->memory = nullptr;
    return true;
}

}  // namespace cmap
