// SPDX-License-Identifier: BSD-3-Clause
// The experiments on maps alone.
#ifndef CMAP_EXPERIMENTS_HPP_INCLUDED
#define CMAP_EXPERIMENTS_HPP_INCLUDED

#include <cstdio>
#include <string>

#include "calibrate/measure.hpp"
#include "calibrate/members.hpp"

namespace bench {

struct Options {
    bool quick = false;
    std::string out = ".";  // directory of the result files
};

// A result file; a line a row.
class Csv {
  public:
    Csv(const Options &options, const char *name, const char *header);
    ~Csv();
    Csv(const Csv &) = delete;
    Csv &operator=(const Csv &) = delete;
    void row(const char *format, ...) __attribute__((format(printf, 2, 3)));

  private:
    std::string path_;
    std::FILE *file_;
};

// A number, or nothing where nothing was measured.
std::string number(double value);

constexpr cmap_strategy STRATEGIES[] = {CMAP_STRATEGY_HYBRID, CMAP_STRATEGY_TIME,
                                        CMAP_STRATEGY_SPACE};

void classes_experiment(const Options &options);   // E1: classes A-E
void pairs_experiment(const Options &options);     // E1: forced pairs in class E
void ratios_experiment(const Options &options);    // E1: single maps against the plain array
void building_experiment(const Options &options);  // from an array to a map, against copying it
void table61_experiment(const Options &options);   // E2
void worlds_experiment(const Options &options);    // E3

}  // namespace bench

#endif  // CMAP_EXPERIMENTS_HPP_INCLUDED
