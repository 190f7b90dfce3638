// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <algorithm>

namespace colours_test {

void fold_max(uint64_t *all, uint64_t offer) { *all = std::max(*all, offer); }

Bytes leaf(colours_row row, uint64_t offer, uint32_t flags) {
    Bytes out(COLOURS_HEADER + COLOURS_EXTRA);
    out.resize(colours_leaf(out.data(), row, offer, flags));
    return out;
}

Bytes merge(const Bytes &low, const Bytes &high) {
    Bytes out(low.size() + high.size() + COLOURS_EXTRA + COLOURS_SLACK);
    out.resize(colours_merge(low.data(), high.data(), fold_max, out.data()));
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

Rows decode(const Bytes &description) {
    Rows rows;
    colours_decode(
        description.data(),
        [](void *to, colours_row row) { static_cast<Rows *>(to)->push_back(row); }, &rows);
    return rows;
}

std::vector<uint32_t> ordered(const Rows &rows, int32_t colour) {
    std::vector<uint32_t> members;
    for (uint32_t r = 0; r < rows.size(); r++)
        if (rows[r].colour == colour) members.push_back(r);
    std::stable_sort(members.begin(), members.end(),
                     [&](uint32_t a, uint32_t b) { return rows[a].key < rows[b].key; });
    return members;
}

namespace {

bool add_members(void *to, const colours_grid *grid) {
    auto *members = static_cast<std::vector<uint32_t> *>(to);
    for (uint32_t i = 0; i < grid->members; i++) {
        int64_t rank = grid->rank, left = i;
        for (uint32_t k = 0; k < grid->levels; k++) {
            rank += left % grid->count[k] * grid->stride[k];
            left /= grid->count[k];
        }
        members->push_back(static_cast<uint32_t>(rank));
    }
    return true;
}

}  // namespace

std::vector<uint32_t> arranged(const Bytes &description, int32_t colour, uint32_t self,
                               colours_order *order) {
    std::vector<uint32_t> members;
    colours_arrange(description.data(), colour, self, order);
    if (order->form != COLOURS_TABLE)
        colours_each_grid(description.data(), colour, order, add_members, &members);
    return members;
}

}  // namespace colours_test
