// SPDX-License-Identifier: BSD-3-Clause
// Passes over arrays, several members at a time: making a map of a long array is to take
// little longer than copying it.  Each twice, for CPUs with and without AVX2.
#ifndef CMAP_CORE_SEQUENCE_HPP_INCLUDED
#define CMAP_CORE_SEQUENCE_HPP_INCLUDED

#include "core/bits.hpp"
#include "core/fingerprint.hpp"

namespace cmap {

// What is to be known of up to Fingerprint::MOST_BLOCKS whole blocks, or of a part of one.
struct BlocksSurvey {
    uint32_t min, max;
    uint32_t largest_gap;  // to the member before, of those that are above it
    uint32_t descents;     // members that are not
    uint32_t bends;        // that are not as far from the member before as that from the one before
    // For the fingerprint: of members less `base`.
    uint32_t base;
    uint64_t low[Fingerprint::MOST_BLOCKS], high[Fingerprint::MOST_BLOCKS];
};

// REQUIRES two members in front, and of a part of a block a multiple of SURVEY_STEP.  False: a
// member is large, as in no world of today; such blocks are taken member by member.
constexpr uint32_t SURVEY_STEP = 8;
bool survey_blocks(const uint32_t *members, uint32_t n, BlocksSurvey &blocks) noexcept;

// The same of whole blocks without the bends, sooner, where the members increase, however large
// they are.  False: they do not, or in long steps.
bool survey_increasing(const uint32_t *members, uint32_t n, BlocksSurvey &blocks) noexcept;

// How many of the first members are first, first + step, ...
uint32_t length_of_run(const uint32_t *members, uint32_t n, uint32_t first, uint32_t step) noexcept;

// Sets the bits at members[i] - base, in words that have none from the first of them on.  REQUIRES
// that the members increase.
void mark_members(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base) noexcept;

// The same of members in any order, in words that may have bits already.
void mark_shuffled(uint64_t *words, const uint32_t *members, uint32_t n, uint32_t base) noexcept;

// As mark_members at ((members[i] - base) >> shift) + rank + i: in unary.
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
