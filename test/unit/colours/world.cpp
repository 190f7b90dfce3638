// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <algorithm>

namespace colours_test {

void fold_max(uint64_t *all, uint64_t offer) { *all = std::max(*all, offer); }

Bytes leaf(colours_row row, uint64_t offer, uint32_t flags) {
    Bytes out(COLOURS_HEADER + COLOURS_EXTRA);
    out.resize(MPIR_colours_leaf(out.data(), row, offer, flags));
    return out;
}

Bytes merge(const Bytes &low, const Bytes &high) {
    Bytes out(low.size() + high.size() + COLOURS_EXTRA + COLOURS_SLACK);
    out.resize(MPIR_colours_merge(low.data(), high.data(), fold_max, out.data()));
    return out;
}

// The pairs come last: 2 * (n - power) ranks of them.
Bytes describe(const Rows &rows, const std::function<void(const Bytes &)> &seen) {
    size_t power = 1;
    while (2 * power <= rows.size())
        power *= 2;
    std::vector<Bytes> blocks;
    const auto add = [&](std::vector<Bytes> &to, const Bytes &block) {
        if (seen) seen(block);
        to.push_back(block);
    };
    const size_t singles = 2 * power - rows.size();
    for (size_t i = 0; i < singles; i++)
        add(blocks, leaf(rows[i]));
    for (size_t i = singles; i < rows.size(); i += 2)
        add(blocks, merge(leaf(rows[i]), leaf(rows[i + 1])));
    while (blocks.size() > 1) {
        std::vector<Bytes> next;
        for (size_t i = 0; i < blocks.size(); i += 2)
            add(next, merge(blocks[i], blocks[i + 1]));
        blocks.swap(next);
    }
    return blocks[0];
}

}  // namespace colours_test
