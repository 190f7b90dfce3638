// SPDX-License-Identifier: BSD-3-Clause
// How good the estimates and the choices made from them are, on the maps of E1.
#ifndef CMAP_CHOICES_HPP_INCLUDED
#define CMAP_CHOICES_HPP_INCLUDED

#include <map>
#include <string>

#include "cmap_experiments.hpp"

namespace bench {

// Does a class of maps allow this representation?
bool admitted(const Class &one, cmap_rep rep);

class Choices {
  public:
    explicit Choices(const Options &options);

    // The estimates under `hybrid` against what was built and measured.
    void add_estimates(const Class &one, int number, const Subjects &maps,
                       const std::vector<Estimated> &candidates);
    // What the strategy took against the best of all, by the strategy's own measure.
    void add_choice(const Class &one, int number, Subjects &maps, cmap_strategy strategy,
                    const std::vector<Estimated> &candidates, Subject &chosen);
    void summary() const;

  private:
    struct Tally {
        int maps = 0;
        int good = 0;
    };
    struct Fit {
        int maps = 0;
        int below = 0;                   // the estimate was less than what the map takes
        int above = 0;                   // or more than a tenth above it
        std::vector<double> time_ratio;  // estimated to measured
    };

    Csv choices_, estimates_;
    std::map<std::string, Tally> tally_;
    std::map<std::string, Fit> fit_;
};

}  // namespace bench

#endif  // CMAP_CHOICES_HPP_INCLUDED
