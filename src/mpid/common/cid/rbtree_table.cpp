// SPDX-License-Identifier: BSD-3-Clause
// Owners in a std::map (the red-black tree of section 3.3.1), and in a second one the runs of used
// ids, for finding free ones: behind the last id of a run is a free one.  A release that splits a
// run makes the owner's node the node of the second half, so that it needs no memory.
#include <algorithm>
#include <map>

#include "table.hpp"

namespace cid {
namespace {

// Of a run, the key is its first id.
union Value {
    void *owner;
    uint32_t end;  // of a run: its last id + 1
};

using Nodes =
    std::map<uint32_t, Value, std::less<uint32_t>, HeapAllocator<std::pair<const uint32_t, Value>>>;

// The first key that is not below the id.  New ids are mostly the highest ones: these are found
// without a walk through the tree.
template <class Map>
auto place_of(Map &map, uint32_t id) noexcept {
    if (map.empty()) return map.end();
    const auto last = std::prev(map.end());
    return last->first < id ? map.end() : last->first == id ? last : map.lower_bound(id);
}

class RbTree final : public cid_table {
  public:
    explicit RbTree(uint32_t limit) noexcept : cid_table(CID_RBTREE, limit) {}

    void *owner(uint32_t id) const noexcept override {
        const auto found = place_of(owners_, id);
        return found == owners_.end() || found->first != id ? nullptr : found->second.owner;
    }

    cid_status claim(uint32_t id, void *owner) noexcept override {
        try {
            const auto place = owners_.emplace_hint(place_of(owners_, id), id, Value{owner});
            try {
                join_run(id, {});
            } catch (...) {
                owners_.erase(place);
                throw;
            }
        } catch (...) {
            return CID_ERR_MEMORY;  // the only thing that can go wrong in a map
        }
        return CID_OK;
    }
    uint32_t hold(uint32_t) noexcept override {
        try {
            while (held_.size() < nodes_of_claim * holders)
                held_.emplace(static_cast<uint32_t>(held_.size()), Value{});
        } catch (...) {
            return 0;
        }
        return limit;
    }
    cid_status claim_held(uint32_t id, void *owner) noexcept override {
        auto node = take_held(id);
        node.mapped().owner = owner;
        owners_.insert(place_of(owners_, id), std::move(node));
        join_run(id, take_held(id));
        return CID_OK;
    }
    void replace(uint32_t id, void *owner) noexcept override {
        place_of(owners_, id)->second.owner = owner;
    }
    void release(uint32_t id) noexcept override {
        auto node = owners_.extract(place_of(owners_, id));
        const auto run = run_of(id);
        const uint32_t end = run->second.end;
        if (end > id + 1) {
            node.key() = id + 1;
            node.mapped().end = end;
            runs_.insert(std::next(run), std::move(node));
        }
        run->second.end = id;
        if (run->first == id) runs_.erase(run);
    }

    uint32_t allocated() const noexcept override { return used; }
    uint32_t end() const noexcept override {
        return runs_.empty() ? 0 : runs_.rbegin()->second.end;
    }
    uint32_t next_free(uint32_t from) const noexcept override {
        const auto run = run_of(from);
        return run == runs_.end() ? from : run->second.end;
    }
    uint32_t next_used(uint32_t from) const noexcept override {
        if (run_of(from) != runs_.end()) return from;
        const auto run = runs_.lower_bound(from);
        return run == runs_.end() ? limit : run->first;
    }
    uint64_t used_bits(uint32_t word) const noexcept override;
    std::size_t object_bytes() const noexcept override { return sizeof(*this); }

  private:
    // The run the id is in, or end().
    template <class Runs>
    static auto find_run(Runs &runs, uint32_t id) noexcept {
        auto next = runs.upper_bound(id);
        if (next == runs.begin()) return runs.end();
        const auto run = std::prev(next);
        return run->second.end > id ? run : runs.end();
    }
    Nodes::iterator run_of(uint32_t id) noexcept { return find_run(runs_, id); }
    Nodes::const_iterator run_of(uint32_t id) const noexcept { return find_run(runs_, id); }

    // The node with the highest key, so that those left have the keys 0 .. size - 1.
    Nodes::node_type take_held(uint32_t id) noexcept {
        auto node = held_.extract(std::prev(held_.end()));
        node.key() = id;
        return node;
    }
    void join_run(uint32_t id, Nodes::node_type held);

    static constexpr std::size_t nodes_of_claim = 2;  // an owner's and a run's

    Nodes owners_{Nodes::allocator_type(heap)};
    Nodes runs_{Nodes::allocator_type(heap)};  // neither touching nor overlapping
    Nodes held_{Nodes::allocator_type(heap)};  // nodes for claims that must not fail
};

// The id becomes part of the runs it touches, or one of its own: only that can throw, without a
// held node.
void RbTree::join_run(uint32_t id, Nodes::node_type held) {
    const auto after = place_of(runs_, id);
    const auto before = after == runs_.begin() ? runs_.end() : std::prev(after);
    const bool touches_before = before != runs_.end() && before->second.end == id;
    const bool touches_after = after != runs_.end() && after->first == id + 1;
    if (touches_before) {
        before->second.end = touches_after ? after->second.end : id + 1;
        if (touches_after) runs_.erase(after);
    } else if (touches_after) {
        auto node = runs_.extract(after);
        node.key() = id;
        runs_.insert(std::move(node));
    } else {
        Value value;
        value.end = id + 1;
        if (held.empty()) {
            runs_.emplace_hint(after, id, value);
        } else {
            held.mapped() = value;
            runs_.insert(after, std::move(held));
        }
    }
}

uint64_t RbTree::used_bits(uint32_t word) const noexcept {
    const uint64_t first = uint64_t{64} * word;
    auto run = runs_.upper_bound(static_cast<uint32_t>(first));
    if (run != runs_.begin()) run = std::prev(run);
    uint64_t bits = 0;
    for (; run != runs_.end() && run->first < first + 64; ++run) {
        const uint64_t begin = std::max<uint64_t>(run->first, first);
        const uint64_t end = std::min<uint64_t>(run->second.end, first + 64);
        if (begin < end) bits |= UINT64_MAX >> (64 - (end - begin)) << (begin - first);
    }
    return bits;
}

}  // namespace

cid_table *make_rbtree(uint32_t limit) noexcept { return make<RbTree>(limit); }

}  // namespace cid
