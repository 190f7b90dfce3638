// SPDX-License-Identifier: BSD-3-Clause
// The models of T, as the estimators under rep/ have them, turned round: constants from measured
// maps. Constants stand for what comes on top of one access to the payload.
#include <algorithm>

#include "cmap_calibrate.hpp"
#include "core/bits.hpp"

namespace bench {
namespace {

// Names of a family of samples: "runs 16" and so on.
using Family = std::vector<std::string>;

Family family(const Samples &samples, const std::string &what, const std::vector<uint32_t> &sizes) {
    Family names;
    for (uint32_t size : sizes)
        if (samples.has(what + " " + std::to_string(size)))
            names.push_back(what + " " + std::to_string(size));
    return names;
}

double middle_rest(const Samples &samples, const Family &names) {
    std::vector<double> rests;
    for (const std::string &name : names)
        rests.push_back(samples.rest(name));
    return median(rests);
}

Members permutation(uint32_t n) {
    Random random(n);
    Members members = everyone(n);
    shuffle(members, random);
    return members;
}

// Digits of 4, the strides in falling order: no two levels are one.
Members levels(unsigned count) {
    Members members = {0};
    for (unsigned k = 0; k < count; k++) {
        Members wider;
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t member : members)
                wider.push_back(member + (i << 2 * (10 - k)));
        members.swap(wider);
    }
    return members;
}

// Blocks of different lengths, in another order than the indices'.
Members blocks(uint32_t count) {
    Members members;
    for (uint32_t block : permutation(count))
        for (uint32_t i = 0; i < 50 + block % 7; i++)
            members.push_back(block * 64 + i);
    return members;
}

// Two rising halves of different lengths, the later one first.
Members halves(uint32_t n) {
    Members members;
    for (uint32_t i = n / 3; i < n; i++)
        members.push_back(i);
    for (uint32_t i = 0; i < n / 3 - 1; i++)
        members.push_back(i);
    return members;
}

// `n` of 100 indices each, so that sets of one size differ in density only.
Members set_of(uint32_t n, uint32_t percent) {
    Random random(n);
    return random_set(n, static_cast<uint32_t>(uint64_t{n} * 100 / percent), random);
}

const std::vector<uint32_t> SIZES = {1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 18};
const std::vector<uint32_t> RUNS = {4, 16, 64, 256, 1024, 4000};

void add_sets(Samples &samples, const char *representation) {
    for (uint32_t n : SIZES)
        for (uint32_t percent : {2u, 10u, 50u})
            samples.add(
                std::string(representation) + std::to_string(percent) + " " + std::to_string(n),
                representation, set_of(n, percent));
}

double set_rest(const Samples &samples, const std::string &representation) {
    Family names;
    for (const char *percent : {"2", "10", "50"})
        for (const std::string &name : family(samples, representation + percent, SIZES))
            names.push_back(name);
    return middle_rest(samples, names);
}

void put(Constants &constants, const char *name, double value) {
    constants[name] = {std::max(0.1, value)};
}

void runs_model(const Samples &samples, Constants &constants) {
    std::vector<double> bits, rests;
    for (uint32_t runs : RUNS) {
        bits.push_back(cmap::bits_for(runs));
        rests.push_back(samples.rest("runs " + std::to_string(runs)));
    }
    const Line line = line_through(bits, rests);
    put(constants, "TIME_RUNS", line.offset);
    put(constants, "TIME_RUNS_STEP", line.slope);
}

// pperm adds one level of indirection to its set, concat two to its slower part.
void part_model(const Samples &samples, Constants &constants) {
    const double below = samples.ns("affine 1");
    std::vector<double> parts;
    for (uint32_t n : SIZES) {
        parts.push_back(samples.ns("concat " + std::to_string(n)) / 2 - below / 2 -
                        samples.access(24) / 2);
        const std::string pperm = "pperm " + std::to_string(n);
        const uint64_t own = cmap_payload_bytes(samples.map(pperm)) - CMAP_HEADER_BYTES;
        parts.push_back(samples.ns(pperm) - below - samples.access(own));
    }
    put(constants, "TIME_PART", median(parts));
}

}  // namespace

void add_samples(Samples &samples) {
    for (unsigned k = 1; k <= CMAP_AFFINE_LEVELS; k++)
        samples.add("affine " + std::to_string(k), "affine", levels(k));
    for (uint32_t n : SIZES) {
        samples.add("packed " + std::to_string(n), "packed", permutation(n));
        samples.add("pperm " + std::to_string(n), "pperm", permutation(n));
        samples.add("concat " + std::to_string(n), "concat", halves(n));
    }
    for (uint32_t runs : RUNS)
        samples.add("runs " + std::to_string(runs), "runs", blocks(runs));
    add_sets(samples, "bitmap");
}

Constants constants_of(const Samples &samples) {
    Constants constants;
    std::vector<double> affine = {0};
    for (unsigned k = 1; k <= CMAP_AFFINE_LEVELS; k++)
        affine.push_back(samples.ns("affine " + std::to_string(k)));
    constants["TIME_AFFINE"] = rising(affine);
    put(constants, "TIME_PACKED", middle_rest(samples, family(samples, "packed", SIZES)));
    put(constants, "TIME_BITMAP", set_rest(samples, "bitmap"));
    runs_model(samples, constants);
    part_model(samples, constants);
    return constants;
}

}  // namespace bench
