// SPDX-License-Identifier: BSD-3-Clause
// Members in, canonical pieces out.  The pieces depend on the member sequence alone, not on how it
// was cut into calls: runs are grown greedily (two members fix the step), and equal runs at equal
// distances are grown greedily to pieces. So equal content has equal pieces, whatever built it, and
// its hash can be taken from them.  Only the last run can have a single member.
#ifndef CMAP_CORE_PIECE_FORMER_HPP_INCLUDED
#define CMAP_CORE_PIECE_FORMER_HPP_INCLUDED

#include "core/pieces.hpp"
#include "core/sequence.hpp"

namespace cmap {

// `Sink` is called as bool sink(const Piece &); false stops everything and comes back from the call
// that caused it.
class PieceFormer {
  public:
    template <class Sink>
    bool add(uint32_t index, Sink &&sink) noexcept {
        if (extends(index)) {
            ++open_.count;
            return true;
        }
        if (open_.count == 1) {
            open_.step = distance(open_.first, index);
            open_.count = 2;
            return true;
        }
        const bool going = close(sink);
        open_ = Run{index, 0, 1};
        return going;
    }

    template <class Sink>
    bool add(const uint32_t *indices, uint32_t n, Sink &&sink) noexcept {
        for (uint32_t i = 0; i < n;) {
            if (!add(indices[i++], sink)) return false;
            if (open_.count < LONG) continue;
            const uint32_t more = length_of_run(indices + i, n - i, open_.at(open_.count),
                                                static_cast<uint32_t>(open_.step));
            open_.count += more, i += more;
        }
        return true;
    }

    template <class Sink>
    bool add(const Run &run, Sink &&sink) noexcept {
        if (run.count == 0) return true;
        if (run.count == 1) return add(run.first, sink);
        if (open_.count >= 2 && extends(run.first) && run.step == open_.step) {
            open_.count += run.count;
            return true;
        }
        if (open_.count == 1 && run.step == distance(open_.first, run.first)) {
            open_ = Run{open_.first, run.step, run.count + 1};
            return true;
        }
        if (open_.count == 1 || extends(run.first)) {  // takes the first member and no more
            if (!add(run.first, sink)) return false;
            return add(Run{run.at(1), run.step, run.count - 1}, sink);
        }
        const bool going = close(sink);
        open_ = run;
        return going;
    }

    template <class Sink>
    bool add(const Piece &piece, Sink &&sink) noexcept {
        const Run &run = piece.run;
        if (run.count <= 1)
            return add(Run{run.first, piece.pitch, run.count * piece.repeats}, sink);
        if (piece.repeats > 1 && piece.pitch == static_cast<int64_t>(run.step) * run.count)
            return add(Run{run.first, run.step, run.count * piece.repeats}, sink);
        for (uint32_t i = 0; i < piece.repeats; i++) {
            const Run open = open_;
            const Piece last = last_;
            if (!add(piece.repeat(i), sink)) return false;
            if (only_grew(open, last, piece.pitch)) {
                const uint32_t more = piece.repeats - 1 - i;
                last_.repeats += more;
                open_.first += more * static_cast<uint32_t>(piece.pitch);
                return true;
            }
        }
        return true;
    }

    // Gives out what is still held back.
    template <class Sink>
    bool flush(Sink &&sink) noexcept {
        bool going = close(sink);
        if (going && last_.repeats != 0) going = sink(last_);
        *this = PieceFormer();
        return going;
    }

    // What flush() would give out, oldest first.
    template <class Sink>
    bool pending(Sink &&sink) const noexcept {
        PieceFormer copy = *this;
        return copy.flush(sink);
    }

  private:
    // A run that has so many members is expected to go on.
    static constexpr uint32_t LONG = 8;

    static int32_t distance(uint32_t from, uint32_t to) noexcept {
        return static_cast<int32_t>(to - from);
    }

    bool extends(uint32_t index) const noexcept {
        return open_.count >= 2 && index == open_.at(open_.count);
    }

    bool same_shape(const Run &a, const Run &b) const noexcept {
        return a.step == b.step && a.count == b.count;
    }

    // The open run is complete: into the last piece with it, or a new piece.
    template <class Sink>
    bool close(Sink &&sink) noexcept {
        if (open_.count == 0) return true;
        if (last_.repeats != 0 && same_shape(last_.run, open_)) {
            if (last_.repeats == 1) last_.pitch = distance(last_.run.first, open_.first);
            if (last_.repeat(last_.repeats).first == open_.first) {
                ++last_.repeats;
                open_ = Run{0, 0, 0};
                return true;
            }
        }
        const bool going = last_.repeats == 0 || sink(last_);
        last_ = piece_of(open_);
        open_ = Run{0, 0, 0};
        return going;
    }

    // Since then everything has moved on by one repeat of the last piece, and so it will with each
    // further repeat: what happens depends on distances alone.  The runs need not be those of the
    // repeats: after a lone member, pairs are cut one member off.
    bool only_grew(const Run &open, const Piece &last, int32_t pitch) const noexcept {
        const Run moved{open.first + static_cast<uint32_t>(pitch), open.step, open.count};
        return last.repeats >= 2 && last.pitch == pitch && open_ == moved &&
               last_.run == last.run && last_.pitch == pitch && last_.repeats == last.repeats + 1;
    }

    Run open_{0, 0, 0};            // count 0: none
    Piece last_{{0, 0, 0}, 0, 0};  // repeats 0: none
};

}  // namespace cmap

#endif  // CMAP_CORE_PIECE_FORMER_HPP_INCLUDED
