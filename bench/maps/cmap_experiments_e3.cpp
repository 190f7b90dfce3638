// SPDX-License-Identifier: BSD-3-Clause
// E3: structured worlds of 2^20, a random graph, and HPL's grid.
#include <algorithm>
#include <cmath>

#include "cmap_experiments.hpp"

namespace bench {
namespace {

// What a case sums up over its communicators.
struct Sum {
    std::string name;
    uint32_t communicators = 0;
    uint64_t bytes = 0;
    uint64_t array_bytes = 0;
    double paper_bytes = -1;  // less than 0: the paper gives none
    double bound_bits = -1;
    std::vector<double> rand_ns;
};

void write(Csv &csv, const Sum &sum) {
    const std::string paper =
        sum.paper_bytes < 0 ? "" : std::to_string(std::llround(sum.paper_bytes));
    const std::string bound =
        sum.bound_bits < 0 ? "" : std::to_string(std::llround(std::ceil(sum.bound_bits / 8)));
    csv.row("%s,%u,%llu,%llu,%s,%s,%s", sum.name.c_str(), sum.communicators,
            static_cast<unsigned long long>(sum.bytes),
            static_cast<unsigned long long>(sum.array_bytes), paper.c_str(), bound.c_str(),
            number(median(sum.rand_ns)).c_str());
}

constexpr Effort ONE_LOOP = {1u << 13, 3, true};

// False: the forced representation declined.
bool add(Sum &sum, const Members &members, uint32_t world, const cmap_policy &policy, bool timed) {
    Subjects maps(members, world);
    Subject *map = maps.add(policy);
    if (map == nullptr) return false;
    if (timed) {
        maps.measure(ONE_LOOP);
        sum.rand_ns.push_back(map->times.rand);
    }
    ++sum.communicators;
    sum.bytes += map->bytes;
    sum.array_bytes += members.size() * sizeof(uint32_t);
    return true;
}

Members stride(uint32_t first, uint32_t step, uint32_t count) {
    Members members(count);
    for (uint32_t i = 0; i < count; i++)
        members[i] = first + i * step;
    return members;
}

void matrix(Csv &csv) {
    Sum sum;
    sum.name = "rows and columns";
    sum.paper_bytes = 5120;
    for (uint32_t i = 0; i < 1024; i++) {
        add(sum, stride(i * 1024, 1, 1024), WORLD, hybrid(), i % 64 == 0);
        add(sum, stride(i, 1024, 1024), WORLD, hybrid(), i % 64 == 0);
    }
    write(csv, sum);
}

void slab(Csv &csv) {
    Sum sum;
    sum.name = "slab";
    sum.paper_bytes = 5;
    add(sum, grid({64, 128, 128}, {17, -1, -1}), WORLD, hybrid(), true);
    write(csv, sum);
}

void hpl(Csv &csv) {
    constexpr uint32_t side = 300, world = side * side;
    Sum sum;
    sum.name = "HPL 300x300";
    sum.paper_bytes = 58;
    add(sum, everyone(world), world, hybrid(), true);
    add(sum, stride(17 * side, 1, side), world, hybrid(), true);
    add(sum, stride(17, side, side), world, hybrid(), true);
    write(csv, sum);
}

// A matrix of R rows whose processes were numbered down the columns, renumbered along the rows: R
// ascending runs.
Members transpose(uint32_t rows) {
    const uint32_t columns = WORLD / rows;
    Members members;
    members.reserve(rows * columns);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++)
            members.push_back(c * rows + r);
    return members;
}

// `bound` is n lg R bits where the order is all there is to keep.
void transpose_as(Csv &csv, const Members &members, uint32_t rows, const char *what,
                  const cmap_policy &policy) {
    Sum sum;
    sum.name = std::string("transpose ") + what + " R=" + std::to_string(rows);
    sum.bound_bits = static_cast<double>(members.size()) * std::log2(rows);
    if (add(sum, members, WORLD, policy, true)) write(csv, sum);
}

void transposes(Csv &csv, bool quick) {
    cmap_rep wtr = CMAP_REP_ANY;
    const bool has_wtr = MPIR_cmap_rep_from_name("wtr", &wtr) == CMAP_OK;
    for (uint32_t rows = 2; rows <= 2000;
         rows += rows < 16 && !quick ? 1 : rows / (quick ? 1 : 8)) {
        const Members members = transpose(rows);
        transpose_as(csv, members, rows, "hybrid", hybrid());
        if (has_wtr) transpose_as(csv, members, rows, "wtr", hybrid(wtr));
        transpose_as(csv, members, rows, "packed", hybrid(CMAP_REP_PACKED));
    }
}

// ---- the random graph ----

// lg C(u, n) + lg n! = lg u! - lg (u - n)!: the bits of a list of n out of u in any order.
double list_bits(double u, double n) {
    return (std::lgamma(u + 1) - std::lgamma(u - n + 1)) / std::log(2.0);
}

struct Point {
    double x, y;
};

// Every process has a place in the unit square, made from its index.
Point place_of(uint32_t index) {
    uint64_t h = (index + 1) * 0x9e3779b97f4a7c15ull;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    return {static_cast<double>(h & 0xffffffffu), static_cast<double>(h >> 32)};
}

struct Neighbour {
    double distance;
    uint32_t index;
    bool operator<(const Neighbour &other) const { return distance < other.distance; }
};

// Gaps between neighbours of a node of G(u, p) are geometric.
Members neighbours(uint32_t node, double p, Random &random) {
    const Point here = place_of(node);
    std::vector<Neighbour> all;
    for (double index = -1;;) {
        const double uniform = (random() + 1.0) / 4294967297.0;
        index += 1 + std::floor(std::log(uniform) / std::log1p(-p));
        if (index >= WORLD) break;
        const auto there = static_cast<uint32_t>(index);
        if (there == node) continue;
        const Point point = place_of(there);
        all.push_back({std::hypot(point.x - here.x, point.y - here.y), there});
    }
    std::sort(all.begin(), all.end());
    Members members;
    for (const Neighbour &one : all)
        members.push_back(one.index);
    return members;
}

// A row for every tenth of the communicators: figure 4.7's line.
void random_graph(Csv &csv, bool quick) {
    const uint32_t nodes = quick ? 500 : 5000, points = 10;
    Random random(47);
    cmap_rep bwt = CMAP_REP_ANY;
    const bool has_bwt = MPIR_cmap_rep_from_name("bwt", &bwt) == CMAP_OK;
    Sum sum, compressed;
    sum.bound_bits = compressed.bound_bits = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        const Members members = neighbours(below(random, WORLD), 0.005, random);
        const double bits = list_bits(WORLD, static_cast<double>(members.size()));
        const bool timed = node % (nodes / 50) == 0;
        add(sum, members, WORLD, hybrid(), timed);
        sum.bound_bits += bits;
        if (has_bwt && add(compressed, members, WORLD, hybrid(bwt), false))
            compressed.bound_bits += bits;
        if ((node + 1) % (nodes / points) != 0) continue;
        sum.name = "random graph " + std::to_string(node + 1);
        write(csv, sum);
        compressed.name = "random graph bwt " + std::to_string(node + 1);
        if (compressed.communicators != 0) write(csv, compressed);
    }
}

}  // namespace

void worlds_experiment(const Options &options) {
    Csv csv(options, "e3_worlds.csv",
            "case,communicators,bytes_total,array_bytes_total,paper_bytes,bound_bytes,rand_ns");
    matrix(csv);
    slab(csv);
    hpl(csv);
    transposes(csv, options.quick);
    random_graph(csv, options.quick);
}

}  // namespace bench
