// SPDX-License-Identifier: BSD-3-Clause
// What the three kinds of tables have in common.  One type for each; the C face checks.
#ifndef CID_TABLE_HPP_INCLUDED
#define CID_TABLE_HPP_INCLUDED

#include "cid.h"
#include "heap.hpp"

// REQUIRES everywhere: ids below the limit, and owners other than nullptr.
struct cid_table {
  public:
    cid_table(cid_kind kind, uint32_t limit) noexcept : kind(kind), limit(limit) {}
    virtual ~cid_table() = default;
    cid_table(const cid_table &) = delete;
    cid_table &operator=(const cid_table &) = delete;

    virtual void *owner(uint32_t id) const noexcept = 0;              // nullptr when free
    virtual cid_status claim(uint32_t id, void *owner) noexcept = 0;  // REQUIRES: free
    // The ids below the result can be claimed by claim_held, once for each holder, until none
    // holds.
    virtual uint32_t hold(uint32_t end) noexcept = 0;  // REQUIRES: holders counts this one
    virtual cid_status claim_held(uint32_t id, void *owner) noexcept = 0;
    virtual void replace(uint32_t id, void *owner) noexcept = 0;  // REQUIRES: claimed
    virtual void release(uint32_t id) noexcept = 0;               // REQUIRES: claimed
    virtual uint32_t allocated() const noexcept = 0;
    virtual uint32_t end() const noexcept = 0;
    virtual uint32_t next_free(uint32_t from) const noexcept = 0;  // or anything from the limit on
    virtual uint32_t next_used(uint32_t from) const noexcept = 0;
    // Bit i: id 64 word + i is used.
    virtual uint64_t used_bits(uint32_t word) const noexcept = 0;
    virtual std::size_t object_bytes() const noexcept = 0;

    const cid_kind kind;
    const uint32_t limit;
    uint32_t used = 0;
    uint32_t holders = 0;
    cid::Heap heap;
};

namespace cid {

// nullptr when there is no memory.
cid_table *make_array(uint32_t limit) noexcept;
cid_table *make_rbtree(uint32_t limit) noexcept;
cid_table *make_radix(uint32_t limit) noexcept;

template <class Table>
Table *make(uint32_t limit) noexcept {
    void *memory = allocate(sizeof(Table));
    return memory == nullptr ? nullptr : new (memory) Table(limit);
}

}  // namespace cid

#endif  // CID_TABLE_HPP_INCLUDED
