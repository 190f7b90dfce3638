// SPDX-License-Identifier: BSD-3-Clause
// The maps of the experiments.
#ifndef CMAP_CALIBRATE_MEMBERS_HPP_INCLUDED
#define CMAP_CALIBRATE_MEMBERS_HPP_INCLUDED

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace bench {

using Members = std::vector<uint32_t>;
using Random = std::mt19937;

constexpr uint32_t WORLD = 1u << 20;

uint32_t below(Random &random, uint32_t n);
void shuffle(Members &members, Random &random);
// Ordered: `n` of the world, each set equally likely.
Members random_set(uint32_t n, uint32_t world, Random &random);
// Ordered: steps between members uniform in 1 .. 2 * world / n - 1.
Members random_steps(uint32_t n, uint32_t world, Random &random);
Members everyone(uint32_t n);
// Cells of a grid, the first dimension the slowest: fixed[d] < 0 leaves dimension d free.
Members grid(const std::vector<uint32_t> &dimensions, const std::vector<int> &fixed);
// `count` disjoint ranges of the world, together all of it but holes; the last range comes first.
Members falling_ranges(uint32_t count, uint32_t world, Random &random);

// A class of the thesis's chapter 5. `affine` false: neither the closed form nor runs take part, as
// in the thesis's class B.
struct Class {
    const char *name;
    bool affine;
    Members (*members)(Random &);
};
const std::vector<Class> &classes();

// One of the fourteen communicators of table 6.1.
struct Communicator {
    const char *name;
    double thesis_saved_mb;
    Members (*members)(Random &);
};
constexpr uint32_t TABLE61_WORLD = 200000;
const std::vector<Communicator> &table61();

}  // namespace bench

#endif  // CMAP_CALIBRATE_MEMBERS_HPP_INCLUDED
