// SPDX-License-Identifier: BSD-3-Clause
// The maps on which representations are calibrated: of all kinds, from a few cache lines up to what
// a second-level cache holds.
#include <algorithm>

#include "calibrate/calibrate.hpp"

namespace bench {
namespace {

Members permutation(uint32_t n) {
    Random random(n);
    Members members = everyone(n);
    shuffle(members, random);
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

// Two rising parts of different lengths, the later one first.
Members halves(const Members &set) {
    Members members(set.begin() + static_cast<std::ptrdiff_t>(set.size() / 3), set.end());
    members.insert(members.end(), set.begin(),
                   set.begin() + static_cast<std::ptrdiff_t>(set.size() / 3));
    return members;
}

Members shuffled(Members members) {
    Random random(static_cast<uint32_t>(members.size()));
    shuffle(members, random);
    return members;
}

// Indices with nothing but the bits of `free`.
Members pattern(uint32_t free) {
    Members members;
    uint32_t within = 0;
    do
        members.push_back(within);
    while ((within = (within - free) & free) != 0);
    return members;
}

void sets(const std::vector<cmap_rep> &reps, Samples &samples) {
    for (uint32_t bits : {12u, 16u, 20u})
        for (uint32_t every : {2u, 10u, 100u}) {
            Random random(bits * 100 + every);
            const Members set = random_set((1u << bits) / every, 1u << bits, random);
            for (cmap_rep rep : reps) {
                samples.add_candidate(rep, set);
                samples.add_candidate(rep, halves(set));
                if (bits < 20) samples.add_candidate(rep, shuffled(set));
            }
        }
}

void lists(const std::vector<cmap_rep> &reps, Samples &samples) {
    for (cmap_rep rep : reps) {
        for (uint32_t bits : {10u, 14u, 18u})
            samples.add_candidate(rep, permutation(1u << bits));
        for (uint32_t count : {4u, 16u, 64u, 256u, 1024u, 4000u})
            samples.add_candidate(rep, blocks(count));
    }
}

void patterns(const std::vector<cmap_rep> &reps, Samples &samples) {
    for (uint32_t free : {0xffffeu, 0x55555u, 0xf0f0fu, 0x0ff00u, 0x80f37u})
        for (cmap_rep rep : reps)
            samples.add_candidate(rep, pattern(free));
}

// A few of each class of E1.
void class_maps(const std::vector<cmap_rep> &reps, Samples &samples) {
    for (const Class &one : classes()) {
        if (!one.affine) continue;
        for (uint32_t seed = 1; seed <= 4; seed++) {
            Random random(seed);
            const Members members = one.members(random);
            for (cmap_rep rep : reps)
                samples.add_candidate(rep, members);
        }
    }
}

}  // namespace

// Digits of 4, the strides in falling order: no two levels are one.
Members affine_levels(unsigned count) {
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

Members random_ranges(uint32_t count) {
    Random random(count);
    Members members = falling_ranges(count, WORLD, random);
    std::sort(members.begin(), members.end());
    return members;
}

void each_sample_map(const std::vector<cmap_rep> &reps, Samples &samples) {
    sets(reps, samples);
    lists(reps, samples);
    patterns(reps, samples);
    class_maps(reps, samples);
}

}  // namespace bench
