// SPDX-License-Identifier: BSD-3-Clause
// The smallest form of gap: distances less 1 as digits to the base of the largest one, as many to a
// word of 32 bits as fit: 5 of 79, 11 of 7.
//
// Blocks of GAP_WORDS words, each with its first member.  Of a word x with the digits d_0, d_1, ...
// to the base b, d_0 + d_1 + ... = x - (b - 1) * (floor(x / b) + floor(x / b^2) + ...) (Legendre),
// so a select takes one multiplication for each digit of half a block on average, several words
// side by side.
#ifndef CMAP_REP_GAP_DIGITS_HPP_INCLUDED
#define CMAP_REP_GAP_DIGITS_HPP_INCLUDED

#include "core/registry.hpp"

namespace cmap {
namespace gap_digits {

// REQUIRES a set of more than CMAP_INLINE_MEMBERS members.
Estimate estimate(const Stats &stats) noexcept;
cmap_status build(cmap_t *map, const Analysis &analysis) noexcept;
void release(cmap_t *map) noexcept;
const void *payload_of(const cmap_t *map) noexcept;
void relocate(cmap_t *map, const Relocation &move) noexcept;
uint32_t select(const cmap_t *map, uint32_t rank) noexcept;
uint32_t rank(const cmap_t *map, uint32_t index) noexcept;
void decode(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept;
std::size_t bytes(const cmap_t *map) noexcept;
const char *validate(const cmap_t *map) noexcept;
int describe(const cmap_t *map, char *text, std::size_t room) noexcept;

}  // namespace gap_digits
}  // namespace cmap

#endif  // CMAP_REP_GAP_DIGITS_HPP_INCLUDED
