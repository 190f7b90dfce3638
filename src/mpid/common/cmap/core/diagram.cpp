// SPDX-License-Identifier: BSD-3-Clause
#include "core/diagram.hpp"

namespace cmap {
namespace {

constexpr std::size_t FIRST_SLOTS = 256;

uint64_t ones_up_to(unsigned bits) noexcept {
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t hash_of(uint64_t bits, unsigned level) noexcept {
    const uint64_t mixed = (bits ^ bits >> 32 ^ uint64_t{level} << 56) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}

uint32_t floor_log(uint32_t n) noexcept { return 31u - static_cast<uint32_t>(__builtin_clz(n)); }

uint32_t sum(uint32_t a, uint32_t b) noexcept { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

// Members of increasing positions, word by word.  A position is the number of members read.
class ArraySource {
  public:
    ArraySource(const uint32_t *members, uint32_t n, uint32_t base) noexcept
        : members_(members), n_(n), base_(base) {}

    bool at_end() const noexcept { return next_ == n_; }
    uint32_t position() const noexcept { return next_; }
    // The next word that is not empty, and its number.
    uint64_t next(uint32_t &at) noexcept {
        const uint32_t first = (members_[next_] - base_) & ~63u;
        at = first / 64;
        if (n_ - next_ >= 64 && members_[next_ + 63] - base_ == first + 63) {
            next_ += 64;
            return ~uint64_t{0};
        }
        uint64_t bits = 0;
        for (uint32_t position; next_ < n_; next_++) {
            position = members_[next_] - base_ - first;
            if (position >= 64) break;
            bits |= uint64_t{1} << position;
        }
        return bits;
    }
    // The block of 2^level positions that was read from `start` on: does it come once more?
    bool repeats(uint32_t start, unsigned level) const noexcept {
        const uint32_t n = next_ - start, shift = uint32_t{1} << level;
        if (n == 0 || n > n_ - next_) return false;
        const uint32_t *const old = members_ + start, *const now = members_ + next_;
        if (now[0] - old[0] != shift || now[n - 1] - old[n - 1] != shift) return false;
        if (n != n_ - next_ && (now[n] - base_) >> level == (now[0] - base_) >> level) return false;
        uint32_t i = 0, differ = 0;
        for (; i + CHUNK <= n && differ == 0; i += CHUNK)
            for (uint32_t j = 0; j < CHUNK; j++)
                differ |= (now[i + j] - old[i + j]) ^ shift;
        for (; i < n && differ == 0; i++)
            differ |= (now[i] - old[i]) ^ shift;
        return differ == 0;
    }
    void skip(uint32_t start) noexcept { next_ += next_ - start; }

  private:
    static constexpr uint32_t CHUNK = 16;

    const uint32_t *members_;
    uint32_t n_, base_, next_ = 0;
};

// The words of a bitmap.  A position is the number of a word.
class WordSource {
  public:
    WordSource(const BitSet &set, uint32_t base) noexcept
        : words_(set.words), n_(set.count), first_((set.base - base) / 64) {}

    bool at_end() const noexcept { return next_ == n_; }
    uint32_t position() const noexcept { return next_; }
    uint64_t next(uint32_t &at) noexcept {
        while (words_[next_] == 0)
            next_++;
        at = first_ + next_;
        return words_[next_++];
    }
    bool repeats(uint32_t start, unsigned level) const noexcept {
        const uint32_t n = uint32_t{1} << (level - WORD_LEVEL);
        return start + n == next_ && n <= n_ - next_ &&
               std::memcmp(words_ + start, words_ + next_, n * sizeof *words_) == 0;
    }
    void skip(uint32_t start) noexcept { next_ += next_ - start; }

  private:
    const uint64_t *words_;
    uint32_t n_, first_, next_ = 0;
};

}  // namespace

bool Diagram::read(const Content &content, uint32_t min, uint32_t max, uint32_t limit) noexcept {
    levels_ = min == max ? 0 : floor_log(min ^ max) + 1;
    if (levels_ < WORD_LEVEL) levels_ = WORD_LEVEL;
    base_ = min & ~((uint32_t{1} << levels_) - 1);
    limit_ = limit < MOST_CELLS / 2 ? limit : MOST_CELLS / 2;
    most_ = limit_;  // each word has a node of its own at least
    bool read = slots_.resize_zeroed(FIRST_SLOTS);
    if (read && content.array() != nullptr) {
        ArraySource source(content.array(), content.size(), base_);
        read = read_source(source);
    } else if (read && content.bit_sets() != 0) {
        WordSource source(content.bits(0), base_);
        read = read_source(source);
    } else if (read) {
        read = content.each_run([this](const Run &run) { return read_run(run); }) && close_word();
    }
    read = read && finish() && measure();
    slots_.free();
    return read;
}

void Diagram::clear() noexcept {
    cells_.free();
    measures_.free();
}

// Word by word; and where the block just read comes once more, as it does wherever a variable does
// not matter, that is found by comparing, which is many times as fast.
template <class Source>
bool Diagram::read_source(Source &source) noexcept {
    while (!source.at_end()) {
        const uint32_t start = source.position();
        uint32_t at;
        const uint64_t bits = source.next(at);
        const uint32_t id = word(bits);
        if (id == NO_CELL || !skip_to(at, start)) return false;
        ++at_;
        if (!place(id, WORD_LEVEL, start)) return false;
        for (;;) {
            const auto level = static_cast<unsigned>(__builtin_ctzll(waits_));
            if (level == levels_ || !source.repeats(starts_[level], level)) break;
            const uint32_t half = source.position();
            source.skip(starts_[level]);
            at_ += uint32_t{1} << (level - WORD_LEVEL);
            if (!place(waiting_[level], level, half)) return false;
        }
    }
    return true;
}

bool Diagram::mark(uint32_t position) noexcept {
    if (position / 64 != open_) {
        if (!close_word()) return false;
        open_ = position / 64;
    }
    open_bits_ |= uint64_t{1} << position % 64;
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
        if (!close_word() || !skip_to((first + i) / 64, 0) || !fill(ALWAYS, whole, 0)) return false;
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
    if (id == NO_CELL || !skip_to(open_, 0)) return false;
    ++at_;
    open_bits_ = 0;
    return place(id, WORD_LEVEL, 0);
}

bool Diagram::skip_to(uint32_t word, uint32_t start) noexcept {
    return fill(NEVER, word - at_, start);
}

// So many words of one constant, as the largest aligned blocks.
bool Diagram::fill(uint32_t id, uint32_t blocks, uint32_t start) noexcept {
    while (blocks > 0) {
        const uint32_t fits = floor_log(blocks);
        const uint32_t aligned = at_ == 0 ? 31u : static_cast<uint32_t>(__builtin_ctz(at_));
        const uint32_t power = fits < aligned ? fits : aligned;
        at_ += uint32_t{1} << power;
        blocks -= uint32_t{1} << power;
        if (!place(id, WORD_LEVEL + power, start)) return false;
    }
    return true;
}

// A right half joins the left one that waits for it, and so on upwards, as a counter carries.
bool Diagram::place(uint32_t id, unsigned level, uint32_t start) noexcept {
    for (; (waits_ >> level & 1) != 0; level++) {
        waits_ &= ~(uint64_t{1} << level);
        id = pair(waiting_[level], id, level + 1);
        start = starts_[level];
        if (id == NO_CELL) return false;
    }
    waiting_[level] = id;
    starts_[level] = start;
    waits_ |= uint64_t{1} << level;
    return true;
}

bool Diagram::finish() noexcept {
    if (!skip_to(uint32_t{1} << (levels_ - WORD_LEVEL), 0)) return false;
    root_ = waiting_[levels_];
    above_ = cells_.size();
    most_ = limit_ + words_;
    for (uint32_t id = FIRST_CELL; id < FIRST_CELL + above_; id++) {
        if (!is_word((*this)[id])) continue;
        const uint32_t node = inside((*this)[id].bits, WORD_LEVEL);
        if (node == NO_CELL) return false;
        cells_[id - FIRST_CELL].low = node;
    }
    nodes_ = cells_.size() - words_;
    return true;
}

uint32_t Diagram::word(uint64_t bits) noexcept {
    if (bits == last_bits_) return last_word_;
    uint32_t id = ALWAYS;
    if (bits != ~uint64_t{0}) {
        uint32_t *slot = find(bits, WORD_LEVEL);
        if (*slot == 0) {
            ++words_;
            id = insert(bits, NEVER, NEVER, WORD_LEVEL, slot);
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
    uint32_t *slot = find(bits, level);
    return *slot != 0 ? *slot : insert(bits, low, high, level, slot);
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
    const unsigned tag = level | INSIDE;
    if (const uint32_t known = *find(bits, tag)) return known;
    const uint32_t left = inside(low, level - 1), right = inside(high, level - 1);
    if (left == NO_CELL || right == NO_CELL) return NO_CELL;
    return insert(bits, left, right, tag, find(bits, tag));
}

uint32_t *Diagram::find(uint64_t bits, unsigned tag) noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash_of(bits, tag) & mask;; at = (at + 1) & mask) {
        const uint32_t id = slots_[at];
        if (id == 0 || ((*this)[id].bits == bits && (*this)[id].tag == tag)) return &slots_[at];
    }
}

uint32_t Diagram::insert(uint64_t bits, uint32_t low, uint32_t high, unsigned tag,
                         uint32_t *slot) noexcept {
    if (cells_.size() >= most_ || !cells_.push(Cell{bits, low, high & 0xffffff, tag & 0xff}))
        return NO_CELL;
    const uint32_t id = end() - 1;
    *slot = id;
    return cells_.size() * 2 <= slots_.size() || grow() ? id : NO_CELL;
}

bool Diagram::grow() noexcept {
    Buffer<uint32_t> larger;
    if (!larger.resize_zeroed(slots_.size() * 4)) return false;
    slots_.swap(larger);
    for (uint32_t id = FIRST_CELL; id < end(); id++)
        *find((*this)[id].bits, (*this)[id].tag) = id;
    return true;
}

// First the nodes within words, then the words and what is above, each behind its children.
bool Diagram::measure() noexcept {
    if (!measures_.resize(cells_.size())) return false;
    for (std::size_t i = above_; i < cells_.size(); i++)
        measures_[i] = measured(cells_[i]);
    for (std::size_t i = 0; i < above_; i++)
        measures_[i] = measured(cells_[i]);
    return true;
}

Diagram::Measure Diagram::measure_of(uint32_t id) const noexcept {
    return id < FIRST_CELL ? Measure{id, id, 0} : measures_[id - FIRST_CELL];
}

Diagram::Measure Diagram::measured(const Cell &cell) const noexcept {
    if (is_word(cell)) {
        const auto count = static_cast<uint32_t>(__builtin_popcountll(cell.bits));
        return Measure{count, measure_of(cell.low).paths, 1};
    }
    const unsigned below = level_of(cell) - 1;
    const auto members = [&](uint32_t id) {
        const unsigned level = id < FIRST_CELL ? 0 : level_of((*this)[id]);
        return measure_of(id).count << (below - level);
    };
    const Measure low = measure_of(cell.low), high = measure_of(cell.high);
    const uint32_t in_low = members(cell.low), in_high = members(cell.high);
    const float share = static_cast<float>(in_low) / static_cast<float>(in_low + in_high);
    return Measure{in_low + in_high, sum(low.paths, high.paths),
                   1 + share * low.steps + (1 - share) * high.steps};
}

}  // namespace cmap
