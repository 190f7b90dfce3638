// SPDX-License-Identifier: BSD-3-Clause
#include "rep/bdd_extract.hpp"

namespace cmap {
namespace {

using Node = BddPackage::Node;

class Cells {
  public:
    Cells(BddPackage &package, BddBody &body) noexcept
        : package_(package), body_(body), next_node_(body.words) {}

    bool run(Node root) noexcept {
        if (!known_.resize_zeroed(package_.room()) || !counts_.resize(body_.cells)) return false;
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
        const unsigned level = package_.level(node);
        if (level <= WORD_LEVEL) {
            const uint64_t bits = truth(node, WORD_LEVEL);
            return put(next_word_, body_.words, bits,
                       static_cast<uint32_t>(__builtin_popcountll(bits)));
        }
        const uint32_t low = cell(package_.low(node)), high = cell(package_.high(node));
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
            own = package_.level(node);
            bits = truth(package_.low(node), own - 1) | truth(package_.high(node), own - 1)
                                                            << (1u << (own - 1));
        }
        for (; own < level; own++)
            bits |= bits << (1u << own);
        return bits;
    }

    BddPackage &package_;
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

struct PathWriter {
    BddBody &body;
    uint32_t next;
    uint64_t members;

    static void visit(const char *symbols, int variables, void *data) noexcept {
        static_cast<PathWriter *>(data)->add(symbols, variables);
    }

    void add(const char *symbols, int variables) noexcept {
        if (next == body.paths) {
            next = UINT32_MAX;  // stays there
            return;
        }
        if (next > body.paths) return;
        uint32_t ones = 0, free = 0;
        for (int i = 0; i < variables; i++) {
            ones = ones << 1 | uint32_t{symbols[i] == 1};
            free = free << 1 | uint32_t{symbols[i] < 0};
        }
        packed_put(body.data, body.levels, 2 * uint64_t{next}, ones);
        packed_put(body.data, body.levels, 2 * uint64_t{next} + 1, free);
        unsigned char *sums = body.data + packed_bytes(2 * uint64_t{body.paths}, body.levels);
        if (body.paths > 1) packed_put(sums, body.sum_width, next, static_cast<uint32_t>(members));
        members += uint64_t{1} << __builtin_popcount(free);
        ++next;
    }
};

}  // namespace

bool extract_cells(BddPackage &package, Node root, BddBody &body) noexcept {
    return Cells(package, body).run(root);
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

bool extract_paths(BddPackage &package, Node root, BddBody &body) noexcept {
    PathWriter writer{body, 0, 0};
    package.each_path(root, PathWriter::visit, &writer);
    return writer.next == body.paths;
}

}  // namespace cmap
