// SPDX-License-Identifier: BSD-3-Clause
// Measures the table of times in cmap_tuning.hpp and prints it ready to be put there: ns of a
// dependent random select, the least of many rounds in processor time, without the loop around it.
// Run it on a machine that does nothing else.
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "cmap_lookup.h"

namespace {

using Members = std::vector<uint32_t>;

constexpr uint32_t QUERIES = 1u << 14;
constexpr int ROUNDS = 200;

double now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

uint32_t some_rank(uint32_t x, uint32_t n) {
    return static_cast<uint32_t>((static_cast<uint64_t>(x * 0x9e3779b1u) * n) >> 32);
}

template <class Select>
double least(uint32_t n, Select select) {
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t answer = static_cast<uint32_t>(round);
        const double start = now();
        for (uint32_t i = 0; i < QUERIES; i++)
            answer = select(some_rank(answer + i, n));
        best = std::min(best, now() - start);
        asm volatile("" : : "r"(answer));
    }
    return best / QUERIES;
}

double loop() {
    static const double once = least(1u << 20, [](uint32_t rank) {
        asm volatile("" : "+r"(rank));
        return rank;
    });
    return once;
}

double time_of(const Members &members, cmap_rep rep) {
    const cmap_policy policy = {CMAP_STRATEGY_HYBRID, CMAP_ALPHA_DEFAULT, rep};
    cmap_t *map = nullptr;
    const auto n = static_cast<uint32_t>(members.size());
    if (cmap_from_array(members.data(), n, CMAP_MAX_SIZE, &policy, &map) != CMAP_OK) return -1;
    const double time = least(n, [map](uint32_t rank) {
        const cmap_t *here = map;
        asm volatile("" : "+r"(here) : : "memory");
        return cmap_select(here, rank);
    });
    if (cmap_force_declined(map)) std::printf("// declined: %s\n", cmap_rep_name(rep));
    cmap_release(map);
    return time - loop();
}

Members permutation(uint32_t n) {
    Members members(n);
    std::iota(members.begin(), members.end(), 0u);
    std::shuffle(members.begin(), members.end(), std::mt19937(n));
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

Members blocks(uint32_t count) {
    Members members;
    for (uint32_t block : permutation(count))
        for (uint32_t i = 0; i < 50 + block % 7; i++)
            members.push_back(block * 64 + i);
    return members;
}

Members set(double density) {
    std::mt19937 random(1);
    Members members;
    for (uint32_t index = 0; index < 1u << 18; index++)
        if (random() < density * 4294967296.0) members.push_back(index);
    return members;
}

}  // namespace

int main() {
    std::printf("constexpr double TIME_AFFINE[] = {0");
    for (unsigned k = 1; k <= CMAP_AFFINE_LEVELS; k++)
        std::printf(", %.1f", time_of(levels(k), CMAP_REP_AFFINE));
    std::printf("};  // by levels\n");
    const uint32_t n = 4096;
    const double array = time_of(permutation(n), CMAP_REP_ARRAY);
    std::printf("constexpr double TIME_PACKED = %.1f;\n",
                time_of(permutation(n), CMAP_REP_PACKED) - array);
    const double few = time_of(blocks(16), CMAP_REP_RUNS);
    const double many = time_of(blocks(256), CMAP_REP_RUNS);
    const double step = (many - few) / 4;
    std::printf("constexpr double TIME_RUNS = %.1f;\n", few - 4 * step - array);
    std::printf("constexpr double TIME_RUNS_STEP = %.1f;\n", step);
    std::printf("constexpr double TIME_BITMAP = %.1f;\n",
                time_of(set(0.5), CMAP_REP_BITMAP) - array);
    std::printf(
        "constexpr double TIME_PART = %.1f;\n",
        time_of(permutation(n), CMAP_REP_PPERM) - array - time_of(levels(1), CMAP_REP_AFFINE));
    std::printf("constexpr double TIME_ACCESS[] = {");
    for (unsigned k = 12; k <= 26; k++)
        std::printf("%s%.1f", k == 12 ? "" : ", ",
                    time_of(permutation(1u << (k - 2)), CMAP_REP_ARRAY));
    std::printf("};\n");
    return 0;
}
