// SPDX-License-Identifier: BSD-3-Clause

#include "map_table.h"
#include "mpir_map.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {

// What containers hold is of types that nobody else has: so are the instances of their templates,
// which libmpi would export otherwise.
struct Row {
    std::string label;
    uint32_t size;
    cmap_rep representation;
    bool force_declined;
    size_t payload, bytes, array, on_node;
    uint32_t sharers;  // the most seen at once
    uint64_t holders;
    // with details
    double first, last;
    map_site site;
    std::string form;
    std::unique_ptr<uint32_t[]> points;
    uint32_t n_points;
};

struct RowKey : std::tuple<std::string, uint32_t, cmap_rep, size_t, const void *, const void *> {
    using tuple::tuple;
};

struct Holder {
    uint64_t order;
    void *holder;
    map_counter counter;
    double born;
    map_site site;
};

struct Moment : map_moment {};

constexpr uint32_t POINTS = 256;
constexpr size_t MOMENTS = 512;
constexpr size_t ROWS = 10000;  // a program may give each of a million communicators a name

struct Table {
    std::mutex lock;
    bool detailed = false;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    uint64_t entered = 0;
    std::map<void *, Holder> alive;
    std::map<RowKey, size_t> row_of;
    std::vector<Row> rows;
    map_holders holders{};  // counted, in a row or not
    map_peak peak{};
    std::vector<Moment> history;
    double interval = 0;  // between two moments, at least
    bool incomplete = false;
};

// Never destroyed: MPI_Finalize may run from an exit handler.
Table &table() {
    static Table *t = new Table;
    return *t;
}

// Runs an update of the table; running out of memory costs rows, not the program.
template <class F>
void update(F f) {
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

double seconds(const Table &t) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t.begin).count();
}

// When the history is full, every other moment goes, and from then on they are twice as far apart.
void thin_out(Table &t) {
    size_t kept = 0;
    for (size_t i = 0; i < t.history.size(); i += 2)
        t.history[kept++] = t.history[i];
    t.history.resize(kept);
    t.interval = std::max(2 * t.interval, 2 * t.history.back().seconds / MOMENTS);
}

// Called before a communicator goes and at the end: in between, what is alive only grows.  Groups
// are not waited for, because MPI makes some for the time of a call.
void note_peak(Table &t) {
    cmap_totals now;
    MPIR_cmap_get_totals(&now);
    t.peak.maps = std::max(t.peak.maps, uint64_t(now.maps));
    t.peak.bytes = std::max(t.peak.bytes, uint64_t(now.bytes));
    t.peak.array_bytes = std::max(t.peak.array_bytes, uint64_t(now.shared_array_bytes));
}

void note_moment(Table &t, double now) {
    if (!t.detailed || (!t.history.empty() && now < t.history.back().seconds + t.interval)) return;
    if (t.history.size() == MOMENTS) thin_out(t);
    cmap_totals totals;
    MPIR_cmap_get_totals(&totals);
    t.history.push_back(
        Moment{{now, t.alive.size(), totals.maps, totals.bytes, totals.shared_array_bytes}});
}

Row make_row(const char *label, const cmap_t *map) {
    Row row{};
    row.label = label;
    row.size = MPIR_cmap_size(map);
    row.representation = MPIR_cmap_representation(map);
    row.force_declined = MPIR_cmap_force_declined(map) != 0;
    row.payload = MPIR_cmap_payload_bytes(map);
    row.bytes = MPIR_cmap_bytes(map);
    row.array = MPIR_cmap_array_bytes(map);
    return row;
}

void draw(Row &row, const cmap_t *map) {
    char form[256];
    MPIR_cmap_describe(map, form, sizeof form);
    row.form = form;
    row.n_points = std::min(row.size, POINTS);
    row.points.reset(new uint32_t[row.n_points]);
    for (uint32_t i = 0; i < row.n_points; i++)
        row.points[i] =
            MPIR_cmap_select_outlined(map, uint32_t(uint64_t(i) * row.size / row.n_points));
}

bool is_unnamed(const char *label) {
    return std::strncmp(label, MPIR_MAP_NO_NAME, std::strlen(MPIR_MAP_NO_NAME)) == 0;
}

bool is_group(const char *label) { return std::strcmp(label, "(group)") == 0; }

void count(Table &t, const Holder &holder, const char *label, const cmap_t *map) {
    if (!is_group(label)) note_peak(t);
    Row row = make_row(label, map);
    t.holders.counted++;
    t.holders.array_bytes += row.array;
    row.site = t.detailed || is_unnamed(label) ? holder.site : map_site{};
    row.first = holder.born;
    RowKey key(row.label, row.size, row.representation, row.payload, row.site.function,
               row.site.call);
    auto found = t.row_of.find(key);
    if (found == t.row_of.end() && t.rows.size() == ROWS) {
        t.holders.unlisted++;
        return;
    }
    if (found == t.row_of.end()) {
        if (t.detailed) draw(row, map);
        if (t.rows.size() == t.rows.capacity()) t.rows.reserve(2 * t.rows.size() + 16);
        found = t.row_of.emplace(key, t.rows.size()).first;
        t.rows.push_back(std::move(row));
    }
    Row &kept = t.rows[found->second];
    kept.holders++;
    kept.on_node = std::max(kept.on_node, MPIR_cmap_node_bytes(map));
    kept.sharers = std::max(kept.sharers, MPIR_cmap_sharers(map));
    kept.first = std::min(kept.first, holder.born);
    kept.last = std::max(kept.last, holder.born);
}

// A name may have any characters; in the table it is one line, and does nothing to a terminal.
std::string one_line(std::string name) {
    for (char &c : name) {
        if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
    }
    return name;
}

struct Line : map_line {};

// Rows without a name get the line that made them, and keep what follows the name.
void name_by_lines(Table &t) {
    std::vector<Line> lines;
    for (const Row &row : t.rows)
        if (row.site.call && is_unnamed(row.label.c_str())) lines.push_back({{row.site, ""}});
    MPIR_Map_site_lines(lines.data(), lines.size());
    auto line = lines.begin();
    for (Row &row : t.rows)
        if (row.site.call && is_unnamed(row.label.c_str()) && (line++)->text[0])
            row.label = std::string("(") + line[-1].text + ")" +
                        row.label.substr(std::strlen(MPIR_MAP_NO_NAME));
}

void print_rows(const Table &t, FILE *out) {
    size_t width = 12;
    for (const Row &row : t.rows)
        width = std::max(width, row.label.size());
    std::fprintf(out, "  %-*s %9s %9s  %-14s %10s %12s %8s\n", int(width), "communicator", "count",
                 "size", "representation", "payload B", "as array B", "sharers");
    for (const Row &row : t.rows) {
        std::string rep = MPIR_cmap_rep_name(row.representation);
        if (row.force_declined) rep += " *";
        std::fprintf(out, "  %-*s %9" PRIu64 " %9" PRIu32 "  %-14s %10zu %12zu %8" PRIu32 "\n",
                     int(width), one_line(row.label).c_str(), row.holders, row.size, rep.c_str(),
                     row.payload, row.array, row.sharers);
    }
    if (std::any_of(t.rows.begin(), t.rows.end(), [](const Row &r) { return r.force_declined; }))
        std::fprintf(out,
                     "  * cannot hold the map in the representation asked for; the strategy "
                     "chose this one\n");
}

// Rows with the same payload may be of the same map, so there is no sum.
void print_on_node(const Table &t, FILE *out) {
    for (const Row &row : t.rows)
        if (row.on_node != 0)
            std::fprintf(out, "  shared by the node: %zu B of the payload of %s\n", row.on_node,
                         one_line(row.label).c_str());
}

// What all holders since MPI_Init would have kept as arrays of 4 bytes a member, one each, and what
// they kept.
void print_totals(const Table &t, FILE *out) {
    cmap_totals now;
    MPIR_cmap_get_totals(&now);
    uint64_t builds = 0;
    for (uint64_t n : now.builds)
        builds += n;
    std::fprintf(out,
                 "  since init: %" PRIu64 " communicators and groups, %" PRIu64
                 " B as arrays; %" PRIu64 " maps built, %" PRIu64 " reused\n",
                 t.holders.counted, t.holders.array_bytes, builds, now.intern_hits);
    std::fprintf(out,
                 "  at finalize: %" PRIu64 " maps alive, %" PRIu64 " B with headers, %" PRIu64
                 " B as arrays\n",
                 now.maps, now.bytes, now.shared_array_bytes);
    if (t.holders.unlisted > 0)
        std::fprintf(out,
                     "  (%" PRIu64 " more are in no line: only the first %zu different ones are)\n",
                     t.holders.unlisted, ROWS);
    if (t.incomplete) std::fprintf(out, "  (incomplete: memory ran out while it was kept)\n");
}

}  // namespace

void MPIR_Map_table_open(int with_details) noexcept {
    update([&](Table &t) {
        t.detailed = with_details != 0;
        t.begin = std::chrono::steady_clock::now();
    });
}

void MPIR_Map_table_enter(void *holder, map_counter counter) noexcept {
    update([&](Table &t) {
        const double now = seconds(t);
        t.alive[holder] = {t.entered++, holder, counter, now, MPIR_Map_site_here()};
        note_moment(t, now);
    });
}

void MPIR_Map_table_leave(void *holder) noexcept {
    map_counter counter = nullptr;
    update([&](Table &t) {
        auto found = t.alive.find(holder);
        if (found != t.alive.end()) counter = found->second.counter;
    });
    if (!counter) return;
    counter(holder);
    update([&](Table &t) {
        t.alive.erase(holder);
        note_moment(t, seconds(t));
    });
}

void MPIR_Map_table_count(const void *holder, const char *label, const cmap_t *map) noexcept {
    update([&](Table &t) {
        auto found = t.alive.find(const_cast<void *>(holder));
        if (found != t.alive.end()) count(t, found->second, label, map);
    });
}

void MPIR_Map_table_count_alive() noexcept {
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

void MPIR_Map_table_print(FILE *out, int rank, int world_size) noexcept {
    update([&](Table &t) {
        name_by_lines(t);
        std::fprintf(out, "Compressed maps of rank %d of %d\n", rank, world_size);
        print_rows(t, out);
        print_on_node(t, out);
        print_totals(t, out);
        std::fflush(out);
    });
}

map_holders MPIR_Map_table_holders(void) noexcept {
    map_holders holders{};
    update([&](Table &t) { holders = t.holders; });
    return holders;
}

map_peak MPIR_Map_table_peak(void) noexcept {
    map_peak peak{};
    update([&](Table &t) { peak = t.peak; });
    return peak;
}

int MPIR_Map_table_visit(const map_visitor *visitor) noexcept {
    bool complete = false;
    update([&](Table &t) {
        for (const Row &row : t.rows) {
            const map_row seen = {
                row.label.c_str(), row.size,     row.representation, row.force_declined,
                row.payload,       row.bytes,    row.array,          row.sharers,
                row.holders,       row.first,    row.last,           row.site,
                row.form.c_str(),  row.n_points, row.points.get(),   row.on_node};
            visitor->row(visitor->context, &seen);
        }
        for (const Moment &moment : t.history)
            visitor->moment(visitor->context, &moment);
        complete = !t.incomplete;
    });
    return complete;
}

void MPIR_Map_table_clear(void) noexcept {
    update([](Table &t) {
        t.alive.clear();
        t.row_of.clear();
        t.rows.clear();
        t.history.clear();
        t.holders = {};
        t.peak = {};
        t.interval = 0;
        t.incomplete = false;
    });
}
