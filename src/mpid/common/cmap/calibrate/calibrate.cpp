// SPDX-License-Identifier: BSD-3-Clause
// cmap-calibrate: measures the times by which the strategies choose, for MPIR_CVAR_CMAP_TIMES.
#include "calibrate/calibrate.hpp"

#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cmap_tuning.hpp"
#include "core/times.hpp"

namespace bench {
namespace {

constexpr double LEAST_NS = 0.1;
constexpr double STEP_NS = 0.1;        // figures beyond it are noise
constexpr unsigned ACCESS_FIRST = 12;  // TIME_ACCESS[0] is for 2^12 bytes

const char USAGE[] =
    "usage: cmap-calibrate [-o FILE] [-r ROUNDS]\n"
    "\n"
    "Measures how long lookups in each representation of a map take on this machine, and writes "
    "the\n"
    "times into FILE.  MPI programs read it if MPIR_CVAR_CMAP_TIMES is its path.  A run takes "
    "about a\n"
    "minute; nothing else should run on the machine.\n"
    "\n"
    "  -o, --output FILE     where the times go (default: cmap.times)\n"
    "  -r, --rounds ROUNDS   a time is the median of so many measurements (default: 15)\n"
    "  -h, --help            this text\n"
    "\n"
    "Standard error shows for each representation how far the estimates are from the measured "
    "times.\n";

// The times first .. last of `times`: what maps of members_of(k) take beside beside(map).
template <class MembersOf, class Beside>
void measure_times(double *times, unsigned first, unsigned last, cmap_rep rep, int rounds,
                   const MembersOf &members_of, const Beside &beside) {
    Samples samples;
    for (unsigned k = first; k <= last; k++)
        samples.add(rep, members_of(k));
    samples.measure(rounds);
    std::vector<double> measured;
    for (const Sample &sample : samples.all)
        measured.push_back(std::max(LEAST_NS, sample.ns - beside(sample.map)));
    measured = rising(measured);
    std::copy(measured.begin(), measured.end(), times + first);
}

void list_times(int rounds) {
    const auto nothing = [](const cmap_t *) { return 0.0; };
    // plain arrays of 2^12 bytes and more
    measure_times(
        cmap::TIME_ACCESS, 0, std::size(cmap::TIME_ACCESS) - 1, CMAP_REP_ARRAY, rounds,
        [](unsigned k) { return everyone(1u << (k + ACCESS_FIRST - 2)); }, nothing);
    // no form has 0 levels: the first time keeps its value
    measure_times(cmap::TIME_AFFINE, 1, CMAP_AFFINE_LEVELS, CMAP_REP_AFFINE, rounds, affine_levels,
                  nothing);
    // Beside the access to the payload, by the bits of their number.  One run is an affine map: the
    // first time falls only if the second one would be less.
    measure_times(
        cmap::TIME_RUNS, 1, std::size(cmap::TIME_RUNS) - 1, CMAP_REP_RUNS, rounds,
        [](unsigned k) { return random_ranges(1u << k); },
        [](const cmap_t *map) { return cmap::time_access(MPIR_cmap_payload_bytes(map)); });
    cmap::TIME_RUNS[0] = std::min(cmap::TIME_RUNS[0], cmap::TIME_RUNS[1]);
}

void other_times(int rounds) {
    std::vector<cmap_rep> reps;
    for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
        if (rep != CMAP_REP_ARRAY && rep != CMAP_REP_AFFINE)
            reps.push_back(static_cast<cmap_rep>(rep));
    Samples samples;
    each_sample_map(reps, samples);
    samples.measure(rounds);
    report("before", samples.all);
    fit(samples.all);
    report("after", samples.all);
}

void write_times(std::FILE *file) {
    unsigned count = 0;
    const cmap::CalibratedTime *times = cmap::calibrated_times(&count);
    std::fprintf(file, CMAP_TIMES_HEAD "\n# written by cmap-calibrate; picoseconds\n");
    for (unsigned i = 0; i < count; i++) {
        std::fprintf(file, "%s", times[i].name + std::strlen("TIME_"));
        for (unsigned k = 0; k < times[i].count; k++)
            std::fprintf(file, " %ld",
                         std::lround(std::max(LEAST_NS, times[i].values[k]) / STEP_NS) *
                             std::lround(STEP_NS * cmap::PS_IN_NS));
        std::fprintf(file, "\n");
    }
}

struct Arguments {
    const char *output = "cmap.times";
    int rounds = 15;
};

[[noreturn]] void refuse(const std::string &what) {
    std::fprintf(stderr, "cmap-calibrate: %s (see cmap-calibrate --help)\n", what.c_str());
    std::exit(2);
}

Arguments arguments_of(int argc, char **argv) {
    static const option options[] = {{"output", required_argument, nullptr, 'o'},
                                     {"rounds", required_argument, nullptr, 'r'},
                                     {"help", no_argument, nullptr, 'h'},
                                     {nullptr, 0, nullptr, 0}};
    Arguments arguments;
    char *end = nullptr;
    for (int one; (one = getopt_long(argc, argv, "o:r:h", options, nullptr)) != -1;)
        switch (one) {
            case 'o': arguments.output = optarg; break;
            case 'r':
                arguments.rounds = static_cast<int>(std::strtol(optarg, &end, 10));
                if (*end != '\0' || arguments.rounds < 1 || arguments.rounds > 1000)
                    refuse(std::string("--rounds takes 1 to 1000, not ") + optarg);
                break;
            case 'h': std::fputs(USAGE, stdout); std::exit(0);
            default: refuse("wrong arguments");
        }
    if (optind < argc) refuse(std::string("an argument too many: ") + argv[optind]);
    return arguments;
}

}  // namespace
}  // namespace bench

int main(int argc, char **argv) {
    const bench::Arguments arguments = bench::arguments_of(argc, argv);
    std::FILE *file = std::fopen(arguments.output, "w");
    if (file == nullptr)
        bench::refuse(std::string("cannot write ") + arguments.output + ": " +
                      std::strerror(errno));
    bench::list_times(arguments.rounds);
    bench::other_times(arguments.rounds);
    bench::write_times(file);
    if (std::ferror(file) != 0 || std::fclose(file) != 0)
        bench::refuse(std::string("cannot write ") + arguments.output + ": " +
                      std::strerror(errno));
    std::printf("the times are in %s: set MPIR_CVAR_CMAP_TIMES to its path\n", arguments.output);
    return 0;
}
