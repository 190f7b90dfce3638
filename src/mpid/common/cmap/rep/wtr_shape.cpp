// SPDX-License-Identifier: BSD-3-Clause
#include "rep/wtr_shape.hpp"

#include <algorithm>

namespace cmap {
namespace {

// Of increasing weights in place: first the parents of Huffman's tree, then the depths of its inner
// nodes, at last those of its leaves, which do not increase (Moffat and Katajainen, "In-place
// calculation of minimum-redundancy codes", WADS 1995).
void link_parents(Buffer<uint64_t> &a) noexcept {
    const std::size_t n = a.size();
    std::size_t root = 0, leaf = 2;
    a[0] += a[1];
    for (std::size_t next = 1; next < n - 1; next++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < 2; i++) {
            if (leaf >= n || (root < next && a[root] < a[leaf])) {
                sum += a[root];
                a[root++] = next;
            } else {
                sum += a[leaf++];
            }
        }
        a[next] = sum;
    }
}

void inner_depths(Buffer<uint64_t> &a) noexcept {
    a[a.size() - 2] = 0;
    for (std::size_t next = a.size() - 2; next-- > 0;)
        a[next] = a[a[next]] + 1;
}

void leaf_depths(Buffer<uint64_t> &a) noexcept {
    std::size_t next = a.size(), inner = a.size() - 1, nodes = 1;
    for (uint64_t depth = 0; nodes > 0; depth++) {
        std::size_t used = 0;
        for (; inner > 0 && a[inner - 1] == depth; inner--)
            used++;
        for (std::size_t i = used; i < nodes; i++)
            a[--next] = depth;
        nodes = 2 * used;
    }
}

// Huffman's depth of each run.
bool depths_of(const Buffer<uint32_t> &lengths, Buffer<uint8_t> &depth) noexcept {
    const std::size_t n = lengths.size();
    Buffer<uint64_t> sorted, weights;
    if (!depth.resize_zeroed(n) || !sorted.resize(n) || !weights.resize(n)) return false;
    if (n == 1) return true;
    for (std::size_t i = 0; i < n; i++)
        sorted[i] = uint64_t{lengths[i]} << 32 | i;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < n; i++)
        weights[i] = sorted[i] >> 32;
    link_parents(weights);
    inner_depths(weights);
    leaf_depths(weights);
    for (std::size_t i = 0; i < n; i++)
        depth[static_cast<uint32_t>(sorted[i])] = static_cast<uint8_t>(weights[i]);
    return true;
}

}  // namespace

// Levels and the place of each leaf on its own.
bool WtrShape::lay_out(const Buffer<uint8_t> &depth) noexcept {
    uint32_t leaves[WTR_MAX_LEVELS + 1] = {};
    levels = 0;
    for (uint8_t d : depth) {
        assert(d <= WTR_MAX_LEVELS);
        ++leaves[d];
        levels = d > levels ? d : levels;
    }
    uint32_t base = 0, nodes = 1;
    for (unsigned d = 0; d <= levels; d++) {
        level[d] = WtrLevel{base, nodes - leaves[d]};
        base += nodes;
        nodes = 2 * level[d].inner;
        leaves[d] = level[d].inner;  // from now on the place of the next leaf
    }
    if (!leaf.resize(depth.size()) || !weight.resize(base)) return false;
    for (std::size_t run = 0; run < depth.size(); run++)
        leaf[run] = uint32_t{depth[run]} << WTR_LEAF_SHIFT | leaves[depth[run]]++;
    return true;
}

void WtrShape::weigh(const Buffer<uint32_t> &lengths) noexcept {
    for (uint32_t run = 0; run < runs(); run++)
        weight[leaf_node(run)] = lengths[run];
    bits = ones = 0;
    for (unsigned d = levels; d-- > 0;)
        for (uint32_t i = 0; i < level[d].inner; i++) {
            const uint32_t child = level[d + 1].base + 2 * i;
            weight[level[d].base + i] = weight[child] + weight[child + 1];
            bits += weight[level[d].base + i];
            ones += weight[child + 1];
        }
}

bool WtrShape::make(const Buffer<uint32_t> &lengths) noexcept {
    Buffer<uint8_t> depth;
    if (!depths_of(lengths, depth) || !lay_out(depth)) return false;
    weigh(lengths);
    return true;
}

}  // namespace cmap
