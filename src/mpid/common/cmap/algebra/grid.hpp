// SPDX-License-Identifier: BSD-3-Clause
// Two-level progressions with 64-bit parts, on which the group algebra computes in closed form.
#ifndef CMAP_ALGEBRA_GRID_HPP_INCLUDED
#define CMAP_ALGEBRA_GRID_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

#include "core/buffer.hpp"
#include "core/pieces.hpp"

namespace cmap {

// value(i, j) = base + i*step + j*pitch,  0 <= i < count, 0 <= j < rows;  in rank order i runs
// first. Parts have 64 bits because a cut or an inverse may pass through values outside 0 ..
// CMAP_MAX_SIZE.
struct Grid {
    int64_t base, step, count, pitch, rows;

    int64_t at(int64_t i, int64_t j) const { return base + i * step + j * pitch; }
    int64_t members() const { return count * rows; }
    int64_t last() const { return at(count - 1, rows - 1); }
    int64_t low() const { return base + down(step, count) + down(pitch, rows); }
    int64_t high() const { return last() - down(step, count) - down(pitch, rows); }

    static int64_t down(int64_t stride, int64_t n) { return stride < 0 ? stride * (n - 1) : 0; }
};

using Grids = Buffer<Grid, 4>;  // of regular maps no more

inline Grid line(int64_t base, int64_t step, int64_t count) {
    return Grid{base, step, count, 0, 1};
}

inline Grid row_of(const Grid &grid, int64_t j) {
    return line(grid.at(0, j), grid.step, grid.count);
}

Grid grid_of(const Piece &piece);
// REQUIRES every value in 0 .. CMAP_MAX_SIZE-1 and at least one member.
Piece piece_of(const Grid &grid);

// The same values in the same order with as few levels as there can be; strides of levels of one
// are 0 or 1.
Grid flattened(const Grid &grid);
// The same values with both strides positive and rows that do not overlap.  False when the rows
// interleave for good.
bool ascending(const Grid &grid, Grid &out);

// Indices first .. first+count-1 of a line.
struct Span {
    int64_t first, count;
};
// Those i in 0 .. count-1 for which base + i*step lies in low .. high.
Span clip(const Grid &line, int64_t low, int64_t high);
// The i's for which base + i*step is congruent to `residue`, as a line of i's; count 0 when there
// are none.
Grid congruent(const Grid &line, int64_t residue, int64_t modulus);

// A part of a grid: i in first .. first+count-1 of the rows row .. row+rows-1.
struct Box {
    int64_t first, count, row, rows;
};
Grid part_of(const Grid &grid, const Box &box);

// The part of a grid with values in low .. high, as boxes whose rows follow each other.
struct Cut {
    static constexpr int most = 8;
    Box box[most];
    int n;
};
// False when the grid's rows and columns both interleave, so that boxes would not do.
bool cut(const Grid &grid, int64_t low, int64_t high, Cut &out);

int64_t floor_div(int64_t a, int64_t b);  // REQUIRES b > 0
int64_t floor_mod(int64_t a, int64_t b);  // REQUIRES b > 0

// How much work the closed forms may take before counting members is the better way.
class Budget {
  public:
    explicit Budget(size_t units) : left_(units) {}
    bool spend(size_t units = 1) {
        if (units > left_) return false;
        left_ -= units;
        return true;
    }
    size_t left() const { return left_; }

  private:
    size_t left_;
};

}  // namespace cmap

#endif  // CMAP_ALGEBRA_GRID_HPP_INCLUDED
