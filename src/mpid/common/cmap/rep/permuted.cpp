// SPDX-License-Identifier: BSD-3-Clause
#include "rep/permuted.hpp"

#include "core/intern.hpp"
#include "core/relation.hpp"
#include "core/strategy.hpp"

namespace cmap {
namespace {

const cmap_t *shared_set(const Analysis &analysis) noexcept {
    return analysis.relation == nullptr ? nullptr : analysis.relation->shared_set(analysis);
}

}  // namespace

const Content *known_permutation(const Analysis &analysis) noexcept {
    return shared_set(analysis) == nullptr ? nullptr : &analysis.relation->permutation();
}

Estimate estimate_permuted_set(const Analysis &analysis) noexcept {
    if (const cmap_t *const shared = shared_set(analysis))
        return Estimate{true, 0, time_of(shared), true};
    const Stats &set = analysis.stats.is_set ? analysis.stats : analysis.set_stats;
    if (set.size == 0) return cannot();
    Content sorted;
    if (!analysis.stats.is_set) analysis.sorter.lend(sorted);
    const Content &members = analysis.stats.is_set ? analysis.content : sorted;
    Estimate below = best_simple(members, set, analysis);
    below.space += CMAP_HEADER_BYTES;
    return below;
}

cmap_status build_permuted_set(cmap_t *map, const Analysis &analysis, cmap_t **out) noexcept {
    if (const cmap_t *const shared = shared_set(analysis)) {
        map->flags |= FLAG_SHARES_SET;
        *out = ref(shared);
        return CMAP_OK;
    }
    Content members;
    if (analysis.stats.is_set) {
        if (!analysis.content.slice(0, analysis.stats.size, members)) return CMAP_ERR_NOMEM;
    } else {
        if (!analysis.sorter.number()) return CMAP_ERR_NOMEM;  // for each_position
        analysis.sorter.lend(members);
    }
    Analysis set(members, analysis);
    set.stats = analysis.stats.is_set ? analysis.stats : analysis.set_stats;
    return intern(set, out);
}

}  // namespace cmap
