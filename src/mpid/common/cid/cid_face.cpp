// SPDX-License-Identifier: BSD-3-Clause
// The C face: arguments are checked here, and nowhere below.
#include <algorithm>
#include <cstring>

#include "table.hpp"

const char *MPIR_cid_strerror(cid_status status) noexcept {
    switch (status) {
        case CID_OK: return "success";
        case CID_ERR_TAKEN: return "the id has an owner";
        case CID_ERR_FREE: return "the id has no owner";
        case CID_ERR_RANGE: return "the id is out of range";
        case CID_ERR_MEMORY: return "out of memory";
        case CID_ERR_ARG: return "invalid argument";
    }
    return "unknown status";
}

// ---- kinds

const char *MPIR_cid_kind_name(cid_kind kind) noexcept {
    switch (kind) {
        case CID_ARRAY: return "array";
        case CID_RBTREE: return "rbtree";
        case CID_RADIX: return "radix";
        case CID_KIND_COUNT: break;
    }
    return "unknown";
}

cid_status MPIR_cid_kind_from_name(const char *name, cid_kind *out) noexcept {
    if (name == nullptr || out == nullptr) return CID_ERR_ARG;
    for (int kind = 0; kind < CID_KIND_COUNT; kind++)
        if (std::strcmp(name, MPIR_cid_kind_name(static_cast<cid_kind>(kind))) == 0) {
            *out = static_cast<cid_kind>(kind);
            return CID_OK;
        }
    return CID_ERR_ARG;
}

cid_table_t *MPIR_cid_table_create(cid_kind kind, uint32_t limit) noexcept {
    switch (kind) {
        case CID_ARRAY: return cid::make_array(limit);
        case CID_RBTREE: return cid::make_rbtree(limit);
        case CID_RADIX: return cid::make_radix(limit);
        case CID_KIND_COUNT: break;
    }
    return nullptr;
}

void MPIR_cid_table_destroy(cid_table_t *table) noexcept {
    if (table == nullptr) return;
    table->~cid_table();
    cid::deallocate(table);
}

cid_kind MPIR_cid_table_kind(const cid_table_t *table) noexcept { return table->kind; }
uint32_t MPIR_cid_table_limit(const cid_table_t *table) noexcept { return table->limit; }

// ---- one id

namespace {

template <class Claim>
cid_status claim_by(cid_table_t *table, uint32_t id, void *owner, Claim claim) noexcept {
    if (owner == nullptr) return CID_ERR_ARG;
    if (id >= table->limit) return CID_ERR_RANGE;
    if (table->owner(id) != nullptr) return CID_ERR_TAKEN;
    const cid_status status = (table->*claim)(id, owner);
    if (status == CID_OK) table->used++;
    return status;
}

}  // namespace

cid_status MPIR_cid_claim(cid_table_t *table, uint32_t id, void *owner) noexcept {
    return claim_by(table, id, owner, &cid_table::claim);
}

uint32_t MPIR_cid_hold(cid_table_t *table, uint32_t end) noexcept {
    table->holders++;
    return std::min(table->hold(std::min(end, table->limit)), table->limit);
}

cid_status MPIR_cid_claim_held(cid_table_t *table, uint32_t id, void *owner) noexcept {
    return claim_by(table, id, owner, &cid_table::claim_held);
}

void MPIR_cid_let_go(cid_table_t *table) noexcept { table->holders--; }

cid_status MPIR_cid_replace(cid_table_t *table, uint32_t id, void *owner) noexcept {
    if (owner == nullptr) return CID_ERR_ARG;
    if (id >= table->limit) return CID_ERR_RANGE;
    if (table->owner(id) == nullptr) return CID_ERR_FREE;
    table->replace(id, owner);
    return CID_OK;
}

void *MPIR_cid_release(cid_table_t *table, uint32_t id) noexcept {
    if (id >= table->limit) return nullptr;
    void *owner = table->owner(id);
    if (owner == nullptr) return nullptr;
    table->used--;
    table->release(id);
    return owner;
}

void *MPIR_cid_owner(const cid_table_t *table, uint32_t id) noexcept {
    return id < table->limit ? table->owner(id) : nullptr;
}

// ---- many ids

uint32_t MPIR_cid_used(const cid_table_t *table) noexcept { return table->used; }
uint32_t MPIR_cid_end(const cid_table_t *table) noexcept { return table->end(); }

uint32_t MPIR_cid_next_free(const cid_table_t *table, uint32_t from) noexcept {
    if (from >= table->limit) return table->limit;
    const uint32_t id = table->next_free(from);
    return id < table->limit ? id : table->limit;
}

uint32_t MPIR_cid_next_used(const cid_table_t *table, uint32_t from) noexcept {
    if (from >= table->limit) return table->limit;
    return table->next_used(from);
}

namespace {

// Bit i: id at + i is free.  In 64 bits, so that an id beyond all others is one that is used.
uint32_t free_bits(const cid_table_t *table, uint64_t at) noexcept {
    if (at >= table->limit) return 0;
    const auto word = static_cast<uint32_t>(at >> 6);
    const unsigned shift = at & 63;
    uint64_t used = table->used_bits(word) >> shift;
    if (shift > 32 && (at | 63) + 1 < table->limit)
        used |= table->used_bits(word + 1) << (64 - shift);
    const uint64_t left = table->limit - at;
    const uint32_t in_range = left >= 32 ? UINT32_MAX : (uint32_t{1} << left) - 1;
    return ~static_cast<uint32_t>(used) & in_range;
}

}  // namespace

void MPIR_cid_free_mask(const cid_table_t *table, uint32_t first, uint32_t words,
                        uint32_t mask[]) noexcept {
    for (uint32_t w = 0; w < words; w++)
        mask[w] = free_bits(table, first + uint64_t{32} * w);
}

void MPIR_cid_figures(const cid_table_t *table, cid_figures_t *out) noexcept {
    out->used = table->used;
    out->allocated = table->allocated();
    out->end = table->end();
    out->bytes = table->object_bytes() + table->heap.bytes();
}

void MPIR_cid_set_allocator(void *(*allocate)(size_t), void (*deallocate)(void *)) noexcept {
    cid::set_allocator(allocate, deallocate);
}
