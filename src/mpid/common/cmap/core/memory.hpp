// SPDX-License-Identifier: BSD-3-Clause
// The module's memory: everything it allocates comes through here, so that tests can make any call
// fail.
#ifndef CMAP_CORE_MEMORY_HPP_INCLUDED
#define CMAP_CORE_MEMORY_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

#include "cmap.h"

#define CMAP_TRY(expression)                                    \
    do {                                                        \
        const cmap_status cmap_try_status = (expression);       \
        if (cmap_try_status != CMAP_OK) return cmap_try_status; \
    } while (0)

namespace cmap {

// nullptr when there is no memory; asking for 0 bytes gives nullptr, too, and is no failure.
void *allocate(std::size_t bytes) noexcept;
void deallocate(void *memory) noexcept;
void set_allocator(void *(*allocate)(std::size_t), void (*deallocate)(void *)) noexcept;

// Large blocks are mapped one by one from now on, or no longer: see core/pages.hpp.
void map_large_blocks(bool on) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_MEMORY_HPP_INCLUDED
