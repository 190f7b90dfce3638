// SPDX-License-Identifier: BSD-3-Clause
#include "rep/wtr_tree.hpp"

#include "core/bisection.hpp"
#include "rep/wtr_builder.hpp"
#include "rep/wtr_plan.hpp"

namespace cmap {

uint64_t WtrLayout::table_bytes() const noexcept {
    const uint64_t nodes = 2 * uint64_t{runs} - 1;
    const uint64_t hint_words = (uint64_t{hints} + 1 + 1) / 2;
    return (levels + 1) * sizeof(WtrLevel) + (nodes + 2 * uint64_t{runs} + hint_words) * 4;
}

// The table begins at a multiple of 4 bytes, which is enough for what is in it.
uint64_t WtrLayout::bytes() const noexcept { return (words_bytes() + table_bytes() + 7) / 8 * 8; }

uint64_t WtrLayout::words_bytes() const noexcept { return bits.words == 0 ? 0 : bits.bytes(); }

WtrLayout WtrTree::layout_of(const WtrShape &shape, uint32_t size) noexcept {
    WtrLayout layout;
    if (shape.bits != 0) layout.bits = rank_select_layout(shape.bits, shape.ones, true);
    layout.levels = shape.levels;
    layout.runs = shape.runs();
    for (layout.hint_shift = 0; (size - 1) >> layout.hint_shift >= layout.runs;)
        ++layout.hint_shift;
    layout.hints = ((size - 1) >> layout.hint_shift) + 1;
    return layout;
}

bool WtrTree::fits(const WtrShape &shape) noexcept { return shape.bits < UINT32_MAX - 8192; }

// The run of the first rank of each bucket of ranks, and behind them the last run.
void WtrTree::fill_tables(const WtrShape &shape, const Buffer<uint32_t> &lengths) noexcept {
    std::memcpy(table_, shape.level, (levels_ + 1) * sizeof *table_);
    std::memcpy(leaf(), shape.leaf.data(), runs_ * sizeof *leaf());
    uint32_t rank = 0, next = 0;
    for (uint32_t run = 0; run < runs_; rank += lengths[run++]) {
        start()[run] = rank;
        while (uint64_t{next} << hint_shift_ < uint64_t{rank} + lengths[run])
            hint()[next++] = static_cast<uint16_t>(run);
    }
    hint()[next] = static_cast<uint16_t>(runs_ - 1);
}

bool WtrTree::build(void *memory, const WtrPlan &plan, const Analysis &analysis) noexcept {
    const WtrLayout &layout = plan.layout;
    memory_ = memory;
    bytes_ = layout.bytes();
    table_ =
        reinterpret_cast<WtrLevel *>(static_cast<unsigned char *>(memory) + layout.words_bytes());
    runs_ = layout.runs;
    inverted_ = plan.inverted;
    levels_ = static_cast<uint8_t>(layout.levels);
    hint_shift_ = static_cast<uint8_t>(layout.hint_shift);
    std::memset(memory, 0, layout.bytes());
    if (layout.bits.words != 0) bits_.lay_out(static_cast<uint64_t *>(memory), layout.bits);
    fill_tables(plan.shape, plan.lengths);
    WtrBuilder builder(plan.shape, start());
    if (!builder.distribute(analysis, inverted_, bits_.words, delta())) return false;
    if (layout.bits.words != 0) bits_.fill_directories();
    return true;
}

uint32_t WtrTree::run_of(uint32_t x) const noexcept {
    const uint16_t *const bucket = hint() + (x >> hint_shift_);
    const uint32_t *const starts = start();
    const uint32_t low = bucket[0], n = bucket[1] - low + 1u;
    return low + last_up_to(starts + low, n, x);
}

uint32_t WtrTree::up(uint32_t x) const noexcept {
    const Leaf at = leaf_of(run_of(x));
    uint32_t i = at.number;
    for (unsigned depth = at.depth; depth > 0; depth--, i /= 2)
        x = select_side(bits_, (i & 1) != 0, x + delta()[level()[depth].base + i]);
    return x;
}

uint32_t WtrTree::down(uint32_t x) const noexcept {
    uint32_t i = 0;
    for (unsigned depth = 0; i < level()[depth].inner;) {
        const uint32_t ones = rank1(bits_, x);
        const bool right = bits_[x];
        i = 2 * i + right;
        x = (right ? ones : x - ones) - delta()[level()[++depth].base + i];
    }
    return x;
}

// All of one leaf together, a level at a time.
void WtrTree::climb(Leaf at, uint32_t *x, uint32_t count) const noexcept {
    uint32_t i = at.number;
    for (unsigned depth = at.depth; depth > 0; depth--, i /= 2) {
        const uint32_t add = delta()[level()[depth].base + i];
        for (uint32_t j = 0; j < count; j++)
            x[j] += add;
        select_increasing(bits_, (i & 1) != 0, x, count);
    }
}

void WtrTree::positions(uint32_t first, uint32_t count, uint32_t *out) const noexcept {
    for (uint32_t i = 0; inverted_ && i < count; i++)
        out[i] = down(first + i);
    if (inverted_) return;
    for (uint32_t run = run_of(first), end; count > 0; run++, first = end) {
        const uint32_t left = run + 1 < runs_ ? start()[run + 1] - first : count;
        const uint32_t n = left < count ? left : count;
        for (uint32_t j = 0; j < n; j++)
            out[j] = first + j;
        climb(leaf_of(run), out, n);
        end = first + n, count -= n, out += n;
    }
}

const char *WtrTree::validate(uint32_t size) const noexcept {
    uint32_t nodes = 1, base = 0;
    uint64_t inner = 0;
    for (unsigned d = 0; d <= levels_; d++) {
        if (level()[d].base != base || level()[d].inner > nodes) return "wtr: a level is wrong";
        inner += level()[d].inner;
        base += nodes;
        nodes = 2 * level()[d].inner;
    }
    if (nodes != 0 || inner + 1 != runs_) return "wtr: the tree has not a leaf for each run";
    for (uint32_t run = 0; run < runs_; run++) {
        const Leaf at = leaf_of(run);
        if (at.depth > levels_ || at.number < level()[at.depth].inner)
            return "wtr: a run has no leaf";
        const uint32_t end = run + 1 < runs_ ? start()[run + 1] : size;
        if (start()[run] >= end || run_of(start()[run]) != run || run_of(end - 1) != run)
            return "wtr: the runs are out of order";
    }
    if (start()[0] != 0) return "wtr: the first run does not begin at rank 0";
    if (bits_.words == nullptr) return nullptr;
    uint64_t ones = 0;
    for (uint32_t w = 0; w < bits_.word_count; w++)
        ones += static_cast<unsigned>(__builtin_popcountll(bits_.words[w]));
    return bits_.validate(ones);
}

}  // namespace cmap
