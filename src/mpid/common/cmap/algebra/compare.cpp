// SPDX-License-Identifier: BSD-3-Clause
// Equal, similar, different.  Maps of one policy are interned: only maps of different policies need
// a look inside to be found equal.
#include <algorithm>

#include "algebra/subset.hpp"

namespace cmap {
namespace {

enum class Answer { no, yes, unknown };

// A position in a sequence, run by run.
class Cursor {
  public:
    explicit Cursor(const Sequence &all) noexcept : all_(all) {}

    bool at_row_start() const noexcept { return column_ == 0; }
    const Grid &grid() const noexcept { return all_[piece_]; }
    int64_t rows_left() const noexcept { return grid().rows - row_; }
    int64_t run_left() const noexcept { return grid().count - column_; }
    int64_t value() const noexcept { return grid().at(column_, row_); }
    bool done() const noexcept { return piece_ == all_.pieces(); }

    void skip(int64_t members) noexcept {
        column_ += members;
        if (column_ == grid().count) skip_rows(1);
    }
    void skip_rows(int64_t rows) noexcept {
        column_ = 0;
        row_ += rows;
        if (row_ == grid().rows) piece_++, row_ = 0;
    }

  private:
    const Sequence &all_;
    size_t piece_ = 0;
    int64_t row_ = 0, column_ = 0;
};

bool same_rows(const Cursor &a, const Cursor &b) noexcept {
    const Grid &p = a.grid(), &q = b.grid();
    return a.at_row_start() && b.at_row_start() && p.count == q.count && p.step == q.step &&
           p.pitch == q.pitch;
}

// The same members in the same order?  REQUIRES equal sizes.
Answer equal_pieces(const Sequence &p, const Sequence &q, Budget &budget) noexcept {
    Cursor a(p), b(q);
    while (!a.done()) {
        if (!budget.spend()) return Answer::unknown;
        if (a.value() != b.value()) return Answer::no;
        if (same_rows(a, b)) {
            const int64_t rows = std::min(a.rows_left(), b.rows_left());
            a.skip_rows(rows), b.skip_rows(rows);
            continue;
        }
        int64_t run = std::min(a.run_left(), b.run_left());
        // With different steps only the first of the run is known to agree.
        if (run > 1 && a.grid().step != b.grid().step) return Answer::no;
        a.skip(run), b.skip(run);
    }
    return Answer::yes;
}

bool equal_members(const cmap_t *a, const cmap_t *b) noexcept {
    uint32_t left[ALGEBRA_BLOCK], right[ALGEBRA_BLOCK];
    for (uint32_t first = 0, n; first < a->size; first += n) {
        n = std::min(a->size - first, ALGEBRA_BLOCK);
        decode(a, first, n, left);
        decode(b, first, n, right);
        if (!std::equal(left, left + n, right)) return false;
    }
    return true;
}

bool equal(const cmap_t *a, const cmap_t *b) noexcept {
    const size_t limit = piece_limit(a->size);
    Sequence p, q;
    if (p.load(a, limit) && q.load(b, limit)) {
        Budget budget = budget_for(a->size);
        const Answer answer = equal_pieces(p, q, budget);
        if (answer != Answer::unknown) return answer == Answer::yes;
    }
    return equal_members(a, b);
}

cmap_order order_of(const cmap_t *a, const cmap_t *b) noexcept {
    if (a == b) return CMAP_EQUAL;
    if (a->size != b->size || a->min != b->min || a->max != b->max) return CMAP_DIFFERENT;
    if (is_set(a) == is_set(b) && equal(a, b)) return CMAP_EQUAL;
    // Two sets with the same members are equal; maps of one size are similar when one holds the
    // other.
    if (is_set(a) && is_set(b)) return CMAP_DIFFERENT;
    return first_missing(a, b) == a->size ? CMAP_SIMILAR : CMAP_DIFFERENT;
}

}  // namespace
}  // namespace cmap

cmap_status MPIR_cmap_compare(const cmap_t *a, const cmap_t *b, cmap_order *out) noexcept {
    if (a == nullptr || b == nullptr || out == nullptr) return CMAP_ERR_ARG;
    *out = cmap::order_of(a, b);
    return CMAP_OK;
}
