// SPDX-License-Identifier: BSD-3-Clause
// Building, checking and timing maps: what the experiments and the calibration share.
//
// Times are this thread's processor time, medians of rounds in which a map and the plain array of
// its members take turns, so that what else the machine does hits both and ratios come from one
// run.
#ifndef CMAP_CALIBRATE_MEASURE_HPP_INCLUDED
#define CMAP_CALIBRATE_MEASURE_HPP_INCLUDED

#include <cstdint>
#include <string>
#include <vector>

#include "cmap_lookup.h"
#include "core/registry.hpp"

namespace bench {

using Members = std::vector<uint32_t>;

[[noreturn]] void fail(const std::string &what);

double cpu_ns();

// ns per query or member; less than 0: not measured. All but seq contain the loop that makes the
// next rank up (see loop_ns).
struct Times {
    double seq = -1;   // sequential decode in blocks of 1024
    double rand = -1;  // dependent: the next rank is computed from the answer before
    double tput = -1;  // independent
    double rank = -1;  // rank of random members
};

// One of each round.
struct Rounds {
    std::vector<double> seq, rand, tput, rank;
    Times medians() const;
};

struct Effort {
    uint32_t queries;  // of one loop at most; slow maps get fewer
    int rounds;
    bool rand_only;
};

cmap_policy hybrid(cmap_rep force = CMAP_REP_ANY);
cmap_policy policy_of(cmap_strategy strategy, cmap_rep force = CMAP_REP_ANY);

// A map, or with `map` null the plain array of the members, to compare with.
struct Subject {
    std::string representation;
    cmap_t *map = nullptr;
    uint64_t bytes = 0;  // payload, before any query
    double build_ns = 0;
    Rounds rounds;
    Times times;
};

class Subjects {
  public:
    Subjects(const Members &members, uint32_t world) : members_(members), world_(world) {}
    ~Subjects();
    Subjects(const Subjects &) = delete;
    Subjects &operator=(const Subjects &) = delete;

    void add_plain();
    // Builds a map and checks every answer; nullptr when the forced representation declined.
    Subject *add(const cmap_policy &policy);
    // Measures all of those that have not been yet, in turns with the plain array.
    void measure(const Effort &effort);
    // The random lookups of two of them again; their times are replaced.
    void measure_pair(Subject &a, Subject &b, const Effort &effort);

    std::vector<Subject *> all() const { return all_; }
    Subject *find(const std::string &representation) const;
    const Members &members() const { return members_; }

  private:
    void warm(const Subject &subject) const;
    void round(Subject &subject, const Effort &effort, uint32_t seed) const;

    const Members &members_;
    uint32_t world_;
    std::vector<Subject *> all_;
};

// What the strategies are told about a map: one for each representation that fits.
struct Estimated {
    cmap_rep rep;
    cmap::Estimate estimate;
};
// In the order of their choice: [0] wins unless its builder declines.
std::vector<Estimated> estimates(const Members &members, const cmap_policy &policy);

// The cost of the loop around a dependent query.
double loop_ns();
// Of a dependent query in a permutation, and of its answer in a set, without the loop; one round.
double pair_ns(const cmap_t *order, const cmap_t *set, uint32_t seed);
// Of a dependent query, without the loop; the least of many rounds.
double select_ns(const cmap_t *map, int rounds);

cmap_t *build(const Members &members, uint32_t world, const cmap_policy &policy);

double median(std::vector<double> values);

}  // namespace bench

#endif  // CMAP_CALIBRATE_MEASURE_HPP_INCLUDED
