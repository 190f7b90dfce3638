// SPDX-License-Identifier: BSD-3-Clause
#include "core/pieces.hpp"

#include "core/registry.hpp"

namespace cmap {

bool pieces_of(const cmap_t *map, std::size_t limit, Pieces &out) noexcept {
    if (map->size == 0) return true;
    const auto pieces = representation(map).pieces;
    return pieces != nullptr && pieces(map, limit, out);
}

}  // namespace cmap
