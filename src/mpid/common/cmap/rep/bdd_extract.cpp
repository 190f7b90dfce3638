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
        const unsigned own =
            id < body_.words ? WORD_LEVEL : BddCells::level(body_.table()[id]);
        return counts_[id] << (level - own);
    }

    // The 2^level values of a function of the lowest variables.
    uint64_t truth(Node node, unsigned level) noexcept {
        unsigned own = 0;
        uint64_t bits = node == 0 ? 0 : 1;
        if (node > 1) {
            own = package_.level(node);
            bits = truth(package_.low(node), own - 1) |
                   truth(package_.high(node), own - 1) << (1u << (own - 1));
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
        if (body.paths > 1)
            packed_put(sums, body.sum_width, next, static_cast<uint32_t>(members));
        members += uint64_t{1} << __builtin_popcount(free);
        ++next;
    }
};

}  // namespace

bool extract_cells(BddPackage &package, Node root, BddBody &body) noexcept {
    return Cells(package, body).run(root);
}

bool extract_paths(BddPackage &package, Node root, BddBody &body) noexcept {
    PathWriter writer{body, 0, 0};
    package.each_path(root, PathWriter::visit, &writer);
    return writer.next == body.paths;
}

}  // namespace cmap
