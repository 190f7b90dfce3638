// SPDX-License-Identifier: BSD-3-Clause
// One array of owners with the bits of used ids behind it, in one block, which is replaced as a
// whole.  It is doubled until an id is in it.  It is made smaller when no used id is in its last
// three quarters and a number of calls in proportion to it has passed since the last change, so
// that ids which come and go at its end do not make it breathe: n calls cost O(n log limit +
// limit).  While memory is held, it does not shrink.
#include <algorithm>

#include "bit_tree.hpp"
#include "table.hpp"

namespace cid {
namespace {

constexpr std::size_t least_capacity = 64;

std::size_t block_bytes(std::size_t capacity) noexcept {
    return capacity * sizeof(void *) + BitTree::bytes(capacity / 64);
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
    ~Array() override { heap.give(slots_, block_bytes(capacity_)); }

    void *owner(uint32_t id) const noexcept override {
        return id < capacity_ ? slots_[id] : nullptr;
    }

    cid_status claim(uint32_t id, void *owner) noexcept override {
        if (id >= capacity_ && !resize(capacity_for(uint64_t{id} + 1))) return CID_ERR_MEMORY;
        calls_++;
        used_.set(id);
        replace(id, owner);
        return CID_OK;
    }
    uint32_t hold(uint32_t end) noexcept override {
        if (end > capacity_) (void)resize(capacity_for(end));
        return static_cast<uint32_t>(capacity_);
    }
    cid_status claim_held(uint32_t id, void *owner) noexcept override { return claim(id, owner); }
    void replace(uint32_t id, void *owner) noexcept override { slots_[id] = owner; }
    void release(uint32_t id) noexcept override {
        calls_++;
        replace(id, nullptr);
        used_.clear(id);
        const std::size_t end = this->end();
        if (holders == 0 && end <= capacity_ / 4 && capacity_ > least_capacity &&
            calls_ >= capacity_ / 4)
            (void)resize(capacity_for(2 * end));  // no memory: it stays as large as it is
    }

    uint32_t allocated() const noexcept override {
        return static_cast<uint32_t>(std::min<std::size_t>(capacity_, limit));
    }
    uint32_t end() const noexcept override {
        return capacity_ == 0 ? 0 : static_cast<uint32_t>(used_.last_set() + 1);
    }
    uint32_t next_free(uint32_t from) const noexcept override {
        if (from >= capacity_) return from;
        return static_cast<uint32_t>(std::min<uint64_t>(used_.next_clear(from), allocated()));
    }
    uint32_t next_used(uint32_t from) const noexcept override {
        if (from >= capacity_) return limit;
        return static_cast<uint32_t>(std::min<uint64_t>(used_.next_set(from), limit));
    }
    uint64_t used_bits(uint32_t word) const noexcept override {
        return word < capacity_ / 64 ? used_.word(word) : 0;
    }
    std::size_t object_bytes() const noexcept override { return sizeof(*this); }

  private:
    // REQUIRES that all used ids are below the new capacity.  False when there is no memory.
    bool resize(std::size_t capacity) noexcept {
        auto *slots = static_cast<void **>(heap.take(block_bytes(capacity)));
        if (slots == nullptr) return false;
        BitTree used(slots + capacity, capacity / 64);
        const std::size_t kept = std::min(capacity, capacity_);
        std::fill(std::copy_n(slots_, kept, slots), slots + capacity, nullptr);
        if (capacity_ > 0) used.copy(used_);
        heap.give(slots_, block_bytes(capacity_));
        slots_ = slots;
        used_ = used;
        capacity_ = capacity;
        calls_ = 0;
        return true;
    }

    // One block: as many owners, then the words of `used_`.
    void **slots_ = nullptr;
    std::size_t capacity_ = 0;
    BitTree used_;
    std::size_t calls_ = 0;  // claims and releases since the last change of size
};

}  // namespace

cid_table *make_array(uint32_t limit) noexcept { return make<Array>(limit); }

}  // namespace cid
