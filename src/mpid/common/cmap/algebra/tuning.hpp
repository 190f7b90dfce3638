// SPDX-License-Identifier: BSD-3-Clause
// Tuning constants of the group algebra, measured on maps in a world of 2^20.
// algebra_*).
#ifndef CMAP_ALGEBRA_TUNING_HPP_INCLUDED
#define CMAP_ALGEBRA_TUNING_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

namespace cmap {

// Closed forms stop at so many pieces: about 0.2 ms, the time of decoding 2^17 members.
constexpr size_t ALGEBRA_MAX_PIECES = 4096;
// Operands below so many pieces are always tried in closed form, however few members they have.
constexpr size_t ALGEBRA_MIN_PIECES = 64;
// Otherwise a piece must stand for so many members: working on one takes the time of decoding about
// as many.
constexpr size_t ALGEBRA_MEMBERS_PER_PIECE = 8;
// Work (pairs, rows, pieces made) per piece allowed before giving up.
constexpr size_t ALGEBRA_WORK_PER_PIECE = 4;
// A lookup by cmap_rank() takes about as long as decoding and testing so many members.
constexpr uint64_t ALGEBRA_DECODES_PER_LOOKUP = 8;
// A temporary bitmap is taken for up to so many bits per member involved: 8 bytes, twice a plain
// array.
constexpr uint64_t ALGEBRA_BITS_PER_MEMBER = 64;
// Sorting a list of n ranks costs less than going through the whole map up to size / this.
constexpr uint64_t ALGEBRA_SORT_SHARE = 32;
// Runs of ranks from so many on are decoded; shorter ones are selected rank by rank.
constexpr int64_t ALGEBRA_DECODE_MIN = 16;
// Members decoded at a time: stays in the first-level cache with what is kept of it.
constexpr uint32_t ALGEBRA_BLOCK = 512;

}  // namespace cmap

#endif  // CMAP_ALGEBRA_TUNING_HPP_INCLUDED
