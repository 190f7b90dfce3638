// SPDX-License-Identifier: BSD-3-Clause
// Members by rank, piece by piece: how compositions, inclusions and slices come out in closed form.
#include "algebra/ranks.hpp"

#include <algorithm>

#include "core/bisection.hpp"

namespace cmap {

namespace {

// Members of one grid along a line of its ranks: a partial row, full rows, a partial row, or as
// many rows as it takes.
bool pick_line(const Grid &a, const Grid &ranks, Grids &out, Budget &budget) {
    const int64_t width = a.count, step = ranks.step;
    if (a.rows == 1)
        return out.push(line(a.base + ranks.base * a.step, step * a.step, ranks.count));
    int64_t rank = ranks.base, left = ranks.count;
    if (step % width == 0)
        return out.push(line(a.at(rank % width, rank / width), step / width * a.pitch, left));
    if (step < 0) {
        const Grid reversed{a.last(), -a.step, a.count, -a.pitch, a.rows};
        return pick_line(reversed, line(a.members() - 1 - rank, -step, left), out, budget);
    }
    while (left > 0) {
        const int64_t column = rank % width, take = std::min(left, (width - 1 - column) / step + 1);
        // Where the step divides the width, every further row is met in the same columns.
        const int64_t rows =
            width % step == 0 && column < step ? std::max<int64_t>(1, left / take) : 1;
        const Grid picked{a.at(column, rank / width), step * a.step, take, a.pitch, rows};
        if (!budget.spend() || !out.push(flattened(picked))) return false;
        rank += take * rows * step;
        left -= take * rows;
    }
    return true;
}

bool within_row(const Grid &ranks, int64_t width) {
    const int64_t last = ranks.at(ranks.count - 1, 0);
    return ranks.base / width == last / width;
}

// Rows of `ranks` from the first one on that lie in the same row of a grid `width` wide.
int64_t rows_in_row(const Grid &ranks, int64_t width) {
    const int64_t row = ranks.base / width * width;
    const int64_t under = Grid::down(ranks.step, ranks.count),
                  over = (ranks.count - 1) * ranks.step - under;
    return clip(line(ranks.base, ranks.pitch, ranks.rows), row - under, row + width - 1 - over)
        .count;
}

bool pick_rows(const Grid &a, const Grid &ranks, Grids &out, Budget &budget) {
    for (int64_t j = 0; j < ranks.rows;) {
        Grid rest = ranks;
        rest.base = ranks.at(0, j);
        rest.rows =
            within_row(rest, a.count)
                ? rows_in_row({rest.base, rest.step, rest.count, rest.pitch, ranks.rows - j},
                              a.count)
                : 1;
        const Grid picked{a.at(rest.base % a.count, rest.base / a.count), rest.step * a.step,
                          rest.count, rest.pitch * a.step, rest.rows};
        if (!budget.spend()) return false;
        if (within_row(rest, a.count) ? !out.push(flattened(picked))
                                      : !pick_line(a, row_of(rest, 0), out, budget))
            return false;
        j += rest.rows;
    }
    return true;
}

// Members of one grid at a grid of its ranks.
bool pick_block(const Grid &a, const Grid &ranks, Grids &out, Budget &budget) {
    if (ranks.rows == 1) return pick_line(a, ranks, out, budget);
    const int64_t width = a.count, column = ranks.base % width, row = ranks.base / width;
    Grid picked{a.base + ranks.base * a.step, ranks.step * a.step, ranks.count,
                ranks.pitch * a.step, ranks.rows};
    if (a.rows == 1) return out.push(flattened(picked));
    picked.base = a.at(column, row);
    const int64_t last_column = column + (ranks.rows - 1) * ranks.pitch;
    const bool whole_rows = ranks.pitch % width == 0, down = ranks.step % width == 0;
    if (down) picked.step = ranks.step / width * a.pitch;
    if (whole_rows) picked.pitch = ranks.pitch / width * a.pitch;
    const bool closed = (whole_rows && (down || within_row(ranks, width))) ||
                        (down && last_column >= 0 && last_column < width);
    return closed ? out.push(flattened(picked)) : pick_rows(a, ranks, out, budget);
}

}  // namespace

bool Sequence::append(const Grid &grid) {
    if (!starts_.push(size_) || !grids_.push(grid)) return false;
    size_ += grid.members();
    return true;
}

bool Sequence::load(const cmap_t *map, size_t limit) {
    Pieces pieces;
    if (!pieces_of(map, limit, pieces)) return false;
    for (const Piece &piece : pieces)
        if (!append(grid_of(piece))) return false;
    return true;
}

size_t Sequence::piece_with(int64_t rank) const {
    const int64_t *const first = starts_.begin();
    const auto begun = [=](const int64_t *start) { return *start <= rank; };
    return size_t(bisect(first, uint32_t(starts_.size()), begun) - first);
}

bool Sequence::pick_run(const Grid &ranks, Grids &out, Budget &budget) const {
    for (int64_t i = 0; i < ranks.count;) {
        const int64_t rank = ranks.at(i, 0);
        const size_t k = piece_with(rank);
        const Grid rest = line(rank - starts_[k], ranks.step, ranks.count - i);
        const Grid here = line(rest.base, rest.step, clip(rest, 0, grids_[k].members() - 1).count);
        if (!budget.spend() || !pick_line(grids_[k], here, out, budget)) return false;
        i += here.count;
    }
    return true;
}

bool Sequence::pick_grid(const Grid &ranks, Grids &out, Budget &budget) const {
    const int64_t under = Grid::down(ranks.step, ranks.count),
                  over = (ranks.count - 1) * ranks.step - under;
    for (int64_t j = 0; j < ranks.rows;) {
        const size_t k = piece_with(ranks.at(0, j));
        Grid here{ranks.at(0, j) - starts_[k], ranks.step, ranks.count, ranks.pitch,
                  ranks.rows - j};
        const Span rows =
            clip(line(here.base, here.pitch, here.rows), -under, grids_[k].members() - 1 - over);
        const bool inside = rows.count > 0 && rows.first == 0;
        here.rows = inside ? rows.count : 1;
        if (!budget.spend()) return false;
        if (inside ? !pick_block(grids_[k], here, out, budget)
                   : !pick_run(row_of(ranks, j), out, budget))
            return false;
        j += here.rows;
    }
    return true;
}

bool Sequence::pick(const Grids &ranks, Grids &out, Budget &budget) const {
    for (const Grid &grid : ranks)
        if (grid.rows == 1 ? !pick_run(grid, out, budget) : !pick_grid(grid, out, budget))
            return false;
    return true;
}

}  // namespace cmap
