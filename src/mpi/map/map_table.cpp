// SPDX-License-Identifier: BSD-3-Clause

#include "map_table.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct Row {
    std::string label;
    uint32_t size;
    cmap_rep representation;
    bool force_declined;
    size_t payload, array;
    uint32_t sharers;           // the most seen at once
    uint64_t holders;
};

// What containers hold is of types that nobody else has: so are the instances of their templates, which libmpi would export
// otherwise.
struct RowKey : std::tuple<std::string, uint32_t, cmap_rep, size_t> {
    using tuple::tuple;
};

struct Holder {
    uint64_t order;
    void *holder;
    map_counter counter;
};

struct Table {
    std::mutex lock;
    uint64_t entered = 0;
    std::map<void *, Holder> alive;
    std::map<RowKey, size_t> row_of;
    std::vector<Row> rows;
    bool incomplete = false;
};

// Never destroyed: MPI_Finalize may run from an exit handler.
Table &table()
{
    static Table *t = new Table;
    return *t;
}

// Runs an update of the table; running out of memory costs rows, not the program.
template <class F> void update(F f)
{
    try {
        Table &t = table();
        std::lock_guard<std::mutex> guard(t.lock);
        try {
            f(t);
        } catch (...) {
            t.incomplete = true;
        }
    } catch (...) {
        // no table at all: nothing to note it in
    }
}

Row make_row(const char *label, const cmap_t *map)
{
    return Row{label,
               cmap_size(map),
               cmap_representation(map),
               cmap_force_declined(map) != 0,
               cmap_payload_bytes(map),
               cmap_array_bytes(map),
               0,
               0};
}

void count(Table &t, const char *label, const cmap_t *map)
{
    Row row = make_row(label, map);
    RowKey key(row.label, row.size, row.representation, row.payload);
    auto found = t.row_of.find(key);
    if (found == t.row_of.end()) {
        t.rows.reserve(t.rows.size() + 1);
        found = t.row_of.emplace(key, t.rows.size()).first;
        t.rows.push_back(std::move(row));
    }
    Row &kept = t.rows[found->second];
    kept.holders++;
    kept.sharers = std::max(kept.sharers, cmap_sharers(map));
}

void print_rows(const Table &t, FILE *out)
{
    size_t width = 12;
    for (const Row &row : t.rows)
        width = std::max(width, row.label.size());
    std::fprintf(out, "  %-*s %9s %9s  %-14s %10s %12s %8s\n", int(width), "communicator", "count",
                 "size", "representation", "payload B", "as array B", "sharers");
    for (const Row &row : t.rows) {
        std::string rep = cmap_rep_name(row.representation);
        if (row.force_declined)
            rep += " *";
        std::fprintf(out, "  %-*s %9" PRIu64 " %9" PRIu32 "  %-14s %10zu %12zu %8" PRIu32 "\n",
                     int(width), row.label.c_str(), row.holders, row.size, rep.c_str(), row.payload,
                     row.array, row.sharers);
    }
    if (std::any_of(t.rows.begin(), t.rows.end(), [](const Row &r) { return r.force_declined; }))
        std::fprintf(out, "  * cannot hold the map in the representation asked for; the strategy "
                          "chose this one\n");
}

// What all holders since MPI_Init would have kept as arrays of 4 bytes a member, one each, and what they kept.
void print_totals(const Table &t, FILE *out)
{
    uint64_t holders = 0, arrays = 0;
    for (const Row &row : t.rows) {
        holders += row.holders;
        arrays += row.holders * row.array;
    }
    cmap_totals now;
    cmap_get_totals(&now);
    uint64_t builds = 0;
    for (uint64_t n : now.builds)
        builds += n;
    std::fprintf(out,
                 "  since init: %" PRIu64 " holders, %" PRIu64 " B as arrays; %" PRIu64
                 " maps built, %" PRIu64 " found alive\n",
                 holders, arrays, builds, now.intern_hits);
    std::fprintf(out,
                 "  at finalize: %" PRIu64 " maps alive, %" PRIu64 " B with headers, %" PRIu64
                 " B as arrays\n",
                 now.maps, now.bytes, now.shared_array_bytes);
    if (t.incomplete)
        std::fprintf(out, "  (incomplete: memory ran out while it was kept)\n");
}

} // namespace

void MPIR_Map_table_enter(void *holder, map_counter counter) noexcept
{
    update([&](Table &t) { t.alive[holder] = {t.entered++, holder, counter}; });
}

void MPIR_Map_table_leave(void *holder) noexcept
{
    map_counter counter = nullptr;
    update([&](Table &t) {
        auto found = t.alive.find(holder);
        if (found == t.alive.end())
            return;
        counter = found->second.counter;
        t.alive.erase(found);
    });
    if (counter)
        counter(holder);
}

void MPIR_Map_table_count(const char *label, const cmap_t *map) noexcept
{
    update([&](Table &t) { count(t, label, map); });
}

void MPIR_Map_table_count_alive() noexcept
{
    std::vector<Holder> holders;
    update([&](Table &t) {
        for (const auto &entry : t.alive)
            holders.push_back(entry.second);
    });
    std::sort(holders.begin(), holders.end(),
              [](const Holder &a, const Holder &b) { return a.order < b.order; });
    for (const Holder &each : holders)
        each.counter(each.holder);
}

void MPIR_Map_table_print(FILE *out, int world_size) noexcept
{
    update([&](Table &t) {
        std::fprintf(out, "Compressed maps of rank 0 of %d\n", world_size);
        print_rows(t, out);
        print_totals(t, out);
        std::fflush(out);
    });
}

void MPIR_Map_table_clear(void) noexcept
{
    update([](Table &t) {
        t.alive.clear();
        t.row_of.clear();
        t.rows.clear();
        t.incomplete = false;
    });
}
