// SPDX-License-Identifier: BSD-3-Clause
// Single maps against the plain array of the same members: lookups by representation, and building.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cmap_experiments.hpp"

namespace bench {
namespace {

struct Case {
    const char *name;
    const char *representation;  // measured where the library has it
    Members (*members)();
};

Members density(double share, uint32_t world = WORLD) {
    Random random(7);
    return random_set(static_cast<uint32_t>(share * world), world, random);
}

Members cube(uint32_t free_bits) {
    Members members;
    uint32_t within = 0;
    do
        members.push_back(within | 1u << 20);
    while ((within = (within - free_bits) & free_bits) != 0);
    return members;
}

// A whole world cut into `count` rising ranges, the last one first.
Members falling(uint32_t count) {
    Random random(8);
    return falling_ranges(count, WORLD, random);
}

Members scattered(uint32_t n, uint32_t world) {
    Random random(10);
    Members members = random_set(n, world, random);
    shuffle(members, random);
    return members;
}

Members permutation(uint32_t n) {
    Random random(9);
    Members members = everyone(n);
    shuffle(members, random);
    return members;
}

const std::vector<Case> &cases() {
    static const std::vector<Case> all = {
        {"sparse set 1 %", "eliasfano", [] { return density(0.01); }},
        {"set 10 %", "eliasfano", [] { return density(0.1); }},
        {"set 50 %", "eliasfano", [] { return density(0.5); }},
        {"sparse set 1 %", "gap", [] { return density(0.01); }},
        {"set 10 %", "gap", [] { return density(0.1); }},
        {"set 50 %", "gap", [] { return density(0.5); }},
        {"16 runs", "wtr", [] { return falling(16); }},
        {"every second bit", "bdd", [] { return cube(0x55555); }},
        {"high bits", "bdd", [] { return cube(0xffc00); }},
        {"three blocks of bits", "bdd", [] { return cube(0xf0f0f); }},
        {"set 50 %", "bitmap", [] { return density(0.5); }},
        {"set 10 %", "bitmap", [] { return density(0.1); }},
        {"permutation", "packed", [] { return permutation(WORLD); }},
        {"permutation", "bwt", [] { return permutation(1u << 16); }},
        {"16 runs", "runs", [] { return falling(16); }},
        {"permutation of a world", "pperm", [] { return permutation(WORLD); }},
        {"even ranks", "affine", [] { return cube(0xffffe); }},
    };
    return all;
}

void measure(Csv &csv, const Case &one, const Effort &effort) {
    cmap_rep rep = CMAP_REP_ANY;
    if (MPIR_cmap_rep_from_name(one.representation, &rep) != CMAP_OK) return;
    const Members members = one.members();
    Subjects maps(members, 2 * WORLD);
    maps.add_plain();
    const Subject *map = maps.add(hybrid(rep));
    if (map == nullptr) {
        std::printf("%s declined: %s\n", one.representation, one.name);
        return;
    }
    maps.measure(effort);
    const Times &own = map->times, &array = maps.find("plain")->times;
    csv.row("%s,%zu,%s,%llu,%s,%s,%s,%.3f,%.1f", one.name, members.size(), one.representation,
            static_cast<unsigned long long>(map->bytes), number(own.seq).c_str(),
            number(own.rand).c_str(), number(array.rand).c_str(), own.rand / array.rand,
            1000 / own.seq);
}

// ---- building ----

constexpr uint32_t UNIVERSE = 1u << 30;

struct Build {
    const char *name;
    Members (*members)();
};

// Millions of members a world of which a map of 2^20 fills half, and lists of the whole world.
const std::vector<Build> &builds() {
    static const std::vector<Build> all = {
        {"set: range", [] { return everyone(WORLD); }},
        {"set: 50 %", [] { return density(0.5, 2 * WORLD); }},
        {"set: 5 %", [] { return density(0.05, 20 * WORLD); }},
        {"set: 256 ranges",
         [] {
             Members members = everyone(WORLD);
             for (uint32_t &member : members)
                 member += member / 4096 * 77;
             return members;
         }},
        {"list: permutation", [] { return permutation(WORLD); }},
        {"list: 16 runs", [] { return falling(16); }},
        {"list: sparse", [] { return scattered(100000, UNIVERSE); }},
    };
    return all;
}

double copy_ns(const Members &members) {
    const std::size_t bytes = members.size() * sizeof(uint32_t);
    const double start = cpu_ns();
    void *target = std::malloc(bytes);
    if (target == nullptr) fail("no memory");
    std::memcpy(target, members.data(), bytes);
    asm volatile("" : : "r"(target) : "memory");
    std::free(target);
    return cpu_ns() - start;
}

// Mean of as many builds as take a while.
double build_ns(const Members &members) {
    const int times = 1 + static_cast<int>(20000 / members.size());
    const double start = cpu_ns();
    for (int i = 0; i < times; i++)
        MPIR_cmap_release(build(members, UNIVERSE, hybrid()));
    return (cpu_ns() - start) / times;
}

// ns a member of `draws` maps, each drawn anew.
double small_ns(uint32_t n, bool list, int draws) {
    std::vector<double> times;
    Random random(n);
    for (int draw = 0; draw < draws; draw++) {
        Members members = random_set(n, WORLD, random);
        if (list) shuffle(members, random);
        times.push_back(build_ns(members) / n);
    }
    return median(times);
}

// Sizes that grow by half and by a third: is none more expensive than the next?
void build_small(const Options &options) {
    Csv csv(options, "e1_small.csv", "n,set_ns,list_ns");
    const int draws = options.quick ? 9 : 41;
    for (uint32_t power = 8; power <= 4096; power *= 2) {
        for (const uint32_t n : {std::max(power, 9u), power + power / 2}) {
            if (n <= 4096)
                csv.row("%u,%.1f,%.1f", n, small_ns(n, false, draws), small_ns(n, true, draws));
        }
    }
}

}  // namespace

void ratios_experiment(const Options &options) {
    Csv csv(options, "e1_ratios.csv",
            "case,n,representation,bytes,seq_ns,rand_ns,array_rand_ns,ratio,seq_millions_per_s");
    for (const Case &one : cases())
        measure(csv, one, {1u << 14, options.quick ? 11 : 41, false});
}

// Copying as stock does: into memory allocated for it. The allocator hands out the same pages
// again, to both sides.
void building_experiment(const Options &options) {
    Csv csv(options, "e1_build.csv", "case,n,representation,build_ms,copy_ms,ratio");
    for (const Build &one : builds()) {
        const Members members = one.members();
        std::vector<double> build_times, copy_times, ratios;
        std::string representation;
        for (int round = 0; round < (options.quick ? 5 : 21); round++) {
            const double start = cpu_ns();
            cmap_t *map = build(members, UNIVERSE, hybrid());
            representation = MPIR_cmap_rep_name(MPIR_cmap_representation(map));
            MPIR_cmap_release(map);
            const double built = cpu_ns() - start, copied = copy_ns(members);
            build_times.push_back(built), copy_times.push_back(copied);
            ratios.push_back(built / copied);
        }
        csv.row("%s,%zu,%s,%.3f,%.3f,%.2f", one.name, members.size(), representation.c_str(),
                median(build_times) * 1e-6, median(copy_times) * 1e-6, median(ratios));
    }
    build_small(options);
}

}  // namespace bench
