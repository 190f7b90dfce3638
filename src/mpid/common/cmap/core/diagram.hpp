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

    // A subfunction of the lowest `level` variables that depends on the highest of them; as a word
    // it may depend on less.
    struct Cell {
        uint64_t bits;  // up to WORD_LEVEL the truth table; else low and high
        uint32_t low;   // of a word: its node
        uint32_t high : 24, tag : 8;
    };
    struct Measure {
        uint32_t count;  // members in one block
        uint32_t paths;  // at most UINT32_MAX
        float steps;     // cells that a select visits, on average
    };

    // False: more than `limit` nodes, or no memory.  REQUIRES a set that is not empty.
    bool read(const Content &content, uint32_t min, uint32_t max, uint32_t limit) noexcept;
    void clear() noexcept;

    unsigned levels() const noexcept { return levels_; }
    uint32_t base() const noexcept { return base_; }
    uint32_t root() const noexcept { return root_; }
    uint32_t paths() const noexcept { return measure_of(root_).paths; }
    double steps() const noexcept { return measure_of(root_).steps; }
    // Nodes of the diagram, without the constants.
    uint32_t nodes() const noexcept { return static_cast<uint32_t>(nodes_); }
    // Nodes above the words, and words that are neither empty nor full.
    uint32_t cells() const noexcept { return static_cast<uint32_t>(above_); }
    uint32_t words() const noexcept { return words_; }
    const Cell &operator[](uint32_t id) const noexcept { return cells_[id - FIRST_CELL]; }
    // The cell's own block has 2^level positions.
    static unsigned level_of(const Cell &cell) noexcept { return cell.tag & ~INSIDE; }
    static bool is_word(const Cell &cell) noexcept { return cell.tag == WORD_LEVEL; }
    // Cells FIRST_CELL .. end()-1, each behind its children.  A word's child `low` is its node.
    uint32_t end() const noexcept { return static_cast<uint32_t>(cells_.size()) + FIRST_CELL; }

  private:
    static constexpr uint32_t NO_CELL = UINT32_MAX, MOST_CELLS = (1u << 24) - FIRST_CELL;
    // Nodes within words; told apart from words of the same bits.
    static constexpr unsigned INSIDE = 32;

    template <class Source>
    bool read_source(Source &source) noexcept;
    bool read_run(const Run &run) noexcept;
    bool mark(uint32_t position) noexcept;
    bool close_word() noexcept;
    bool skip_to(uint32_t word, uint32_t start) noexcept;
    bool fill(uint32_t id, uint32_t blocks, uint32_t start) noexcept;
    bool place(uint32_t id, unsigned level, uint32_t start) noexcept;
    bool finish() noexcept;
    uint32_t word(uint64_t bits) noexcept;
    uint32_t pair(uint32_t low, uint32_t high, unsigned level) noexcept;
    uint32_t inside(uint64_t bits, unsigned level) noexcept;
    uint32_t *find(uint64_t bits, unsigned tag) noexcept;
    uint32_t insert(uint64_t bits, uint32_t low, uint32_t high, unsigned tag,
                    uint32_t *slot) noexcept;
    bool grow() noexcept;
    bool measure() noexcept;
    Measure measure_of(uint32_t id) const noexcept;
    Measure measured(const Cell &cell) const noexcept;

    unsigned levels_ = 0;
    uint32_t base_ = 0, root_ = NEVER, limit_ = 0, words_ = 0;
    std::size_t above_ = 0, nodes_ = 0, most_ = 0;
    uint32_t at_ = 0;    // words that are placed
    uint32_t open_ = 0;  // the word that is being marked
    uint64_t open_bits_ = 0;
    uint32_t waiting_[33];    // left halves whose right halves are still to come
    uint32_t starts_[33];     // where the source stood at the beginning of each
    uint64_t waits_ = 0;      // a bit for each level
    uint64_t last_bits_ = 0;  // the word looked up last
    uint32_t last_word_ = NEVER;
    Buffer<Cell> cells_;
    Buffer<Measure> measures_;
    Buffer<uint32_t> slots_;  // hash table: ids, 0 where there is none
};

}  // namespace cmap

#endif  // CMAP_CORE_DIAGRAM_HPP_INCLUDED
