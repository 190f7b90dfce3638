// SPDX-License-Identifier: BSD-3-Clause
// The closed form of an affine map and its detection.
//
//   idx(r) = base + sum over levels k of ((r / weight_k) mod count_k) * stride_k      weight_0 = 1
//
// A form is accepted when its levels nest: sorted by |stride|, each |stride| is greater than the
// span of all smaller levels together.  Then the map is injective and rank() is greedy digit
// extraction.  The map may end inside the outermost count (strided blocks with a short last block).
#ifndef CMAP_CORE_AFFINE_FORM_HPP_INCLUDED
#define CMAP_CORE_AFFINE_FORM_HPP_INCLUDED

#include "cmap_lookup.h"
#include "core/pieces.hpp"

namespace cmap {

struct AffineForm {
    uint32_t levels = 0;  // 0: the members have no such form
    uint32_t size = 0;
    uint32_t base = 0;
    uint32_t weight[CMAP_AFFINE_LEVELS] = {};
    int32_t stride[CMAP_AFFINE_LEVELS] = {};

    // The outermost one is rounded up.
    uint32_t count(uint32_t level) const noexcept {
        return level + 1 < levels ? weight[level + 1] / weight[level]
                                  : (size + weight[level] - 1) / weight[level];
    }
    bool whole() const noexcept { return size % weight[levels - 1] == 0; }
    uint32_t at(uint32_t rank) const noexcept;
    // Levels by decreasing |stride|, 3 bits each from the lowest; false when they do not nest.
    bool nest(uint32_t &order) const noexcept;
};

// Feed it the canonical pieces of the members.  O(1) for a piece that fits the form so far; it
// gives up at the first that cannot, so random input costs nothing.
class AffineDetector {
  public:
    void feed(const Piece &piece) noexcept;
    AffineForm result() const noexcept;
    bool failed() const noexcept { return !alive_; }

  private:
    void start(const Piece &piece) noexcept;
    void match(const Run &run) noexcept;
    bool grow(uint32_t index) noexcept;
    uint32_t skip(const Piece &piece, uint32_t left) noexcept;

    bool alive_ = true;
    AffineForm form_;
};

}  // namespace cmap

#endif  // CMAP_CORE_AFFINE_FORM_HPP_INCLUDED
