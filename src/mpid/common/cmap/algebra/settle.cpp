// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks: putting them in order, and their complement.
#include "algebra/ranks.hpp"

#include <algorithm>

namespace cmap {

namespace {

bool starts_before(const Grid &a, const Grid &b) { return a.base < b.base; }

// Index of the first grid at or after `from` that begins before another one before it has ended;
// size() if none.
size_t first_conflict(const Grids &ranks, size_t from) {
    for (size_t k = from + 1; k < ranks.size(); k++)
        if (ranks[k].base <= ranks[k - 1].last()) return k - 1;
    return ranks.size();
}

bool push_rows(const Grid &grid, Grids &out, Budget &budget) {
    if (!budget.spend(size_t(grid.rows))) return false;
    for (int64_t j = 0; j < grid.rows; j++)
        if (!out.push(row_of(grid, j))) return false;
    return true;
}

bool push_single(const Grid &run, Grids &out, Budget &budget) {
    if (run.step == 1) return out.push(run);
    if (!budget.spend(size_t(run.count))) return false;
    for (int64_t i = 0; i < run.count; i++)
        if (!out.push(line(run.at(i, 0), 1, 1))) return false;
    return true;
}

// Takes the grids that overlap apart by one level, and leaves the others whole.
bool take_apart(const Grids &ranks, bool into_rows, Grids &out, Budget &budget) {
    for (size_t begin = 0, end; begin < ranks.size(); begin = end) {
        int64_t last = ranks[begin].last();
        for (end = begin + 1; end < ranks.size() && ranks[end].base <= last; end++)
            last = std::max(last, ranks[end].last());
        const bool alone = end == begin + 1;
        for (size_t k = begin; k < end; k++) {
            const bool done = alone       ? out.push(ranks[k])
                              : into_rows ? push_rows(ranks[k], out, budget)
                                          : push_single(ranks[k], out, budget);
            if (!done) return false;
        }
    }
    return true;
}

bool has_rows(const Grids &ranks) {
    return std::any_of(ranks.data(), ranks.data() + ranks.size(),
                       [](const Grid &grid) { return grid.rows > 1; });
}

void sort(Grids &ranks) {
    if (!std::is_sorted(ranks.data(), ranks.data() + ranks.size(), starts_before))
        std::sort(ranks.data(), ranks.data() + ranks.size(), starts_before);
}

// The ranks between two rows, or two members, of a grid: they repeat as it does.
bool push_gaps(const Grid &grid, Grids &out, Budget &budget) {
    const int64_t row_end = grid.at(grid.count - 1, 0) + 1, row_gap = grid.at(0, 1) - row_end;
    const bool gaps_within = grid.step > 1 && grid.count > 1;
    if (!gaps_within)
        return grid.rows == 1 || row_gap == 0 ||
               (budget.spend() &&
                out.push(flattened(Grid{row_end, 1, row_gap, grid.pitch, grid.rows - 1})));
    if (!budget.spend(size_t(2 * grid.rows))) return false;
    for (int64_t j = 0; j < grid.rows; j++) {
        const int64_t shift = j * grid.pitch;
        const Grid within{grid.base + shift + 1, 1, grid.step - 1, grid.step, grid.count - 1};
        if (!out.push(flattened(within))) return false;
        if (j + 1 < grid.rows && row_gap > 0 && !out.push(line(row_end + shift, 1, row_gap)))
            return false;
    }
    return true;
}

}  // namespace

Settled settle(Grids &ranks, Budget &budget) {
    sort(ranks);
    for (bool into_rows : {true, false}) {
        if (first_conflict(ranks, 0) == ranks.size()) return Settled::ok;
        if (into_rows && !has_rows(ranks)) continue;
        Grids apart;
        if (!take_apart(ranks, into_rows, apart, budget)) return Settled::too_much;
        ranks.swap(apart);
        sort(ranks);
    }
    return first_conflict(ranks, 0) == ranks.size() ? Settled::ok : Settled::duplicate;
}

bool complement(const Grids &ranks, int64_t size, Grids &out, Budget &budget) {
    int64_t next = 0;
    for (size_t k = 0; k < ranks.size(); k++) {
        const Grid &grid = ranks[k];
        if (!budget.spend()) return false;
        if (grid.base > next && !out.push(line(next, 1, grid.base - next))) return false;
        if (!push_gaps(grid, out, budget)) return false;
        next = grid.last() + 1;
    }
    return next == size || out.push(line(next, 1, size - next));
}

int64_t members_of(const Grids &grids) {
    int64_t members = 0;
    for (size_t k = 0; k < grids.size(); k++)
        members += grids[k].members();
    return members;
}

}  // namespace cmap
