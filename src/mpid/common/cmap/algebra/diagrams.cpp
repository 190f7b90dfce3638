// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/diagrams.hpp"

#include <algorithm>

#include "cmap_tuning.hpp"
#include "core/limits.hpp"
#include "core/map.hpp"
#include "rep/bdd_extract.hpp"

namespace cmap {
namespace {

// The nodes of a stored diagram, or a little more.
uint32_t nodes_in(const BddBody &body) noexcept {
    return body.paths != 0 ? body.paths * body.levels
                           : body.cells + uint32_t{body.words} * BDD_NODES_IN_WORD;
}

uint32_t members_in(const BddBody &body) noexcept {
    return bdd_cells::members(body, body.root, body.levels);
}

}  // namespace

bool worth_diagrams(const cmap_t *a, const cmap_t *b) noexcept {
    if (a->kind != CMAP_REP_BDD || b->kind != CMAP_REP_BDD) return false;
    const uint64_t span = uint64_t{std::max(a->max, b->max)} - std::min(a->min, b->min) + 1;
    return span >= ALGEBRA_DIAGRAM_SPAN;
}

bool DiagramSet::make(BddPackage::Operation operation, const cmap_t *a, const cmap_t *b) noexcept {
    const BddBody &left = body_of<BddBody>(a), &right = body_of<BddBody>(b);
    const uint32_t differ = left.base ^ right.base;
    const unsigned apart = differ == 0 ? 0 : 32u - static_cast<unsigned>(__builtin_clz(differ));
    const unsigned levels = std::max({apart, unsigned{left.levels}, unsigned{right.levels}});
    const uint32_t base = left.base & ~((uint32_t{1} << levels) - 1);
    const uint32_t nodes = nodes_in(left) + nodes_in(right), limit = limits().bdd_nodes;
    BddPackage package;
    if (!package.start(levels, nodes, 4 * (nodes + std::min(limit, BDD_NODES)))) return false;
    const BddPackage::Node first = load_body(package, left, base, levels);
    const BddPackage::Node second = load_body(package, right, base, levels);
    if (!package.right()) return false;
    body_.base = base;
    body_.levels = static_cast<uint8_t>(levels);
    return keep(package, package.apply(operation, first, second)) && package.right();
}

bool DiagramSet::keep(BddPackage &package, BddPackage::Node root) noexcept {
    uint32_t cells, words;
    if (!package.right() || !count_cells(package, root, cells, words) || cells > BddCells::MOST)
        return false;
    if (!cells_.resize(cells)) return false;
    body_.cells = static_cast<uint16_t>(cells);
    body_.words = static_cast<uint16_t>(words);
    body_.data = reinterpret_cast<unsigned char *>(cells_.data());
    if (!extract(package, root, body_)) return false;
    size_ = members_in(body_);
    return true;
}

uint32_t DiagramSet::min() const noexcept { return bdd_cells::select(body_, size_, 0); }

uint32_t DiagramSet::max() const noexcept { return bdd_cells::select(body_, size_, size_ - 1); }

bool DiagramSet::mark(Buffer<uint64_t> &words, BitSet &out) const noexcept {
    out = BitSet();
    if (size_ == 0) return true;
    out.base = min() & ~63u;
    words.clear();
    if (!words.resize_zeroed((max() - out.base) / 64 + 1)) return false;
    out.words = words.data();
    out.count = static_cast<uint32_t>(words.size());
    bdd_cells::mark(body_, out.base, words.data(), out.count);
    return true;
}

bool DiagramSet::decode(Buffer<uint32_t> &members) const noexcept {
    if (!members.resize(size_)) return false;
    if (size_ != 0) bdd_cells::decode(body_, size_, 0, size_, members.data());
    return true;
}

}  // namespace cmap
