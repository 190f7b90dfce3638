// SPDX-License-Identifier: BSD-3-Clause
#include "core/strategy.hpp"

#include <cmath>

#include "cmap_tuning.hpp"
#include "core/logarithm.hpp"

namespace cmap {
namespace {

struct Candidate {
    Estimate estimate;
    double cost;
    uint8_t kind;
};

bool better(const Candidate &a, const Candidate &b) noexcept {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.estimate.time != b.estimate.time) return a.estimate.time < b.estimate.time;
    return a.estimate.space < b.estimate.space;
}

bool allowed(const Estimate &estimate, const Analysis &analysis) noexcept {
    return estimate.fits && (analysis.policy.strategy == CMAP_STRATEGY_TIME ||
                             estimate.space <= uint64_t{analysis.stats.size} * sizeof(uint32_t));
}

// Sorted insertion: there are only a handful.
unsigned candidates(const Analysis &analysis, Candidate *out) noexcept {
    unsigned count = 0;
    for (unsigned kind = 0; kind < CMAP_REP_COUNT; kind++) {
        Candidate next{representation(kind).estimate(analysis), 0, static_cast<uint8_t>(kind)};
        if (!allowed(next.estimate, analysis)) continue;
        next.cost = cost_of(next.estimate, analysis.policy);
        unsigned at = count++;
        for (; at > 0 && better(next, out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = next;
    }
    return count;
}

// A permutation of the parent's members shares its set where that saves enough: the parent pays
// for the set's time already.
bool prefers_shared(const Candidate &first, const Candidate &shared,
                    const cmap_policy &policy) noexcept {
    if (policy.strategy != CMAP_STRATEGY_HYBRID || policy.alpha > SHARED_SET_ALPHA) return false;
    const double space = static_cast<double>(shared.estimate.space) + CMAP_HEADER_BYTES;
    const double other = static_cast<double>(first.estimate.space) + CMAP_HEADER_BYTES;
    return space <= other * SHARED_SET_SPACE &&
           shared.estimate.time <= first.estimate.time * SHARED_SET_SLOWDOWN;
}

void lead_with_shared(Candidate *sorted, unsigned count, const cmap_policy &policy) noexcept {
    unsigned k = 0;
    while (k < count && !sorted[k].estimate.shares)
        k++;
    if (k == 0 || k == count || !prefers_shared(sorted[0], sorted[k], policy)) return;
    const Candidate shared = sorted[k];
    for (; k > 0; k--)
        sorted[k] = sorted[k - 1];
    sorted[0] = shared;
}

void append(Choice &choice, unsigned kind, const Estimate &estimate) noexcept {
    for (unsigned i = 0; i < choice.count; i++)
        if (choice.kind[i] == kind) return;
    choice.time[choice.count] = estimate.time;
    choice.kind[choice.count++] = static_cast<uint8_t>(kind);
}

void append_if(bool wanted, Choice &choice, unsigned kind, const Analysis &analysis) noexcept {
    if (!wanted) return;
    const Estimate estimate = representation(kind).estimate(analysis);
    if (estimate.fits) append(choice, kind, estimate);
}

void append_all(Choice &choice, const Analysis &analysis) noexcept {
    Candidate sorted[CMAP_REP_COUNT];
    const unsigned count = candidates(analysis, sorted);
    lead_with_shared(sorted, count, analysis.policy);
    for (unsigned i = 0; i < count; i++)
        append(choice, sorted[i].kind, sorted[i].estimate);
}

// What others take at least to be a candidate against a closed form: those that select as fast as
// one are arrays, or keep runs or members, a few at least.
constexpr uint64_t LEAST_PAYLOAD = 12;

// With the default weights no logarithm is taken.  The weights of space and time are then as 3 to
// 1, or more.
bool costs_no_more(const Estimate &closed, const Estimate &other,
                   const cmap_policy &policy) noexcept {
    const double space = 1 + static_cast<double>(other.space) / CMAP_HEADER_BYTES;
    if (policy.strategy == CMAP_STRATEGY_HYBRID && policy.alpha <= 0.25 &&
        closed.time <= other.time * space * space * space)
        return true;
    return cost_of(closed, policy) <= cost_of(other, policy);
}

bool closed_form_is_cheaper(const Analysis &analysis) noexcept {
    const Estimate closed{true, 0, TIME_AFFINE[analysis.stats.affine.levels]};
    const Estimate array = representation(CMAP_REP_ARRAY).estimate(analysis);
    const Estimate other{true, LEAST_PAYLOAD, time_without_parent()};
    return costs_no_more(closed, array, analysis.policy) &&
           costs_no_more(closed, other, analysis.policy);
}

}  // namespace

// A closed form takes no payload, so that it is the best under every strategy where nothing selects
// faster, and under those that weigh bytes where nothing selects much faster.  Most communicators
// are such maps: the others are not even estimated for them.
bool closed_form_wins(const Analysis &analysis) noexcept {
    const uint32_t levels = analysis.stats.affine.levels;
    if (levels == 0) return false;
    if (TIME_AFFINE[levels] <= time_not_affine())
        return TIME_AFFINE[levels] <= representation(CMAP_REP_ARRAY).estimate(analysis).time;
    return analysis.relation == nullptr && analysis.policy.strategy != CMAP_STRATEGY_TIME &&
           closed_form_is_cheaper(analysis);
}

double cost_of(const Estimate &estimate, const cmap_policy &policy) noexcept {
    const double space = static_cast<double>(estimate.space) + CMAP_HEADER_BYTES;
    switch (policy.strategy) {
        case CMAP_STRATEGY_TIME: return estimate.time;
        case CMAP_STRATEGY_SPACE: return space;
        case CMAP_STRATEGY_HYBRID: break;
    }
    return policy.alpha * natural_log(estimate.time) + (1 - policy.alpha) * natural_log(space);
}

Choice choose(const Analysis &analysis) noexcept {
    Choice choice;
    const unsigned forced = analysis.policy.force;
    append_if(forced != CMAP_REP_ANY, choice, forced, analysis);
    if (analysis.stats.size <= CMAP_INLINE_MEMBERS) {
        const AffineForm &form = analysis.stats.affine;
        append_if(form.levels != 0 && form.whole(), choice, CMAP_REP_AFFINE, analysis);
        append_if(true, choice, CMAP_REP_ARRAY, analysis);
        return choice;
    }
    if (closed_form_wins(analysis)) {
        append_if(true, choice, CMAP_REP_AFFINE, analysis);
        return choice;
    }
    append_all(choice, analysis);
    return choice;
}

Choice ranking(const Analysis &analysis) noexcept {
    Choice choice;
    append_all(choice, analysis);
    return choice;
}

Estimate best(const Analysis &analysis) noexcept {
    if (analysis.stats.size <= CMAP_INLINE_MEMBERS)
        return Estimate{true, 0, representation(CMAP_REP_ARRAY).estimate(analysis).time};
    if (closed_form_wins(analysis)) return representation(CMAP_REP_AFFINE).estimate(analysis);
    Candidate sorted[CMAP_REP_COUNT];
    return candidates(analysis, sorted) == 0 ? cannot() : sorted[0].estimate;
}

Estimate best_simple(const Content &members, const Stats &stats, const Analysis &whole) noexcept {
    Analysis analysis(members, whole);
    analysis.stats = stats;
    return best(analysis);
}

Estimate best_simple(const Stats &stats, const Analysis &whole) noexcept {
    return best_simple(Content(), stats, whole);
}

double space_worth(const Analysis &analysis, cmap_rep kind, double time) noexcept {
    const cmap_policy &policy = analysis.policy;
    const double anything = static_cast<double>(CMAP_MAX_SIZE) * sizeof(uint32_t);
    double cost = HUGE_VAL;
    for (unsigned other = 0; other < kind; other++) {
        const Estimate estimate = representation(other).estimate(analysis);
        if (allowed(estimate, analysis)) cost = std::fmin(cost, cost_of(estimate, policy));
    }
    if (policy.strategy == CMAP_STRATEGY_TIME) return time <= cost ? anything : -1;
    const double array = double{sizeof(uint32_t)} * analysis.stats.size;
    if (policy.strategy == CMAP_STRATEGY_SPACE) return std::fmin(array, cost - CMAP_HEADER_BYTES);
    const double left = cost - policy.alpha * natural_log(time);
    if (policy.alpha == 1) return left >= 0 ? array : -1;
    return std::fmin(array, natural_exp(left / (1 - policy.alpha)) - CMAP_HEADER_BYTES);
}

}  // namespace cmap
