// SPDX-License-Identifier: BSD-3-Clause
// The multidimensional array of section 3.3.2: each of the id's four bytes is the index in a level
// of nodes with 256 elements, of which the lowest have the owners.  A node is made with the first
// id below it and freed with the last one.  Its bits say which of its elements have a used id below
// them and which have no free one, so that both are found from the root on.
#include "table.hpp"

namespace cid {
namespace {

constexpr unsigned fanout = 256;
constexpr unsigned top = 24;  // the shift of the root's byte; 8 less a level, 0 for the lowest
constexpr uint64_t none = UINT64_MAX;

class Bits256 {
  public:
    void set(unsigned i) noexcept { word_[i >> 6] |= uint64_t{1} << (i & 63); }
    void clear(unsigned i) noexcept { word_[i >> 6] &= ~(uint64_t{1} << (i & 63)); }
    uint64_t word(unsigned w) const noexcept { return word_[w]; }
    bool empty() const noexcept { return (word_[0] | word_[1] | word_[2] | word_[3]) == 0; }
    bool full() const noexcept { return (word_[0] & word_[1] & word_[2] & word_[3]) == UINT64_MAX; }

    // The first one from i on that is `value`, or 256.
    unsigned next(unsigned i, bool value) const noexcept {
        for (unsigned w = i >> 6; w < 4; w++) {
            uint64_t bits = value ? word_[w] : ~word_[w];
            if (w == i >> 6) bits &= UINT64_MAX << (i & 63);
            if (bits != 0) return 64 * w + static_cast<unsigned>(__builtin_ctzll(bits));
        }
        return fanout;
    }
    // REQUIRES that one is set.
    unsigned last() const noexcept {
        unsigned w = 3;
        while (word_[w] == 0)
            w--;
        return 64 * w + 63 - static_cast<unsigned>(__builtin_clzll(word_[w]));
    }

  private:
    uint64_t word_[4] = {};
};

struct Node {
    Bits256 any, full;
    void *element[fanout] = {};  // nodes, or owners

    Node *child(unsigned i) const noexcept { return static_cast<Node *>(element[i]); }
};

unsigned index(uint32_t id, unsigned shift) noexcept { return id >> shift & (fanout - 1); }

class Radix final : public cid_table {
  public:
    explicit Radix(uint32_t limit) noexcept : cid_table(CID_RADIX, limit) {}
    ~Radix() override {
        free_below(&root_, top);
        while (held_ != nullptr)
            heap.give(take_held(), sizeof(Node));
    }

    void *owner(uint32_t id) const noexcept override {
        const Node *leaf = leaf_of(id);
        return leaf == nullptr ? nullptr : leaf->element[index(id, 0)];
    }

    cid_status claim(uint32_t id, void *owner) noexcept override;
    uint32_t hold(uint32_t) noexcept override;
    cid_status claim_held(uint32_t id, void *owner) noexcept override {
        may_take_held_ = true;
        const cid_status status = claim(id, owner);
        may_take_held_ = false;
        return status;
    }
    void replace(uint32_t id, void *owner) noexcept override {
        leaf_of(id)->element[index(id, 0)] = owner;
    }
    void release(uint32_t id) noexcept override;

    uint32_t allocated() const noexcept override {
        const uint64_t elements = uint64_t{fanout} * leaves_;
        return elements < limit ? static_cast<uint32_t>(elements) : limit;
    }
    uint32_t end() const noexcept override;
    uint32_t next_free(uint32_t from) const noexcept override {
        return below_limit(next(root_, top, from, false));
    }
    uint32_t next_used(uint32_t from) const noexcept override {
        return below_limit(next(root_, top, from, true));
    }
    uint64_t used_bits(uint32_t word) const noexcept override {
        const Node *leaf = leaf_of(word * 64);
        return leaf == nullptr ? 0 : leaf->any.word(word & 3);
    }
    std::size_t object_bytes() const noexcept override { return sizeof(*this); }

  private:
    Node *leaf_of(uint32_t id) const noexcept {
        const Node *node = &root_;
        for (unsigned shift = top; node != nullptr && shift > 0; shift -= 8)
            node = node->child(index(id, shift));
        return const_cast<Node *>(node);
    }
    uint32_t below_limit(uint64_t id) const noexcept {
        return id < limit ? static_cast<uint32_t>(id) : limit;
    }

    // The nodes from the root to the lowest level, as far as they are there.
    struct Path {
        Node *node[4];
        unsigned depth = 0;
    };
    Path path_to(uint32_t id) noexcept;

    void *take_held() noexcept;
    void *take_node() noexcept;
    Node *make_chain(uint32_t id, unsigned levels) noexcept;
    uint64_t next(const Node &node, unsigned shift, uint32_t from, bool used) const noexcept;
    void free_below(Node *node, unsigned shift) noexcept;

    static constexpr unsigned nodes_of_claim = 3;  // one for each level below the root

    Node root_{};
    uint32_t leaves_ = 0;
    void *held_ = nullptr;  // memory for nodes, each block with a pointer to the next
    unsigned held_nodes_ = 0;
    bool may_take_held_ = false;
};

Radix::Path Radix::path_to(uint32_t id) noexcept {
    Path path;
    Node *node = &root_;
    for (unsigned shift = top; node != nullptr; shift -= 8) {
        path.node[path.depth++] = node;
        if (shift == 0) break;
        node = node->child(index(id, shift));
    }
    return path;
}

uint32_t Radix::hold(uint32_t) noexcept {
    while (held_nodes_ < nodes_of_claim * holders) {
        void *memory = heap.take(sizeof(Node));
        if (memory == nullptr) return 0;
        held_ = new (memory) void *(held_);
        held_nodes_++;
    }
    return limit;
}

void *Radix::take_held() noexcept {
    void *memory = held_;
    held_ = *static_cast<void **>(memory);
    held_nodes_--;
    return memory;
}

void *Radix::take_node() noexcept {
    void *memory = heap.take(sizeof(Node));
    return memory == nullptr && may_take_held_ && held_nodes_ > 0 ? take_held() : memory;
}

// `levels` nodes one below the other, down to the lowest level, on the way to the id.
Node *Radix::make_chain(uint32_t id, unsigned levels) noexcept {
    Node *below = nullptr;
    for (unsigned level = 0; level < levels; level++) {
        void *memory = take_node();
        if (memory == nullptr) {
            if (below != nullptr) free_below(below, 8 * level - 8), heap.give(below, sizeof(Node));
            return nullptr;
        }
        Node *node = new (memory) Node();
        if (below != nullptr) {
            node->element[index(id, 8 * level)] = below;
            node->any.set(index(id, 8 * level));
        }
        below = node;
    }
    return below;
}

cid_status Radix::claim(uint32_t id, void *owner) noexcept {
    Path path = path_to(id);
    if (path.depth < 4) {
        const unsigned shift = top + 8 - 8 * path.depth;
        Node *chain = make_chain(id, 4 - path.depth);
        if (chain == nullptr) return CID_ERR_MEMORY;
        Node *above = path.node[path.depth - 1];
        above->element[index(id, shift)] = chain;
        above->any.set(index(id, shift));
        leaves_++;
        path = path_to(id);
    }
    replace(id, owner);
    path.node[3]->any.set(index(id, 0));
    path.node[3]->full.set(index(id, 0));
    for (unsigned level = 3; level > 0 && path.node[level]->full.full(); level--)
        path.node[level - 1]->full.set(index(id, top + 8 - 8 * level));
    return CID_OK;
}

void Radix::release(uint32_t id) noexcept {
    const Path path = path_to(id);
    replace(id, nullptr);
    for (unsigned level = 0; level < 4; level++)
        path.node[level]->full.clear(index(id, top - 8 * level));
    path.node[3]->any.clear(index(id, 0));
    for (unsigned level = 3; level > 0 && path.node[level]->any.empty(); level--) {
        const unsigned i = index(id, top + 8 - 8 * level);
        path.node[level - 1]->element[i] = nullptr;
        path.node[level - 1]->any.clear(i);
        heap.give(path.node[level], sizeof(Node));
        if (level == 3) leaves_--;
    }
}

uint32_t Radix::end() const noexcept {
    if (root_.any.empty()) return 0;
    const Node *node = &root_;
    uint32_t id = 0;
    for (unsigned shift = top;; shift -= 8) {
        const unsigned i = node->any.last();
        id |= i << shift;
        if (shift == 0) return id + 1;
        node = node->child(i);
    }
}

// The next used or free id from `from` on below a node; only the bytes up to the node's count.
// At most one element on the way down holds nothing behind `from`: the one after it holds one.
uint64_t Radix::next(const Node &node, unsigned shift, uint32_t from, bool used) const noexcept {
    const Bits256 &bits = used ? node.any : node.full;
    const uint64_t above = (uint64_t{from} >> shift >> 8) << shift << 8;
    for (unsigned i = bits.next(index(from, shift), used); i < fanout;
         i = i + 1 < fanout ? bits.next(i + 1, used) : fanout) {
        const uint64_t first = above | uint64_t{i} << shift;
        const auto begin = static_cast<uint32_t>(first < from ? from : first);
        if (shift == 0) return begin;
        const Node *child = node.child(i);
        if (child == nullptr) return begin;
        const uint64_t found = next(*child, shift - 8, begin, used);
        if (found != none) return found;
    }
    return none;
}

void Radix::free_below(Node *node, unsigned shift) noexcept {
    if (shift == 0) return;
    for (unsigned i = node->any.next(0, true); i < fanout;
         i = i + 1 < fanout ? node->any.next(i + 1, true) : fanout) {
        Node *child = node->child(i);
        free_below(child, shift - 8);
        heap.give(child, sizeof(Node));
    }
}

}  // namespace

cid_table *make_radix(uint32_t limit) noexcept { return make<Radix>(limit); }

}  // namespace cid
