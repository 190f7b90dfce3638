// SPDX-License-Identifier: BSD-3-Clause
// Blocks that are mapped, each in pages of its own.
//
// malloc keeps what is freed for later.  A map whose payload moves to memory of the node leaves a
// hole as large as the payload, in each process.  Blocks of pages go back to the system at once.
// They cost a fault a page, so only processes that share payloads use them.
#ifndef CMAP_CORE_PAGES_HPP_INCLUDED
#define CMAP_CORE_PAGES_HPP_INCLUDED

#include <cstddef>

namespace cmap {

// Aligned to a cache line.  nullptr: there are no pages, or MOST_BLOCKS blocks already.
constexpr unsigned MOST_BLOCKS = 64;
void *pages_allocate(std::size_t bytes) noexcept;
// False, and nothing happens, if the memory is no such block.  O(MOST_BLOCKS) for a block, O(1) for
// nearly all other memory.
bool pages_deallocate(void *memory) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_PAGES_HPP_INCLUDED
