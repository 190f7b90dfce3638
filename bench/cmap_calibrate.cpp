// SPDX-License-Identifier: BSD-3-Clause
// cmap_calibrate [ROUNDS]: measures the constants of cmap_times.hpp and prints them, a line each:
// name and values. maint/bench calibrate puts them into the file.
#include "cmap_calibrate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

constexpr int LOOPS = 8;  // the least of so many is a round's value
constexpr double LEAST_NS = 0.1;

std::string array_name(unsigned k) { return "array " + std::to_string(k); }

}  // namespace

Samples::~Samples() {
    for (auto &[name, sample] : maps_)
        cmap_release(sample.map);
}

void Samples::add(const std::string &name, const char *representation, const Members &members) {
    cmap_rep rep = CMAP_REP_ANY;
    if (cmap_rep_from_name(representation, &rep) != CMAP_OK) return;
    cmap_t *map = build(members, CMAP_MAX_SIZE, hybrid(rep));
    if (cmap_force_declined(map)) {
        std::fprintf(stderr, "%s declined: %s\n", representation, name.c_str());
        cmap_release(map);
        return;
    }
    maps_[name] = {map, {}, 0};
}

void Samples::measure(int rounds) {
    for (int round = 0; round < rounds; round++)
        for (auto &[name, sample] : maps_)
            sample.rounds.push_back(select_ns(sample.map, LOOPS));
    for (auto &[name, sample] : maps_)
        sample.ns = std::max(LEAST_NS, median(sample.rounds));
    std::vector<double> arrays;
    for (unsigned k = ACCESS_FIRST; k <= ACCESS_LAST; k++)
        arrays.push_back(ns(array_name(k)));
    access_ = rising(arrays);
}

// As time_access() of cmap_times.hpp.
double Samples::access(uint64_t bytes) const {
    unsigned k = 0;
    while (k + 1 < access_.size() && uint64_t{1} << (k + ACCESS_FIRST) < bytes)
        k++;
    if (k == 0 || uint64_t{1} << (k + ACCESS_FIRST) < bytes) return access_[k];
    const auto full = static_cast<double>(uint64_t{1} << (k + ACCESS_FIRST));
    const double missing = 2 - 2 * static_cast<double>(bytes) / full;
    return access_[k] - missing * (access_[k] - access_[k - 1]);
}

double Samples::rest(const std::string &name) const {
    return ns(name) - access(cmap_payload_bytes(map(name)));
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

Line line_through(const std::vector<double> &x, const std::vector<double> &y) {
    const auto n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); i++)
        mean_x += x[i] / n, mean_y += y[i] / n;
    for (std::size_t i = 0; i < x.size(); i++)
        xx += (x[i] - mean_x) * (x[i] - mean_x), xy += (x[i] - mean_x) * (y[i] - mean_y);
    const double slope = xx > 0 ? std::max(0.0, xy / xx) : 0;
    return {mean_y - slope * mean_x, slope};
}

}  // namespace bench

int main(int argc, char **argv) {
    using namespace bench;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 21;
    if (rounds < 1) fail("usage: cmap_calibrate [ROUNDS]");
    Samples samples;
    for (unsigned k = ACCESS_FIRST; k <= ACCESS_LAST; k++)
        samples.add(array_name(k), "array", everyone(1u << (k - 2)));
    add_samples(samples);
    samples.measure(rounds);
    Constants constants = constants_of(samples);
    std::vector<double> &table = constants["TIME_ACCESS"];
    for (unsigned k = ACCESS_FIRST; k <= ACCESS_LAST; k++)
        table.push_back(samples.access(uint64_t{1} << k));
    for (const auto &[name, values] : constants) {
        std::printf("%s", name.c_str());
        for (double value : values)
            std::printf(" %.1f", value);
        std::printf("\n");
    }
    return 0;
}
