// SPDX-License-Identifier: BSD-3-Clause
// Diagrams: their sizes, limits and forms, and the algebra on sets that are held as such.
#include "case_file.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

#include "core/deposit.hpp"
#include "core/diagram.hpp"
#include "core/probe.hpp"
#include "rep/bdd_package.hpp"

namespace cmap_test {
namespace {

const cmap_policy as_bdd = forced(CMAP_REP_BDD);

Members faces(const std::vector<std::string> &patterns) {
    Members all;
    for (const std::string &pattern : patterns) {
        Members both;
        const Members face = hypercube_face(pattern);
        std::set_union(all.begin(), all.end(), face.begin(), face.end(), std::back_inserter(both));
        all.swap(both);
    }
    return all;
}

template <class Test>
Members where(uint32_t universe, Test &&test) {
    Members members;
    for (uint32_t index = 0; index < universe; index++)
        if (test(index)) members.push_back(index);
    return members;
}

Members thresholds(unsigned least) {
    return where(1u << 14, [&](uint32_t i) { return __builtin_popcount(i) >= int(least); });
}

struct Shape {
    bool read;
    uint32_t nodes, cells, paths;
};

Shape shape_of(const cmap::Content &content, const Members &members, uint32_t limit = 1u << 20) {
    cmap::Diagram diagram;
    const bool read = diagram.read(content, members.front(), members.back(), limit);
    return read ? Shape{true, diagram.nodes(), diagram.cells(), diagram.paths()}
                : Shape{false, 0, 0, 0};
}

Shape shape_of(const Members &members, uint32_t limit = 1u << 20) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    return shape_of(content, members, limit);
}

void expect_same(const Shape &a, const Shape &b) {
    EXPECT_EQ(a.read, b.read);
    EXPECT_EQ(a.nodes, b.nodes);
    EXPECT_EQ(a.cells, b.cells);
    EXPECT_EQ(a.paths, b.paths);
}

TEST(Diagram, KnownSizes) {
    // A face has a node for each fixed variable below the first, and one path.
    EXPECT_EQ(1u, shape_of(hypercube_face("0**0")).paths);
    EXPECT_EQ(10u, shape_of(hypercube_face("*0*1*0*1*0*1*0*1*0*1")).nodes);
    // Even and odd numbers: one variable.
    EXPECT_EQ(1u, shape_of(range_members(0, 2, 4096)).nodes);
    EXPECT_EQ(1u, shape_of(range_members(1, 2, 4096)).nodes);
    EXPECT_EQ(0u, shape_of(range_members(0, 1, 4096)).nodes);
    // A threshold of t in v variables: a node for each number of ones still to decide.
    EXPECT_EQ(6u * 9, shape_of(thresholds(6)).nodes);
    EXPECT_EQ(
        2u * 14 - 1,
        shape_of(where(1u << 14, [](uint32_t i) { return __builtin_popcount(i) & 1; })).nodes);
}

TEST(Diagram, ArrayBitsAndPiecesAgree) {
    std::mt19937 random(7);
    for (int round = 0; round < 60; round++) {
        Members members = round % 3 == 0   ? random_set(1u << (7 + round % 7), 0.3, random())
                          : round % 3 == 1 ? random_pieces(12, 300, random())
                                           : faces({"0*1*0*1**1*", "*11***0*1**", "00**1******"});
        std::sort(members.begin(), members.end());
        for (uint32_t &member : members)
            member += static_cast<uint32_t>(round % 5) * 1000;
        const uint32_t base = members.front() & ~63u;
        std::vector<uint64_t> words((members.back() - base) / 64 + 1);
        cmap::Content pieces, bits;
        for (uint32_t member : members) {
            words[(member - base) / 64] |= uint64_t{1} << (member - base) % 64;
            ASSERT_TRUE(pieces.add(member));
        }
        const cmap::BitSet set{words.data(), static_cast<uint32_t>(words.size()), base};
        bits.borrow(&set, 1);
        const Shape shape = shape_of(members);
        ASSERT_TRUE(shape.read);
        expect_same(shape, shape_of(pieces, members));
        expect_same(shape, shape_of(bits, members));
    }
}

using Package = cmap::BddPackage;

// The diagram as BuDDy makes it of its nodes, each behind its children.
Package::Node loaded(Package &package, const cmap::Diagram &diagram) {
    using cmap::Diagram;
    std::vector<Package::Node> nodes(diagram.end());
    const auto make = [&](uint32_t id) {
        const Diagram::Cell &cell = diagram[id];
        nodes[id] = Diagram::is_word(cell)
                        ? nodes[cell.low]
                        : package.node(Diagram::level_of(cell), nodes[cell.low], nodes[cell.high]);
    };
    const uint32_t inside = Diagram::FIRST_CELL + diagram.cells();
    nodes[Diagram::NEVER] = 0;
    nodes[Diagram::ALWAYS] = 1;
    for (uint32_t id = inside; package.right() && id < diagram.end(); id++)
        make(id);
    for (uint32_t id = Diagram::FIRST_CELL; package.right() && id < inside; id++)
        make(id);
    return package.right() ? nodes[diagram.root()] : 0;
}

// Without the constants.
void visit(const Package &package, Package::Node node, std::set<Package::Node> &seen) {
    if (node <= 1 || !seen.insert(node).second) return;
    visit(package, package.low(node), seen);
    visit(package, package.high(node), seen);
}

cmap::Diagram diagram_of(const Members &members) {
    cmap::Content content;
    content.borrow(members.data(), static_cast<uint32_t>(members.size()));
    cmap::Diagram diagram;
    EXPECT_TRUE(diagram.read(content, members.front(), members.back(), 1u << 20));
    return diagram;
}

// What was measured without BuDDy is what BuDDy has.
TEST(Diagram, BuDDyCountsTheSame) {
    for (const Members &members :
         {faces({"0*1*0*1**1*1", "*11***0*1**0"}), thresholds(5), random_set(3000, 0.5, 1),
          random_pieces(1, 900, 2), Members{3}, range_members(0, 1, 128)}) {
        const cmap::Diagram diagram = diagram_of(members);
        Package package;
        ASSERT_TRUE(package.start(diagram.levels(), diagram.nodes(), diagram.nodes()));
        const Package::Node root = loaded(package, diagram);
        ASSERT_TRUE(package.right());
        std::set<Package::Node> nodes;
        visit(package, root, nodes);
        EXPECT_EQ(diagram.nodes(), nodes.size());
    }
}

// More nodes than BuDDy is allowed: an answer, and neither a message nor an exit.
TEST(Diagram, BuDDyRunsOutOfNodes) {
    const cmap::Diagram diagram = diagram_of(random_set(1u << 14, 0.5, 9));
    for (uint32_t limit : {100u, 1000u}) {
        Package package;
        ASSERT_TRUE(package.start(diagram.levels(), 100, limit));
        loaded(package, diagram);
        EXPECT_FALSE(package.right());
    }
    Package package;
    EXPECT_TRUE(package.start(diagram.levels(), diagram.nodes(), diagram.nodes()));
    loaded(package, diagram);
    EXPECT_TRUE(package.right());
}

TEST(Diagram, GivesUpAtTheLimit) {
    const Members members = thresholds(6);
    EXPECT_TRUE(shape_of(members, 54).read);
    EXPECT_FALSE(shape_of(members, 53).read);
    EXPECT_FALSE(shape_of(members, 5).read);
}

TEST(Probe, TellsRandomSetsFromPatterns) {
    const auto many = [](const Members &members, uint32_t limit) {
        cmap::Content content;
        content.borrow(members.data(), static_cast<uint32_t>(members.size()));
        return cmap::has_many_blocks(content, members.front(), members.back(), limit);
    };
    for (double density : {0.5, 0.1, 0.03})
        EXPECT_TRUE(many(random_set(1u << 21, density, 3), 4096));
    EXPECT_FALSE(many(random_set(4000, 0.5, 3), 4096));  // too small to tell
    EXPECT_FALSE(many(faces({"0*1*0*1**1**************", "*11***0*1**********0*****"}), 4096));
    EXPECT_FALSE(many(range_members(3, 3, 1u << 18), 4096));
    EXPECT_FALSE(many(range_members(0, 1, 1u << 18), 4096));
}

// The limits are of the process: they come back when the test is over.
class BddLimits : public ::testing::Test {
  protected:
    BddLimits() { MPIR_cmap_limits_get(&before_); }
    ~BddLimits() override { MPIR_cmap_limits_set(&before_); }
    cmap_rep rep_with(const Members &members, uint32_t nodes, uint32_t paths) {
        cmap_limits limits = before_;
        limits.bdd_nodes = nodes;
        limits.bdd_paths = paths;
        EXPECT_EQ(CMAP_OK, MPIR_cmap_limits_set(&limits));
        const Map map = map_of(members, as_bdd);
        EXPECT_TRUE(selects_match(map.get(), members));
        return MPIR_cmap_representation(map.get());
    }

  private:
    cmap_limits before_;
};

TEST_F(BddLimits, NodesDecline) {
    const Members members = thresholds(6);
    EXPECT_EQ(CMAP_REP_BDD, rep_with(members, 54, 0));
    EXPECT_NE(CMAP_REP_BDD, rep_with(members, 53, 0));
    EXPECT_NE(CMAP_REP_BDD, rep_with(members, 0, 100));
}

// A diagram with few paths is held as such unless there are more than allowed: then as cells.
TEST_F(BddLimits, PathsDecline) {
    const Members members = faces({"0*1*0*1**1*1**1*", "1***11*0***1****", "1***10*1***1****"});
    const auto text = [&](uint32_t paths) {
        cmap_limits limits;
        MPIR_cmap_limits_get(&limits);
        limits.bdd_paths = paths;
        MPIR_cmap_limits_set(&limits);
        const Map map = map_of(members, as_bdd);
        char line[160];
        MPIR_cmap_describe(map.get(), line, sizeof line);
        expect_map_is(map.get(), members);
        return std::string(line);
    };
    EXPECT_EQ(3u, shape_of(members).paths);
    EXPECT_NE(std::string::npos, text(3).find("3 paths"));
    EXPECT_NE(std::string::npos, text(2).find("words"));
}

TEST(Deposit, AsWithoutTheInstruction) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 2000; round++) {
        const uint64_t value = random(), mask = random() & random();
        EXPECT_EQ(cmap::deposit_portable(value, mask), cmap::deposit(value, mask));
        EXPECT_EQ(cmap::extract_portable(value, mask), cmap::extract(value, mask));
        EXPECT_EQ(value & cmap::extract_portable(~uint64_t{0}, mask),
                  cmap::extract_portable(cmap::deposit_portable(value, mask), mask));
    }
}

using Operation = cmap_status (*)(const cmap_t *, const cmap_t *, const cmap_policy *, cmap_t **);

void expect_result(Operation operation, const Members &a, const Members &b,
                   const Members &expected) {
    for (const cmap_policy &policy : {as_bdd, by(CMAP_STRATEGY_HYBRID), by(CMAP_STRATEGY_SPACE)}) {
        const Map left = map_of(a, as_bdd), right = map_of(b, as_bdd);
        cmap_t *out = nullptr;
        ASSERT_EQ(CMAP_OK, operation(left.get(), right.get(), &policy, &out));
        const Map result(out);
        EXPECT_EQ(result, map_of(expected, policy));
        expect_map_is(result.get(), expected);
    }
}

void expect_algebra(const Members &a, const Members &b) {
    Members common, left, added, joined = a;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(left));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(added));
    joined.insert(joined.end(), added.begin(), added.end());
    expect_result(MPIR_cmap_intersection, a, b, common);
    expect_result(MPIR_cmap_difference, a, b, left);
    expect_result(MPIR_cmap_union, a, b, joined);
}

Members moved(Members members, uint32_t by) {
    for (uint32_t &member : members)
        member += by;
    return members;
}

TEST(BddAlgebra, FacesOfOneCube) {
    expect_algebra(faces({"0*1*0*1*******", "**11**00*1****"}),
                   faces({"**1***1*0*****", "0*0*0*******1*"}));
    expect_algebra(faces({"0*1*0*1*0*1*0*"}), faces({"*0*1*0*1*0*1*0"}));
    expect_algebra(thresholds(6), thresholds(8));
    expect_algebra(thresholds(8), thresholds(6));
    expect_algebra(thresholds(7), faces({"0*1*0*1*******", "**11**00*1****"}));
}

// Cubes of different sizes, beside one another, within one another, and far apart.
TEST(BddAlgebra, CubesAnywhere) {
    const Members a = faces({"0*1*0*1*****", "**11**00*1**"});
    for (uint32_t by : {0u, 64u, 100u, 2048u, 4096u, 4100u, 65536u, 1u << 24, (1u << 30) + 4096})
        expect_algebra(a, moved(faces({"1*0*1**0*1", "*10**1*1*0", "0*0*0*0*1*"}), by));
    expect_algebra(moved(a, 1u << 29), moved(a, (1u << 29) + 2048));
}

// Beyond ALGEBRA_DIAGRAM_SPAN the operations are BuDDy's: operands within one another, few members
// in a long span, and results that are empty.
TEST(BddAlgebra, FacesOfALargeCube) {
    const Members a = faces({"**1*0**1*0****0*1*0*1*", "1***0*1*0*1*0*1*0*1**0"});
    const Members b = faces({"*0**1*1**0****0*1*0*1*", "1***0*1*0*1*0*1*0****0"});
    ASSERT_GE(a.back() - a.front(), 1u << 20);
    expect_algebra(a, b);
    expect_algebra(b, a);
    expect_algebra(a, faces({"**1*0**1*0****0*1*0*0*"}));
    expect_algebra(moved(a, 1u << 29), moved(b, (1u << 29) + (1u << 23)));
}

}  // namespace
}  // namespace cmap_test
