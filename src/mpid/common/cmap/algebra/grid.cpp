// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/grid.hpp"

#include <algorithm>
#include <cassert>

namespace cmap {

namespace {

int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

// gcd(a, m) for a in 0 .. m-1, and x with a*x == gcd modulo m.
int64_t gcd_inverse(int64_t a, int64_t m, int64_t &x) {
    int64_t r0 = m, r1 = a, x0 = 0, x1 = 1;
    while (r1 != 0) {
        const int64_t q = r0 / r1;
        const int64_t r2 = r0 - q * r1, x2 = x0 - q * x1;
        r0 = r1, r1 = r2;
        x0 = x1, x1 = x2;
    }
    x = x0;
    return r0;
}

bool rows_apart(const Grid &grid) {
    return (grid.count - 1) * magnitude(grid.step) < magnitude(grid.pitch);
}

bool columns_apart(const Grid &grid) {
    return (grid.rows - 1) * magnitude(grid.pitch) < magnitude(grid.step);
}

// Rows at which the interval of i's inside low .. high may change.
struct Breaks {
    int64_t at[Cut::most];
    int n = 0;
    void add(int64_t row) { at[n++] = row; }
};

void row_breaks(const Grid &grid, int64_t low, int64_t high, Breaks &breaks) {
    const int64_t under = Grid::down(grid.step, grid.count);
    const int64_t over = (grid.count - 1) * grid.step - under;
    const Grid starts = line(grid.base, grid.pitch, grid.rows);
    const Span touched = clip(starts, low - over, high - under);
    const Span full = clip(starts, low - under, high - over);
    breaks.add(touched.first);
    if (full.count > 0) {
        breaks.add(full.first);
        breaks.add(full.first + full.count);
    } else if (touched.count > 1) {
        breaks.add(touched.first + 1);
    }
    breaks.add(touched.first + touched.count);
}

void column_breaks(const Grid &grid, int64_t low, int64_t high, Breaks &breaks) {
    const int64_t under = Grid::down(grid.pitch, grid.rows);
    const int64_t over = (grid.rows - 1) * grid.pitch - under;
    const Grid tops = line(grid.base, grid.step, grid.count);
    const Span touched = clip(tops, low - over, high - under);
    breaks.add(0);
    // Columns do not overlap, so only the outermost two can be there in part.
    for (int64_t i : {touched.first, touched.first + touched.count - 1}) {
        const Span rows = clip(line(grid.at(i, 0), grid.pitch, grid.rows), low, high);
        breaks.add(rows.first);
        breaks.add(rows.first + rows.count);
    }
    breaks.add(grid.rows);
    std::sort(breaks.at, breaks.at + breaks.n);
}

}  // namespace

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int64_t floor_mod(int64_t a, int64_t b) {
    const int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

Grid grid_of(const Piece &piece) {
    return flattened(
        Grid{piece.run.first, piece.run.step, piece.run.count, piece.pitch, piece.repeats});
}

Piece piece_of(const Grid &grid) {
    assert(grid.count > 0 && grid.rows > 0 && grid.low() >= 0 && grid.high() < CMAP_MAX_SIZE);
    const Grid flat = flattened(grid);
    Piece piece;
    piece.run.first = uint32_t(flat.base);
    piece.run.step = flat.count > 1 ? int32_t(flat.step) : 0;
    piece.run.count = uint32_t(flat.count);
    piece.repeats = uint32_t(flat.rows);
    piece.pitch = int32_t(flat.pitch);
    return piece;
}

Grid flattened(const Grid &grid) {
    Grid flat = grid;
    if (flat.count == 1) {
        flat.step = flat.pitch;
        flat.count = flat.rows;
        flat.rows = 1;
    }
    if (flat.rows > 1 && flat.pitch == flat.count * flat.step) {
        flat.count *= flat.rows;
        flat.rows = 1;
    }
    if (flat.rows == 1) flat.pitch = 0;
    if (flat.count == 1) flat.step = 1;
    return flat;
}

bool ascending(const Grid &grid, Grid &out) {
    out = flattened(grid);
    const int64_t lowest = out.low();
    out.step = magnitude(out.step);
    out.pitch = magnitude(out.pitch);
    out.base = lowest;
    if (out.rows > 1 && out.step > out.pitch) {
        std::swap(out.step, out.pitch);
        std::swap(out.count, out.rows);
    }
    if (out.rows > 1 && !rows_apart(out)) return false;
    out = flattened(out);
    return true;
}

Span clip(const Grid &line, int64_t low, int64_t high) {
    if (line.step == 0) return Span{0, line.base >= low && line.base <= high ? line.count : 0};
    const int64_t stride = magnitude(line.step);
    // Distances walked from the base, in the direction of the step, to enter and to leave the
    // interval.
    const int64_t enter = line.step > 0 ? low - line.base : line.base - high;
    const int64_t leave = line.step > 0 ? high - line.base : line.base - low;
    if (enter <= 0 && leave >= (line.count - 1) * stride) return Span{0, line.count};
    const int64_t first = std::max<int64_t>(0, -floor_div(-enter, stride));
    const int64_t end = std::min(line.count, floor_div(leave, stride) + 1);
    return first < end ? Span{first, end - first} : Span{0, 0};
}

Grid congruent(const Grid &all, int64_t residue, int64_t modulus) {
    if (modulus == 1) return line(0, 1, all.count);
    int64_t inverse;
    const int64_t gap = floor_mod(residue - all.base, modulus);
    const int64_t common = gcd_inverse(floor_mod(all.step, modulus), modulus, inverse);
    if (gap % common != 0) return line(0, 1, 0);
    const int64_t period = modulus / common;
    const int64_t first = gap / common * floor_mod(inverse, period) % period;
    return line(first, period, first < all.count ? (all.count - 1 - first) / period + 1 : 0);
}

Grid part_of(const Grid &grid, const Box &box) {
    return Grid{grid.at(box.first, box.row), grid.step, box.count, grid.pitch, box.rows};
}

bool cut(const Grid &grid, int64_t low, int64_t high, Cut &out) {
    out.n = 0;
    if (grid.low() > high || grid.high() < low) return true;
    if (grid.low() >= low && grid.high() <= high) {
        out.box[out.n++] = Box{0, grid.count, 0, grid.rows};
        return true;
    }
    Breaks breaks;
    if (grid.rows == 1) {
        breaks.add(0);
        breaks.add(1);
    } else if (rows_apart(grid)) {
        row_breaks(grid, low, high, breaks);
    } else if (columns_apart(grid)) {
        column_breaks(grid, low, high, breaks);
    } else {
        return false;
    }
    for (int k = 0; k + 1 < breaks.n; k++) {
        const int64_t row = breaks.at[k], rows = breaks.at[k + 1] - row;
        const Span span = rows > 0 ? clip(row_of(grid, row), low, high) : Span{0, 0};
        if (span.count > 0) out.box[out.n++] = Box{span.first, span.count, row, rows};
    }
    return true;
}

}  // namespace cmap
