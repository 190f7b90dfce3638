// SPDX-License-Identifier: BSD-3-Clause
// Tables of context ids: time and space of the three kinds, with 10 to 100,000 ids of 2^18, dense
// (0, 1, 2, ...) and sparse (drawn from all ids).  Counters:
//   bytes_per_id   memory of the table over used ids      density   used elements over allocated
#include "cid.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

constexpr uint32_t limit = 1u << 18;

struct Destroy {
    void operator()(cid_table_t *table) const { MPIR_cid_table_destroy(table); }
};

// A table with n used ids, and these in an order of their own.
struct Sample {
    std::unique_ptr<cid_table_t, Destroy> table;
    std::vector<uint32_t> ids;
};

void claim(cid_table_t *table, uint32_t id) {
    if (MPIR_cid_claim(table, id, table) == CID_OK) return;
    std::fprintf(stderr, "claiming id %u failed\n", id);
    std::exit(1);
}

Sample sample(cid_kind kind, uint32_t n, bool dense) {
    std::mt19937 random(n);
    Sample made{std::unique_ptr<cid_table_t, Destroy>(MPIR_cid_table_create(kind, limit)), {}};
    made.ids.resize(limit);
    std::iota(made.ids.begin(), made.ids.end(), 0u);
    if (!dense) std::shuffle(made.ids.begin(), made.ids.end(), random);
    made.ids.resize(n);
    for (uint32_t id : made.ids)
        claim(made.table.get(), id);
    std::shuffle(made.ids.begin(), made.ids.end(), random);
    return made;
}

void report(benchmark::State &state, const Sample &made) {
    cid_figures_t figures;
    MPIR_cid_figures(made.table.get(), &figures);
    state.counters["bytes_per_id"] = static_cast<double>(figures.bytes) / figures.used;
    state.counters["density"] = static_cast<double>(figures.used) / figures.allocated;
}

// The next id hangs on the owner before, as it does when one message follows another.
void lookup(benchmark::State &state, cid_kind kind, uint32_t n, bool dense) {
    const Sample made = sample(kind, n, dense);
    size_t i = 0;
    for (auto _ : state) {
        const void *owner = MPIR_cid_owner(made.table.get(), made.ids[i]);
        i += owner == made.table.get() ? 1 : 2;
        if (i >= n) i = 0;
    }
    report(state, made);
}

void claim_release(benchmark::State &state, cid_kind kind, uint32_t n, bool dense) {
    const Sample made = sample(kind, n, dense);
    cid_table_t *table = made.table.get();
    size_t i = 0;
    for (auto _ : state) {
        const uint32_t id = made.ids[i];
        MPIR_cid_release(table, id);
        claim(table, id);
        if (++i == n) i = 0;
    }
    report(state, made);
}

// What the allocator asks before each creation: the highest id and a free one.
void offer(benchmark::State &state, cid_kind kind, uint32_t n, bool dense) {
    const Sample made = sample(kind, n, dense);
    size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(MPIR_cid_end(made.table.get()));
        benchmark::DoNotOptimize(MPIR_cid_next_free(made.table.get(), made.ids[i]));
        if (++i == n) i = 0;
    }
    report(state, made);
}

using Body = void (*)(benchmark::State &, cid_kind, uint32_t, bool);

void add(const char *what, Body body) {
    for (bool dense : {true, false})
        for (uint32_t n : {10u, 1000u, 10000u, 100000u})
            for (cid_kind kind : {CID_ARRAY, CID_RBTREE, CID_RADIX}) {
                const std::string name = std::string(what) + (dense ? "/dense/" : "/sparse/") +
                                         std::to_string(n) + "/" + MPIR_cid_kind_name(kind);
                benchmark::RegisterBenchmark(name.c_str(), body, kind, n, dense)->MinTime(0.05);
            }
}

}  // namespace

int main(int argc, char **argv) {
    add("lookup", lookup);
    add("claim_release", claim_release);
    add("offer", offer);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
