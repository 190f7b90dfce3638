// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: bytes become calls on a table of each kind, beside a std::map.  A difference aborts,
// so the fuzzer keeps the input.
#include "../require.hpp"
#include "cid.h"

#include <cstddef>
#include <map>

namespace {

using Owners = std::map<uint32_t, void *>;

class Input {
  public:
    Input(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
    bool done() const { return at_ == end_; }
    uint32_t byte() { return done() ? 0 : *at_++; }
    // Near, far, or near a border between nodes.
    uint32_t id() {
        const uint32_t how = byte(), low = byte();
        if (how < 100) return low;
        if (how < 180) return low << 8 | byte();
        return (how - 180) * 4096 + low - 64;
    }

  private:
    const uint8_t *at_, *end_;
};

void *owner_number(uint32_t n) { return reinterpret_cast<void *>(uintptr_t{16} * (n + 1)); }

uint32_t end_of(const Owners &owners) { return owners.empty() ? 0 : owners.rbegin()->first + 1; }

uint32_t next_used(const Owners &owners, uint32_t from, uint32_t limit) {
    const auto found = owners.lower_bound(from);
    return found == owners.end() ? limit : found->first;
}

uint32_t next_free(const Owners &owners, uint32_t from, uint32_t limit) {
    for (auto at = owners.find(from); at != owners.end() && at->first == from; ++at)
        from++;
    return from < limit ? from : limit;
}

void change(cid_table_t *table, const Owners &before, uint32_t what, uint32_t id, void *owner) {
    const auto found = before.find(id);
    const bool taken = found != before.end(), inside = id < MPIR_cid_table_limit(table);
    if (what < 4)
        REQUIRE(MPIR_cid_claim(table, id, owner) == (!inside ? CID_ERR_RANGE
                                                     : taken ? CID_ERR_TAKEN
                                                             : CID_OK));
    else if (what < 7)
        REQUIRE(MPIR_cid_release(table, id) == (taken ? found->second : nullptr));
    else
        REQUIRE(MPIR_cid_replace(table, id, owner) == (!inside ? CID_ERR_RANGE
                                                       : taken ? CID_OK
                                                               : CID_ERR_FREE));
}

void change(Owners &owners, uint32_t what, uint32_t id, void *owner, uint32_t limit) {
    if (what < 4 && id < limit)
        owners.emplace(id, owner);
    else if (what >= 4 && what < 7)
        owners.erase(id);
    else if (what >= 7 && owners.count(id) != 0)
        owners[id] = owner;
}

void compare(const cid_table_t *table, const Owners &owners, uint32_t id) {
    const uint32_t limit = MPIR_cid_table_limit(table);
    const auto found = owners.find(id);
    REQUIRE(MPIR_cid_owner(table, id) == (found == owners.end() ? nullptr : found->second));
    REQUIRE(MPIR_cid_used(table) == owners.size() && MPIR_cid_end(table) == end_of(owners));
    REQUIRE(MPIR_cid_next_used(table, id) == next_used(owners, id, limit));
    REQUIRE(MPIR_cid_next_free(table, id) == next_free(owners, id, limit));
    REQUIRE(MPIR_cid_next_free(table, 0) == next_free(owners, 0, limit));
    uint32_t mask[3];
    MPIR_cid_free_mask(table, id, 3, mask);
    for (uint32_t i = 0; i < 96; i++) {
        const uint64_t other = uint64_t{id} + i;
        const bool free = other < limit && owners.count(static_cast<uint32_t>(other)) == 0;
        REQUIRE((mask[i / 32] >> i % 32 & 1) == free);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Input in(data, size);
    const uint32_t limit = in.byte() < 128 ? 1 + in.byte() : 1u << 18;
    cid_table_t *tables[CID_KIND_COUNT];
    for (int kind = 0; kind < CID_KIND_COUNT; kind++) {
        tables[kind] = MPIR_cid_table_create(static_cast<cid_kind>(kind), limit);
        REQUIRE(tables[kind] != nullptr);
    }
    Owners owners;
    while (!in.done()) {
        const uint32_t what = in.byte() % 8, id = in.id();
        void *owner = owner_number(in.byte());
        for (cid_table_t *table : tables)
            change(table, owners, what, id, owner);
        change(owners, what, id, owner, limit);
        for (cid_table_t *table : tables)
            compare(table, owners, id);
    }
    for (cid_table_t *table : tables)
        MPIR_cid_table_destroy(table);
    return 0;
}
