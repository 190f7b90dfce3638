// SPDX-License-Identifier: BSD-3-Clause
// The two forms in which the representation bdd keeps a diagram, and the lookups in each.
#ifndef CMAP_REP_BDD_BODY_HPP_INCLUDED
#define CMAP_REP_BDD_BODY_HPP_INCLUDED

#include "core/bits.hpp"

namespace cmap {

// Cells of 8 bytes: first the words (truth tables of the lowest six variables), then the nodes:
//   bits 0 .. 31   members in the half of its block where the variable is 0
//        32 .. 36  level: its block has 2^level positions
//        37 .. 49  the cell of that half, 50 .. 62 the cell of the other half
// A cell stands for blocks of its level wherever it is reached from above; levels that are left out
// in between repeat it.
struct BddCells {
    static constexpr uint32_t NEVER = 0x1ffe, ALWAYS = 0x1fff, MOST = NEVER;

    static uint64_t node(unsigned level, uint32_t low, uint32_t high, uint32_t low_count) noexcept {
        return low_count | uint64_t{level} << 32 | uint64_t{low} << 37 | uint64_t{high} << 50;
    }
    static uint32_t low_count(uint64_t cell) noexcept { return static_cast<uint32_t>(cell); }
    static unsigned level(uint64_t cell) noexcept { return cell >> 32 & 31; }
    static uint32_t child(uint64_t cell, bool high) noexcept {
        return static_cast<uint32_t>(cell >> (high ? 50 : 37)) & 0x1fff;
    }
};

constexpr uint32_t BDD_INSIDE_BYTES = 40;

struct BddBody {
    unsigned char *data;  // the cells, or the paths and their sums
    uint32_t base;        // index of position 0
    uint32_t paths;       // 0: this is cells
    uint16_t cells, words;
    uint16_t root;
    uint8_t levels;  // all positions are below 2^levels
    uint8_t sum_width;
    alignas(8) unsigned char inside[BDD_INSIDE_BYTES];

    const uint64_t *table() const noexcept { return reinterpret_cast<const uint64_t *>(data); }
    // Number 2i: the bits path i demands to be one; 2i + 1: the bits that do not matter to it.
    PackedView symbols() const noexcept { return packed_view(data, levels); }
    // Number i: the members of the paths before path i.  Only where there are several.
    PackedView sums() const noexcept {
        return packed_view(data + packed_bytes(2 * uint64_t{paths}, levels), sum_width);
    }
};

inline uint64_t bdd_cell_bytes(uint32_t cells) noexcept { return uint64_t{cells} * 8; }

inline uint64_t bdd_path_bytes(uint32_t paths, unsigned levels, uint32_t size) noexcept {
    const uint64_t sums = paths > 1 ? packed_bytes(paths, bits_for(size)) : 0;
    return packed_bytes(2 * uint64_t{paths}, levels) + sums;
}

namespace bdd_cells {
// Members of a block of 2^level positions where the function is that of a cell.
uint32_t members(const BddBody &body, uint32_t id, unsigned level) noexcept;
uint32_t select(const BddBody &body, uint32_t size, uint32_t rank) noexcept;
uint32_t rank(const BddBody &body, uint32_t size, uint32_t index) noexcept;
void decode(const BddBody &body, uint32_t size, uint32_t first, uint32_t count,
            uint32_t *indices) noexcept;
void mark(const BddBody &body, uint32_t base, uint64_t *words, uint32_t count) noexcept;
const char *validate(const BddBody &body, uint32_t size) noexcept;
}  // namespace bdd_cells

namespace bdd_paths {
uint32_t select(const BddBody &body, uint32_t size, uint32_t rank) noexcept;
uint32_t rank(const BddBody &body, uint32_t size, uint32_t index) noexcept;
void decode(const BddBody &body, uint32_t size, uint32_t first, uint32_t count,
            uint32_t *indices) noexcept;
void mark(const BddBody &body, uint32_t base, uint64_t *words, uint32_t count) noexcept;
const char *validate(const BddBody &body, uint32_t size) noexcept;
}  // namespace bdd_paths

}  // namespace cmap

#endif  // CMAP_REP_BDD_BODY_HPP_INCLUDED
