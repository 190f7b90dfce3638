// SPDX-License-Identifier: BSD-3-Clause
// One array of owners with the bits of used ids behind it, in one block, which is replaced as a
// whole.  It is doubled until an id is in it.  It is made smaller when no used id is in its last
// three quarters and a number of calls in proportion to it has passed since the last change, so
// that ids which come and go at its end do not make it breathe: n calls cost O(n log limit +
// limit).
#include <algorithm>

#include "bit_tree.hpp"
#include "table.hpp"

namespace cid {
namespace {

constexpr std::size_t least_capacity = 64;

using Slot = std::atomic<void *>;

// Behind it: `capacity` slots, then the words of `used`, which lookups do not read.
struct Block : Retired {
    std::size_t capacity;
    BitTree used;

    Slot *slots() noexcept { return reinterpret_cast<Slot *>(this + 1); }
};

std::size_t block_bytes(std::size_t capacity) noexcept {
    return sizeof(Block) + capacity * sizeof(Slot) + BitTree::bytes(capacity / 64);
}

// A power of two: room for ids below `end`.
std::size_t capacity_for(uint64_t end) noexcept {
    std::size_t capacity = least_capacity;
    while (capacity < end)
        capacity *= 2;
    return capacity;
}

class Array final : public cid_table {
  public:
    explicit Array(uint32_t limit) noexcept : cid_table(CID_ARRAY, limit) {}
    ~Array() override {
        if (Block *block = now()) heap.give(block, block->bytes);
    }

    void *lookup(uint32_t id) const noexcept override {
        const Epochs::Reader reader(epochs_);
        return slot_or_null(block_.load(), id);
    }
    void *owner(uint32_t id) const noexcept override { return slot_or_null(now(), id); }

    cid_status claim(uint32_t id, void *owner) noexcept override {
        if (id >= capacity() && !resize(capacity_for(uint64_t{id} + 1))) return CID_ERR_MEMORY;
        calls_++;
        now()->used.set(id);
        replace(id, owner);
        epochs_.collect();
        return CID_OK;
    }
    void replace(uint32_t id, void *owner) noexcept override {
        now()->slots()[id].store(owner, std::memory_order_release);
    }
    void release(uint32_t id) noexcept override {
        calls_++;
        replace(id, nullptr);
        now()->used.clear(id);
        const std::size_t end = this->end();
        if (end <= capacity() / 4 && capacity() > least_capacity && calls_ >= capacity() / 4)
            (void)resize(capacity_for(2 * end));  // no memory: it stays as large as it is
        epochs_.collect();
    }

    uint32_t allocated() const noexcept override {
        return static_cast<uint32_t>(std::min<std::size_t>(capacity(), limit));
    }
    uint32_t end() const noexcept override {
        return now() == nullptr ? 0 : static_cast<uint32_t>(now()->used.last_set() + 1);
    }
    uint32_t next_free(uint32_t from) const noexcept override {
        if (from >= capacity()) return from;
        return static_cast<uint32_t>(std::min<uint64_t>(now()->used.next_clear(from), allocated()));
    }
    uint32_t next_used(uint32_t from) const noexcept override {
        if (from >= capacity()) return limit;
        return static_cast<uint32_t>(std::min<uint64_t>(now()->used.next_set(from), limit));
    }
    uint64_t used_bits(uint32_t word) const noexcept override {
        return word < capacity() / 64 ? now()->used.word(word) : 0;
    }
    std::size_t object_bytes() const noexcept override { return sizeof(*this); }

  private:
    // Whoever has the lock needs no order: it is the last one who wrote.
    Block *now() const noexcept { return block_.load(std::memory_order_relaxed); }
    std::size_t capacity() const noexcept { return now() == nullptr ? 0 : now()->capacity; }

    static void *slot_or_null(Block *block, uint32_t id) noexcept {
        if (block == nullptr || id >= block->capacity) return nullptr;
        return block->slots()[id].load(std::memory_order_acquire);
    }

    // REQUIRES that all used ids are below the new capacity.  False when there is no memory.
    bool resize(std::size_t capacity) noexcept {
        void *memory = heap.take(block_bytes(capacity));
        if (memory == nullptr) return false;
        Block *block = new (memory) Block{{nullptr, block_bytes(capacity)}, capacity, {}};
        Slot *slots = block->slots();
        block->used = BitTree(slots + capacity, capacity / 64);
        Block *old = now();
        const std::size_t kept = std::min(capacity, this->capacity());
        for (std::size_t i = 0; i < kept; i++)
            new (slots + i) Slot(old->slots()[i].load(std::memory_order_relaxed));
        for (std::size_t i = kept; i < capacity; i++)
            new (slots + i) Slot(nullptr);
        if (old != nullptr) block->used.copy(old->used);
        block_.store(block);
        if (old != nullptr) epochs_.retire(old);
        calls_ = 0;
        return true;
    }

    Epochs epochs_{heap};
    std::atomic<Block *> block_{nullptr};
    std::size_t calls_ = 0;  // claims and releases since the last change of size
};

}  // namespace

cid_table *make_array(uint32_t limit) noexcept { return make<Array>(limit); }

}  // namespace cid
