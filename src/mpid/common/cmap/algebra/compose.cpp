// SPDX-License-Identifier: BSD-3-Clause
// A map through another one, and maps one after the other.
#include <algorithm>

#include "algebra/operands.hpp"
#include "core/closed_form.hpp"

namespace cmap {
namespace {

bool as_ranks(const cmap_t *map, Grids &out) noexcept {
    Pieces pieces;
    if (!pieces_of(map, piece_limit(map->size), pieces)) return false;
    for (const Piece &piece : pieces)
        if (!out.push(grid_of(piece))) return false;
    return true;
}

cmap_status add_composed(Builder &builder, const cmap_t *outer, const cmap_t *inner) noexcept {
    Grids ranks;
    if (as_ranks(inner, ranks)) {
        relate(builder, outer, ranks);
        return add_picked(builder, outer, ranks);
    }
    Content *kin = builder.relate(outer, inner->size);
    cmap_status status = CMAP_OK;
    each_block(inner, [&](const uint32_t *members, uint32_t n) {
        uint32_t indices[ALGEBRA_BLOCK];
        if (kin != nullptr && !kin->add(members, n)) {
            builder.unrelate();
            kin = nullptr;
        }
        for (uint32_t first = 0; first < n && status == CMAP_OK; first += ALGEBRA_BLOCK) {
            const uint32_t some = std::min(n - first, ALGEBRA_BLOCK);
            MPIR_cmap_select_many(outer, members + first, some, indices);
            status = builder.add_block(indices, some);
        }
        return status == CMAP_OK;
    });
    return status;
}

// Two closed forms often make a third one.  False: they do not, or not in one.
bool compose_closed(const cmap_t *outer, const cmap_t *inner, const cmap_policy *policy,
                    cmap_t **out, cmap_status &status) noexcept {
    cmap_form ranks, members;
    if (outer->kind != CMAP_REP_AFFINE || inner->kind != CMAP_REP_AFFINE ||
        forms_of_affine(inner, &ranks, 1) != 1 || !compose_forms(outer, ranks, members))
        return false;
    status = map_from_form(members, universe_of(outer), policy, out);
    return true;
}

cmap_status compose(const cmap_t *outer, const cmap_t *inner, const cmap_policy *policy,
                    cmap_t **out) noexcept {
    if (inner->size == 0) return make_empty(policy, out);
    if (inner->max >= outer->size) return CMAP_ERR_RANGE;
    if (is_identity(outer)) return reuse(inner, policy, out);
    if (is_identity(inner) && inner->size == outer->size) return reuse(outer, policy, out);
    cmap_status status;
    if (compose_closed(outer, inner, policy, out, status)) return status;
    Builder builder(universe_of(outer), policy);
    return conclude(builder, add_composed(builder, outer, inner), out);
}

cmap_status concat(const cmap_t *const *parts, uint32_t n, const cmap_policy *policy,
                   cmap_t **out) noexcept {
    uint32_t universe = 0, filled = 0;
    const cmap_t *last = nullptr;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i] == nullptr) return CMAP_ERR_ARG;
        if (parts[i]->size == 0) continue;
        universe = std::max(universe, universe_of(parts[i]));
        last = parts[i];
        filled++;
    }
    if (filled == 1) return reuse(last, policy, out);
    Builder builder(universe, policy);
    for (uint32_t i = 0; i < n; i++)
        CMAP_TRY(builder.add_map(parts[i]));
    return builder.finish(out);
}

}  // namespace
}  // namespace cmap

cmap_status MPIR_cmap_compose(const cmap_t *outer, const cmap_t *inner, const cmap_policy *policy,
                              cmap_t **out) noexcept {
    return cmap::arguments(outer, inner, out) ? cmap::compose(outer, inner, policy, out)
                                              : CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_concat(const cmap_t *const *parts, uint32_t n, const cmap_policy *policy,
                             cmap_t **out) noexcept {
    if (out == nullptr) return CMAP_ERR_ARG;
    *out = nullptr;
    return parts == nullptr && n != 0 ? CMAP_ERR_ARG : cmap::concat(parts, n, policy, out);
}
