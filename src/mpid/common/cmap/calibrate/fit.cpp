// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "calibrate/calibrate.hpp"
#include "core/times.hpp"

namespace bench {
namespace {

constexpr int LOOPS = 8;       // the least of so many is a round's value
constexpr double TURN = 1e-3;  // of a knob: so little that no part gets another representation
constexpr double LEAST_NS = 0.1;
constexpr double SMALL_ERROR = 0.01;
constexpr int SWEEPS = 3000;
constexpr uint64_t MOST_BYTES = 1 << 19;  // beyond, the neighbours' use of the cache is measured

// Less than 0: the strategy would not take it.
double estimate_of(const Members &members, cmap_rep rep) {
    for (const Estimated &one : estimates(members, hybrid()))
        if (one.rep == rep) return one.estimate.time;
    return -1;
}

void find_shares(Sample &sample, const Members &members, cmap_rep rep) {
    const double at = estimate_of(members, rep);
    sample.fixed = at;
    for (const Knob &knob : knobs()) {
        const double before = *knob.value, turn = std::max(before, LEAST_NS) * TURN;
        *knob.value = before + turn;
        const double share = (estimate_of(members, rep) - at) / turn;
        *knob.value = before;
        sample.share.push_back(std::fabs(share) < 1e-6 ? 0 : share);
        sample.fixed -= sample.share.back() * before;
    }
}

// The best value of knob j, the others as they are. Errors are relative to the measured time; least
// absolute ones by weights, as a map that fits no formula must not spoil those that do.
double best_value(const std::vector<Sample> &samples, std::size_t j) {
    double above = 0, below = 0;
    for (const Sample &sample : samples) {
        const double share = sample.share[j] / sample.ns;
        const double missing = (sample.ns - sample.estimate()) / sample.ns;
        const double weight = 1 / std::max(SMALL_ERROR, std::fabs(missing));
        above += weight * share * (missing + share * *knobs()[j].value);
        below += weight * share * share;
    }
    return std::max(LEAST_NS, above / below);
}

}  // namespace

const std::vector<Knob> &knobs() {
    static const std::vector<Knob> all = [] {
        std::vector<Knob> single;
        unsigned count = 0;
        const cmap::CalibratedTime *times = cmap::calibrated_times(&count);
        for (unsigned i = 0; i < count; i++)
            if (times[i].count == 1) single.push_back({times[i].name, times[i].values});
        return single;
    }();
    return all;
}

double Sample::estimate() const {
    double sum = fixed;
    for (std::size_t j = 0; j < share.size(); j++)
        sum += share[j] * *knobs()[j].value;
    return sum;
}

Samples::~Samples() {
    for (const Sample &sample : all)
        MPIR_cmap_release(sample.map);
}

bool Samples::add(cmap_rep rep, const Members &members) {
    Sample sample;
    sample.map = build(members, CMAP_MAX_SIZE, hybrid(rep));
    if (MPIR_cmap_force_declined(sample.map)) {
        MPIR_cmap_release(sample.map);
        return false;
    }
    all.push_back(sample);
    return true;
}

void Samples::add_candidate(cmap_rep rep, const Members &members) {
    if (estimate_of(members, rep) < 0 || !add(rep, members)) return;
    if (MPIR_cmap_payload_bytes(all.back().map) <= MOST_BYTES)
        return find_shares(all.back(), members, rep);
    MPIR_cmap_release(all.back().map);
    all.pop_back();
}

void Samples::measure(int rounds) {
    for (int round = 0; round < rounds; round++)
        for (Sample &sample : all)
            sample.rounds.push_back(select_ns(sample.map, LOOPS));
    for (Sample &sample : all)
        sample.ns = std::max(LEAST_NS, median(sample.rounds));
}

// Knob by knob, until nothing moves any more.
void fit(const std::vector<Sample> &samples) {
    std::vector<std::size_t> used;
    for (std::size_t j = 0; j < knobs().size(); j++)
        if (std::any_of(samples.begin(), samples.end(),
                        [&](const Sample &sample) { return sample.share[j] != 0; }))
            used.push_back(j);
        else
            std::fprintf(stderr, "no map depends on %s: it stays as it is\n", knobs()[j].name);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (std::size_t j : used)
            *knobs()[j].value = best_value(samples, j);
}

void report(const char *when, const std::vector<Sample> &samples) {
    std::map<std::string, std::vector<double>> ratios;
    for (const Sample &sample : samples)
        ratios[MPIR_cmap_rep_name(MPIR_cmap_representation(sample.map))].push_back(
            sample.estimate() / sample.ns);
    std::fprintf(stderr, "estimated over measured %s (10 %%, 50 %%, 90 %% of the maps):\n", when);
    for (auto &[name, all] : ratios) {
        std::sort(all.begin(), all.end());
        const std::size_t last = all.size() - 1;
        std::fprintf(stderr, "  %-10s %4zu maps  %.2f %.2f %.2f\n", name.c_str(), all.size(),
                     all[last / 10], all[last / 2], all[last - last / 10]);
    }
}

std::vector<double> rising(const std::vector<double> &values) {
    struct Pool {
        double sum;
        std::size_t count;
        double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<Pool> pools;
    for (double value : values) {
        pools.push_back({value, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back().sum += last.sum;
            pools.back().count += last.count;
        }
    }
    std::vector<double> smooth;
    for (const Pool &pool : pools)
        smooth.insert(smooth.end(), pool.count, pool.mean());
    return smooth;
}

}  // namespace bench
