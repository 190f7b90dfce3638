// SPDX-License-Identifier: BSD-3-Clause
#include "core/content.hpp"

#include "cmap_tuning.hpp"

namespace cmap {

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

void Content::clear() noexcept {
    size_ = 0;
    in_pieces_ = 0;
    array_ = nullptr;
    pieces_.free();
    former_ = PieceFormer();
    flat_.free();
}

}  // namespace cmap
