// SPDX-License-Identifier: BSD-3-Clause
#include "core/stats.hpp"

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

uint64_t pair(uint32_t high, uint32_t low) noexcept { return uint64_t{high} << 32 | low; }

bool increases(const Piece &piece) noexcept {
    if (piece.run.count > 1 && piece.run.step <= 0) return false;
    return piece.repeats == 1 || (piece.pitch > 0 && piece.repeat(1).first > piece.run.last());
}

uint64_t hash_piece(uint64_t hash, const Piece &piece) noexcept {
    const Run &run = piece.run;
    hash = hash_step(hash, pair(run.first, static_cast<uint32_t>(run.step)));
    hash = hash_step(hash, pair(run.count, piece.repeats));
    return hash_step(hash, static_cast<uint32_t>(piece.pitch));
}

// What the sums tell of one set, or of two in a row.
void describe_sets(const SetSums *sets, Stats &stats) noexcept {
    const SetSums &a = sets[0], &b = sets[1];
    stats.size = a.size() + b.size();
    stats.is_set = b.size() == 0;
    stats.border = stats.is_set ? 0 : a.size();
    stats.ascents = stats.size == 0 ? 0 : stats.is_set ? 1 : 2;
    stats.min = b.min() < a.min() ? b.min() : a.min();
    stats.max = stats.is_set || a.max() > b.max() ? a.max() : b.max();
    stats.largest_gap = stats.is_set ? a.largest_gap() : 0;
    stats.hash = stats.is_set ? a.hash() : hash_step(a.hash(), b.hash());
}

bool sums_of_array(const uint32_t *members, uint32_t n, SetSums *sets) noexcept {
    const uint32_t first = sets[0].add_increasing(members, n);
    return first + sets[1].add_increasing(members + first, n - first) == n;
}

// False: neither one set nor two, or only the pieces can tell.
bool sums_of(const Content &content, SetSums *sets) noexcept {
    if (content.array() != nullptr) return sums_of_array(content.array(), content.size(), sets);
    for (unsigned i = 0; i < content.bit_sets(); i++)
        sets[i].add(content.bits(i));
    return content.bit_sets() != 0;
}

}  // namespace

bool ShapePass::settled() const noexcept { return runs_ > RUNS_LIMIT && detector_.failed(); }

void ShapePass::result(Stats &stats) const noexcept {
    stats.runs = runs_;
    stats.affine = detector_.result();
}

// Pieces of an array that nobody has checked may wrap through 2^32: their ends say nothing then.
void StatsPass::feed(const Piece &piece) noexcept {
    outside_ = outside_ || !within(piece, CMAP_MAX_SIZE);
    const Run &run = piece.run, end = piece.repeat(piece.repeats - 1);
    const uint32_t low = run.low() < end.low() ? run.low() : end.low();
    const uint32_t high = run.high() > end.high() ? run.high() : end.high();
    const bool first = stats_.size == 0;
    if (first || low < stats_.min) stats_.min = low;
    if (first || high > stats_.max) stats_.max = high;
    stats_.size += static_cast<uint32_t>(piece.members());
    stats_.hash = hash_piece(stats_.hash, piece);
    shape_.feed(piece);
    falls_.feed(piece);
    if (set_ < 2) feed_sets(piece);
}

// A piece that does not increase has one place where it falls, or more than one.
void StatsPass::feed_sets(const Piece &piece) noexcept {
    const Run &run = piece.run;
    if (increases(piece)) return feed_increasing(piece);
    if (piece.repeats == 1 && run.count == 2) {
        feed_increasing(piece_of(Run{run.first, 0, 1}));
        feed_increasing(piece_of(Run{run.last(), 0, 1}));
    } else if (piece.repeats == 2 && (run.count == 1 || run.step > 0)) {
        feed_increasing(piece_of(run));
        feed_increasing(piece_of(piece.repeat(1)));
    } else {
        set_ = 2;
    }
}

void StatsPass::feed_increasing(const Piece &piece) noexcept {
    if (set_ == 2) return;
    const SetSums &open = sets_[set_];
    if (open.size() != 0 && piece.run.first <= open.max()) ++set_;
    if (set_ < 2) sets_[set_].add(piece);
}

Stats StatsPass::result() const noexcept {
    Stats stats = stats_;
    stats.is_set = false;
    stats.ascents = stats_.size == 0 ? 0 : falls_.falls() + 1;
    if (set_ < 2) describe_sets(sets_, stats);
    shape_.result(stats);
    if (outside_) stats.max = CMAP_NONE;
    return stats;
}

Stats stats_of(const Content &content) noexcept {
    SetSums sets[2];
    if (!sums_of(content, sets)) {
        StatsPass pass;
        content.each_piece([&](const Piece &piece) {
            pass.feed(piece);
            return true;
        });
        return pass.result();
    }
    ShapePass shape;
    content.each_piece([&](const Piece &piece) {
        shape.feed(piece);
        return !shape.settled();
    });
    Stats stats;
    describe_sets(sets, stats);
    shape.result(stats);
    return stats;
}

Stats key_stats_of(const Run &run) noexcept {
    Stats stats;
    SetSums sets[2];
    const Piece piece = piece_of(run);
    if (increases(piece)) {
        sets[0].add(piece);
        describe_sets(sets, stats);
    } else if (run.count == 2) {
        sets[0].add(piece_of(Run{run.first, 0, 1}));
        sets[1].add(piece_of(Run{run.last(), 0, 1}));
        describe_sets(sets, stats);
    } else {
        stats.size = run.count;
        stats.min = run.low();
        stats.max = run.high();
        stats.hash = hash_piece(0, piece);
    }
    return stats;
}

}  // namespace cmap
