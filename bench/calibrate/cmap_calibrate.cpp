// SPDX-License-Identifier: BSD-3-Clause
// cmap_calibrate [ROUNDS]: measures the constants of cmap_times.hpp and prints them, a line each:
// name and values. maint/bench calibrate puts them into the file.
#include "cmap_calibrate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "cmap_tuning.hpp"

namespace bench {
namespace {

constexpr double LEAST_NS = 0.1;
constexpr unsigned ACCESS_FIRST = 12;  // TIME_ACCESS[0] is for 2^12 bytes

void print(const char *name, const std::vector<double> &values) {
    std::printf("%s", name);
    for (double value : values)
        std::printf(" %.1f", value);
    std::printf("\n");
}

std::vector<double> times_of(const Samples &samples) {
    std::vector<double> times;
    for (const Sample &sample : samples.all)
        times.push_back(std::max(LEAST_NS, sample.ns));
    return rising(times);
}

// Plain arrays of 2^12 bytes and more.
void access_times(int rounds) {
    Samples samples;
    for (unsigned k = 0; k < std::size(cmap::TIME_ACCESS); k++)
        samples.add(CMAP_REP_ARRAY, everyone(1u << (k + ACCESS_FIRST - 2)));
    samples.measure(rounds);
    const std::vector<double> times = times_of(samples);
    std::copy(times.begin(), times.end(), cmap::TIME_ACCESS);
    print("TIME_ACCESS", times);
}

void affine_times(int rounds) {
    Samples samples;
    for (unsigned k = 1; k <= CMAP_AFFINE_LEVELS; k++)
        samples.add(CMAP_REP_AFFINE, affine_levels(k));
    samples.measure(rounds);
    std::vector<double> times = times_of(samples);
    times.insert(times.begin(), 0);
    std::copy(times.begin(), times.end(), cmap::TIME_AFFINE);
    print("TIME_AFFINE", times);
}

void other_times(int rounds) {
    std::vector<cmap_rep> reps;
    for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
        if (rep != CMAP_REP_ARRAY && rep != CMAP_REP_AFFINE)
            reps.push_back(static_cast<cmap_rep>(rep));
    Samples samples;
    each_sample_map(reps, samples);
    samples.measure(rounds);
    for (const Knob &knob : fit(samples.all))
        print(knob.name, {*knob.value});
    report(samples.all);
}

}  // namespace
}  // namespace bench

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    if (rounds < 1) bench::fail("usage: cmap_calibrate [ROUNDS]");
    bench::access_times(rounds);
    bench::affine_times(rounds);
    bench::other_times(rounds);
    return 0;
}
