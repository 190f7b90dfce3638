// SPDX-License-Identifier: BSD-3-Clause
#include "core/analysis.hpp"

#include <algorithm>

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

Run ascending(const Run &run) noexcept {
    return run.step < 0 ? Run{run.last(), -run.step, run.count} : run;
}

// x with a * x + b * y = gcd(a, b)
int64_t bezout(int64_t a, int64_t b, int64_t &gcd) noexcept {
    int64_t x = 1, next = 0;
    while (b != 0) {
        const int64_t q = a / b, r = a % b, t = x - q * next;
        a = b, b = r, x = next, next = t;
    }
    gcd = a;
    return x;
}

// Few runs are compared with one another instead of marking every member.
enum class Verdict { distinct, duplicates, unknown };

Verdict compare_runs(const Content &content, uint64_t runs) noexcept {
    Buffer<Run> all;
    const uint64_t most = std::clamp(content.size() * DUPLICATE_RUN_PAIRS_SHARE,
                                     DUPLICATE_RUN_PAIRS_LEAST, DUPLICATE_RUN_PAIRS);
    if (runs * runs > 2 * most || !all.reserve(runs)) return Verdict::unknown;
    content.each_run([&](const Run &run) { return all.push(run); });
    for (std::size_t i = 0; i < all.size(); i++) {
        if (all[i].count > 1 && all[i].step == 0) return Verdict::duplicates;
        for (std::size_t j = 0; j < i; j++)
            if (runs_meet(all[i], all[j])) return Verdict::duplicates;
    }
    return Verdict::distinct;
}

}  // namespace

// first_a + i * step_a = first_b + j * step_b: the solutions for i are one residue class modulo
// step_b / gcd; the smallest such member that is in both hulls decides.
bool runs_meet(const Run &left, const Run &right) noexcept {
    const Run a = ascending(left), b = ascending(right);
    const int64_t low = a.first > b.first ? a.first : b.first;
    const int64_t high = a.last() < b.last() ? a.last() : b.last();
    if (low > high) return false;
    const int64_t step_a = a.count > 1 ? a.step : 1, step_b = b.count > 1 ? b.step : 1;
    int64_t gcd;
    const int64_t x = bezout(step_a, step_b, gcd);
    const int64_t apart = static_cast<int64_t>(b.first) - a.first;
    if (apart % gcd != 0) return false;
    const int64_t modulus = step_b / gcd;
    int64_t i = x % modulus * (apart / gcd % modulus) % modulus;
    if (i < 0) i += modulus;
    const int64_t least = low > a.first ? (low - a.first + step_a - 1) / step_a : 0;
    if (i < least) i += (least - i + modulus - 1) / modulus * modulus;
    return a.first + i * step_a <= high;
}

void Analysis::measure() noexcept {
    stats = stats_of(content);
    if (stats.split == 0 || stats.size <= CMAP_INLINE_MEMBERS) return;
    const uint32_t ends[] = {0, stats.split, stats.size};
    for (unsigned i = 0; i < 2; i++) {
        Content half;
        if (content.slice(ends[i], ends[i + 1], half)) split_stats[i] = stats_of(half);
    }
}

cmap_status Analysis::check_duplicates() noexcept {
    if (stats.is_set || stats.affine.levels != 0 || content.bit_sets() != 0) return CMAP_OK;
    if (stats.span() < stats.size) return CMAP_ERR_DUPLICATE;
    switch (compare_runs(content, stats.runs)) {
        case Verdict::distinct: return CMAP_OK;
        case Verdict::duplicates: return CMAP_ERR_DUPLICATE;
        case Verdict::unknown: break;
    }
    CMAP_TRY(mark());
    if (sorter.duplicates()) return CMAP_ERR_DUPLICATE;
    return sort();
}

cmap_status Analysis::mark() noexcept {
    const bool sets = content.bit_sets() != 0;
    if (!sorter.start(stats.min, stats.max, stats.size, sets)) return CMAP_ERR_NOMEM;
    bool added = sets;
    for (unsigned i = 0; added && i < content.bit_sets(); i++)
        added = sorter.add(content.bits(i));
    if (!added)
        content.each_block([this](const uint32_t *members, uint32_t n) {
            sorter.add(members, n);
            return true;
        });
    return sorter.finish() ? CMAP_OK : CMAP_ERR_NOMEM;
}

cmap_status Analysis::sort() noexcept {
    if (!sorter.started()) CMAP_TRY(mark());
    if (sorter.duplicates()) return CMAP_OK;
    Content increasing;
    sorter.lend(increasing);
    set_stats = stats_of(increasing);
    if (stats.split != 0) return CMAP_OK;  // its own are two
    const uint64_t limit = most_ascents(limits);
    const uint64_t most = stats.ascents < limit ? stats.ascents : limit;
    return inverse_ascents(content, sorter, most, inverse_runs) ? CMAP_OK : CMAP_ERR_NOMEM;
}

}  // namespace cmap
