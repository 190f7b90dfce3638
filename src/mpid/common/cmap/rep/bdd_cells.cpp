// SPDX-License-Identifier: BSD-3-Clause
// Lookups in a diagram held as cells.
#include "core/deposit.hpp"
#include "core/diagram.hpp"
#include "rep/bdd_body.hpp"

namespace cmap {
namespace bdd_cells {
namespace {

uint32_t ones(uint64_t word) noexcept { return static_cast<uint32_t>(__builtin_popcountll(word)); }

uint32_t place_in_word(uint64_t word, uint32_t k) noexcept {
    return static_cast<uint32_t>(__builtin_ctzll(deposit(uint64_t{1} << k, word)));
}

// Writes members first .. first+count-1, going down the diagram once.
class Decoder {
  public:
    Decoder(const BddBody &body, uint32_t first, uint32_t count, uint32_t *out) noexcept
        : cells_(body.table()), words_(body.words), skip_(first), out_(out), end_(out + count) {}

    // A block of 2^level positions from `index` on, with `total` members.
    void block(uint32_t id, unsigned level, uint32_t total, uint32_t index) noexcept {
        if (skip_ >= total) {
            skip_ -= total;
            return;
        }
        if (id == BddCells::ALWAYS) return range(index, total);
        const uint64_t cell = cells_[id];
        const bool is_word = id < words_;
        const unsigned own = is_word ? WORD_LEVEL : BddCells::level(cell);
        const uint32_t each = total >> (level - own), copies = uint32_t{1} << (level - own);
        uint32_t copy = skip_ / each;
        skip_ -= copy * each;
        for (; copy < copies && out_ != end_; copy++) {
            const uint32_t at = index + (copy << own);
            if (is_word)
                word(cell, at);
            else
                node(cell, own, each, at);
        }
    }

  private:
    void node(uint64_t cell, unsigned level, uint32_t total, uint32_t index) noexcept {
        const uint32_t low = BddCells::low_count(cell);
        block(BddCells::child(cell, false), level - 1, low, index);
        if (out_ == end_) return;
        block(BddCells::child(cell, true), level - 1, total - low,
              index + (uint32_t{1} << (level - 1)));
    }

    void range(uint32_t index, uint32_t total) noexcept {
        for (uint32_t i = skip_; i < total && out_ != end_; i++)
            *out_++ = index + i;
        skip_ = 0;
    }

    void word(uint64_t bits, uint32_t index) noexcept {
        for (; skip_ > 0; skip_--)
            bits &= bits - 1;
        for (; bits != 0 && out_ != end_; bits &= bits - 1)
            *out_++ = index + static_cast<uint32_t>(__builtin_ctzll(bits));
    }

    const uint64_t *cells_;
    uint32_t words_, skip_;
    uint32_t *out_, *end_;
};

// Writes the words of a diagram; blocks that come again are copied.
class Marker {
  public:
    Marker(const BddBody &body, uint32_t base, uint64_t *words, uint32_t count) noexcept
        : body_(body), base_(base), out_(words), count_(count) {}

    void block(uint32_t id, unsigned level, uint32_t index) noexcept {
        if (id == BddCells::NEVER) return;
        if (id == BddCells::ALWAYS) return fill(index, level);
        const uint64_t cell = body_.table()[id];
        const bool is_word = id < body_.words;
        const unsigned own = is_word ? WORD_LEVEL : BddCells::level(cell);
        if (is_word) {
            const int64_t at = word_at(index);
            if (at >= 0 && at < count_) out_[at] = cell;
        } else {
            block(BddCells::child(cell, false), own - 1, index);
            block(BddCells::child(cell, true), own - 1, index + (uint32_t{1} << (own - 1)));
        }
        for (unsigned half = own; half < level; half++)
            repeat(index, half);
    }

  private:
    // May be before the first word or behind the last: there the function is 0.
    int64_t word_at(uint32_t index) const noexcept {
        return (static_cast<int64_t>(index) - base_) / 64;
    }

    void fill(uint32_t index, unsigned level) noexcept {
        const int64_t first = word_at(index);
        std::memset(out_ + first, 0xff, sizeof *out_ << (level - WORD_LEVEL));
    }

    // The block of 2^level positions at `index` once more behind itself.
    void repeat(uint32_t index, unsigned level) noexcept {
        const int64_t n = int64_t{1} << (level - WORD_LEVEL);
        const int64_t from = word_at(index) > 0 ? word_at(index) : 0;
        const int64_t end = word_at(index) + n;
        const int64_t most = count_ - n < end ? count_ - n : end;
        if (from < most)
            std::memcpy(out_ + from + n, out_ + from, static_cast<size_t>(most - from) * 8);
    }

    const BddBody &body_;
    uint32_t base_;
    uint64_t *out_;
    int64_t count_;
};

}  // namespace

// Where levels are left out the positions come in equal blocks, and a division tells which; from
// the cell on a variable is decided by comparing with the members of its lower half.
uint32_t select(const BddBody &body, uint32_t size, uint32_t rank) noexcept {
    const uint64_t *const cells = body.table();
    uint32_t id = body.root, index = body.base, total = size;
    for (unsigned level = body.levels;;) {
        if (id == BddCells::ALWAYS) return index + rank;
        const uint64_t cell = cells[id];
        const bool is_word = id < body.words;
        const unsigned own = is_word ? WORD_LEVEL : BddCells::level(cell);
        if (own != level) {
            total >>= level - own;
            const uint32_t copy = rank / total;
            rank -= copy * total;
            index += copy << own;
        }
        if (is_word) return index + place_in_word(cell, rank);
        const uint32_t low = BddCells::low_count(cell);
        const bool high = rank >= low;
        total = high ? total - low : low;
        rank -= high ? low : 0;
        id = BddCells::child(cell, high);
        level = own - 1;
        index += uint32_t{high} << level;
    }
}

uint32_t rank(const BddBody &body, uint32_t size, uint32_t index) noexcept {
    const uint64_t *const cells = body.table();
    uint32_t id = body.root, before = 0, total = size, position = index - body.base;
    for (unsigned level = body.levels;;) {
        if (id == BddCells::ALWAYS) return before + position;
        if (id == BddCells::NEVER) return CMAP_NONE;
        const uint64_t cell = cells[id];
        const bool is_word = id < body.words;
        const unsigned own = is_word ? WORD_LEVEL : BddCells::level(cell);
        total >>= level - own;
        before += (position >> own) * total;
        position &= (uint32_t{1} << own) - 1;
        if (is_word) {
            if ((cell >> position & 1) == 0) return CMAP_NONE;
            return before + ones(cell & ((uint64_t{1} << position) - 1));
        }
        const uint32_t low = BddCells::low_count(cell);
        const bool high = (position >> (own - 1)) != 0;
        before += high ? low : 0;
        total = high ? total - low : low;
        id = BddCells::child(cell, high);
        level = own - 1;
        position &= (uint32_t{1} << level) - 1;
    }
}

void decode(const BddBody &body, uint32_t size, uint32_t first, uint32_t count,
            uint32_t *indices) noexcept {
    Decoder(body, first, count, indices).block(body.root, body.levels, size, body.base);
}

void mark(const BddBody &body, uint32_t base, uint64_t *words, uint32_t count) noexcept {
    Marker(body, base, words, count).block(body.root, body.levels, body.base);
}

// Members of a block of 2^level positions; children come before their parents, so this ends.
uint32_t members(const BddBody &body, uint32_t id, unsigned level) noexcept {
    if (id == BddCells::NEVER) return 0;
    if (id == BddCells::ALWAYS) return uint32_t{1} << level;
    const uint64_t cell = body.table()[id];
    if (id < body.words) return ones(cell) << (level - WORD_LEVEL);
    const unsigned own = BddCells::level(cell);
    // The lower half is as the cell says: checked for each cell.  The other may be a long way down.
    uint32_t sum = BddCells::low_count(cell);
    sum += members(body, BddCells::child(cell, true), own - 1);
    return sum << (level - own);
}

namespace {

bool is_cell(const BddBody &body, uint32_t id) noexcept {
    return id < body.cells || id == BddCells::NEVER || id == BddCells::ALWAYS;
}

const char *validate_node(const BddBody &body, uint32_t id) noexcept {
    const uint64_t cell = body.table()[id];
    const unsigned level = BddCells::level(cell);
    if (level <= WORD_LEVEL || level > body.levels) return "bdd: a level is out of range";
    for (unsigned half = 0; half < 2; half++) {
        const uint32_t child = BddCells::child(cell, half != 0);
        if (!is_cell(body, child)) return "bdd: a child is out of range";
        if (child >= body.words && child < body.cells &&
            (child >= id || BddCells::level(body.table()[child]) >= level))
            return "bdd: a child is not below its parent";
    }
    if (BddCells::child(cell, false) == BddCells::child(cell, true))
        return "bdd: a cell does not depend on its variable";
    if (members(body, BddCells::child(cell, false), level - 1) != BddCells::low_count(cell))
        return "bdd: a count is wrong";
    return nullptr;
}

}  // namespace

const char *validate(const BddBody &body, uint32_t size) noexcept {
    if (!is_cell(body, body.root)) return "bdd: the root is out of range";
    if (body.words > body.cells) return "bdd: there are more words than cells";
    for (uint32_t id = 0; id < body.cells; id++) {
        if (id >= body.words) {
            if (const char *reason = validate_node(body, id)) return reason;
        } else if (body.table()[id] == 0 || body.table()[id] == ~uint64_t{0}) {
            return "bdd: a word is constant";
        }
    }
    return members(body, body.root, body.levels) == size ? nullptr
                                                         : "bdd: the number of members is wrong";
}

}  // namespace bdd_cells
}  // namespace cmap
