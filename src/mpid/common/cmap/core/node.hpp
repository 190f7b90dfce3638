// SPDX-License-Identifier: BSD-3-Clause
// Memory of the node, for payloads that other processes may have, too (MPIR_cmap_set_node_memory).
#ifndef CMAP_CORE_NODE_HPP_INCLUDED
#define CMAP_CORE_NODE_HPP_INCLUDED

#include <cstddef>

#include "cmap.h"

namespace cmap {

void set_node_memory(const cmap_node_memory *memory) noexcept;

// Read-only memory with these bytes; nullptr: too few, or there is none.
const void *node_keep(const void *bytes, std::size_t n) noexcept;
// REQUIRES what node_keep() gave, and the same n.
void node_drop(const void *memory, std::size_t n) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_NODE_HPP_INCLUDED
