// SPDX-License-Identifier: BSD-3-Clause
// Passes over increasing arrays, several members at a time: making a map of a long array is to take
// little longer than copying it.  Each twice, for CPUs with and without AVX2.
#ifndef CMAP_CORE_SEQUENCE_HPP_INCLUDED
#define CMAP_CORE_SEQUENCE_HPP_INCLUDED

#include "core/bits.hpp"

namespace cmap {

struct SequenceSums {
    uint64_t sum = 0, squares = 0;  // of the members and of their squares, modulo 2^64
    uint32_t largest_gap = 0;       // between neighbours

    void add(uint32_t member) noexcept {
        sum += member;
        squares += uint64_t{member} * member;
    }
    void add(uint32_t member, uint32_t before) noexcept {
        add(member);
        largest_gap = member - before > largest_gap ? member - before : largest_gap;
    }
};

// Takes the first members of an array as long as they increase and returns how many that were.
uint32_t sums_while_increasing(const uint32_t *members, uint32_t n, SequenceSums &sums) noexcept;

// How many of the first members are first, first + step, ...
uint32_t length_of_run(const uint32_t *members, uint32_t n, uint32_t first, uint32_t step) noexcept;

// Sets the bits at members[i] - base, in words that have none from the first of them on.  REQUIRES
// that the members increase.
void mark_members(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base) noexcept;

// The same at ((members[i] - base) >> shift) + rank + i: in unary.
void mark_unary(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base, unsigned shift,
                uint32_t rank) noexcept;

// Appends the lowest bits of members[i] - base.
void pack_lows(PackedWriter &writer, const uint32_t *members, uint32_t n, uint32_t base) noexcept;

// Appends members[i] - members[i - 1] - 1.  REQUIRES a member in front, and numbers that fit.
void pack_gaps(PackedWriter &writer, const uint32_t *members, uint32_t n) noexcept;

// For tests: as on a CPU without AVX2.  Returns what was set before.
bool sequence_use_portable(bool portable) noexcept;

}  // namespace cmap

#endif  // CMAP_CORE_SEQUENCE_HPP_INCLUDED
