// SPDX-License-Identifier: BSD-3-Clause
// cmap_experiments [--quick] [--out DIR] [--times FILE] [e1|pairs|ratios|build|e2|e3]...: measures
// maps alone and writes one CSV an experiment.
#include "cmap_experiments.hpp"

#include <sys/stat.h>

#include <cstdarg>
#include <cstring>
#include <vector>

namespace bench {

Csv::Csv(const Options &options, const char *name, const char *header)
    : path_(options.out + "/" + name), file_(std::fopen(path_.c_str(), "w")) {
    if (file_ == nullptr) fail("cannot write " + path_);
    std::fprintf(file_, "%s\n", header);
}

Csv::~Csv() {
    if (std::fclose(file_) != 0) fail("cannot write " + path_);
    std::printf("wrote %s\n", path_.c_str());
}

void Csv::row(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(file_, format, arguments);
    va_end(arguments);
    std::fputc('\n', file_);
}

std::string number(double value) {
    if (value < 0) return "";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

namespace {

struct Experiment {
    const char *name;
    void (*run)(const Options &);
};

constexpr Experiment EXPERIMENTS[] = {
    {"e2", table61_experiment},     {"e3", worlds_experiment},  {"ratios", ratios_experiment},
    {"build", building_experiment}, {"e1", classes_experiment}, {"pairs", pairs_experiment},
};

const Experiment *experiment_of(const char *name) {
    for (const Experiment &one : EXPERIMENTS)
        if (std::strcmp(one.name, name) == 0) return &one;
    fail(std::string("unknown experiment ") + name + "; there are: e1 pairs ratios build e2 e3");
}

void run(const Experiment &one, const Options &options) {
    const double start = cpu_ns();
    one.run(options);
    std::printf("%s: %.0f s\n", one.name, (cpu_ns() - start) * 1e-9);
    std::fflush(stdout);
}

void read_times(const char *path) {
    char why[160];
    if (MPIR_cmap_times_read(path, why, sizeof why) != CMAP_OK)
        fail(std::string(path) + ": " + why);
}

}  // namespace
}  // namespace bench

int main(int argc, char **argv) {
    using namespace bench;
    Options options;
    std::vector<const Experiment *> chosen;
    for (int i = 1; i < argc; i++)
        if (std::strcmp(argv[i], "--quick") == 0)
            options.quick = true;
        else if (std::strcmp(argv[i], "--out") == 0 && i + 1 < argc)
            options.out = argv[++i];
        else if (std::strcmp(argv[i], "--times") == 0 && i + 1 < argc)
            read_times(argv[++i]);
        else
            chosen.push_back(experiment_of(argv[i]));
    if (chosen.empty())
        for (const Experiment &one : EXPERIMENTS)
            chosen.push_back(&one);
    for (const Experiment *one : chosen)
        run(*one, options);
    return 0;
}
