// SPDX-License-Identifier: BSD-3-Clause
// The shape of a wavelet tree over runs: Huffman's, so that the bits are as few as a binary tree
// can have them, in canonical form, so that it takes no pointers.
//
// On each level the inner nodes come first and the leaves behind them, and so inner node i of a
// level has the nodes 2i and 2i + 1 of the next level as children.  Nodes are numbered level by
// level.
#ifndef CMAP_REP_WTR_SHAPE_HPP_INCLUDED
#define CMAP_REP_WTR_SHAPE_HPP_INCLUDED

#include "core/ascents.hpp"

namespace cmap {

// A leaf of depth d takes at least the Fibonacci number d + 1 of members: 44 levels for 2^31.
constexpr unsigned WTR_MAX_LEVELS = 45;

struct WtrLevel {
    uint32_t base;   // number of its first node
    uint32_t inner;  // inner nodes
};

// A leaf as its depth and its number on its level.
constexpr unsigned WTR_LEAF_SHIFT = 24;

struct WtrShape {
    unsigned levels = 0;  // of inner nodes; there are leaves one level deeper
    WtrLevel level[WTR_MAX_LEVELS + 1];
    Buffer<uint32_t> leaf;    // for each run: depth << WTR_LEAF_SHIFT | number on the level
    Buffer<uint32_t> weight;  // for each node: the members below it
    uint64_t bits = 0;        // of all inner nodes ...
    uint64_t ones = 0;        // ... and those of them that lead to the right

    uint32_t runs() const noexcept { return static_cast<uint32_t>(leaf.size()); }
    uint32_t nodes() const noexcept { return static_cast<uint32_t>(weight.size()); }
    uint32_t leaf_node(uint32_t run) const noexcept {
        return level[leaf[run] >> WTR_LEAF_SHIFT].base + (leaf[run] & ((1u << WTR_LEAF_SHIFT) - 1));
    }
    bool is_leaf(unsigned depth, uint32_t i) const noexcept { return i >= level[depth].inner; }

    // From the lengths of the runs, at least one and at most MAX_ASCENTS, none 0.  False: no
    // memory.
    bool make(const Buffer<uint32_t> &lengths) noexcept;

  private:
    bool lay_out(const Buffer<uint8_t> &depth) noexcept;
    void weigh(const Buffer<uint32_t> &lengths) noexcept;
};

}  // namespace cmap

#endif  // CMAP_REP_WTR_SHAPE_HPP_INCLUDED
