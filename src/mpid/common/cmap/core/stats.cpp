// SPDX-License-Identifier: BSD-3-Clause
#include "core/stats.hpp"

namespace cmap {
namespace {

uint64_t pair(uint32_t high, uint32_t low) noexcept { return uint64_t{high} << 32 | low; }

bool increases(const Piece &piece) noexcept {
    if (piece.run.count > 1 && piece.run.step <= 0) return false;
    return piece.repeats == 1 || (piece.pitch > 0 && piece.repeat(1).first > piece.run.last());
}

}  // namespace

void StatsPass::feed(const Piece &piece) noexcept {
    const Run &run = piece.run, end = piece.repeat(piece.repeats - 1);
    const uint32_t low = run.low() < end.low() ? run.low() : end.low();
    const uint32_t high = run.high() > end.high() ? run.high() : end.high();
    const bool first = stats_.size == 0;
    if (first || low < stats_.min) stats_.min = low;
    if (first || high > stats_.max) stats_.max = high;
    stats_.is_set = stats_.is_set && (first || run.first > last_) && increases(piece);
    stats_.size += static_cast<uint32_t>(piece.members());
    stats_.runs += piece.repeats;
    ++stats_.pieces;
    stats_.hash = hash_step(stats_.hash, pair(run.first, static_cast<uint32_t>(run.step)));
    stats_.hash = hash_step(stats_.hash, pair(run.count, piece.repeats));
    stats_.hash = hash_step(stats_.hash, static_cast<uint32_t>(piece.pitch));
    last_ = end.last();
    detector_.feed(piece);
}

Stats StatsPass::result() const noexcept {
    Stats stats = stats_;
    stats.affine = detector_.result();
    return stats;
}

Stats stats_of(const Content &content) noexcept {
    StatsPass pass;
    content.each_piece([&](const Piece &piece) {
        pass.feed(piece);
        return true;
    });
    return pass.result();
}

}  // namespace cmap
