// SPDX-License-Identifier: BSD-3-Clause
#include "rep/wtr_plan.hpp"

#include "core/analysis.hpp"

namespace cmap {
namespace {

bool lengths_of_list(const Analysis &analysis, Buffer<uint32_t> &lengths) noexcept {
    const Stats &stats = analysis.stats;
    if (!lengths.reserve(stats.ascents)) return false;
    if (stats.border != 0)
        return lengths.push(stats.border) && lengths.push(stats.size - stats.border);
    uint32_t begin = 0;
    each_fall(analysis.content, [&](uint32_t rank) {
        const uint32_t length = rank - begin;
        begin = rank;
        return lengths.push(length);
    });
    return lengths.push(stats.size - begin);
}

}  // namespace

// Of two trees with as many bits the inverse's is the faster one: a select goes down in it.
cmap_status WtrPlan::make(const Analysis &analysis) noexcept {
    const Buffer<uint32_t> &inverse = analysis.inverse_runs;
    const bool direct = analysis.stats.ascents <= most_ascents(analysis.limits);
    if (!direct && inverse.empty()) return CMAP_ERR_INVALID;
    if (direct && !(lengths_of_list(analysis, lengths) && shape.make(lengths)))
        return CMAP_ERR_NOMEM;
    if (!inverse.empty()) {
        WtrShape other;
        if (!other.make(inverse)) return CMAP_ERR_NOMEM;
        inverted = !direct || other.bits <= shape.bits;
        if (inverted) {
            lengths.clear();
            if (!lengths.append(inverse.data(), inverse.size())) return CMAP_ERR_NOMEM;
            shape = static_cast<WtrShape &&>(other);
        }
    }
    layout = WtrTree::layout_of(shape, analysis.stats.size);
    return WtrTree::fits(shape) ? CMAP_OK : CMAP_ERR_INVALID;
}

}  // namespace cmap
