// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bdd_extract.hpp"

namespace cmap {
namespace {

using Node = BddPackage::Node;

// A diagram of the core as BuDDy would have it: the node of a word stands for the word.
class DiagramNodes {
  public:
    using Node = uint32_t;

    explicit DiagramNodes(const Diagram &diagram) noexcept : diagram_(diagram) {}
    Node root() const noexcept { return node(diagram_.root()); }
    unsigned level(Node node) const noexcept { return Diagram::level_of(diagram_[node]); }
    Node low(Node node) const noexcept { return this->node(diagram_[node].low); }
    Node high(Node node) const noexcept { return this->node(diagram_[node].high); }
    uint32_t room() const noexcept { return diagram_.end(); }

  private:
    Node node(uint32_t id) const noexcept {
        const bool is_word = id >= Diagram::FIRST_CELL && Diagram::is_word(diagram_[id]);
        return is_word ? diagram_[id].low : id;
    }

    const Diagram &diagram_;
};

template <class Nodes>
class Cells {
  public:
    using Node = typename Nodes::Node;

    Cells(const Nodes &nodes, BddBody &body) noexcept
        : nodes_(nodes), body_(body), next_node_(body.words) {}

    bool run(Node root) noexcept {
        if (!known_.resize_zeroed(nodes_.room()) || !counts_.resize(body_.cells)) return false;
        body_.root = static_cast<uint16_t>(cell(root));
        return complete_ && next_word_ == body_.words && next_node_ == body_.cells;
    }

  private:
    uint32_t cell(Node node) noexcept {
        if (node <= 1) return node == 0 ? BddCells::NEVER : BddCells::ALWAYS;
        const auto at = static_cast<std::size_t>(node);
        if (known_[at] == 0) known_[at] = make(node) + 1;
        return known_[at] - 1;
    }

    uint32_t make(Node node) noexcept {
        const unsigned level = nodes_.level(node);
        if (level <= WORD_LEVEL) {
            const uint64_t bits = truth(node, WORD_LEVEL);
            return put(next_word_, body_.words, bits,
                       static_cast<uint32_t>(__builtin_popcountll(bits)));
        }
        const uint32_t low = cell(nodes_.low(node)), high = cell(nodes_.high(node));
        const uint32_t in_low = members(low, level - 1), in_high = members(high, level - 1);
        return put(next_node_, body_.cells, BddCells::node(level, low, high, in_low),
                   in_low + in_high);
    }

    uint32_t put(uint32_t &next, uint32_t end, uint64_t cell, uint32_t count) noexcept {
        if (next >= end) {
            complete_ = false;
            return BddCells::NEVER;
        }
        reinterpret_cast<uint64_t *>(body_.data)[next] = cell;
        counts_[next] = count;
        return next++;
    }

    uint32_t members(uint32_t id, unsigned level) const noexcept {
        if (id >= BddCells::NEVER) return id == BddCells::NEVER ? 0 : uint32_t{1} << level;
        const unsigned own = id < body_.words ? WORD_LEVEL : BddCells::level(body_.table()[id]);
        return counts_[id] << (level - own);
    }

    // The 2^level values of a function of the lowest variables.
    uint64_t truth(Node node, unsigned level) noexcept {
        unsigned own = 0;
        uint64_t bits = node == 0 ? 0 : 1;
        if (node > 1) {
            own = nodes_.level(node);
            bits = truth(nodes_.low(node), own - 1) | truth(nodes_.high(node), own - 1)
                                                          << (1u << (own - 1));
        }
        for (; own < level; own++)
            bits |= bits << (1u << own);
        return bits;
    }

    const Nodes &nodes_;
    BddBody &body_;
    Buffer<uint32_t> known_;   // of each node: its cell + 1
    Buffer<uint32_t> counts_;  // of each cell: its members
    uint32_t next_word_ = 0, next_node_;
    bool complete_ = true;
};

// Counts the same.
class Counter {
  public:
    explicit Counter(BddPackage &package) noexcept : package_(package) {}

    bool run(Node root) noexcept {
        if (!known_.resize_zeroed(package_.room())) return false;
        visit(root);
        return true;
    }
    uint32_t cells = 0, words = 0;

  private:
    void visit(Node node) noexcept {
        if (node <= 1 || known_[static_cast<std::size_t>(node)] != 0) return;
        known_[static_cast<std::size_t>(node)] = 1;
        ++cells;
        if (package_.level(node) <= WORD_LEVEL) {
            ++words;
            return;
        }
        visit(package_.low(node));
        visit(package_.high(node));
    }

    BddPackage &package_;
    Buffer<unsigned char> known_;
};

// Puts stored forms back together, from the lowest variables up.
class Loader {
  public:
    Loader(BddPackage &package, const BddBody &body) noexcept : package_(package), body_(body) {}

    // False in `done`: no memory.
    Node cells(bool &done) noexcept {
        Buffer<Node> nodes;
        done = nodes.resize(body_.cells);
        if (!done) return 0;
        const auto node_of = [&](uint32_t id) {
            return id >= BddCells::NEVER ? static_cast<Node>(id - BddCells::NEVER) : nodes[id];
        };
        for (uint32_t id = 0; id < body_.cells; id++) {
            const uint64_t cell = body_.table()[id];
            nodes[id] = id < body_.words ? word(cell, WORD_LEVEL)
                                         : package_.node(BddCells::level(cell),
                                                         node_of(BddCells::child(cell, false)),
                                                         node_of(BddCells::child(cell, true)));
        }
        return node_of(body_.root);
    }

    // Paths low .. high-1, which agree on the variables from `level` on.
    Node paths(uint32_t low, uint32_t high, unsigned level) noexcept {
        if (low == high) return 0;
        if (level == 0) return 1;
        const unsigned bit = level - 1;
        const PackedView symbols = body_.symbols();
        if ((symbols[2 * uint64_t{low} + 1] >> bit & 1) != 0) return paths(low, high, bit);
        uint32_t middle = low;
        while (middle < high && (symbols[2 * uint64_t{middle}] >> bit & 1) == 0)
            middle++;
        const Node without = paths(low, middle, bit), with = paths(middle, high, bit);
        return package_.node(level, without, with);
    }

  private:
    Node word(uint64_t bits, unsigned level) noexcept {
        if (level == 0) return static_cast<Node>(bits);
        const unsigned half = 1u << (level - 1);
        const uint64_t low = bits & (~uint64_t{0} >> (64 - half)), high = bits >> half;
        const Node first = word(low, level - 1);
        return low == high ? first : package_.node(level, first, word(high, level - 1));
    }

    BddPackage &package_;
    const BddBody &body_;
};

// Writes each path to true in increasing order.
template <class Nodes>
class Paths {
  public:
    using Node = typename Nodes::Node;

    Paths(const Nodes &nodes, BddBody &body) noexcept : nodes_(nodes), body_(body) {}

    bool run(Node root) noexcept {
        visit(root, body_.levels, 0, 0);
        return complete_ && next_ == body_.paths;
    }

  private:
    // A node below variables that have been decided, or do not matter, down to 2^level positions.
    void visit(Node node, unsigned level, uint32_t ones, uint32_t free) noexcept {
        if (node == 0 || !complete_) return;
        const unsigned own = node == 1 ? 0 : nodes_.level(node);
        free |= below(level) & ~below(own);
        if (node == 1) return put(ones, free);
        visit(nodes_.low(node), own - 1, ones, free);
        visit(nodes_.high(node), own - 1, ones | 1u << (own - 1), free);
    }

    void put(uint32_t ones, uint32_t free) noexcept {
        if (next_ == body_.paths) {
            complete_ = false;
            return;
        }
        packed_put(body_.data, body_.levels, 2 * uint64_t{next_}, ones);
        packed_put(body_.data, body_.levels, 2 * uint64_t{next_} + 1, free);
        unsigned char *sums = body_.data + packed_bytes(2 * uint64_t{body_.paths}, body_.levels);
        if (body_.paths > 1)
            packed_put(sums, body_.sum_width, next_, static_cast<uint32_t>(members_));
        members_ += uint64_t{1} << __builtin_popcount(free);
        ++next_;
    }

    static uint32_t below(unsigned level) noexcept { return (uint32_t{1} << level) - 1; }

    const Nodes &nodes_;
    BddBody &body_;
    uint32_t next_ = 0;
    uint64_t members_ = 0;
    bool complete_ = true;
};

template <class Nodes>
bool extract_from(const Nodes &nodes, typename Nodes::Node root, BddBody &body) noexcept {
    return body.paths != 0 ? Paths<Nodes>(nodes, body).run(root)
                           : Cells<Nodes>(nodes, body).run(root);
}

}  // namespace

bool extract(BddPackage &package, Node root, BddBody &body) noexcept {
    return extract_from(package, root, body);
}

bool extract(const Diagram &diagram, BddBody &body) noexcept {
    const DiagramNodes nodes(diagram);
    return extract_from(nodes, nodes.root(), body);
}

bool count_cells(BddPackage &package, Node root, uint32_t &cells, uint32_t &words) noexcept {
    Counter counter(package);
    if (!counter.run(root)) return false;
    cells = counter.cells;
    words = counter.words;
    return true;
}

Node load_body(BddPackage &package, const BddBody &body, uint32_t base, unsigned levels) noexcept {
    Loader loader(package, body);
    bool done = true;
    Node node = body.paths != 0 ? loader.paths(0, body.paths, body.levels) : loader.cells(done);
    if (!done) package.fail();
    for (unsigned level = body.levels + 1u; level <= levels; level++) {
        const bool upper = ((body.base - base) >> (level - 1) & 1) != 0;
        node = package.node(level, upper ? 0 : node, upper ? node : 0);
    }
    return node;
}

}  // namespace cmap
