// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/hits.hpp"

#include <algorithm>

namespace cmap {

namespace {

int64_t row_width(const Grid &grid) { return (grid.count - 1) * grid.step; }

// The rows of `b` that reach into low .. high; rows 0 when none does.
Grid rows_within(const Grid &b, int64_t low, int64_t high) {
    if (b.rows == 1) return b.low() <= high && b.high() >= low ? b : Grid{0, 1, 0, 0, 0};
    const Span rows = clip(line(b.base, b.pitch, b.rows), low - row_width(b), high);
    return Grid{b.at(0, rows.first), b.step, b.count, b.pitch, rows.count};
}

// `b` carried on in both directions until its rows cover low .. high.
Grid rows_covering(const Grid &b, int64_t low, int64_t high) {
    const int64_t first = floor_div(low - b.base, b.pitch),
                  last = floor_div(high - b.base, b.pitch);
    return Grid{b.at(0, first), b.step, b.count, b.pitch, last - first + 1};
}

// A line against a line: two congruences in O(1).
bool line_in_line(const Grid &a, const Grid &b, Grids &out) {
    const Span span = clip(a, b.low(), b.high());
    if (span.count == 0) return true;
    const Grid inside = line(a.at(span.first, 0), a.step, span.count);
    const Grid hits = congruent(inside, b.base, b.count > 1 ? b.step : 1);
    return hits.count == 0 || out.push(line(span.first + hits.base, hits.step, hits.count));
}

// Every step of `a` is a whole number of b's periods: all its values lie in the same place of their
// row.
bool line_in_place(const Grid &a, const Grid &b, Grids &out) {
    const int64_t offset = floor_mod(a.base - b.base, b.pitch);
    if (offset % b.step != 0 || offset > row_width(b)) return true;
    const Span span = clip(a, b.low(), b.high());
    return span.count == 0 || out.push(line(span.first, 1, span.count));
}

// b's period is a whole number of steps of `a`: `a` meets every row in the same positions.
bool line_in_rows(const Grid &a, const Grid &b, Grids &out) {
    const int64_t stride = a.step < 0 ? -a.step : a.step;
    const Grid met = congruent(row_of(b, 0), a.base, stride);
    if (met.count == 0) return true;
    const Grid values{b.at(met.base, 0), b.step * met.step, met.count, b.pitch, b.rows};
    Cut inside;
    if (!cut(values, a.low(), a.high(), inside)) return false;
    for (int k = 0; k < inside.n; k++) {
        const Grid part = part_of(values, inside.box[k]);
        const Grid positions{(part.base - a.base) / a.step, part.step / a.step, part.count,
                             part.pitch / a.step, part.rows};
        Grid sorted;
        if (!ascending(positions, sorted) || !out.push(sorted)) return false;
    }
    return true;
}

bool line_hits(const Grid &a, const Grid &whole_b, Grids &out, Budget &budget) {
    const Grid b = rows_within(whole_b, a.low(), a.high());
    if (b.rows == 0) return true;
    if (b.rows == 1) return budget.spend() && line_in_line(a, b, out);
    if (a.step % b.pitch == 0) return budget.spend() && line_in_place(a, b, out);
    if (b.pitch % a.step == 0) return budget.spend() && line_in_rows(a, b, out);
    if (!budget.spend(size_t(b.rows))) return false;
    for (int64_t j = 0; j < b.rows; j++)
        if (!line_in_line(a, row_of(b, j), out)) return false;
    return true;
}

// The positions i of a's line that have the right residue, wherever they lie: those that `b` would
// hit were it endless.
bool residue_hits(const Grid &a, const Grid &b, Grids &out, Budget &budget) {
    if (b.rows > 1) return line_hits(a, rows_covering(b, a.low(), a.high()), out, budget);
    const Grid hits = congruent(a, b.base, b.count > 1 ? b.step : 1);
    return budget.spend() && (hits.count == 0 || out.push(hits));
}

// Which i's of a row, and which rows, of a grid with `width` members a row.
bool push_box(const Grid &positions, int64_t first_row, int64_t row_step, int64_t rows,
              int64_t width, Grids &out) {
    return out.push(flattened(Grid{positions.base + width * first_row, positions.step,
                                   positions.count, width * row_step, rows}));
}

// The residue depends on i alone: `hits` are i's; the boxes of the cut say in which rows they
// count.
bool push_column_hits(const Grid &hits, const Box &box, int64_t width, Grids &out, Budget &budget) {
    Cut inside;
    if (!cut(hits, box.first, box.first + box.count - 1, inside)) return false;
    for (int k = 0; k < inside.n; k++) {
        const Grid part = part_of(hits, inside.box[k]);
        if (!budget.spend(size_t(std::min(part.rows, box.rows)))) return false;
        if (box.rows < part.rows) {
            for (int64_t j = box.row; j < box.row + box.rows; j++) {
                Grid shifted = part;
                shifted.base += width * j;
                if (!out.push(shifted)) return false;
            }
        } else {
            for (int64_t j = 0; j < part.rows; j++)
                if (!push_box(row_of(part, j), box.row, 1, box.rows, width, out)) return false;
        }
    }
    return true;
}

// The residue depends on the row alone: `hits` are j's.
bool push_row_hits(const Grid &hits, const Box &box, int64_t width, Grids &out, Budget &budget) {
    Cut inside;
    if (!cut(hits, box.row, box.row + box.rows - 1, inside)) return false;
    for (int k = 0; k < inside.n; k++) {
        const Grid part = part_of(hits, inside.box[k]);
        if (!budget.spend(size_t(part.rows))) return false;
        for (int64_t j = 0; j < part.rows; j++)
            if (!push_box(line(box.first, 1, box.count), part.at(0, j), part.step, part.count,
                          width, out))
                return false;
    }
    return true;
}

using PushHits = bool (*)(const Grid &, const Box &, int64_t, Grids &, Budget &);

bool push_all(const Grids &hits, const Cut &inside, int64_t width, PushHits push, Grids &out,
              Budget &budget) {
    for (size_t h = 0; h < hits.size(); h++)
        for (int k = 0; k < inside.n; k++)
            if (!push(hits[h], inside.box[k], width, out, budget)) return false;
    return true;
}

bool each_row_of_b(const Grid &a, const Grid &b, Grids &out, Budget &budget) {
    for (int64_t j = 0; j < b.rows; j++)
        if (!budget.spend() || !grid_hits(a, row_of(b, j), out, budget)) return false;
    return true;
}

bool each_row_of_a(const Grid &a, const Grid &b, Grids &out, Budget &budget) {
    for (int64_t j = 0; j < a.rows; j++) {
        const size_t before = out.size();
        if (!budget.spend() || !line_hits(row_of(a, j), b, out, budget)) return false;
        for (size_t k = before; k < out.size(); k++)
            out[k].base += a.count * j;
    }
    return true;
}

}  // namespace

bool grid_hits(const Grid &a, const Grid &whole_b, Grids &out, Budget &budget) {
    const Grid b = rows_within(whole_b, a.low(), a.high());
    if (b.rows == 0) return true;
    if (a.rows == 1) return line_hits(a, b, out, budget);
    Cut inside;
    const int64_t period = b.rows > 1 ? b.pitch : b.count > 1 ? b.step : 1;
    Grids hits;
    if (cut(a, b.low(), b.high(), inside)) {
        if (a.pitch % period == 0)
            return residue_hits(row_of(a, 0), b, hits, budget) &&
                   push_all(hits, inside, a.count, push_column_hits, out, budget);
        if (a.step % period == 0)
            return residue_hits(line(a.base, a.pitch, a.rows), b, hits, budget) &&
                   push_all(hits, inside, a.count, push_row_hits, out, budget);
    }
    return b.rows > 1 && b.rows <= a.rows ? each_row_of_b(a, b, out, budget)
                                          : each_row_of_a(a, b, out, budget);
}

}  // namespace cmap
