// SPDX-License-Identifier: BSD-3-Clause
// Compressed maps against the plain uint32_t array of the same members, at a world of 2^20.
//
// Each round of a benchmark runs the identical loop over the map and over the array, one after the
// other, so that what else the machine does hits both; a line gives the medians over the rounds:
//   ns         of the map, per query or member          array_ns   of the array
//   ratio      median of the rounds' map/array          bytes      payload of the map
// "dependent": the next rank is computed from the answer before, as one send after another does;
// "independent": not. The cost of computing the rank is in both times.
#include "cmap_lookup.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using Members = std::vector<uint32_t>;

constexpr uint32_t world = 1u << 20;
constexpr uint32_t queries =
    1u << 15;  // a few milliseconds at most: most rounds end within a time slice
constexpr int rounds = 41;

// ---- maps ----

struct Level {
    uint32_t count;
    uint32_t stride;
};

Members levels(const std::vector<Level> &innermost_first) {
    Members members = {0};
    for (size_t k = innermost_first.size(); k-- > 0;) {
        Members wider;
        for (uint32_t base : members)
            for (uint32_t i = 0; i < innermost_first[k].count; i++)
                wider.push_back(base + i * innermost_first[k].stride);
        members.swap(wider);
    }
    return members;
}

Members shuffled(Members members, uint32_t seed) {
    std::mt19937 random(seed);
    for (size_t i = members.size(); i > 1; i--)
        std::swap(members[i - 1], members[random() % i]);
    return members;
}

Members random_set(double density, uint32_t seed) {
    std::mt19937 random(seed);
    Members members;
    for (uint32_t index = 0; index < world; index++)
        if (random() < density * 4294967296.0) members.push_back(index);
    return members;
}

Members everyone() {
    Members members(world);
    std::iota(members.begin(), members.end(), 0u);
    return members;
}

// Blocks of the world with holes between them, in another order than the indices'.
Members runs(uint32_t count) {
    const uint32_t width = world / count;
    Members order(count), members;
    std::iota(order.begin(), order.end(), 0u);
    for (uint32_t block : shuffled(order, count))
        for (uint32_t i = 0; i < width - 1 - block % 7; i++)
            members.push_back(block * width + i);
    return members;
}

// 4,096 runs all over one another, as many of each of `steps` different steps.
Members mingled(uint32_t steps) {
    const uint32_t each = 4096 / steps, count = 128;
    Members members, order(each * steps);
    std::iota(order.begin(), order.end(), 0);
    for (uint32_t run : shuffled(order, steps)) {
        const uint32_t one = run % steps, first = run / steps, step = each + one;
        for (uint32_t i = 0; i < count; i++)
            members.push_back((first + i * step) * steps + one);
    }
    return members;
}

// `world` members in increasing order.
Members ordered(const std::function<uint32_t(uint32_t i)> &gap) {
    Members members;
    for (uint32_t at = 0, i = 0; i < world; i++)
        members.push_back(at += gap(i));
    return members;
}

Members random_gaps(uint32_t most) {
    std::mt19937 random(8);
    return ordered([&](uint32_t) { return random() % most + 1; });
}

// As in a random set: geometric.
Members random_density(double density) {
    std::mt19937 random(9);
    return ordered([&](uint32_t) {
        uint32_t gap = 1;
        while (random() >= density * 4294967296.0)
            gap++;
        return gap;
    });
}

struct Class {
    std::string name;
    cmap_rep rep;
    std::function<Members()> members;
};

std::vector<Class> classes() {
    return {
        {"affine/levels:1", CMAP_REP_AFFINE, everyone},
        {"affine/levels:2", CMAP_REP_AFFINE,
         [] {
             return levels({{1024, 1024}, {1024, 1}});
         }},
        {"affine/levels:3", CMAP_REP_AFFINE,
         [] {
             return levels({{64, 16384}, {128, 128}, {128, 1}});
         }},
        {"affine/levels:6", CMAP_REP_AFFINE,
         [] {
             return levels({{8, 131072}, {8, 16384}, {16, 1024}, {8, 128}, {8, 16}, {16, 1}});
         }},
        {"packed/permutation", CMAP_REP_PACKED, [] { return shuffled(everyone(), 1); }},
        {"packed/n:100000", CMAP_REP_PACKED,
         [] {
             Members members = shuffled(everyone(), 2);
             members.resize(100000);
             return members;
         }},
        {"runs/16", CMAP_REP_RUNS, [] { return runs(16); }},
        {"runs/256", CMAP_REP_RUNS, [] { return runs(256); }},
        {"bitmap/density:0.5", CMAP_REP_BITMAP, [] { return random_set(0.5, 3); }},
        {"bitmap/density:0.1", CMAP_REP_BITMAP, [] { return random_set(0.1, 4); }},
        {"bitmap/density:0.01", CMAP_REP_BITMAP, [] { return random_set(0.01, 5); }},
        {"eliasfano/density:0.1", CMAP_REP_ELIASFANO, [] { return random_set(0.1, 4); }},
        {"eliasfano/density:0.01", CMAP_REP_ELIASFANO, [] { return random_set(0.01, 5); }},
        {"gap/density:0.5", CMAP_REP_GAP, [] { return random_set(0.5, 3); }},
        {"gap/density:0.1", CMAP_REP_GAP, [] { return random_set(0.1, 4); }},
        {"gap/density:0.01", CMAP_REP_GAP, [] { return random_set(0.01, 5); }},
        {"pperm/density:0.5", CMAP_REP_PPERM, [] { return shuffled(random_set(0.5, 6), 6); }},
        {"concat/shuffled_halves", CMAP_REP_CONCAT,
         [] {
             Members members = everyone();
             std::reverse(members.begin(), members.begin() + world / 2);
             return members;
         }},
        {"array/permutation", CMAP_REP_ARRAY, [] { return shuffled(everyone(), 7); }},
        {"inline_list/n:8", CMAP_REP_ARRAY, [] { return Members{5, 1, 4, 2, 9, 7, 100, 0}; }},
    };
}

// Of these only ranks are asked for.
std::vector<Class> mingled_classes() {
    std::vector<Class> classes;
    for (uint32_t steps : {1u, 2u, 4u, 8u, 32u, 64u})
        classes.push_back({"mingled/steps:" + std::to_string(steps), CMAP_REP_RUNS,
                           [steps] { return mingled(steps); }});
    return classes;
}

// Maps of 2^20 members that increase, as the strategy builds them.
std::vector<Class> ordered_classes() {
    return {
        {"range", CMAP_REP_ANY, everyone},
        {"stride:3", CMAP_REP_ANY, [] { return ordered([](uint32_t) { return 3; }); }},
        {"ranges:1000", CMAP_REP_ANY,
         [] { return ordered([](uint32_t i) { return i % 1049 == 0 ? 7 + i % 31 : 1; }); }},
        {"ranges:100000", CMAP_REP_ANY,
         [] { return ordered([](uint32_t i) { return i % 11 == 0 ? 2 + i % 13 : 1; }); }},
        {"density:0.9", CMAP_REP_ANY, [] { return random_density(0.9); }},
        {"density:0.5", CMAP_REP_ANY, [] { return random_density(0.5); }},
        {"density:0.1", CMAP_REP_ANY, [] { return random_density(0.1); }},
        {"density:0.01", CMAP_REP_ANY, [] { return random_density(0.01); }},
        {"gaps:16", CMAP_REP_ANY, [] { return random_gaps(16); }},
        {"gaps:64", CMAP_REP_ANY, [] { return random_gaps(64); }},
        {"gaps:1000", CMAP_REP_ANY, [] { return random_gaps(1000); }},
    };
}

cmap_t *build(const Members &members, cmap_rep rep, uint32_t universe = world) {
    const cmap_policy policy = {CMAP_STRATEGY_HYBRID, CMAP_ALPHA_DEFAULT, rep};
    cmap_t *map = nullptr;
    const auto n = static_cast<uint32_t>(members.size());
    const cmap_status status = MPIR_cmap_from_array(members.data(), n, universe, &policy, &map);
    if (status != CMAP_OK) {
        std::fprintf(stderr, "building a map: %s\n", MPIR_cmap_strerror(status));
        std::exit(1);
    }
    return map;
}

// ---- loops, the same for map and array ----

struct ByMap {
    const cmap_t *from;
    uint32_t operator()(uint32_t rank) const { return MPIR_cmap_select(from, rank); }
};

struct ByArray {
    const uint32_t *from;
    uint32_t operator()(uint32_t rank) const { return from[rank]; }
};

// The compiler must not carry what it read through a pointer into the next query: between two sends
// it could not.
template <class T>
inline void forget(T &pointer) {
    asm volatile("" : "+r"(pointer) : : "memory");
}

// A multiply-shift hash, and its high bits scaled to 0..n-1 without a division.
inline uint32_t some_rank(uint32_t x, uint32_t n) {
    return static_cast<uint32_t>((static_cast<uint64_t>(x * 0x9e3779b1u) * n) >> 32);
}

template <class Select>
__attribute__((noinline)) uint32_t chase(Select select, uint32_t n) {
    uint32_t answer = 0;
    for (uint32_t i = 0; i < queries; i++) {
        forget(select.from);
        answer = select(some_rank(answer + i, n));
    }
    return answer;
}

template <class Select>
__attribute__((noinline)) uint32_t flood(Select select, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < queries; i++) {
        forget(select.from);
        sum += select(some_rank(i, n));
    }
    return sum;
}

// ---- measuring ----

// Of this thread alone: on a busy machine the wall clock measures the neighbours.
double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Work>
double seconds(const Work &work) {
    const double start = cpu_seconds();
    benchmark::DoNotOptimize(work());
    return cpu_seconds() - start;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

// Rounds of map and array alternate, and so does which of them goes first.
template <class OfMap, class OfArray>
void compare(benchmark::State &state, double units, const OfMap &of_map, const OfArray &of_array) {
    std::vector<double> map_times, array_times, ratios;
    seconds(of_map);  // caches and predictors are warm for both
    seconds(of_array);
    for (auto _ : state) {
        const bool map_first = map_times.size() % 2 == 0;
        double map_time = map_first ? seconds(of_map) : 0.0;
        const double array_time = seconds(of_array);
        if (!map_first) map_time = seconds(of_map);
        state.SetIterationTime(map_time);
        map_times.push_back(map_time);
        array_times.push_back(array_time);
        ratios.push_back(map_time / array_time);
    }
    state.counters["ns"] = median(map_times) * 1e9 / units;
    state.counters["array_ns"] = median(array_times) * 1e9 / units;
    state.counters["ratio"] = median(ratios);
}

struct Subject {
    explicit Subject(const Class &one) : members(one.members()), map(build(members, one.rep)) {}
    ~Subject() { MPIR_cmap_release(map); }
    Subject(const Subject &) = delete;
    Subject &operator=(const Subject &) = delete;
    uint32_t size() const { return static_cast<uint32_t>(members.size()); }

    const Members members;
    cmap_t *const map;
};

void label(benchmark::State &state, const Subject &subject, const Class &one) {
    if (MPIR_cmap_representation(subject.map) != one.rep)
        state.SetLabel(std::string("built as ") +
                       MPIR_cmap_rep_name(MPIR_cmap_representation(subject.map)));
    const size_t built = MPIR_cmap_payload_bytes(subject.map) - MPIR_cmap_cached_bytes(subject.map);
    state.counters["bytes"] = static_cast<double>(built);
}

void dependent(benchmark::State &state, const Class &one) {
    const Subject s(one);
    compare(
        state, queries, [&] { return chase(ByMap{s.map}, s.size()); },
        [&] { return chase(ByArray{s.members.data()}, s.size()); });
    label(state, s, one);
}

void independent(benchmark::State &state, const Class &one) {
    const Subject s(one);
    compare(
        state, queries, [&] { return flood(ByMap{s.map}, s.size()); },
        [&] { return flood(ByArray{s.members.data()}, s.size()); });
    label(state, s, one);
}

// All members in blocks of 1024, summed; the array is summed in place.
void decode(benchmark::State &state, const Class &one) {
    const Subject s(one);
    const auto of_map = [&] {
        uint32_t block[1024], sum = 0;
        cmap_iter iter;
        MPIR_cmap_iter_init(&iter, s.map);
        while (const uint32_t got = MPIR_cmap_iter_next(&iter, block, 1024))
            sum = std::accumulate(block, block + got, sum);
        return sum;
    };
    compare(state, s.size(), of_map,
            [&] { return std::accumulate(s.members.begin(), s.members.end(), 0u); });
    label(state, s, one);
}

// Random ranks of members; the array's side looks into a finished table of the world, the fastest
// inverse there is.
void rank(benchmark::State &state, const Class &one) {
    const Subject s(one);
    Members inverse(world, CMAP_NONE);
    for (uint32_t r = 0; r < s.size(); r++)
        inverse[s.members[r]] = r;
    const auto ask = [&](auto &&rank_of) {
        uint32_t answer = 0;
        for (uint32_t i = 0; i < queries / 4; i++)
            answer = rank_of(s.members[some_rank(answer + i, s.size())]);
        return answer;
    };
    compare(
        state, queries / 4,
        [&] { return ask([&](uint32_t index) { return MPIR_cmap_rank(s.map, index); }); },
        [&] { return ask([&](uint32_t index) { return inverse[index]; }); });
    label(state, s, one);
}

// From an array to a finished map, given back at once; the array's side copies it to where there
// was a copy before.
void building(benchmark::State &state, const Class &one) {
    const Members members = one.members();
    Members copy = members;
    const uint32_t universe = *std::max_element(members.begin(), members.end()) + 1;
    const auto of_map = [&] {
        cmap_t *map = build(members, one.rep, universe);
        state.SetLabel(MPIR_cmap_rep_name(MPIR_cmap_representation(map)));
        const uint32_t size = MPIR_cmap_size(map);
        MPIR_cmap_release(map);
        return size;
    };
    const auto of_array = [&] {
        std::memcpy(copy.data(), members.data(), members.size() * sizeof members[0]);
        benchmark::ClobberMemory();
        return copy.back();
    };
    compare(state, static_cast<double>(members.size()), of_map, of_array);
}

// A permutation of a random set, which shares that set, beside a packed list of the same members:
// that is the "array" here.
struct Permuted {
    Permuted(double density, bool reversed) : set(random_set(density, 15)) {
        Members order(set.size());
        std::iota(order.begin(), order.end(), 0u);
        if (reversed)
            std::reverse(order.begin(), order.end());
        else
            order = shuffled(order, 16);
        const std::vector<int> ranks(order.begin(), order.end());
        const auto n = static_cast<uint32_t>(ranks.size());
        parent = build(set, CMAP_REP_ANY);
        if (MPIR_cmap_incl(parent, ranks.data(), n, nullptr, &child) != CMAP_OK) std::exit(1);
        for (uint32_t &rank : order)
            rank = set[rank];
        list = build(order, CMAP_REP_PACKED);
    }
    ~Permuted() {
        for (cmap_t *map : {parent, child, list})
            MPIR_cmap_release(map);
    }
    Permuted(const Permuted &) = delete;
    Permuted &operator=(const Permuted &) = delete;

    const Members set;
    cmap_t *parent = nullptr, *child = nullptr, *list = nullptr;
};

void permuted(benchmark::State &state, double density, bool reversed) {
    const Permuted p(density, reversed);
    const uint32_t n = MPIR_cmap_size(p.child);
    compare(
        state, queries, [&] { return chase(ByMap{p.child}, n); },
        [&] { return chase(ByMap{p.list}, n); });
    state.SetLabel(std::string(MPIR_cmap_rep_name(MPIR_cmap_representation(p.child))) + " on " +
                   MPIR_cmap_rep_name(MPIR_cmap_representation(p.parent)));
    state.counters["bytes"] = static_cast<double>(MPIR_cmap_payload_bytes(p.child));
    state.counters["list_bytes"] = static_cast<double>(MPIR_cmap_payload_bytes(p.list));
}

void add_permuted(double density, bool reversed) {
    const std::string name = std::string("permuted/") + (reversed ? "reversed" : "shuffled") +
                             "/density:" + std::to_string(density);
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State &state) { permuted(state, density, reversed); })
        ->UseManualTime()
        ->Iterations(rounds)
        ->Unit(benchmark::kMicrosecond);
}

void add(const char *what, void (*body)(benchmark::State &, const Class &), const Class &one,
         int times) {
    benchmark::RegisterBenchmark((std::string(what) + "/" + one.name).c_str(),
                                 [=](benchmark::State &state) { body(state, one); })
        ->UseManualTime()
        ->Iterations(times)
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    for (const Class &one : classes())
        add("dependent", dependent, one, rounds);
    for (const Class &one : classes())
        add("independent", independent, one, rounds);
    for (const Class &one : classes())
        add("decode", decode, one, rounds);
    for (const Class &one : classes())
        add("rank", rank, one, rounds);
    for (const Class &one : mingled_classes())
        add("rank", rank, one, rounds);
    for (const Class &one : classes())
        add("build", building, one, 7);
    for (const Class &one : ordered_classes())
        add("build/ordered", building, one, rounds);
    for (double density : {0.5, 0.25, 0.05, 0.005})
        for (bool reversed : {false, true})
            add_permuted(density, reversed);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
