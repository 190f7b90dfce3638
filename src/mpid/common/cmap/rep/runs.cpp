// SPDX-License-Identifier: BSD-3-Clause
// runs: k arithmetic runs (first, step) and the prefix sums of their lengths.
//
// Payload 12k bytes; 4k more in a list of more than RUNS_SCAN runs, for their order; none up to
// CMAP_INLINE_MEMBERS members when k <= 3.  select O(log k): a branch-free bisection over
// contiguous keys.  rank O(log k) in a set, and in a list whose runs are apart or have one step,
// however they are interleaved: by the residue of their members, then by the least.  With g
// different steps g such searches, up to RUNS_GROUPS; beyond that an inverse is kept, or where
// there is none (space strategy, no memory) g searches, or a scan if that is shorter.  Declines
// beyond RUNS_LIMIT runs or 4n bytes.  (Ranges of ranges: Chaarawi and Gabriel 2008.)
#include <algorithm>
#include <cstdio>
#include <utility>

#include "cmap_tuning.hpp"
#include "core/bisection.hpp"
#include "core/bits.hpp"
#include "core/inverse.hpp"
#include "core/map.hpp"

namespace cmap {
namespace {

struct Line {
    uint32_t first;
    uint32_t step;  // modulo 2^32
};

struct Entry {
    uint16_t run;
    uint16_t end;  // of the group, in the order, if this is its first run
};

// The payload: starts, lines and perhaps the order, one behind the other.
//
// The order has the runs in groups.  A group is runs among which no index lies in more than one:
// those of one step, as a number has one residue, and the runs that have it, too, follow one
// another; or all, when they are apart.  Within a group the runs are ordered by residue of the
// least member, then by that.  The entry of a group's first run also says where the group ends, so
// that any number of groups needs no directory.
struct RunsBody {
    uint32_t *starts;  // rank of each run's first member: ascending, starts[0] == 0
    Line *lines;
    Entry *order;  // or nullptr
    uint32_t count;
    uint32_t groups;  // of a map with an order
    bool apart;       // it is one group, whatever the steps
    uint32_t inside[9];
};

static_assert(RUNS_LIMIT <= UINT16_MAX, "the order's entries have room");
static_assert(RUNS_LIMIT >> (sizeof TIME_RUNS / sizeof *TIME_RUNS - 1) == 1,
              "each number of runs has a time");

constexpr uint64_t INSIDE_RUNS = 3;  // 12 bytes each

bool wants_order(const Stats &stats) noexcept { return !stats.is_set && stats.runs > RUNS_SCAN; }

uint64_t payload(uint64_t runs, bool order) noexcept { return runs * (order ? 16 : 12); }

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (stats.runs > RUNS_LIMIT) return cannot();
    const double time = TIME_RUNS[bits_for(stats.runs)];
    if (stats.size <= CMAP_INLINE_MEMBERS)
        return stats.runs <= INSIDE_RUNS ? Estimate{true, 0, time} : cannot();
    const uint64_t space = payload(stats.runs, wants_order(stats));
    if (space > uint64_t{stats.size} * sizeof(uint32_t)) return cannot();
    return Estimate{true, space, time + time_access(space)};
}

uint32_t end_of(const cmap_t *map, const RunsBody &body, uint32_t i) noexcept {
    return i + 1 < body.count ? body.starts[i + 1] : map->size;
}

Run run_at(const cmap_t *map, const RunsBody &body, uint32_t i) noexcept {
    const Line &line = body.lines[i];
    return Run{line.first, static_cast<int32_t>(line.step), end_of(map, body, i) - body.starts[i]};
}

Run run_in_order(const cmap_t *map, const RunsBody &body, uint32_t at) noexcept {
    return run_at(map, body, body.order[at].run);
}

uint32_t modulus_of(const Run &run) noexcept {
    return run.count == 1 ? 1 : static_cast<uint32_t>(run.step < 0 ? -run.step : run.step);
}

uint64_t key_in(uint32_t modulus, uint32_t index) noexcept {
    return uint64_t{modulus == 1 ? 0 : index % modulus} << 32 | index;
}

struct Group {
    uint32_t begin, end;  // in the order
    uint32_t modulus;
};

Group group_at(const cmap_t *map, const RunsBody &body, uint32_t begin) noexcept {
    const uint32_t modulus = body.apart ? 1 : modulus_of(run_in_order(map, body, begin));
    return Group{begin, body.order[begin].end, modulus};
}

template <class Key>
void sort_runs(RunsBody &body, Key &&key) noexcept {
    std::sort(body.order, body.order + body.count,
              [&](Entry a, Entry b) { return key(a.run) < key(b.run); });
}

// By least members: does each run begin beyond the end of the one before?
bool apart(const cmap_t *map, const RunsBody &body) noexcept {
    for (uint32_t i = 1; i < body.count; i++)
        if (run_in_order(map, body, i - 1).high() >= run_in_order(map, body, i).low()) return false;
    return true;
}

void mark_groups(const cmap_t *map, RunsBody &body) noexcept {
    for (uint32_t i = 0, end; i < body.count; i = end, body.groups++) {
        const uint32_t modulus = modulus_of(run_in_order(map, body, i));
        for (end = i + 1; end < body.count; end++)
            if (!body.apart && modulus_of(run_in_order(map, body, end)) != modulus) break;
        body.order[i].end = static_cast<uint16_t>(end);
    }
}

// One group where the runs are apart, else one for each distance of neighbours.  Where those are
// many, the map goes by its inverse.
void make_groups(cmap_t *map, RunsBody &body) noexcept {
    for (uint32_t i = 0; i < body.count; i++)
        body.order[i] = Entry{static_cast<uint16_t>(i), 0};
    sort_runs(body, [&](uint32_t i) { return run_at(map, body, i).low(); });
    body.apart = apart(map, body);
    if (!body.apart)
        sort_runs(body, [&](uint32_t i) {
            const Run run = run_at(map, body, i);
            return std::make_pair(modulus_of(run), key_in(modulus_of(run), run.low()));
        });
    mark_groups(map, body);
    if (body.groups > RUNS_GROUPS) map->flags |= FLAG_RANK_BY_INVERSE;
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const uint64_t runs = analysis.stats.runs;
    RunsBody &body = make_body<RunsBody>(map);
    static_assert(INSIDE_RUNS * 12 <= sizeof body.inside, "small maps stay in the header");
    uint32_t *memory = body.inside;
    if (!inside(map))
        memory = static_cast<uint32_t *>(allocate(payload(runs, wants_order(analysis.stats))));
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    body.starts = memory;
    body.lines = reinterpret_cast<Line *>(memory + runs);
    body.order =
        wants_order(analysis.stats) ? reinterpret_cast<Entry *>(memory + 3 * runs) : nullptr;
    uint32_t rank = 0;
    analysis.content.each_run([&](const Run &run) {
        body.starts[body.count] = rank;
        new (&body.lines[body.count++]) Line{run.first, static_cast<uint32_t>(run.step)};
        rank += run.count;
        return true;
    });
    if (body.order != nullptr) make_groups(map, body);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (!inside(map)) deallocate(body_of<RunsBody>(map).starts);
}

// The last run whose start is not beyond the rank.
uint32_t find(const RunsBody &body, uint32_t rank) noexcept {
    return last_up_to(body.starts, body.count, rank);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    const uint32_t i = find(body, rank);
    return body.lines[i].first + (rank - body.starts[i]) * body.lines[i].step;
}

uint32_t rank_in(const cmap_t *map, const RunsBody &body, uint32_t i, uint32_t index) noexcept {
    const Run run = run_at(map, body, i);
    if (index < run.low() || index > run.high()) return CMAP_NONE;
    if (run.count == 1) return body.starts[i];
    const uint32_t away = run.step < 0 ? run.first - index : index - run.first;
    const uint32_t step = static_cast<uint32_t>(run.step < 0 ? -run.step : run.step);
    return away % step == 0 ? body.starts[i] + away / step : CMAP_NONE;
}

// In a set the runs increase, so only one can hold the index.
uint32_t rank_in_set(const cmap_t *map, const RunsBody &body, uint32_t index) noexcept {
    const uint32_t i = bisect(uint32_t{0}, body.count,
                              [&](uint32_t run) { return body.lines[run].first <= index; });
    return rank_in(map, body, i, index);
}

uint32_t rank_in_group(const cmap_t *map, const RunsBody &body, const Group &group,
                       uint32_t index) noexcept {
    const uint64_t key = key_in(group.modulus, index);
    const uint32_t at = bisect(group.begin, group.end - group.begin, [&](uint32_t i) {
        return key_in(group.modulus, run_in_order(map, body, i).low()) <= key;
    });
    return rank_in(map, body, body.order[at].run, index);
}

uint32_t rank_by_groups(const cmap_t *map, const RunsBody &body, uint32_t index) noexcept {
    uint32_t found = CMAP_NONE;
    for (uint32_t at = 0; found == CMAP_NONE && at < body.count;) {
        const Group group = group_at(map, body, at);
        found = rank_in_group(map, body, group, index);
        at = group.end;
    }
    return found;
}

uint32_t rank_by_scan(const cmap_t *map, const RunsBody &body, uint32_t index) noexcept {
    uint32_t found = CMAP_NONE;
    for (uint32_t i = 0; found == CMAP_NONE && i < body.count; i++)
        found = rank_in(map, body, i, index);
    return found;
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    if (is_set(map)) return rank_in_set(map, body, index);
    if (ranks_by_inverse(map))
        if (const Inverse *inverse = inverse_of(map)) return inverse_rank(map, inverse, index);
    const bool search = body.order != nullptr && body.groups <= body.count / RUNS_IN_GROUP;
    return search ? rank_by_groups(map, body, index) : rank_by_scan(map, body, index);
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    for (uint32_t i = find(body, first); count > 0; i++) {
        const Line line = body.lines[i];
        const uint32_t room = end_of(map, body, i) - first, n = count < room ? count : room;
        uint32_t index = line.first + (first - body.starts[i]) * line.step;
        for (uint32_t j = 0; j < n; j++, index += line.step)
            indices[j] = index;
        first += n, indices += n, count -= n;
    }
}

bool pieces(const cmap_t *map, std::size_t limit, Pieces &out) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    const std::size_t before = out.size();
    PieceFormer former;
    const auto sink = [&](const Piece &piece) {
        return out.size() - before < limit && out.push(piece);
    };
    bool done = true;
    for (uint32_t i = 0; done && i < body.count; i++)
        done = former.add(run_at(map, body, i), sink);
    if (done && former.flush(sink)) return true;
    while (out.size() > before)
        out.pop();
    return false;
}

bool equals(const cmap_t *map, const Analysis &analysis) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    if (body.count != analysis.stats.runs) return false;
    uint32_t i = 0;
    return analysis.content.each_run([&](const Run &run) { return run_at(map, body, i++) == run; });
}

std::size_t bytes(const cmap_t *map) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    return inside(map) ? 0 : payload(body.count, body.order != nullptr);
}

const char *validate_group(const cmap_t *map, const RunsBody &body, const Group &group) noexcept {
    uint64_t last = 0;
    for (uint32_t i = group.begin; i < group.end; i++) {
        const Run run = run_in_order(map, body, i);
        const uint64_t key = key_in(group.modulus, run.low());
        if (key < last) return "runs: the order is wrong";
        last = key_in(group.modulus, run.high()) + 1;
    }
    return nullptr;
}

const char *validate_groups(const cmap_t *map, const RunsBody &body) noexcept {
    if ((body.groups > RUNS_GROUPS) != ranks_by_inverse(map))
        return "runs: nobody knows how to rank";
    uint32_t at = 0;
    for (uint32_t g = 0; g < body.groups; g++) {
        if (at >= body.count) return "runs: more groups than runs";
        const Group group = group_at(map, body, at);
        if (group.end <= at || group.end > body.count) return "runs: a group has a wrong end";
        if (const char *wrong = validate_group(map, body, group)) return wrong;
        at = group.end;
    }
    return at == body.count ? nullptr : "runs: the groups do not end with the runs";
}

const char *validate(const cmap_t *map) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    if ((body.count == 0) != (map->size == 0)) return "runs: the number of runs is wrong";
    if (body.count == 0) return nullptr;
    if (body.starts[0] != 0) return "runs: the first run does not start at rank 0";
    for (uint32_t i = 0; i < body.count; i++)
        if (body.starts[i] >= end_of(map, body, i)) return "runs: the prefix sums do not increase";
    return body.order == nullptr ? nullptr : validate_groups(map, body);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const RunsBody &body = body_of<RunsBody>(map);
    if (body.count == 0) return std::snprintf(text, room, "0 runs");
    const Run run = run_at(map, body, 0);
    char groups[32] = "";
    if (body.order != nullptr && ranks_by_inverse(map))
        std::snprintf(groups, sizeof groups, ", ranked by inverse");
    else if (body.order != nullptr)
        std::snprintf(groups, sizeof groups, ", ranked in %u group%s", body.groups,
                      body.groups == 1 ? "" : "s");
    return std::snprintf(text, room, "%u run%s: %u..%u step %d%s%s", body.count,
                         body.count == 1 ? "" : "s", run.first, run.last(), run.step,
                         body.count == 1 ? "" : ", ...", groups);
}

const void *payload_of(const cmap_t *map) noexcept {
    return inside(map) ? nullptr : body_of<RunsBody>(map).starts;
}

void relocate(cmap_t *map, const Relocation &move) noexcept {
    RunsBody &body = changing_body_of<RunsBody>(map);
    move(body.starts);
    move(body.lines);
    move(body.order);
}

}  // namespace

constexpr Representation runs_representation = representation_with([](Representation &rep) {
    rep.name = "runs";
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
    rep.pieces = pieces;
    rep.equals = equals;
});

}  // namespace cmap
