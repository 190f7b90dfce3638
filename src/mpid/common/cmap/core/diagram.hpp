// SPDX-License-Identifier: BSD-3-Clause
// The reduced ordered binary decision diagram of a set, measured without a BDD package: how many
// nodes and paths it has is known before anything is built (R. E. Bryant, "Graph-based algorithms
// for Boolean function manipulation", IEEE Transactions on Computers, 1986: equal subfunctions are
// one node).
//
// The set is read once, in order, as words of 64 members.  Equal words and equal pairs of blocks
// become one cell, so a set without a pattern shows itself by its number of distinct cells and is
// given up at a limit; gaps and intervals cost the logarithm of their length.
#ifndef CMAP_CORE_DIAGRAM_HPP_INCLUDED
#define CMAP_CORE_DIAGRAM_HPP_INCLUDED

#include "core/content.hpp"

namespace cmap {

// The lowest six variables are one word: a truth table.
constexpr unsigned WORD_LEVEL = 6;

class Diagram {
  public:
    static constexpr uint32_t NEVER = 0, ALWAYS = 1;  // the constant subfunctions
    static constexpr uint32_t FIRST_CELL = 2;

    // A subfunction of the lowest `level` variables that depends on the highest of them; as a cell
    // of level WORD_LEVEL it may depend on less.
    struct Cell {
        uint64_t bits;  // up to WORD_LEVEL the truth table; else low and high
        uint32_t low, high;
        uint32_t count;  // members in one block
        uint32_t paths;  // at most UINT32_MAX
        float steps;     // cells that a select visits, on average
        uint8_t level;
    };

    // False: more than `limit` nodes, or no memory.  REQUIRES a set that is not empty.
    bool read(const Content &content, uint32_t min, uint32_t max, uint32_t limit) noexcept;
    void clear() noexcept;

    unsigned levels() const noexcept { return levels_; }
    uint32_t base() const noexcept { return base_; }
    uint32_t root() const noexcept { return root_; }
    uint32_t paths() const noexcept;
    double steps() const noexcept { return root_ < FIRST_CELL ? 0 : (*this)[root_].steps; }
    // Nodes of the diagram, without the constants.
    uint32_t nodes() const noexcept { return static_cast<uint32_t>(nodes_); }
    // Nodes above the words, and words that are neither empty nor full.
    uint32_t cells() const noexcept { return static_cast<uint32_t>(above_); }
    uint32_t words() const noexcept { return words_; }
    const Cell &operator[](uint32_t id) const noexcept { return cells_[id - FIRST_CELL]; }
    // Of the block where the function is that of a cell.
    static unsigned level_of(const Cell &cell) noexcept { return cell.level & ~unsigned{INSIDE}; }
    // Cells FIRST_CELL .. end()-1, each behind its children.  A word's child `low` is its node.
    uint32_t end() const noexcept { return static_cast<uint32_t>(cells_.size()) + FIRST_CELL; }

  private:
    static constexpr uint32_t NO_CELL = UINT32_MAX;
    // Nodes within words; told apart from words of the same bits.
    static constexpr uint8_t INSIDE = 32;

    bool read_words(const BitSet &set) noexcept;
    bool read_run(const Run &run) noexcept;
    bool read_array(const uint32_t *members, uint32_t n) noexcept;
    bool mark(uint32_t place) noexcept;
    bool close_word() noexcept;
    bool fill(uint32_t id, uint32_t blocks) noexcept;
    bool place(uint32_t id, unsigned level) noexcept;
    bool finish() noexcept;
    uint32_t word(uint64_t bits) noexcept;
    uint32_t pair(uint32_t low, uint32_t high, unsigned level) noexcept;
    uint32_t inside(uint64_t bits, unsigned level) noexcept;
    uint32_t *find(uint64_t bits, uint8_t level) noexcept;
    uint32_t insert(const Cell &cell, uint32_t *slot) noexcept;
    bool grow() noexcept;
    void measure(Cell &cell) const noexcept;
    uint32_t count_in(uint32_t id, unsigned level) const noexcept;

    unsigned levels_ = 0;
    uint32_t base_ = 0, root_ = NEVER, limit_ = 0, words_ = 0;
    std::size_t above_ = 0, nodes_ = 0, most_ = 0;
    uint32_t at_ = 0;         // words that are placed
    uint32_t open_ = 0;       // the word that is being marked
    uint64_t open_bits_ = 0;
    uint32_t waiting_[33];    // left halves whose right halves are still to come
    uint64_t waits_ = 0;      // a bit for each level
    uint64_t last_bits_ = 0;  // the word looked up last
    uint32_t last_word_ = NEVER;
    Buffer<Cell> cells_;
    Buffer<uint32_t> slots_;  // hash table: ids, 0 where there is none
};

}  // namespace cmap

#endif  // CMAP_CORE_DIAGRAM_HPP_INCLUDED
