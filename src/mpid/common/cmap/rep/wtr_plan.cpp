// SPDX-License-Identifier: BSD-3-Clause
#include "rep/wtr_plan.hpp"

#include <cmath>

#include "cmap_tuning.hpp"
#include "core/strategy.hpp"

namespace cmap {
namespace {

bool lengths_of_list(const Analysis &analysis, Buffer<uint32_t> &lengths) noexcept {
    const Stats &stats = analysis.stats;
    if (stats.split != 0)
        return lengths.push(stats.split) && lengths.push(stats.size - stats.split);
    return ascent_lengths(analysis.content, stats.ascents, lengths);
}

// Levels of a tree over runs of these lengths, averaged over the members, if no tree were better.
double least_levels(const Buffer<uint32_t> &lengths, uint32_t size) noexcept {
    uint32_t short_runs[64] = {};
    double spared = 0;
    for (const uint32_t length : lengths)
        if (length < 64)
            ++short_runs[length];
        else
            spared += length * std::log2(length);
    for (uint32_t length = 2; length < 64; length++)
        if (short_runs[length] != 0) spared += short_runs[length] * (length * std::log2(length));
    return std::log2(size) - spared / size;
}

struct KeptPlan {
    static constexpr cmap_rep KIND = CMAP_REP_WTR;

    bool made = false, inverse_known = false;
    WtrPlan plan;
};

}  // namespace

bool worth_planning(const Analysis &analysis) noexcept {
    double levels = HUGE_VAL;
    Buffer<uint32_t> lengths;
    if (analysis.stats.ascents <= most_ascents(analysis.limits) &&
        lengths_of_list(analysis, lengths))
        levels = least_levels(lengths, analysis.stats.size);
    if (!analysis.inverse_runs.empty())
        levels = std::fmin(levels, least_levels(analysis.inverse_runs, analysis.stats.size));
    const double time = TIME_WTR + levels * std::fmin(TIME_WTR_LEVEL, TIME_WTR_DOWN);
    return levels * analysis.stats.size / 8 <= space_worth(analysis, CMAP_REP_ARRAY, time);
}

// Of two trees with as many bits the inverse's is the faster one: a select goes down in it.
bool WtrPlan::make(const Analysis &analysis) noexcept {
    const Buffer<uint32_t> &inverse = analysis.inverse_runs;
    const bool direct = analysis.stats.ascents <= most_ascents(analysis.limits);
    if (!direct && inverse.empty()) return false;
    if (direct && !(lengths_of_list(analysis, lengths) && shape.make(lengths))) return false;
    if (!inverse.empty()) {
        WtrShape other;
        if (!other.make(inverse)) return false;
        inverted = !direct || other.bits <= shape.bits;
        if (inverted) {
            lengths.clear();
            if (!lengths.append(inverse.data(), inverse.size())) return false;
            shape = static_cast<WtrShape &&>(other);
        }
    }
    layout = WtrTree::layout_of(shape, analysis.stats.size);
    return WtrTree::fits(shape);
}

const WtrPlan *wtr_plan_of(const Analysis &analysis) noexcept {
    const bool inverse_known = !analysis.inverse_runs.empty();
    KeptPlan *kept = analysis.plans.find<KeptPlan>();
    if (kept != nullptr && kept->inverse_known == inverse_known)
        return kept->made ? &kept->plan : nullptr;
    if (kept == nullptr) kept = analysis.plans.add<KeptPlan>();
    if (kept == nullptr) return nullptr;
    kept->plan = WtrPlan();
    kept->inverse_known = inverse_known;
    kept->made = kept->plan.make(analysis);
    return kept->made ? &kept->plan : nullptr;
}

}  // namespace cmap
