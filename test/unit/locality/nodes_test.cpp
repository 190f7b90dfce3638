// SPDX-License-Identifier: BSD-3-Clause
// Nodes of closed forms against a look at each member.
#include "forms.hpp"
#include "locality.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>

namespace {

using Random = std::mt19937;
using cmap_test::members_of;

uint32_t node_of(const locality_nodes &nodes, uint32_t index) {
    const uint32_t at = index - nodes.origin;
    return nodes.first + (nodes.period != 0 ? at % nodes.period : at) / nodes.size;
}

uint32_t between(Random &random, uint32_t low, uint32_t high) {
    return low + random() % (high - low + 1);
}

locality_nodes random_nodes(Random &random) {
    locality_nodes nodes = {between(random, 0, 9), between(random, 1, 12), 0,
                            between(random, 0, 3)};
    if (random() % 2 == 0) nodes.period = nodes.size * between(random, 2, 9);
    return nodes;
}

// Levels that nest, in a random order and direction, from the origin up.
cmap_form random_form(Random &random, uint32_t origin, uint32_t levels) {
    cmap_form form = {};
    uint32_t weight = between(random, 1, 4);
    form.base = origin + between(random, 0, 20);
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (uint32_t k = 0; k < levels; k++) {
        const uint32_t count = between(random, 1, 6);
        all.emplace_back(count, weight);
        weight = weight * count + (random() % 2 == 0 ? 0 : between(random, 0, 5));
    }
    std::shuffle(all.begin(), all.end(), random);
    for (const auto &[count, stride] : all) {
        const bool down = random() % 3 == 0;
        form.count[form.levels] = count;
        form.stride[form.levels++] = down ? -int32_t(stride) : int32_t(stride);
        if (down) form.base += (count - 1) * stride;
    }
    return form;
}

locality_count oracle(const std::vector<locality_part> &parts) {
    std::vector<uint32_t> nodes;
    for (const locality_part &part : parts)
        for (uint32_t member : members_of(part.form))
            nodes.push_back(node_of(part.nodes, member));
    std::vector<bool> seen(*std::max_element(nodes.begin(), nodes.end()) + 1);
    for (uint32_t node : nodes)
        seen[node] = true;
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return {uint32_t(std::count(seen.begin(), seen.end(), true)), uint32_t(nodes.size())};
}

TEST(Locality, Crossings) {
    Random random(1);
    for (int i = 0; i < 20000; i++) {
        const locality_nodes nodes = random_nodes(random);
        const cmap_form form = random_form(random, nodes.origin + 40, between(random, 0, 4));
        const auto step = int64_t(random() % 81) - 40;
        uint64_t want = 0;
        for (uint32_t member : members_of(form)) {
            ASSERT_EQ(node_of(nodes, member), MPIR_locality_node_of(&nodes, member));
            want += node_of(nodes, member) != node_of(nodes, uint32_t(member + step));
        }
        ASSERT_EQ(want, MPIR_locality_crossings(&form, step, &nodes)) << i;
    }
}

TEST(Locality, NodesOfOneForm) {
    Random random(2);
    int closed = 0;
    for (int i = 0; i < 20000; i++) {
        locality_part part;
        part.nodes = random_nodes(random);
        part.form = random_form(random, part.nodes.origin, between(random, 0, 5));
        locality_count count;
        const bool done = MPIR_locality_count_nodes(&part, 1, &count);
        EXPECT_TRUE(done || part.nodes.period != 0);  // blocks are always counted
        if (!done) continue;
        closed++;
        const locality_count want = oracle({part});
        ASSERT_EQ(want.nodes, count.nodes) << i;
        ASSERT_EQ(want.stretches, count.stretches) << i;
    }
    EXPECT_GT(closed, 12000);
}

// Parts that follow one another, as of a map that ends inside its outermost count, or a world
// without some of its ranks; and on blocks of different sizes.
TEST(Locality, NodesOfSeveralForms) {
    Random random(3);
    int closed = 0;
    for (int i = 0; i < 20000; i++) {
        std::vector<locality_part> parts(between(random, 1, 5));
        locality_nodes nodes = random_nodes(random);
        uint32_t next = nodes.origin;
        for (locality_part &part : parts) {
            part.form = random_form(random, next, between(random, 0, 2));
            part.nodes = nodes;
            const std::vector<uint32_t> members = members_of(part.form);
            next = *std::max_element(members.begin(), members.end()) + 1;
            if (random() % 4 == 0) {  // other nodes
                nodes.first =
                    1 + std::max(node_of(nodes, next - 1), nodes.first + nodes.period / nodes.size);
                nodes.origin = next;
                nodes.size = between(random, 1, 12);
                nodes.period = 0;
            }
        }
        if (random() % 2 == 0) std::shuffle(parts.begin(), parts.end(), random);
        locality_count count;
        if (!MPIR_locality_count_nodes(parts.data(), uint32_t(parts.size()), &count)) continue;
        closed++;
        const locality_count want = oracle(parts);
        ASSERT_EQ(want.nodes, count.nodes) << i;
        ASSERT_EQ(want.stretches, count.stretches) << i;
    }
    EXPECT_GT(closed, 8000);
}

cmap_form form_of(uint32_t base, const std::vector<std::pair<uint32_t, int32_t>> &levels) {
    cmap_form form = {};
    form.base = base;
    for (const auto &[count, stride] : levels) {
        form.count[form.levels] = count;
        form.stride[form.levels++] = stride;
    }
    return form;
}

// Every regular communicator of a million ranks is counted, in blocks and in turns.
TEST(Locality, OfAMillion) {
    const uint32_t million = 1 << 20;
    const std::vector<cmap_form> forms = {
        form_of(0, {{million, 1}}),                                              // all
        form_of(million - 1, {{million, -1}}),                                   // reversed
        form_of(0, {{million / 2, 2}}),                                          // even
        form_of(1024 * 7, {{1024, 1}}),                                          // row
        form_of(7, {{1024, 1024}}),                                              // column
        form_of(0, {{1024, 1024}, {1024, 1}}),                                   // transposed
        form_of(64 * 3, {{64, 1}, {128, 8192}}),                                 // plane
        form_of(0, {{4, 1}, {16, 16}, {2, 4}, {64, 256}, {2, 8}, {64, 16384}}),  // tiles
        form_of(5, {{million - 5, 1}})};
    for (const locality_nodes &nodes :
         {locality_nodes{0, 16, 0, 0}, locality_nodes{0, 1, million / 16, 0},
          locality_nodes{0, 4, million / 4, 0}, locality_nodes{0, 48, 0, 0}})
        for (const cmap_form &form : forms) {
            const locality_part part = {form, nodes};
            locality_count count;
            ASSERT_TRUE(MPIR_locality_count_nodes(&part, 1, &count));
            const locality_count want = oracle({part});
            EXPECT_EQ(want.nodes, count.nodes);
            EXPECT_EQ(want.stretches, count.stretches);
        }
}

}  // namespace
