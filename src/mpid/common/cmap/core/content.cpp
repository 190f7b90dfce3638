// SPDX-License-Identifier: BSD-3-Clause
#include "core/content.hpp"

#include "cmap_tuning.hpp"

namespace cmap {
namespace {

uint32_t ones_in(const BitSet &set) noexcept {
    uint32_t ones = 0;
    for (uint32_t w = 0; w < set.count; w++)
        ones += static_cast<uint32_t>(__builtin_popcountll(set.words[w]));
    return ones;
}

}  // namespace

bool Content::keep(const Piece &piece) noexcept {
    in_pieces_ += piece.members();
    return pieces_.push(piece);
}

bool Content::add(uint32_t index) noexcept { return add(piece_of(Run{index, 0, 1})); }

bool Content::add(const uint32_t *indices, uint32_t n) noexcept {
    uint32_t i = 0;
    const auto sink = [this](const Piece &piece) { return keep(piece); };
    while (array_ == nullptr && i < n) {  // by portions, so that poor pieces are noticed early
        const uint32_t portion = n - i < POOR_PIECES ? n - i : POOR_PIECES;
        if (!former_.add(indices + i, portion, sink)) return false;
        i += portion, size_ += portion;
        if (poor() && !flatten()) return false;
    }
    if (i == n) return true;
    if (!flat_.append(indices + i, n - i)) return false;
    array_ = flat_.data();
    size_ += n - i;
    return true;
}

bool Content::add(const Piece &piece) noexcept {
    if (array_ == nullptr) {
        size_ += static_cast<uint32_t>(piece.members());
        if (!former_.add(piece, [this](const Piece &p) { return keep(p); })) return false;
        return !poor() || flatten();
    }
    const std::size_t before = flat_.size();
    const std::size_t room = before + piece.members();
    if (flat_.bytes() < room * sizeof(uint32_t) && !flat_.reserve(room + room / 2)) return false;
    if (!flat_.resize(room)) return false;
    uint32_t *out = flat_.data() + before;
    for (uint32_t i = 0; i < piece.repeats; i++)
        for (uint32_t j = 0; j < piece.run.count; j++)
            *out++ = piece.repeat(i).at(j);
    array_ = flat_.data();
    size_ = static_cast<uint32_t>(room);
    return true;
}

bool Content::poor() const noexcept {
    return pieces_.size() >= POOR_PIECES && in_pieces_ < pieces_.size() * POOR_MEMBERS_PER_PIECE;
}

bool Content::flatten() noexcept {
    Buffer<uint32_t> flat;
    if (!flat.reserve(size_ + size_ / 2)) return false;
    each_block([&](const uint32_t *members, uint32_t n) { return flat.append(members, n); });
    flat_.swap(flat);
    array_ = flat_.data();
    pieces_.free();
    former_ = PieceFormer();
    return true;
}

void Content::borrow(const uint32_t *indices, uint32_t n) noexcept {
    if (n != 0) array_ = indices;
    size_ = n;
}

void Content::borrow(const BitSet *sets, unsigned n) noexcept {
    for (bit_sets_ = 0; bit_sets_ < n; bit_sets_++)
        bits_[bit_sets_] = sets[bit_sets_];
    size_ = ones_in(bits_[0]) + ones_in(bits_[1]);
}

bool Content::slice(uint32_t first, uint32_t end, Content &out) const noexcept {
    if (array_ != nullptr) {
        out.borrow(array_ + first, end - first);
        return true;
    }
    const uint32_t split = bit_sets_ == 2 ? ones_in(bits_[0]) : 0;
    if (split != 0 && (first == 0 ? end == split : first == split && end == size_)) {
        out.borrow(&bits_[first == split], 1);
        return true;
    }
    uint32_t rank = 0;
    const auto copy = [&](const Run &run) {
        const uint32_t from = rank > first ? rank : first;
        const uint32_t to = end - rank < run.count ? end : rank + run.count;
        const bool some = from < to;
        rank += run.count;
        if (some && !out.add(piece_of(Run{run.at(run.count - (rank - from)), run.step, to - from})))
            return false;
        return rank < end;
    };
    each_run(copy);
    return out.size() == end - first;
}

void Content::clear() noexcept {
    size_ = 0;
    bit_sets_ = 0;
    in_pieces_ = 0;
    array_ = nullptr;
    pieces_.free();
    former_ = PieceFormer();
    flat_.free();
}

}  // namespace cmap
