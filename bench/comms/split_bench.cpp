// SPDX-License-Identifier: BSD-3-Clause
// Ordering the members of a split: ours in the gathered table against what stock MPICH does with
// the same rows, qsort of (colour, key, rank) entries.
//
// Rounds alternate between the two in one run; a line gives the medians in microseconds and the
// median of the rounds' qsort/ours.  Both times contain a copy of the rows, which the allgather
// writes in a real split, and end with a list of ranks (or ranges, where that is enough for us).
#include "split_order.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

namespace {

using Rows = std::vector<split_row>;

struct Entry {
    int colour, key, rank;
};

int compare(const void *one, const void *other) {
    const auto *a = static_cast<const Entry *>(one), *b = static_cast<const Entry *>(other);
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

double ours(const Rows &rows, Rows &table) {
    const double start = now();
    std::memcpy(table.data(), rows.data(), rows.size() * sizeof(split_row));
    split_view view = MPIR_split_view_of(1, -1);
    for (const split_row &row : table)
        MPIR_split_look(&view, &row);
    const split_plan plan = MPIR_split_arrange(table.data(), &view);
    const double time = now() - start;
    if (plan.count == 0) std::abort();
    return time;
}

double by_qsort(const Rows &rows, std::vector<Entry> &entries) {
    const double start = now();
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < rows.size(); rank++)
        if (rows[rank].colour == 1) entries[n++] = {1, rows[rank].key, int(rank)};
    std::qsort(entries.data(), n, sizeof(Entry), compare);
    int *ranks = reinterpret_cast<int *>(entries.data());
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = entries[i].rank;
    return now() - start;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

void measure(const char *keys, const Rows &rows) {
    Rows table(rows.size());
    std::vector<Entry> entries(rows.size());
    const int rounds = rows.size() > 100000 ? 7 : rows.size() > 10000 ? 21 : 201;
    std::vector<double> us, qsort_us, ratio;
    for (int round = 0; round < rounds; round++) {
        us.push_back(ours(rows, table));
        qsort_us.push_back(by_qsort(rows, entries));
        ratio.push_back(qsort_us.back() / us.back());
    }
    std::printf("%-28s %8zu %12.1f %12.1f %8.1f\n", keys, rows.size(), median(us), median(qsort_us),
                median(ratio));
}

template <class Key>
Rows rows_of(uint32_t n, Key key) {
    Rows rows(n);
    for (uint32_t rank = 0; rank < n; rank++)
        rows[rank] = {1, key(rank), 0};
    return rows;
}

void measure_all(uint32_t n) {
    std::mt19937 random(n);
    std::vector<int32_t> permutation(n);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random);

    measure("random, 32 bits", rows_of(n, [&](uint32_t) { return int32_t(random()); }));
    measure("random below 1000", rows_of(n, [&](uint32_t) { return int32_t(random() % 1000); }));
    measure("random permutation", rows_of(n, [&](uint32_t r) { return permutation[r]; }));
    measure("reversed", rows_of(n, [&](uint32_t r) { return int32_t(n - r); }));
    measure("reversed in pairs", rows_of(n, [&](uint32_t r) { return int32_t(n - r) / 2; }));
    measure("in order", rows_of(n, [&](uint32_t r) { return int32_t(r); }));
}

}  // namespace

int main() {
    std::printf("%-28s %8s %12s %12s %8s\n", "keys", "rows", "us", "qsort_us", "ratio");
    for (uint32_t n : {1000u, 100000u, 1000000u})
        measure_all(n);
    return 0;
}
