// SPDX-License-Identifier: BSD-3-Clause
#include "cmap_choices.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr double TOLERANCE = 1.1;
constexpr uint64_t ROUNDING_BYTES = 64;  // small payloads are rounded to words and cache lines
constexpr Effort AGAIN = {1u << 14, 9, true};

double net_ns(const Subject &subject) { return std::max(0.3, subject.times.rand - loop_ns()); }

// Comparable within a strategy: twice the cost is twice the time or twice the bytes, or for hybrid
// twice their weighted geometric mean.
double cost(const Subject &subject, cmap_strategy strategy) {
    const double space = static_cast<double>(subject.bytes) + CMAP_HEADER_BYTES;
    if (strategy == CMAP_STRATEGY_TIME) return net_ns(subject);
    if (strategy == CMAP_STRATEGY_SPACE) return space;
    return std::pow(net_ns(subject), CMAP_ALPHA_DEFAULT) * std::pow(space, 1 - CMAP_ALPHA_DEFAULT);
}

// The cheapest of the maps whose representations the strategy could have taken.
Subject &best_of(const Class &one, const Subjects &maps, cmap_strategy strategy,
                 const std::vector<Estimated> &candidates, Subject &chosen) {
    Subject *best = &chosen;
    for (const Estimated &candidate : candidates) {
        Subject *other = maps.find(MPIR_cmap_rep_name(candidate.rep));
        if (other == nullptr || !admitted(one, candidate.rep)) continue;
        if (cost(*other, strategy) < cost(*best, strategy)) best = other;
    }
    return *best;
}

}  // namespace

bool admitted(const Class &one, cmap_rep rep) {
    return one.affine || (rep != CMAP_REP_AFFINE && rep != CMAP_REP_RUNS);
}

Choices::Choices(const Options &options)
    : choices_(options, "e1_choices.csv",
               "class,map,n,strategy,chosen,best,chosen_bytes,best_bytes,chosen_ns,best_ns,loss"),
      estimates_(options, "e1_estimates.csv",
                 "class,map,n,representation,estimate_bytes,bytes,estimate_ns,measured_ns") {}

void Choices::add_estimates(const Class &one, int number, const Subjects &maps,
                            const std::vector<Estimated> &candidates) {
    if (maps.members().size() <= CMAP_INLINE_MEMBERS) return;
    for (const Estimated &candidate : candidates) {
        const char *name = MPIR_cmap_rep_name(candidate.rep);
        const Subject *built = maps.find(name);
        if (built == nullptr) continue;
        Fit &fit = fit_[name];
        const uint64_t told = candidate.estimate.space;
        ++fit.maps;
        fit.below += told < built->bytes;
        fit.above += told > built->bytes + built->bytes / 10 + ROUNDING_BYTES;
        fit.time_ratio.push_back(candidate.estimate.time / net_ns(*built));
        estimates_.row("%s,%d,%zu,%s,%llu,%llu,%.3g,%.3g", one.name, number, maps.members().size(),
                       name, static_cast<unsigned long long>(told),
                       static_cast<unsigned long long>(built->bytes), candidate.estimate.time,
                       net_ns(*built));
    }
}

void Choices::add_choice(const Class &one, int number, Subjects &maps, cmap_strategy strategy,
                         const std::vector<Estimated> &candidates, Subject &chosen) {
    if (maps.members().size() <= CMAP_INLINE_MEMBERS) return;
    Subject *best = &best_of(one, maps, strategy, candidates, chosen);
    // What looks like a wrong choice may have been a neighbour's doing.
    if (best != &chosen && cost(chosen, strategy) > TOLERANCE * cost(*best, strategy))
        maps.measure_pair(chosen, *best, AGAIN);
    const double loss = cost(chosen, strategy) / cost(*best, strategy) - 1;
    for (const char *group : {"", one.name}) {
        Tally &tally = tally_[std::string(MPIR_cmap_strategy_name(strategy)) + " " + group];
        ++tally.maps;
        tally.good += loss <= TOLERANCE - 1;
    }
    choices_.row("%s,%d,%zu,%s,%s,%s,%llu,%llu,%.3g,%.3g,%.4f", one.name, number,
                 maps.members().size(), MPIR_cmap_strategy_name(strategy),
                 chosen.representation.c_str(), best->representation.c_str(),
                 static_cast<unsigned long long>(chosen.bytes),
                 static_cast<unsigned long long>(best->bytes), net_ns(chosen), net_ns(*best), loss);
}

void Choices::summary() const {
    std::printf(
        "\nChoices within 10 %% of the best by the strategy's own measure (target 95 %%):\n");
    for (const auto &[name, tally] : tally_)
        std::printf("  %-10s %5.1f %% of %d maps\n", name.c_str(), 100.0 * tally.good / tally.maps,
                    tally.maps);
    std::printf(
        "\nEstimates: bytes not exact nor up to 10 %% above, and estimated to measured ns\n");
    std::printf("  %-10s %6s %6s %6s   %s\n", "", "maps", "below", "above", "ns 10 %, 50 %, 90 %");
    for (const auto &[name, fit] : fit_) {
        std::vector<double> ratios = fit.time_ratio;
        std::sort(ratios.begin(), ratios.end());
        const auto at = [&](double q) {
            return ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1))];
        };
        std::printf("  %-10s %6d %6d %6d   %.2f %.2f %.2f\n", name.c_str(), fit.maps, fit.below,
                    fit.above, at(0.1), at(0.5), at(0.9));
    }
}

}  // namespace bench
