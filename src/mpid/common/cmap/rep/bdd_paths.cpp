// SPDX-License-Identifier: BSD-3-Clause
// Lookups in a diagram held as its paths to true.  The paths are in increasing order, and those
// that agree so far agree on which bits do not matter: they come from one node.
#include "core/bisection.hpp"
#include "core/deposit.hpp"
#include "rep/bdd_body.hpp"

namespace cmap {
namespace bdd_paths {
namespace {

uint32_t below(unsigned bit) noexcept { return (uint32_t{1} << bit) - 1; }

// The paths low .. high-1 agree on the bits from `top` on, `taken` of which do not matter.
struct Range {
    uint32_t low, high;
    unsigned top, taken;
};

class Paths {
  public:
    Paths(const BddBody &body, uint32_t size) noexcept
        : symbols_(body.symbols()), sums_(body.sums()), paths_(body.paths), size_(size) {}

    uint32_t ones(uint32_t path) const noexcept { return symbols_[2 * uint64_t{path}]; }
    uint32_t free(uint32_t path) const noexcept { return symbols_[2 * uint64_t{path} + 1]; }
    uint32_t sum(uint32_t path) const noexcept { return path == paths_ ? size_ : sums_[path]; }
    uint32_t members(const Range &range) const noexcept {
        return (sum(range.high) - sum(range.low)) >> range.taken;
    }
    // The highest bit in which paths of a range differ.  REQUIRES several.
    unsigned split(const Range &range) const noexcept {
        const uint32_t differ = ones(range.low) ^ ones(range.high - 1);
        return 31u - static_cast<unsigned>(__builtin_clz(differ));
    }
    // The first path that has a one there.
    uint32_t middle(const Range &range, unsigned bit) const noexcept {
        return 1 + bisect(range.low, range.high - range.low,
                          [&](uint32_t path) { return (ones(path) >> bit & 1) == 0; });
    }

  private:
    PackedView symbols_, sums_;
    uint32_t paths_, size_;
};

unsigned count_ones(uint32_t bits) noexcept {
    return static_cast<unsigned>(__builtin_popcount(bits));
}

class Decoder {
  public:
    Decoder(const Paths &paths, uint32_t base, uint32_t first, uint32_t count,
            uint32_t *out) noexcept
        : paths_(paths), base_(base), skip_(first), out_(out), end_(out + count) {}

    // The members of the range that begin with `prefix`, `total` of them.
    void range(const Range &range, uint32_t total, uint32_t prefix) noexcept {
        if (out_ == end_) return;
        if (skip_ >= total) {
            skip_ -= total;
            return;
        }
        const uint32_t here = below(range.top);
        if (range.high - range.low == 1)
            return path(prefix | (paths_.ones(range.low) & here), paths_.free(range.low) & here);
        const unsigned bit = paths_.split(range);
        const uint32_t common = here & ~(below(bit) << 1 | 1);
        const uint32_t free = paths_.free(range.low) & common;
        const uint32_t ones = prefix | (paths_.ones(range.low) & common);
        const unsigned taken = range.taken + count_ones(free);
        const uint32_t middle = paths_.middle(range, bit);
        const Range low{range.low, middle, bit, taken}, high{middle, range.high, bit, taken};
        const uint32_t in_low = paths_.members(low), in_high = paths_.members(high);
        uint32_t copy = skip_ / (in_low + in_high);
        skip_ -= copy * (in_low + in_high);
        for (; copy < uint32_t{1} << count_ones(free) && out_ != end_; copy++) {
            const uint32_t at = ones | static_cast<uint32_t>(deposit(copy, free));
            this->range(low, in_low, at);
            this->range(high, in_high, at | uint32_t{1} << bit);
        }
    }

  private:
    void path(uint32_t ones, uint32_t free) noexcept {
        uint32_t at = static_cast<uint32_t>(deposit(skip_, free));
        skip_ = 0;
        for (; out_ != end_; at = (at + ~free + 1) & free) {
            *out_++ = base_ + (ones | at);
            if (at == free) return;
        }
    }

    const Paths &paths_;
    uint32_t base_, skip_;
    uint32_t *out_, *end_;
};

}  // namespace

// Down to one path: each step settles the bits on which the remaining paths agree, those that do
// not matter by one division, and compares with the members of the paths that go on with a zero.
uint32_t select(const BddBody &body, uint32_t size, uint32_t rank) noexcept {
    const Paths paths(body, size);
    Range range{0, body.paths, body.levels, 0};
    uint32_t position = 0, total = size;
    while (range.high - range.low > 1) {
        const unsigned bit = paths.split(range);
        const uint32_t common = below(range.top) & ~(below(bit) << 1 | 1);
        const uint32_t free = paths.free(range.low) & common;
        if (free != 0) {
            const unsigned k = count_ones(free);
            total >>= k;
            range.taken += k;
            const uint32_t copy = rank / total;
            rank -= copy * total;
            position |= static_cast<uint32_t>(deposit(copy, free));
        }
        const uint32_t middle = paths.middle(range, bit);
        const uint32_t low = (paths.sum(middle) - paths.sum(range.low)) >> range.taken;
        const bool high = rank >= low;
        total = high ? total - low : low;
        rank -= high ? low : 0;
        (high ? range.low : range.high) = middle;
        range.top = bit;
    }
    // What the path demands it demands of all bits.
    position |= static_cast<uint32_t>(deposit(rank, paths.free(range.low) & below(range.top)));
    return body.base + (position | paths.ones(range.low));
}

uint32_t rank(const BddBody &body, uint32_t size, uint32_t index) noexcept {
    const Paths paths(body, size);
    const uint32_t position = index - body.base;
    Range range{0, body.paths, body.levels, 0};
    uint32_t before = 0, total = size;
    while (range.high - range.low > 1) {
        const unsigned bit = paths.split(range);
        const uint32_t common = below(range.top) & ~(below(bit) << 1 | 1);
        const uint32_t free = paths.free(range.low) & common;
        total >>= count_ones(free);
        range.taken += count_ones(free);
        before += static_cast<uint32_t>(extract(position, free)) * total;
        const uint32_t middle = paths.middle(range, bit);
        const uint32_t low = (paths.sum(middle) - paths.sum(range.low)) >> range.taken;
        const bool high = (position >> bit & 1) != 0;
        before += high ? low : 0;
        total = high ? total - low : low;
        (high ? range.low : range.high) = middle;
        range.top = bit;
    }
    const uint32_t free = paths.free(range.low);
    if ((position & ~free) != paths.ones(range.low)) return CMAP_NONE;
    return before + static_cast<uint32_t>(extract(position, free & below(range.top)));
}

void decode(const BddBody &body, uint32_t size, uint32_t first, uint32_t count,
            uint32_t *indices) noexcept {
    const Paths paths(body, size);
    Decoder(paths, body.base, first, count, indices)
        .range(Range{0, body.paths, body.levels, 0}, size, 0);
}

// Path by path: the words it touches, and in each the same bits.
void mark(const BddBody &body, uint32_t base, uint64_t *words, uint32_t) noexcept {
    const Paths paths(body, 0);
    for (uint32_t i = 0; i < body.paths; i++) {
        const uint32_t ones = paths.ones(i), free = paths.free(i), above = free & ~uint32_t{63};
        uint64_t bits = uint64_t{1} << (ones & 63);
        for (uint32_t shift = 1; shift < 64; shift *= 2)
            if ((free & shift) != 0) bits |= bits << shift;
        const uint32_t first = body.base - base + (ones & ~uint32_t{63});
        for (uint32_t at = 0;; at = (at + ~above + 1) & above) {
            words[(first + at) / 64] |= bits;
            if (at == above) break;
        }
    }
}

const char *validate(const BddBody &body, uint32_t size) noexcept {
    const PackedView symbols = body.symbols();
    uint64_t before = 0;
    for (uint32_t i = 0; i < body.paths; i++) {
        const uint32_t ones = symbols[2 * uint64_t{i}], free = symbols[2 * uint64_t{i} + 1];
        if ((ones & free) != 0) return "bdd: a path demands a bit that does not matter to it";
        if (i > 0 && ones <= symbols[2 * uint64_t{i} - 2]) return "bdd: the paths are not in order";
        if (body.paths > 1 && body.sums()[i] != before) return "bdd: a sum of members is wrong";
        before += uint64_t{1} << count_ones(free);
    }
    return before == size ? nullptr : "bdd: the number of members is wrong";
}

}  // namespace bdd_paths
}  // namespace cmap
