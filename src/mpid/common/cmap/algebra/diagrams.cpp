// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/diagrams.hpp"

#include <algorithm>

#include "algebra/operands.hpp"
#include "core/limits.hpp"
#include "rep/bdd_extract.hpp"

namespace cmap {
namespace {

using Operation = BddPackage::Operation;

// A set that comes out of BuDDy, as cells.
class DiagramSet {
  public:
    // False: nodes or memory run out; then it is done another way.
    // REQUIRES two maps of the kind bdd.
    bool make(Operation operation, const cmap_t *a, const cmap_t *b) noexcept;
    uint32_t size() const noexcept { return size_; }
    uint32_t min() const noexcept;  // REQUIRES a member
    uint32_t max() const noexcept;
    // Bits in `words`.  False: no memory.
    bool mark(Buffer<uint64_t> &words, BitSet &out) const noexcept;
    bool decode(Buffer<uint32_t> &members) const noexcept;

  private:
    bool keep(BddPackage &package, BddPackage::Node root) noexcept;

    BddBody body_ = BddBody();
    uint32_t size_ = 0;
    Buffer<uint64_t> cells_;
};

// The nodes of a stored diagram, or a little more.
uint32_t nodes_in(const BddBody &body) noexcept {
    return body.paths != 0 ? body.paths * body.levels
                           : body.cells + uint32_t{body.words} * BDD_NODES_IN_WORD;
}

uint32_t members_in(const BddBody &body) noexcept {
    return bdd_cells::members(body, body.root, body.levels);
}

bool DiagramSet::make(Operation operation, const cmap_t *a, const cmap_t *b) noexcept {
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

// Bits where that is little, else members.
cmap_status finish_diagram(const DiagramSet &set, uint32_t universe, const cmap_policy *policy,
                           cmap_t **out) noexcept {
    if (set.size() == 0) return make_empty(policy, out);
    const uint64_t span = uint64_t{set.max()} - set.min() + 1;
    if (span > set.size() * ALGEBRA_BITS_PER_MEMBER) {
        Buffer<uint32_t> members;
        if (!set.decode(members)) return CMAP_ERR_NOMEM;
        return MPIR_cmap_from_array(members.data(), set.size(), universe, policy, out);
    }
    Buffer<uint64_t> words;
    BitSet bits;
    if (!set.mark(words, bits)) return CMAP_ERR_NOMEM;
    return make_of_bits(universe, &bits, 1, policy, out);
}

}  // namespace

bool worth_diagrams(const cmap_t *a, const cmap_t *b) noexcept {
    if (a->kind != CMAP_REP_BDD || b->kind != CMAP_REP_BDD) return false;
    const uint64_t span = uint64_t{std::max(a->max, b->max)} - std::min(a->min, b->min) + 1;
    return span >= ALGEBRA_DIAGRAM_SPAN;
}

bool select_diagrams(const cmap_t *a, const cmap_t *b, bool wanted, const cmap_policy *policy,
                     cmap_t **out, cmap_status &status) noexcept {
    DiagramSet part;
    if (!worth_diagrams(a, b) ||
        !part.make(wanted ? Operation::intersect : Operation::subtract, a, b))
        return false;
    status = finish_diagram(part, universe_of(a), policy, out);
    return true;
}

bool join_diagrams(const cmap_t *a, const cmap_t *b, const cmap_policy *policy, cmap_t **out,
                   cmap_status &status) noexcept {
    DiagramSet all;
    if (!worth_diagrams(a, b) || b->max < a->max) return false;
    if (b->min <= a->max) {
        DiagramSet added;
        if (!added.make(Operation::subtract, b, a)) return false;
        if (added.size() != 0 && added.min() < a->max) return false;
    }
    if (!all.make(Operation::unite, a, b)) return false;
    status = finish_diagram(all, std::max(universe_of(a), universe_of(b)), policy, out);
    return true;
}

}  // namespace cmap
