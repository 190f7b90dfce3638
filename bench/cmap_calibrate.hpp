// SPDX-License-Identifier: BSD-3-Clause
// What the calibration measures, and how constants follow from it.
#ifndef CMAP_CALIBRATE_HPP_INCLUDED
#define CMAP_CALIBRATE_HPP_INCLUDED

#include <map>
#include <string>
#include <vector>

#include "cmap_measure.hpp"
#include "cmap_samples.hpp"

namespace bench {

constexpr unsigned ACCESS_FIRST = 12, ACCESS_LAST = 27;  // payloads of 2^12 .. 2^27 bytes

// Maps measured in turns: one round goes over all of them, so that a neighbour who is busy for
// seconds spoils a few values of each instead of all values of some.
class Samples {
  public:
    ~Samples();
    // Does nothing when the library has no such representation, or it declines.
    void add(const std::string &name, const char *representation, const Members &members);
    void measure(int rounds);

    bool has(const std::string &name) const { return maps_.count(name) != 0; }
    const cmap_t *map(const std::string &name) const { return maps_.at(name).map; }
    double ns(const std::string &name) const { return maps_.at(name).ns; }
    // ns without the access to the map's payload, by the table made of the arrays.
    double rest(const std::string &name) const;
    double access(uint64_t bytes) const;

  private:
    struct Sample {
        cmap_t *map;
        std::vector<double> rounds;
        double ns;
    };
    std::map<std::string, Sample> maps_;
    std::vector<double> access_;
};

// The closest values that do not fall (pool adjacent violators).
std::vector<double> rising(const std::vector<double> &values);

// y = offset + slope * x by least squares, the slope not below 0.
struct Line {
    double offset, slope;
};
Line line_through(const std::vector<double> &x, const std::vector<double> &y);

// A constant of cmap_times.hpp, with more than one value for a table.
using Constants = std::map<std::string, std::vector<double>>;

// The representations one by one: first their maps, then the constants.
void add_samples(Samples &samples);
Constants constants_of(const Samples &samples);

}  // namespace bench

#endif  // CMAP_CALIBRATE_HPP_INCLUDED
