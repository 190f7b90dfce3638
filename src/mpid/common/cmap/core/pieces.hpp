// SPDX-License-Identifier: BSD-3-Clause
// Pieces: the currency between the builder, the representations and the algebra.  A map that has
// few pieces is worked on in time of their number, never of its members.
#ifndef CMAP_CORE_PIECES_HPP_INCLUDED
#define CMAP_CORE_PIECES_HPP_INCLUDED

#include "core/buffer.hpp"

namespace cmap {

// first, first + step, ... `count` members in rank order.  A run of one member has step 0 where the
// module makes it.
struct Run {
    uint32_t first;
    int32_t step;
    uint32_t count;

    uint32_t at(uint32_t i) const noexcept { return first + i * static_cast<uint32_t>(step); }
    uint32_t last() const noexcept { return at(count - 1); }
    uint32_t low() const noexcept { return step < 0 ? last() : first; }
    uint32_t high() const noexcept { return step < 0 ? first : last(); }
};

inline bool operator==(const Run &a, const Run &b) noexcept {
    return a.first == b.first && a.step == b.step && a.count == b.count;
}

// REQUIRES a member.
inline bool within(const Run &run, uint32_t universe) noexcept {
    const int64_t last =
        static_cast<int64_t>(run.first) + static_cast<int64_t>(run.step) * (run.count - 1);
    return run.first < universe && last >= 0 && last < universe;
}

// The run, `repeats` times (at least once), shifted by `pitch` each time.
struct Piece {
    Run run;
    uint32_t repeats;
    int32_t pitch;

    Run repeat(uint32_t i) const noexcept {
        return Run{run.first + i * static_cast<uint32_t>(pitch), run.step, run.count};
    }
    uint64_t members() const noexcept { return static_cast<uint64_t>(run.count) * repeats; }
};

inline Piece piece_of(const Run &run) noexcept { return Piece{run, 1, 0}; }

inline bool operator==(const Piece &a, const Piece &b) noexcept {
    return a.run == b.run && a.repeats == b.repeats && a.pitch == b.pitch;
}

// Between the first and the last repeat nothing lies outside of both.  REQUIRES a member.
inline bool within(const Piece &piece, uint32_t universe) noexcept {
    const int64_t across = static_cast<int64_t>(piece.pitch) * (piece.repeats - 1);
    const int64_t first = piece.run.first + across;
    return within(piece.run, universe) && first >= 0 && first < universe &&
           within(Run{static_cast<uint32_t>(first), piece.run.step, piece.run.count}, universe);
}

using Pieces = Buffer<Piece, 4>;  // of regular maps no more

// Appends the map's pieces, in rank order, to `out`.  False when the map needs more than `limit`
// pieces in all, when it has no cheap pieces (lists, bitmaps), or when there is no memory; then
// `out` is as it was.  An empty map has 0 pieces.
bool pieces_of(const cmap_t *map, std::size_t limit, Pieces &out) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_PIECES_HPP_INCLUDED
