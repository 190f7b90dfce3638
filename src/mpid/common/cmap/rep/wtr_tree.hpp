// SPDX-License-Identifier: BSD-3-Clause
// The wavelet tree of a permutation: bits, and tables that lead through them.
//
// The strings of all inner nodes are one, level by level.  A position in the string of a node is
// told by its position in that one string, the position in a leaf by the rank in the list.  For
// each node c but the root delta(c) is the number of bits of its side before the string of its
// parent, less where c itself begins.  So, with rank and select of that side's bits on the whole
// string,
//   up    x in c  ->  select(x + delta(c)) in the parent
//   down  x in the parent, its bit leads to c  ->  rank(x) - delta(c) in c
// and no node needs to know more.  Where the runs are those of the inverse, positions and ranks
// change their parts.
#ifndef CMAP_REP_WTR_TREE_HPP_INCLUDED
#define CMAP_REP_WTR_TREE_HPP_INCLUDED

#include "core/rank_select.hpp"
#include "rep/wtr_shape.hpp"

namespace cmap {

struct Analysis;
struct WtrPlan;

// What the payload is made of.
struct WtrLayout {
    RankSelectLayout bits;
    unsigned levels;
    uint32_t runs, hints;
    unsigned hint_shift;

    uint64_t words_bytes() const noexcept;
    uint64_t table_bytes() const noexcept;
    uint64_t bytes() const noexcept;
};

class WtrTree {
  public:
    // `shape`: of the list's runs.
    static WtrLayout layout_of(const WtrShape &shape, uint32_t size) noexcept;
    static bool fits(const WtrShape &shape) noexcept;  // positions are 32 bits wide

    // Takes `plan.layout.bytes()` bytes of memory and fills them.  False: no memory for the work;
    // the memory is still the caller's.
    bool build(void *memory, const WtrPlan &plan, const Analysis &analysis) noexcept;

    // Its memory comes to lie elsewhere: `move` changes each pointer into it (Relocation).
    template <class Move>
    void relocate(Move &&move) noexcept {
        bits_.relocate(move);
        move(memory_);
        move(table_);
    }

    // Both ways between the ranks of the list and the positions of the set.
    uint32_t position(uint32_t rank) const noexcept { return inverted_ ? down(rank) : up(rank); }
    uint32_t rank(uint32_t position) const noexcept {
        return inverted_ ? up(position) : down(position);
    }
    // Positions of ranks first .. first+count-1.
    void positions(uint32_t first, uint32_t count, uint32_t *out) const noexcept;

    uint32_t runs() const noexcept { return runs_; }
    unsigned levels() const noexcept { return levels_; }
    bool inverted() const noexcept { return inverted_; }
    void *memory() const noexcept { return memory_; }
    std::size_t bytes() const noexcept { return bytes_; }
    const char *validate(uint32_t size) const noexcept;

  private:
    struct Leaf {
        unsigned depth;
        uint32_t number;
    };

    const WtrLevel *level() const noexcept { return table_; }
    uint32_t *delta() const noexcept { return reinterpret_cast<uint32_t *>(table_ + levels_ + 1); }
    uint32_t *start() const noexcept { return delta() + 2 * uint64_t{runs_} - 1; }
    uint32_t *leaf() const noexcept { return start() + runs_; }
    uint16_t *hint() const noexcept { return reinterpret_cast<uint16_t *>(leaf() + runs_); }
    Leaf leaf_of(uint32_t run) const noexcept {
        return Leaf{leaf()[run] >> WTR_LEAF_SHIFT, leaf()[run] & ((1u << WTR_LEAF_SHIFT) - 1)};
    }
    uint32_t up(uint32_t x) const noexcept;
    uint32_t down(uint32_t x) const noexcept;
    uint32_t run_of(uint32_t x) const noexcept;
    void fill_tables(const WtrShape &shape, const Buffer<uint32_t> &lengths) noexcept;
    void climb(Leaf at, uint32_t *x, uint32_t count) const noexcept;

    RankSelect bits_;
    void *memory_ = nullptr;
    uint64_t bytes_ = 0;
    WtrLevel *table_ = nullptr;
    uint32_t runs_ = 0;
    uint8_t levels_ = 0;
    uint8_t hint_shift_ = 0;
    bool inverted_ = false;  // the leaves are runs of the inverse
};

}  // namespace cmap

#endif  // CMAP_REP_WTR_TREE_HPP_INCLUDED
