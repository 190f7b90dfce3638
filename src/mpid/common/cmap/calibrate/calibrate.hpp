// SPDX-License-Identifier: BSD-3-Clause
// Fitting the constants of cmap_times.hpp to measured times.
//
// Turning one of them (a "knob") a little shows how much the estimated time of a map depends on it.
// So the fit needs no copy of the estimators' formulas, and a new representation comes in by
// itself. Formulas are taken to be linear in the constants.
#ifndef CMAP_CALIBRATE_CALIBRATE_HPP_INCLUDED
#define CMAP_CALIBRATE_CALIBRATE_HPP_INCLUDED

#include <string>
#include <vector>

#include "calibrate/measure.hpp"
#include "calibrate/members.hpp"

namespace bench {

struct Knob {
    const char *name;
    double *value;
};
const std::vector<Knob> &knobs();

// A map in one representation: what it takes, and how its estimate comes about.
struct Sample {
    cmap_t *map;
    std::vector<double> rounds;
    double ns = 0;              // measured
    double fixed = 0;           // the part of the estimate that no knob moves
    std::vector<double> share;  // of each knob, as a factor
    double estimate() const;    // with the knobs as they are
};

class Samples {
  public:
    ~Samples();
    // False: the representation cannot hold the members.
    bool add(cmap_rep rep, const Members &members);
    // With the shares of the knobs; only where the strategy would consider the representation.
    void add_candidate(cmap_rep rep, const Members &members);
    // A round goes over all of them, so that a neighbour who is busy for seconds spoils a few
    // values of each instead of all values of some.
    void measure(int rounds);
    std::vector<Sample> all;
};

// Sets the knobs to the least sum of relative errors; those that no sample depends on stay.
void fit(const std::vector<Sample> &samples);
// Estimated over measured by representation, to standard error.
void report(const char *when, const std::vector<Sample> &samples);

// The closest values that do not fall (pool adjacent violators).
std::vector<double> rising(const std::vector<double> &values);

// The maps that all representations are tried on.
void each_sample_map(const std::vector<cmap_rep> &reps, Samples &samples);
Members affine_levels(unsigned count);
// So many ranges of the world, at random, in order.
Members random_ranges(uint32_t count);

}  // namespace bench

#endif  // CMAP_CALIBRATE_CALIBRATE_HPP_INCLUDED
