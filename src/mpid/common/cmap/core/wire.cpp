// SPDX-License-Identifier: BSD-3-Clause
// A map as words for other processes: its canonical pieces, and the members themselves where those
// are shorter.  A head (cmap_wire.h) with the format and the number of words behind it, then items:
//
//   0, first, step, count, repeats, pitch     a piece
//   n, member 0, ... member n-1               n members, n > 0
//
// A piece has more members than an item of its kind has words, so m members take at most m + 1
// words behind the head: the one is the head of a list.  The words are little-endian.
#include <algorithm>

#include "cmap_wire.h"
#include "core/builder.hpp"
#include "core/map.hpp"

namespace cmap {
namespace {

constexpr uint32_t PIECE_WORDS = 6;
constexpr uint32_t HEAD = CMAP_WIRE_HEAD;

class Writer {
  public:
    Writer(uint32_t *words, uint32_t room) noexcept : words_(words), room_(room) {}

    // Members that may follow, whatever they are: what the former holds back is two pieces at most.
    uint32_t takes() const noexcept {
        const uint32_t held = 2 * PIECE_WORDS + 2;
        return used_ + held < room_ ? room_ - used_ - held : 0;
    }

    void add(const uint32_t *members, uint32_t n) noexcept {
        former_.add(members, n, [this](const Piece &piece) { return put(piece); });
    }

    bool add(const Pieces &pieces) noexcept {
        for (const Piece &piece : pieces) {
            if (used_ + piece_words(piece) > room_) return false;
            put(piece);
        }
        return true;
    }

    uint32_t finish() noexcept {
        former_.flush([this](const Piece &piece) { return put(piece); });
        if (used_ == HEAD) return 0;
        for (uint32_t i = HEAD; i < used_; i++)
            words_[i] = MPIR_cmap_wire_order(words_[i]);
        MPIR_cmap_wire_head(words_, used_ - HEAD);
        return used_;
    }

  private:
    static bool is_short(const Piece &piece) noexcept { return piece.members() <= PIECE_WORDS; }

    static uint32_t piece_words(const Piece &piece) noexcept {
        return is_short(piece) ? static_cast<uint32_t>(piece.members()) + 1 : PIECE_WORDS;
    }

    bool put(const Piece &piece) noexcept {
        if (is_short(piece)) return put_members(piece);
        const uint32_t item[PIECE_WORDS] = {0,
                                            piece.run.first,
                                            static_cast<uint32_t>(piece.run.step),
                                            piece.run.count,
                                            piece.repeats,
                                            static_cast<uint32_t>(piece.pitch)};
        std::copy(item, item + PIECE_WORDS, words_ + used_);
        used_ += PIECE_WORDS;
        list_ = nullptr;
        return true;
    }

    bool put_members(const Piece &piece) noexcept {
        if (list_ == nullptr) {
            list_ = &words_[used_++];
            *list_ = 0;
        }
        for (uint32_t i = 0; i < piece.repeats; i++)
            for (uint32_t j = 0; j < piece.run.count; j++, ++*list_)
                words_[used_++] = piece.repeat(i).at(j);
        return true;
    }

    uint32_t *words_;
    uint32_t room_, used_ = HEAD;
    uint32_t *list_ = nullptr;  // the head of the list that goes on
    PieceFormer former_;
};

// All of a map that has few pieces, without a look at its members.
uint32_t write_pieces(const cmap_t *map, uint32_t *words, uint32_t room) noexcept {
    Pieces pieces;
    Writer writer(words, room);
    if (!pieces_of(map, room / 2, pieces) || !writer.add(pieces)) return 0;
    return writer.finish();
}

uint32_t write_members(const cmap_t *map, uint32_t first, uint32_t *words, uint32_t room,
                       uint32_t *next) noexcept {
    constexpr uint32_t BLOCK = 512;
    uint32_t block[BLOCK];
    Writer writer(words, room);
    for (*next = first; *next < map->size;) {
        const uint32_t n = std::min({BLOCK, map->size - *next, writer.takes()});
        if (n == 0) break;
        decode(map, *next, n, block);
        writer.add(block, n);
        *next += n;
    }
    return writer.finish();
}

Piece piece_of_item(const uint32_t *item) noexcept {
    uint32_t word[PIECE_WORDS];
    std::transform(item, item + PIECE_WORDS, word, MPIR_cmap_wire_order);
    const Run run{word[1], static_cast<int32_t>(word[2]), word[3]};
    return Piece{run, word[4], static_cast<int32_t>(word[5])};
}

// As many at a time as a copy in this machine's order has room for.
template <class TakeMembers>
cmap_status read_members(const uint32_t *words, uint32_t n, TakeMembers take) noexcept {
    constexpr uint32_t BLOCK = 256;
    uint32_t block[BLOCK];
    for (uint32_t at = 0; at < n; at += BLOCK) {
        const uint32_t count = std::min(BLOCK, n - at);
        std::transform(words + at, words + at + count, block, MPIR_cmap_wire_order);
        CMAP_TRY(take(block, count));
    }
    return CMAP_OK;
}

// Item after item, until one is refused.
template <class TakePiece, class TakeMembers>
cmap_status read_items(const uint32_t *words, uint32_t n, TakePiece take_piece,
                       TakeMembers take_members) noexcept {
    if (n == 0) return CMAP_OK;
    if (!MPIR_cmap_wire_has_head(words, n)) return CMAP_ERR_ARG;
    for (uint32_t at = HEAD; at < n;) {
        const uint32_t first = MPIR_cmap_wire_order(words[at]);
        const bool is_piece = first == 0;
        const uint32_t length = is_piece ? PIECE_WORDS - 1 : first;
        if (length >= n - at) return CMAP_ERR_ARG;
        if (is_piece) {
            const Piece piece = piece_of_item(words + at);
            if (piece.members() == 0) return CMAP_ERR_ARG;
            CMAP_TRY(take_piece(piece));
        } else {
            CMAP_TRY(read_members(words + at + 1, length, take_members));
        }
        at += 1 + length;
    }
    return CMAP_OK;
}

}  // namespace

cmap_status Builder::add_words(const uint32_t *words, uint32_t n) noexcept {
    return read_items(
        words, n, [this](const Piece &piece) { return add_piece(piece); },
        [this](const uint32_t *members, uint32_t count) { return add_block(members, count); });
}

}  // namespace cmap

uint32_t MPIR_cmap_to_words(const cmap_t *map, uint32_t first, uint32_t *words, uint32_t room,
                            uint32_t *next) noexcept {
    const uint32_t used = first == 0 ? cmap::write_pieces(map, words, room) : 0;
    *next = map->size;
    return used != 0 ? used : cmap::write_members(map, first, words, room, next);
}

uint32_t MPIR_cmap_find_in_words(const cmap_t *map, const uint32_t *words, uint32_t n) noexcept {
    uint32_t found = CMAP_NONE;
    // CMAP_ERR_DUPLICATE, to go no further, when it is there
    const auto look_for = [&](uint32_t member) {
        if (MPIR_cmap_rank(map, member) == CMAP_NONE) return CMAP_OK;
        found = member;
        return CMAP_ERR_DUPLICATE;
    };
    const auto in_piece = [&](const cmap::Piece &piece) {
        if (piece.members() > CMAP_MAX_SIZE || !cmap::within(piece, CMAP_MAX_SIZE))
            return CMAP_ERR_RANGE;
        for (uint32_t i = 0; i < piece.repeats; i++)
            for (uint32_t j = 0; j < piece.run.count; j++)
                CMAP_TRY(look_for(piece.repeat(i).at(j)));
        return CMAP_OK;
    };
    const auto in_members = [&](const uint32_t *members, uint32_t count) {
        for (uint32_t i = 0; i < count; i++)
            CMAP_TRY(look_for(members[i]));
        return CMAP_OK;
    };
    cmap::read_items(words, n, in_piece, in_members);
    return found;
}
