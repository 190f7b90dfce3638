// SPDX-License-Identifier: BSD-3-Clause
#include "case_file.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_set>

namespace cmap_test {

Members transpose(uint32_t rows, uint32_t columns) {
    Members members;
    members.reserve(size_t{rows} * columns);
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t r = 0; r < rows; r++)
            members.push_back(r * columns + c);
    return members;
}

Members cart_sub(const std::vector<uint32_t> &dims, uint32_t keep,
                 const std::vector<uint32_t> &at) {
    Members members = {0};
    for (size_t d = 0; d < dims.size(); d++) {
        Members wider;
        for (uint32_t base : members)
            for (uint32_t x = 0; x < dims[d]; x++)
                if (((keep >> d) & 1) || x == at[d]) wider.push_back(base * dims[d] + x);
        members.swap(wider);
    }
    return members;
}

Members hypercube_face(const std::string &pattern) {
    Members members = {0};
    for (char bit : pattern) {
        Members wider;
        for (uint32_t base : members) {
            if (bit != '1') wider.push_back(base * 2);
            if (bit != '0') wider.push_back(base * 2 + 1);
        }
        members.swap(wider);
    }
    return members;
}

Members levels(uint32_t base, const std::vector<Level> &innermost_first) {
    Members members = {base};
    for (size_t k = innermost_first.size(); k-- > 0;) {
        Members wider;
        for (uint32_t start : members)
            for (uint32_t i = 0; i < innermost_first[k].count; i++)
                wider.push_back(start + i * static_cast<uint32_t>(innermost_first[k].stride));
        members.swap(wider);
    }
    return members;
}

Members random_set(uint32_t universe, double density, uint32_t seed) {
    std::mt19937 random(seed);
    const auto limit = static_cast<uint64_t>(density * 4294967296.0);
    Members members;
    for (uint32_t index = 0; index < universe; index++)
        if (random() < limit) members.push_back(index);
    return members;
}

namespace {

// std::shuffle differs between libraries; the cases must not.
void shuffle(Members &members, std::mt19937 &random) {
    for (size_t i = members.size(); i > 1; i--)
        std::swap(members[i - 1], members[random() % i]);
}

}  // namespace

Members random_permutation(uint32_t n, uint32_t seed) {
    Members members(n);
    std::iota(members.begin(), members.end(), 0u);
    std::mt19937 random(seed);
    shuffle(members, random);
    return members;
}

Members random_list(uint32_t count, uint32_t universe, uint32_t seed) {
    std::mt19937 random(seed);
    std::unordered_set<uint32_t> taken;
    Members members;
    while (members.size() < count) {
        const uint32_t index = random() % universe;
        if (taken.insert(index).second) members.push_back(index);
    }
    return members;
}

Members ascending_runs(uint32_t runs, uint32_t count, uint32_t universe, uint32_t seed) {
    Members members =
        count == universe ? random_permutation(count, seed) : random_list(count, universe, seed);
    for (uint64_t run = 0; run < runs; run++)
        std::sort(members.begin() + static_cast<ptrdiff_t>(run * count / runs),
                  members.begin() + static_cast<ptrdiff_t>((run + 1) * count / runs));
    return members;
}

Members random_pieces(uint32_t pieces, uint32_t longest, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<Members> parts;
    uint32_t low = random() % 100;
    for (uint32_t p = 0; p < pieces; p++) {
        const auto step = static_cast<int32_t>(1 + (random() % 3 == 0 ? random() % 9 : 0));
        Members part = range_members(low, step, 1 + random() % longest);
        low = part.back() + 1 + random() % 50;
        if (random() % 4 == 0) std::reverse(part.begin(), part.end());
        parts.push_back(part);
    }
    const bool in_order = random() % 2 == 0;
    for (size_t i = parts.size(); !in_order && i > 1; i--)
        std::swap(parts[i - 1], parts[random() % i]);
    Members members;
    for (const Members &part : parts)
        members.insert(members.end(), part.begin(), part.end());
    return members;
}

}  // namespace cmap_test
