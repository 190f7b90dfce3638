// SPDX-License-Identifier: BSD-3-Clause
#include "core/ascents.hpp"

#include "core/sorter.hpp"

namespace cmap {
namespace {

class BitString {
  public:
    bool make(uint32_t bits) noexcept { return words_.resize_zeroed(bits / 64 + 1); }
    bool operator[](uint32_t i) const noexcept { return (words_[i / 64] >> i % 64 & 1) != 0; }
    void set(uint32_t i) noexcept { words_[i / 64] |= uint64_t{1} << i % 64; }

  private:
    Buffer<uint64_t> words_;
};

// Marks the positions where the inverse descends and returns how many its runs are, or some number
// above `most`.
uint64_t mark_descents(const Content &content, const Sorter &sorter, uint64_t most, BitString &seen,
                       BitString &descents) noexcept {
    uint64_t runs = 1;
    content.each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n && runs <= most; i++) {
            const uint32_t position = sorter.position(members[i]);
            if (seen[position + 1]) descents.set(position + 1), ++runs;
            seen.set(position);
        }
        return runs <= most;
    });
    return runs;
}

uint64_t count_ascents(const uint32_t *members, uint32_t n) noexcept {
    uint64_t runs = 1;
    for (uint32_t i = 1; i < n; i++)
        runs += members[i] <= members[i - 1];
    return runs;
}

// The same of an inverse that is at hand.
bool ascents_of(const uint32_t *inverse, uint32_t size, uint64_t most,
                Buffer<uint32_t> &lengths) noexcept {
    const uint64_t runs = count_ascents(inverse, size);
    if (runs > most) return true;
    Content list;
    list.borrow(inverse, size);
    return ascent_lengths(list, runs, lengths);
}

}  // namespace

bool ascent_lengths(const Content &content, uint64_t ascents, Buffer<uint32_t> &lengths) noexcept {
    if (!lengths.reserve(lengths.size() + ascents)) return false;
    uint32_t begin = 0;
    each_descent(content, [&](uint32_t rank) {
        const uint32_t length = rank - begin;
        begin = rank;
        return lengths.push(length);
    });
    return lengths.push(content.size() - begin);
}

uint32_t most_ascents(const cmap_limits &limits) noexcept {
    return limits.wtr_runs < MAX_ASCENTS ? limits.wtr_runs : MAX_ASCENTS;
}

// The inverse descends at a position when the member there comes earlier in the list than the one
// before it in the set.
bool inverse_ascents(const Content &content, const Sorter &sorter, uint64_t most,
                     Buffer<uint32_t> &lengths) noexcept {
    const uint32_t size = content.size();
    if (sorter.ranks() != nullptr) return ascents_of(sorter.ranks(), size, most, lengths);
    BitString seen, descents;
    if (!sorter.number() || !seen.make(size) || !descents.make(size)) return false;
    const uint64_t runs = mark_descents(content, sorter, most, seen, descents);
    if (runs > most) return true;
    if (!lengths.reserve(runs)) return false;
    uint32_t begin = 0;
    for (uint32_t position = 1; position <= size; position++)
        if (position == size || descents[position]) {
            if (!lengths.push(position - begin)) return false;
            begin = position;
        }
    return true;
}

}  // namespace cmap
