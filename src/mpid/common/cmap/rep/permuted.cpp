// SPDX-License-Identifier: BSD-3-Clause
#include "rep/permuted.hpp"

#include "core/intern.hpp"
#include "core/strategy.hpp"

namespace cmap {
namespace {

cmap_policy unforced(const cmap_policy &policy) noexcept {
    return {policy.strategy, policy.alpha, CMAP_REP_ANY};
}

}  // namespace

Estimate estimate_permuted_set(const Analysis &analysis) noexcept {
    const Stats &set = analysis.stats.is_set ? analysis.stats : analysis.set;
    if (set.size == 0) return cannot();
    Content sorted;
    if (!analysis.stats.is_set) analysis.sorter.lend(sorted);
    const Content &members = analysis.stats.is_set ? analysis.content : sorted;
    Estimate below = best_simple(members, set, unforced(analysis.policy));
    below.space += CMAP_HEADER_BYTES;
    return below;
}

cmap_status build_permuted_set(const Analysis &analysis, cmap_t **out) noexcept {
    Content members;
    if (!analysis.stats.is_set)
        analysis.sorter.lend(members);
    else if (!analysis.content.slice(0, analysis.stats.size, members))
        return CMAP_ERR_NOMEM;
    Analysis set(members, unforced(analysis.policy));
    set.stats = analysis.stats.is_set ? analysis.stats : analysis.set;
    return intern(set, out);
}

}  // namespace cmap
