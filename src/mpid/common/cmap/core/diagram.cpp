// SPDX-License-Identifier: BSD-3-Clause
#include "core/diagram.hpp"

namespace cmap {
namespace {

constexpr std::size_t FIRST_SLOTS = 256;

uint64_t ones_up_to(unsigned bits) noexcept {
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t hash_of(uint64_t bits, uint8_t level) noexcept {
    const uint64_t mixed = (bits ^ bits >> 32 ^ uint64_t{level} << 56) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}

uint32_t floor_log(uint32_t n) noexcept { return 31u - static_cast<uint32_t>(__builtin_clz(n)); }

uint32_t sum(uint32_t a, uint32_t b) noexcept { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

}  // namespace

bool Diagram::read(const Content &content, uint32_t min, uint32_t max, uint32_t limit) noexcept {
    levels_ = min == max ? 0 : floor_log(min ^ max) + 1;
    if (levels_ < WORD_LEVEL) levels_ = WORD_LEVEL;
    base_ = min & ~((uint32_t{1} << levels_) - 1);
    limit_ = most_ = limit;  // each word has a node of its own at least
    bool read = slots_.resize_zeroed(FIRST_SLOTS);
    if (read && content.array() != nullptr)
        read = read_array(content.array(), content.size());
    else if (read && content.bit_sets() != 0)
        read = read_words(content.bits(0));
    else if (read)
        read = content.each_run([this](const Run &run) { return read_run(run); });
    read = read && finish();
    slots_.free();
    return read;
}

void Diagram::clear() noexcept {
    cells_.free();
    slots_.free();
}

uint32_t Diagram::paths() const noexcept {
    return root_ == ALWAYS ? 1 : root_ == NEVER ? 0 : (*this)[root_].paths;
}

bool Diagram::read_words(const BitSet &set) noexcept {
    const uint32_t first = (set.base - base_) / 64;
    for (uint32_t w = 0; w < set.count; w++) {
        if (set.words[w] == 0) continue;
        open_ = first + w;
        open_bits_ = set.words[w];
        if (!close_word()) return false;
    }
    return true;
}

bool Diagram::read_array(const uint32_t *members, uint32_t n) noexcept {
    uint64_t bits = 0;
    uint32_t word = (members[0] - base_) / 64;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t place = members[i] - base_;
        if (place / 64 != word) {
            open_ = word, open_bits_ = bits;
            if (!close_word()) return false;
            word = place / 64, bits = 0;
        }
        bits |= uint64_t{1} << place % 64;
    }
    open_ = word, open_bits_ = bits;
    return close_word();
}

bool Diagram::mark(uint32_t place) noexcept {
    if (place / 64 != open_) {
        if (!close_word()) return false;
        open_ = place / 64;
    }
    open_bits_ |= uint64_t{1} << place % 64;
    return true;
}

bool Diagram::read_run(const Run &run) noexcept {
    const uint32_t first = run.first - base_;
    uint32_t i = 0;
    if (run.step != 1) {
        for (; i < run.count; i++)
            if (!mark(run.at(i) - base_)) return false;
        return true;
    }
    for (; i < run.count && (first + i) % 64 != 0; i++)
        if (!mark(first + i)) return false;
    if (const uint32_t whole = (run.count - i) / 64) {
        if (!close_word() || !fill(NEVER, (first + i) / 64 - at_) || !fill(ALWAYS, whole))
            return false;
        i += whole * 64;
        open_ = at_;
    }
    for (; i < run.count; i++)
        if (!mark(first + i)) return false;
    return true;
}

bool Diagram::close_word() noexcept {
    if (open_bits_ == 0) return true;
    const uint32_t id = word(open_bits_);
    if (id == NO_CELL || !fill(NEVER, open_ - at_)) return false;
    ++at_;
    open_bits_ = 0;
    return place(id, WORD_LEVEL);
}

// So many words of one constant, as the largest aligned blocks.
bool Diagram::fill(uint32_t id, uint32_t blocks) noexcept {
    while (blocks > 0) {
        const uint32_t fits = floor_log(blocks);
        const uint32_t aligned =
            at_ == 0 ? 31u : static_cast<uint32_t>(__builtin_ctz(at_));
        const uint32_t power = fits < aligned ? fits : aligned;
        if (!place(id, WORD_LEVEL + power)) return false;
        at_ += uint32_t{1} << power;
        blocks -= uint32_t{1} << power;
    }
    return true;
}

// A right half joins the left one that waits for it, and so on upwards, as a counter carries.
bool Diagram::place(uint32_t id, unsigned level) noexcept {
    for (; (waits_ >> level & 1) != 0; level++) {
        waits_ &= ~(uint64_t{1} << level);
        id = pair(waiting_[level], id, level + 1);
        if (id == NO_CELL) return false;
    }
    waiting_[level] = id;
    waits_ |= uint64_t{1} << level;
    return true;
}

bool Diagram::finish() noexcept {
    if (!close_word() || !fill(NEVER, (uint32_t{1} << (levels_ - WORD_LEVEL)) - at_)) return false;
    root_ = waiting_[levels_];
    above_ = cells_.size();
    most_ = limit_ + words_;
    for (uint32_t id = FIRST_CELL; id < FIRST_CELL + above_; id++) {
        if ((*this)[id].level != WORD_LEVEL) continue;
        const uint32_t node = inside((*this)[id].bits, WORD_LEVEL);
        if (node == NO_CELL) return false;
        cells_[id - FIRST_CELL].low = node;
    }
    nodes_ = cells_.size() - words_;
    if (nodes_ > limit_) return false;
    for (std::size_t i = above_; i < cells_.size(); i++)
        measure(cells_[i]);
    for (std::size_t i = 0; i < above_; i++)
        measure(cells_[i]);
    return true;
}

uint32_t Diagram::word(uint64_t bits) noexcept {
    if (bits == last_bits_) return last_word_;
    uint32_t id = ALWAYS;
    if (bits != ~uint64_t{0}) {
        uint32_t *slot = find(bits, WORD_LEVEL);
        if (*slot == 0) {
            ++words_;
            id = insert(Cell{bits, NEVER, NEVER, 0, 0, 0, WORD_LEVEL}, slot);
        } else {
            id = *slot;
        }
    }
    last_bits_ = bits;
    last_word_ = id;
    return id;
}

uint32_t Diagram::pair(uint32_t low, uint32_t high, unsigned level) noexcept {
    if (low == high) return low;
    const uint64_t bits = low | uint64_t{high} << 32;
    uint32_t *slot = find(bits, static_cast<uint8_t>(level));
    if (*slot != 0) return *slot;
    return insert(Cell{bits, low, high, 0, 0, 0, static_cast<uint8_t>(level)}, slot);
}

// The node of a truth table of 2^level bits.
uint32_t Diagram::inside(uint64_t bits, unsigned level) noexcept {
    uint64_t low = 0, high = 0;
    for (; level > 0; level--, bits = low) {
        const unsigned half = 1u << (level - 1);
        low = bits & ones_up_to(half);
        high = bits >> half;
        if (low != high) break;
    }
    if (level == 0) return static_cast<uint32_t>(bits);  // NEVER or ALWAYS
    const uint8_t tag = static_cast<uint8_t>(level | INSIDE);
    if (const uint32_t known = *find(bits, tag)) return known;
    const uint32_t left = inside(low, level - 1), right = inside(high, level - 1);
    if (left == NO_CELL || right == NO_CELL) return NO_CELL;
    return insert(Cell{bits, left, right, 0, 0, 0, tag}, find(bits, tag));
}

uint32_t *Diagram::find(uint64_t bits, uint8_t level) noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash_of(bits, level) & mask;; at = (at + 1) & mask) {
        const uint32_t id = slots_[at];
        if (id == 0) return &slots_[at];
        const Cell &cell = (*this)[id];
        if (cell.bits == bits && cell.level == level) return &slots_[at];
    }
}

uint32_t Diagram::insert(const Cell &cell, uint32_t *slot) noexcept {
    if (cells_.size() >= most_ || !cells_.push(cell)) return NO_CELL;
    const uint32_t id = end() - 1;
    *slot = id;
    return cells_.size() * 2 <= slots_.size() || grow() ? id : NO_CELL;
}

bool Diagram::grow() noexcept {
    Buffer<uint32_t> larger;
    if (!larger.resize_zeroed(slots_.size() * 4)) return false;
    slots_.swap(larger);
    for (uint32_t id = FIRST_CELL; id < end(); id++)
        *find((*this)[id].bits, (*this)[id].level) = id;
    return true;
}

// Members in a block of 2^level places where the function is that of a cell.
uint32_t Diagram::count_in(uint32_t id, unsigned level) const noexcept {
    if (id < FIRST_CELL) return id << level;
    const Cell &cell = (*this)[id];
    return cell.count << (level - level_of(cell));
}

void Diagram::measure(Cell &cell) const noexcept {
    const auto paths_of = [this](uint32_t id) {
        return id < FIRST_CELL ? id : (*this)[id].paths;
    };
    if (cell.level == WORD_LEVEL) {
        cell.count = static_cast<uint32_t>(__builtin_popcountll(cell.bits));
        cell.paths = paths_of(cell.low);
        cell.steps = 1;
        return;
    }
    const unsigned below = level_of(cell) - 1;
    const uint32_t low = count_in(cell.low, below), high = count_in(cell.high, below);
    const auto steps_of = [this](uint32_t id) { return id < FIRST_CELL ? 0 : (*this)[id].steps; };
    cell.count = low + high;
    cell.paths = sum(paths_of(cell.low), paths_of(cell.high));
    const float members = static_cast<float>(low) + static_cast<float>(high);
    cell.steps = 1 + (static_cast<float>(low) * steps_of(cell.low) +
                      static_cast<float>(high) * steps_of(cell.high)) /
                         members;
}

}  // namespace cmap
