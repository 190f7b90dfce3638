// SPDX-License-Identifier: BSD-3-Clause
#include "rep/wtr_builder.hpp"

#include "core/deposit.hpp"
#include "rep/permuted.hpp"

namespace cmap {

// Below each node the leaves have numbers in a row, those of the left side first.
bool WtrBuilder::number_leaves() noexcept {
    Buffer<uint32_t> leaves;
    if (!leaves.resize(shape_.nodes()) || !first_.resize_zeroed(shape_.nodes())) return false;
    for (unsigned d = shape_.levels + 1; d-- > 0;) {
        const uint32_t end = d < shape_.levels ? shape_.level[d + 1].base : shape_.nodes();
        for (uint32_t node = shape_.level[d].base; node < end; node++) {
            const uint32_t i = node - shape_.level[d].base;
            const bool leaf = shape_.is_leaf(d, i);
            const uint32_t child = leaf ? 0 : shape_.level[d + 1].base + 2 * i;
            leaves[node] = leaf ? 1 : leaves[child] + leaves[child + 1];
        }
    }
    for (unsigned d = 0; d < shape_.levels; d++)
        for (uint32_t i = 0; i < shape_.level[d].inner; i++) {
            const uint32_t child = shape_.level[d + 1].base + 2 * i;
            first_[child] = first_[shape_.level[d].base + i];
            first_[child + 1] = static_cast<uint16_t>(first_[child] + leaves[child]);
        }
    return true;
}

// Strings begin one after the other, leaves at the first rank of their run.
bool WtrBuilder::fill_origins() noexcept {
    if (!origin_.resize(shape_.nodes())) return false;
    uint32_t bits = 0;
    for (unsigned d = 0; d < shape_.levels; d++)
        for (uint32_t i = 0; i < shape_.level[d].inner; i++) {
            origin_[shape_.level[d].base + i] = bits;
            bits += shape_.weight[shape_.level[d].base + i];
        }
    for (uint32_t run = 0; run < shape_.runs(); run++)
        origin_[shape_.leaf_node(run)] = starts_[run];
    return true;
}

// The number of the leaf of each position of the set; in the tree of the inverse, of each rank.
void WtrBuilder::spell(const Analysis &analysis, bool inverted) noexcept {
    uint16_t *number = to_.data();
    for (uint32_t run = 0; run < shape_.runs(); run++) {
        const uint32_t node = shape_.leaf_node(run);
        for (uint32_t i = 0; i < shape_.weight[node]; i++)
            *number++ = first_[node];
    }
    each_position(analysis, [&](uint32_t rank, uint32_t position) {
        if (inverted)
            from_[rank] = to_[position];
        else
            from_[position] = to_[rank];
        return true;
    });
}

void WtrBuilder::put_bits(uint64_t bits, uint32_t count) noexcept {
    const unsigned shift = at_ % 64;
    words_[at_ / 64] |= bits << shift;
    if (shift + count > 64) words_[at_ / 64 + 1] |= bits >> (64 - shift);
    at_ += count;
}

// Those from number `split` on to the right; returns how many.
uint32_t WtrBuilder::distribute_node(uint32_t node, uint32_t split, const uint16_t *from,
                                     uint16_t *to) noexcept {
    const uint32_t size = shape_.weight[node];
    uint32_t left = 0;
    for (uint32_t i = 0; i < size; i++)
        left += from[i] < split;
    uint32_t rights = 0;
    for (uint32_t i = 0; i < size;) {
        const uint32_t n = size - i < 64 ? size - i : 64;
        uint64_t bits = 0;
        for (uint32_t j = 0; j < n; j++, i++) {
            const uint32_t right = from[i] >= split;
            bits |= uint64_t{right} << j;
            to[right != 0 ? left + rights : i - rights] = from[i];
            rights += right;
        }
        put_bits(bits, n);
    }
    return rights;
}

// The children of a node have, together, the room of the node.
void WtrBuilder::distribute_level(unsigned d, uint32_t *delta) noexcept {
    const WtrLevel &level = shape_.level[d];
    const uint32_t begin = origin_[level.base];
    for (uint32_t i = 0; i < level.inner; i++) {
        const uint32_t node = level.base + i, child = shape_.level[d + 1].base + 2 * i;
        const uint32_t origin = origin_[node];
        delta[child] = origin - ones_ - origin_[child];
        delta[child + 1] = ones_ - origin_[child + 1];
        ones_ += distribute_node(node, first_[child + 1], from_.data() + (origin - begin),
                                 to_.data() + (origin - begin));
    }
}

// Two sets in a row as bits: of the positions of the first 64 processes, then of the next 64 ...,
// those are ones that are the second set's.
void WtrBuilder::distribute_words(const BitSet &first, const BitSet &second) noexcept {
    const uint32_t base = first.base < second.base ? first.base : second.base;
    const auto word_at = [](const BitSet &set, uint32_t at) {
        const uint32_t w = at / 64 - set.base / 64;
        return at >= set.base && w < set.count ? set.words[w] : 0;
    };
    const uint64_t end_a = first.base + uint64_t{first.count} * 64;
    const uint64_t end_b = second.base + uint64_t{second.count} * 64;
    for (uint64_t at = base; at < end_a || at < end_b; at += 64) {
        const uint64_t ones = word_at(second, static_cast<uint32_t>(at));
        const uint64_t all = ones | word_at(first, static_cast<uint32_t>(at));
        if (all != 0)
            put_bits(extract(ones, all), static_cast<uint32_t>(__builtin_popcountll(all)));
    }
}

bool WtrBuilder::distribute(const Analysis &analysis, bool inverted, uint64_t *words,
                            uint32_t *delta) noexcept {
    words_ = words;
    delta[0] = 0;
    if (!number_leaves() || !fill_origins()) return false;
    if (shape_.levels == 0) return true;
    if (analysis.content.bit_sets() == 2 && !inverted) {
        for (uint32_t node = 1; node <= 2; node++)
            delta[node] = 0 - origin_[node];
        distribute_words(analysis.content.bits(0), analysis.content.bits(1));
        return true;
    }
    if (!from_.resize(analysis.stats.size) || !to_.resize(analysis.stats.size)) return false;
    spell(analysis, inverted);
    for (unsigned d = 0; d < shape_.levels; d++) {
        distribute_level(d, delta);
        from_.swap(to_);
    }
    return true;
}

}  // namespace cmap
