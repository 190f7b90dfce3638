// SPDX-License-Identifier: BSD-3-Clause
// The C face: arguments are checked here, and nowhere below.
#include <cstdio>

#include "core/builder.hpp"
#include "core/intern.hpp"
#include "core/node.hpp"
#include "core/policy.hpp"

using namespace cmap;

struct cmap_builder {
    Builder impl;
};

const char *MPIR_cmap_strerror(cmap_status status) noexcept {
    switch (number_of(status)) {
        case CMAP_OK: return "success";
        case CMAP_ERR_NOMEM: return "out of memory";
        case CMAP_ERR_RANGE: return "a rank or an index is out of range";
        case CMAP_ERR_DUPLICATE: return "an index appears twice";
        case CMAP_ERR_ARG: return "invalid argument";
        case CMAP_ERR_INVALID: return "an invariant of the map does not hold";
    }
    return "unknown status";
}

// ---- building

cmap_status MPIR_cmap_builder_create(uint32_t universe, const cmap_policy *policy,
                                     cmap_builder **out) noexcept {
    if (out == nullptr) return CMAP_ERR_ARG;
    *out = nullptr;
    const Builder probe(universe, policy);
    CMAP_TRY(probe.status());
    void *memory = allocate(sizeof(cmap_builder));
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    *out = new (memory) cmap_builder{{universe, policy}};
    return CMAP_OK;
}

void MPIR_cmap_builder_free(cmap_builder *builder) noexcept {
    if (builder == nullptr) return;
    builder->~cmap_builder();
    deallocate(builder);
}

cmap_status MPIR_cmap_builder_add(cmap_builder *builder, uint32_t index) noexcept {
    return builder == nullptr ? CMAP_ERR_ARG : builder->impl.add(index);
}

cmap_status MPIR_cmap_builder_add_block(cmap_builder *builder, const uint32_t *indices,
                                        uint32_t n) noexcept {
    return builder == nullptr ? CMAP_ERR_ARG : builder->impl.add_block(indices, n);
}

cmap_status MPIR_cmap_builder_add_range(cmap_builder *builder, uint32_t first, int32_t stride,
                                        uint32_t count) noexcept {
    return builder == nullptr ? CMAP_ERR_ARG
                              : builder->impl.add_run(Run{first, count > 1 ? stride : 0, count});
}

cmap_status MPIR_cmap_builder_add_slice(cmap_builder *builder, const cmap_t *map, uint32_t first,
                                        uint32_t count) noexcept {
    return builder == nullptr ? CMAP_ERR_ARG : builder->impl.add_slice(map, first, count);
}

cmap_status MPIR_cmap_builder_add_words(cmap_builder *builder, const uint32_t *words,
                                        uint32_t n) noexcept {
    if (builder == nullptr || (words == nullptr && n != 0)) return CMAP_ERR_ARG;
    return builder->impl.add_words(words, n);
}

uint32_t MPIR_cmap_builder_size(const cmap_builder *builder) noexcept {
    return builder == nullptr ? 0 : builder->impl.size();
}

cmap_status MPIR_cmap_builder_finish(cmap_builder *builder, cmap_t **out) noexcept {
    if (out != nullptr) *out = nullptr;
    return builder == nullptr || out == nullptr ? CMAP_ERR_ARG : builder->impl.finish(out);
}

cmap_status MPIR_cmap_from_array(const uint32_t *indices, uint32_t n, uint32_t universe,
                                 const cmap_policy *policy, cmap_t **out) noexcept {
    if (out != nullptr) *out = nullptr;
    if (out == nullptr || (indices == nullptr && n != 0)) return CMAP_ERR_ARG;
    Builder builder(universe, policy);
    CMAP_TRY(builder.status());
    builder.borrow(indices, n);
    return builder.finish(out);
}

cmap_status MPIR_cmap_from_range(uint32_t first, int32_t stride, uint32_t count, uint32_t universe,
                                 const cmap_policy *policy, cmap_t **out) noexcept {
    if (out == nullptr) return CMAP_ERR_ARG;
    const Run run{first, count > 1 ? stride : 0, count};
    *out = find_run(run, universe, policy);
    if (*out != nullptr) return CMAP_OK;
    Builder builder(universe, policy);
    CMAP_TRY(builder.add_run(run));
    return builder.finish(out);
}

// ---- references

cmap_t *MPIR_cmap_addref(const cmap_t *map) noexcept { return map == nullptr ? nullptr : ref(map); }

void MPIR_cmap_release(const cmap_t *map) noexcept {
    if (map != nullptr) unref(const_cast<cmap_t *>(map));
}

// ---- lookup

uint32_t MPIR_cmap_size(const cmap_t *map) noexcept { return map->size; }
uint32_t MPIR_cmap_min(const cmap_t *map) noexcept { return map->min; }
uint32_t MPIR_cmap_max(const cmap_t *map) noexcept { return map->max; }
int MPIR_cmap_is_set(const cmap_t *map) noexcept { return is_set(map); }

uint32_t MPIR_cmap_rank(const cmap_t *map, uint32_t index) noexcept { return rank_of(map, index); }

void MPIR_cmap_decode(const cmap_t *map, uint32_t first, uint32_t count,
                      uint32_t *indices) noexcept {
    assert(first <= map->size && count <= map->size - first);
    decode(map, first, count, indices);
}

void MPIR_cmap_select_many(const cmap_t *map, const uint32_t *ranks, uint32_t n,
                           uint32_t *indices) noexcept {
    select_many(map, ranks, n, indices);
}

void MPIR_cmap_iter_init(cmap_iter *iter, const cmap_t *map) noexcept { *iter = cmap_iter{map, 0}; }

void MPIR_cmap_iter_rewind(cmap_iter *iter) noexcept { iter->next = 0; }

uint32_t MPIR_cmap_iter_next(cmap_iter *iter, uint32_t *indices, uint32_t room) noexcept {
    const uint32_t left = iter->map->size - iter->next, n = left < room ? left : room;
    decode(iter->map, iter->next, n, indices);
    iter->next += n;
    return n;
}

// ---- what a map is and costs

cmap_rep MPIR_cmap_representation(const cmap_t *map) noexcept {
    return static_cast<cmap_rep>(map->kind);
}
cmap_strategy MPIR_cmap_strategy_of(const cmap_t *map) noexcept {
    return static_cast<cmap_strategy>(map->strategy);
}
int MPIR_cmap_force_declined(const cmap_t *map) noexcept {
    return (map->flags & FLAG_FORCE_DECLINED) != 0;
}
uint32_t MPIR_cmap_sharers(const cmap_t *map) noexcept {
    return __atomic_load_n(&map->refs, __ATOMIC_RELAXED);
}
size_t MPIR_cmap_payload_bytes(const cmap_t *map) noexcept { return payload_bytes(map); }
size_t MPIR_cmap_node_bytes(const cmap_t *map) noexcept { return node_bytes(map); }

size_t MPIR_cmap_cached_bytes(const cmap_t *map) noexcept { return cached_bytes(map); }
size_t MPIR_cmap_bytes(const cmap_t *map) noexcept { return sizeof *map + payload_bytes(map); }
size_t MPIR_cmap_array_bytes(const cmap_t *map) noexcept {
    return size_t{map->size} * sizeof(uint32_t);
}

int MPIR_cmap_describe(const cmap_t *map, char *text, size_t room) noexcept {
    const Representation &rep = representation(map);
    const int name = std::snprintf(text, room, "%s ", rep.name);
    const size_t used = static_cast<size_t>(name);
    return used < room ? name + rep.describe(map, text + used, room - used)
                       : name + rep.describe(map, nullptr, 0);
}

cmap_status MPIR_cmap_validate(const cmap_t *map, const char **reason) noexcept {
    const char *wrong = map == nullptr ? "there is no map" : map_validate(map);
    if (reason != nullptr) *reason = wrong;
    return wrong == nullptr ? CMAP_OK : CMAP_ERR_INVALID;
}

void MPIR_cmap_get_totals(cmap_totals *out) noexcept { gather_totals(*out); }

void MPIR_cmap_set_node_memory(const cmap_node_memory *memory) noexcept { set_node_memory(memory); }

void MPIR_cmap_set_allocator(void *(*allocate)(size_t), void (*deallocate)(void *)) noexcept {
    set_allocator(allocate, deallocate);
}
