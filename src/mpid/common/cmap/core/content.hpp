// SPDX-License-Identifier: BSD-3-Clause
// The members a map is to have, before it has a representation: canonical pieces as long as they
// are few, a plain array afterwards; or an array or bits of the caller's, borrowed.
#ifndef CMAP_CORE_CONTENT_HPP_INCLUDED
#define CMAP_CORE_CONTENT_HPP_INCLUDED

#include "core/bit_set.hpp"
#include "core/piece_former.hpp"

namespace cmap {

class Content {
  public:
    // False: no memory; then only clear() makes sense.
    bool add(uint32_t index) noexcept;
    bool add(const uint32_t *indices, uint32_t n) noexcept;
    bool add(const Piece &piece) noexcept;
    // REQUIRES an empty content; the array must stay until clear().
    void borrow(const uint32_t *indices, uint32_t n) noexcept;
    // The same with bits: one set, or two in a row.  REQUIRES sets that are not empty, without a
    // common member, and of two the second not wholly above the first: that would be one set.
    void borrow(const BitSet *sets, unsigned n) noexcept;
    // Makes `out`, empty before, the members of ranks first .. end-1; it may borrow from this one.
    bool slice(uint32_t first, uint32_t end, Content &out) const noexcept;
    void clear() noexcept;

    uint32_t size() const noexcept { return size_; }
    // All members as one array, or nullptr.
    const uint32_t *array() const noexcept { return array_; }
    // The sets given as bits: 0, 1 or 2.
    unsigned bit_sets() const noexcept { return bit_sets_; }
    const BitSet &bits(unsigned i) const noexcept { return bits_[i]; }

    // visit(const Piece &) for every canonical piece in order; false stops.
    template <class Visit>
    bool each_piece(Visit &&visit) const noexcept {
        PieceFormer scratch;
        if (array_ != nullptr) return scratch.add(array_, size_, visit) && scratch.flush(visit);
        if (bit_sets_ != 0) return each_interval(scratch, visit) && scratch.flush(visit);
        for (const Piece &piece : pieces_)
            if (!visit(piece)) return false;
        return former_.pending(visit);
    }

    // visit(const Run &) for every canonical run in order; false stops.
    template <class Visit>
    bool each_run(Visit &&visit) const noexcept {
        return each_piece([&](const Piece &piece) {
            for (uint32_t i = 0; i < piece.repeats; i++)
                if (!visit(piece.repeat(i))) return false;
            return true;
        });
    }

    // visit(const uint32_t *members, uint32_t n) block by block; false stops.
    template <class Visit>
    bool each_block(Visit &&visit) const noexcept {
        if (array_ != nullptr) return visit(array_, size_);
        if (bit_sets_ != 0) return each_word(visit);
        uint32_t block[BLOCK], used = 0;
        const bool going = each_run([&](const Run &run) {
            for (uint32_t i = 0; i < run.count;) {
                const uint32_t room = BLOCK - used, left = run.count - i,
                               n = left < room ? left : room;
                for (uint32_t j = 0; j < n; j++)
                    block[used + j] = run.at(i + j);
                used += n, i += n;
                if (used == BLOCK && !visit(static_cast<const uint32_t *>(block), used))
                    return false;
                if (used == BLOCK) used = 0;
            }
            return true;
        });
        return going && (used == 0 || visit(static_cast<const uint32_t *>(block), used));
    }

  private:
    static constexpr uint32_t BLOCK = 256;

    template <class Visit>
    bool each_interval(PieceFormer &former, Visit &visit) const noexcept {
        for (unsigned i = 0; i < bit_sets_; i++) {
            const bool going = bits_[i].each_interval([&](uint32_t first, uint32_t n) {
                return n == 1 ? former.add(first, visit) : former.add(Run{first, 1, n}, visit);
            });
            if (!going) return false;
        }
        return true;
    }

    template <class Visit>
    bool each_word(Visit &visit) const noexcept {
        uint32_t block[BLOCK], used = 0;
        for (unsigned i = 0; i < bit_sets_; i++)
            for (uint32_t w = 0; w < bits_[i].count; w++) {
                used += bits_[i].decode_word(w, block + used);
                if (used <= BLOCK - 64) continue;
                if (!visit(static_cast<const uint32_t *>(block), used)) return false;
                used = 0;
            }
        return used == 0 || visit(static_cast<const uint32_t *>(block), used);
    }

    bool keep(const Piece &piece) noexcept;
    bool poor() const noexcept;
    bool flatten() noexcept;

    uint32_t size_ = 0;
    uint64_t in_pieces_ = 0;           // members in pieces_
    const uint32_t *array_ = nullptr;  // flat_, or the borrowed array, or none
    unsigned bit_sets_ = 0;
    BitSet bits_[2];  // borrowed
    Pieces pieces_;
    PieceFormer former_;
    Buffer<uint32_t> flat_;
};

}  // namespace cmap

#endif  // CMAP_CORE_CONTENT_HPP_INCLUDED
