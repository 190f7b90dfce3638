// SPDX-License-Identifier: BSD-3-Clause
// Fills the bits of a wavelet tree: the runs of all positions in increasing order are distributed
// to the two sides of each node, level by level, as a radix sort from the highest bit would.
#ifndef CMAP_REP_WTR_BUILDER_HPP_INCLUDED
#define CMAP_REP_WTR_BUILDER_HPP_INCLUDED

#include "core/analysis.hpp"
#include "rep/wtr_shape.hpp"

namespace cmap {

class WtrBuilder {
  public:
    // `starts`: the first rank of each run, or its first position where the runs are the inverse's.
    WtrBuilder(const WtrShape &shape, const uint32_t *starts) noexcept
        : shape_(shape), starts_(starts) {}

    // Sets `words`, which are zero, and the `delta` of each node.  False: no memory.
    bool distribute(const Analysis &analysis, bool inverted, uint64_t *words,
                    uint32_t *delta) noexcept;

  private:
    bool number_leaves() noexcept;
    bool fill_origins() noexcept;
    void spell(const Analysis &analysis, bool inverted) noexcept;
    uint32_t distribute_node(uint32_t node, uint32_t split, const uint16_t *from,
                             uint16_t *to) noexcept;
    void distribute_words(const BitSet &first, const BitSet &second) noexcept;
    void distribute_level(unsigned d, uint32_t *delta) noexcept;
    void put_bits(uint64_t bits, uint32_t count) noexcept;

    const WtrShape &shape_;
    const uint32_t *const starts_;
    Buffer<uint16_t> first_;   // of each node: its leftmost leaf, counted from left to right
    Buffer<uint32_t> origin_;  // of each node: where it begins
    Buffer<uint16_t> from_, to_;
    uint64_t *words_ = nullptr;
    uint64_t at_ = 0;    // the next bit
    uint32_t ones_ = 0;  // before it
};

}  // namespace cmap

#endif  // CMAP_REP_WTR_BUILDER_HPP_INCLUDED
