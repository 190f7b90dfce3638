// SPDX-License-Identifier: BSD-3-Clause
// Many rank queries on one map: the inverse of a list is built once for all of them, and not kept
// where the map's strategy is to save space.  MPIR_cmap_rank() alone would search such a list at
// every call.
#ifndef CMAP_CORE_RANKER_HPP_INCLUDED
#define CMAP_CORE_RANKER_HPP_INCLUDED

#include "cmap_lookup.h"
#include "core/inverse.hpp"

namespace cmap {

class Ranker {
  public:
    // `expected`: about how many queries will come; few do not pay for an inverse.  The map must
    // outlive this.
    Ranker(const cmap_t *map, uint64_t expected) noexcept;
    ~Ranker();
    Ranker(const Ranker &) = delete;
    Ranker &operator=(const Ranker &) = delete;

    // Rank of `index`, or CMAP_NONE.
    uint32_t operator()(uint32_t index) const noexcept;

  private:
    const cmap_t *map_;
    Inverse *own_ = nullptr;
};

}  // namespace cmap

#endif  // CMAP_CORE_RANKER_HPP_INCLUDED
