// SPDX-License-Identifier: BSD-3-Clause
// Payloads and inverses in memory of the node: here pages of this process that cannot be written.
#include "case_file.hpp"
#include "counting_allocator.hpp"
#include "in_parallel.hpp"
#include "oracle.hpp"

#include "cmap_lookup.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace cmap_test {
namespace {

struct Node {
    std::mutex lock;
    std::map<const void *, size_t> blocks;  // and their bytes
    std::map<std::vector<unsigned char>, unsigned> contents;
    unsigned equal = 0;  // blocks with the bytes of an earlier one
    bool full = false;
};
Node node;

const void *keep(const void *bytes, size_t n) {
    const std::lock_guard<std::mutex> guard(node.lock);
    if (node.full) return nullptr;
    void *const memory =
        mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    std::memcpy(memory, bytes, n);
    mprotect(memory, n, PROT_READ);
    node.blocks[memory] = n;
    const auto *const first = static_cast<const unsigned char *>(bytes);
    node.equal += node.contents[{first, first + n}]++ != 0;
    return memory;
}

void drop(const void *memory, size_t n) {
    const std::lock_guard<std::mutex> guard(node.lock);
    const auto found = node.blocks.find(memory);
    ASSERT_TRUE(found != node.blocks.end() && found->second == n);
    node.blocks.erase(found);
    munmap(const_cast<void *>(memory), n);
}

const cmap_node_memory any_size = {1, keep, drop};

struct NodeMemory : testing::Test {
    void SetUp() override {
        node.equal = 0;
        node.full = false;
        node.contents.clear();
        MPIR_cmap_set_node_memory(&any_size);
    }
    void TearDown() override {
        MPIR_cmap_set_node_memory(nullptr);
        EXPECT_TRUE(node.blocks.empty());
    }
};

// With memory that is not zero, so that a byte that a build leaves out shows.
unsigned char fill = 1;
void *dirty_malloc(size_t n) {
    void *const memory = std::malloc(n);
    if (memory != nullptr) std::memset(memory, fill, n);
    return memory;
}

struct Shape {
    cmap_rep rep;
    Members members;
};

std::vector<Shape> shapes() {
    std::vector<Shape> all = {{CMAP_REP_PACKED, random_permutation(5003, 1)},
                              {CMAP_REP_ARRAY, random_permutation(5003, 2)},
                              {CMAP_REP_RUNS, random_pieces(50, 100, 3)},
                              {CMAP_REP_BITMAP, random_set(50000, 0.3, 4)},
                              {CMAP_REP_PPERM, random_permutation(5003, 5)},
                              {CMAP_REP_GAP, random_set(50000, 0.1, 6)},
                              {CMAP_REP_GAP, random_set(50000, 0.9, 7)},
                              {CMAP_REP_ELIASFANO, random_set(500000, 0.01, 8)},
                              {CMAP_REP_BDD, random_set(3000, 0.5, 10)},
                              {CMAP_REP_WTR, ascending_runs(20, 5003, 5003, 9)}};
    if (!MPIR_cmap_rep_available(CMAP_REP_BDD))
        all.erase(std::find_if(all.begin(), all.end(),
                               [](const Shape &one) { return one.rep == CMAP_REP_BDD; }));
    return all;
}

TEST_F(NodeMemory, MapsInItAnswerAsOthers) {
    for (const Shape &shape : shapes()) {
        SCOPED_TRACE(MPIR_cmap_rep_name(shape.rep));
        const Map map = map_of(shape.members, forced(shape.rep));
        ASSERT_EQ(MPIR_cmap_representation(map.get()), shape.rep);
        EXPECT_GE(node.blocks.size(), 1u);
        EXPECT_GT(MPIR_cmap_node_bytes(map.get()), 0u);
        expect_map_is(map.get(), shape.members);
        EXPECT_LE(MPIR_cmap_node_bytes(map.get()), MPIR_cmap_payload_bytes(map.get()));
    }
}

// Under another policy it is another map, in memory that had other bytes before.
TEST_F(NodeMemory, EqualMembersGiveEqualBytes) {
    for (const Shape &shape : shapes()) {
        SCOPED_TRACE(MPIR_cmap_rep_name(shape.rep));
        MPIR_cmap_set_node_memory(nullptr);
        MPIR_cmap_set_allocator(dirty_malloc, std::free);
        MPIR_cmap_set_node_memory(&any_size);
        cmap_policy policy = forced(shape.rep), other = policy;
        other.alpha = 0.5;
        fill = 0x55;
        const Map first = map_of(shape.members, policy);
        (void)MPIR_cmap_rank(first.get(), shape.members[17]);
        const size_t blocks = node.blocks.size();
        EXPECT_EQ(node.equal, 0u);
        fill = 0xaa;
        Map second = map_of(shape.members, other);
        (void)MPIR_cmap_rank(second.get(), shape.members[17]);
        EXPECT_NE(first.get(), second.get());
        EXPECT_EQ(node.equal, node.blocks.size() - blocks);
        EXPECT_GT(node.equal, 0u);
        second.reset();
        node.equal = 0;
        node.contents.clear();
    }
    MPIR_cmap_set_allocator(nullptr, nullptr);
}

TEST_F(NodeMemory, AnInverseLiesThereToo) {
    const Map map = map_of(random_permutation(5003, 1), forced(CMAP_REP_PACKED));
    const size_t bare = MPIR_cmap_node_bytes(map.get());
    EXPECT_EQ(bare, MPIR_cmap_payload_bytes(map.get()));
    (void)MPIR_cmap_rank(map.get(), 77);
    EXPECT_EQ(node.blocks.size(), 2u);
    EXPECT_GT(MPIR_cmap_node_bytes(map.get()), bare + 5003 * 12 / 8);
    EXPECT_LT(MPIR_cmap_node_bytes(map.get()), MPIR_cmap_payload_bytes(map.get()));
    cmap_totals totals;
    MPIR_cmap_get_totals(&totals);
    EXPECT_EQ(totals.node_bytes, MPIR_cmap_node_bytes(map.get()));
    EXPECT_EQ(totals.node_maps, 1u);
}

TEST_F(NodeMemory, SmallAndFullAndRefusedStayPrivate) {
    const Members few = random_permutation(8, 1), members = random_permutation(5003, 1);
    EXPECT_EQ(MPIR_cmap_node_bytes(map_of(few, forced(CMAP_REP_PACKED)).get()), 0u);
    const cmap_node_memory large = {1 << 20, keep, drop};
    MPIR_cmap_set_node_memory(&large);
    EXPECT_EQ(MPIR_cmap_node_bytes(map_of(members, forced(CMAP_REP_PACKED)).get()), 0u);
    MPIR_cmap_set_node_memory(&any_size);
    node.full = true;
    const Map map = map_of(members, forced(CMAP_REP_PACKED));
    expect_map_is(map.get(), members);
    EXPECT_EQ(MPIR_cmap_node_bytes(map.get()), 0u);
    EXPECT_TRUE(node.blocks.empty());
}

TEST_F(NodeMemory, MapsBuiltBeforeAndAfterAreMixed) {
    MPIR_cmap_set_node_memory(nullptr);
    const Members members = random_permutation(5003, 1);
    const Map before = map_of(members, forced(CMAP_REP_PACKED));
    MPIR_cmap_set_node_memory(&any_size);
    const Map same = map_of(members, forced(CMAP_REP_PACKED));
    EXPECT_EQ(before.get(), same.get());
    Map on_node = map_of(random_permutation(5003, 2), forced(CMAP_REP_PACKED));
    MPIR_cmap_set_node_memory(nullptr);
    const Map after = map_of(random_permutation(5003, 3), forced(CMAP_REP_PACKED));
    EXPECT_EQ(MPIR_cmap_node_bytes(before.get()) + MPIR_cmap_node_bytes(after.get()), 0u);
    EXPECT_GT(MPIR_cmap_node_bytes(on_node.get()), 0u);
    on_node.reset();
}

// Every allocation fails once: the map is right or there is none, and nothing is left.
TEST_F(NodeMemory, WithoutMemoryNothingIsLeft) {
    for (const Shape &shape : shapes()) {
        SCOPED_TRACE(MPIR_cmap_rep_name(shape.rep));
        CountingAllocator allocator(MPIR_cmap_set_allocator);
        for (uint64_t k = 0, failed = 1; failed; k++) {
            allocator.fail_at(k);
            cmap_t *map = nullptr;
            const cmap_policy policy = forced(shape.rep);
            const cmap_status status = MPIR_cmap_from_array(
                shape.members.data(), static_cast<uint32_t>(shape.members.size()),
                universe_of(shape.members), &policy, &map);
            if (status == CMAP_OK) {
                EXPECT_EQ(MPIR_cmap_rank(map, shape.members[9]), 9u);
                EXPECT_EQ(MPIR_cmap_select_outlined(map, 9), shape.members[9]);
            }
            failed = allocator.has_failed();
            allocator.fail_never();
            MPIR_cmap_release(map);
            ASSERT_EQ(allocator.blocks_alive(), 0u);
            ASSERT_TRUE(node.blocks.empty());
        }
    }
}

// One thread says again and again whether there is memory of the node; the others build and look up
// meanwhile, and get maps that lie there or do not.
TEST(Threads, BuildWhileNodeMemoryComesAndGoes) {
    thread_test::Mistakes mistakes;
    std::atomic<unsigned> building{thread_test::thread_count - 1};
    thread_test::in_parallel([&](unsigned id) {
        if (id == 0) {
            for (unsigned round = 0; building > 0; round++)
                MPIR_cmap_set_node_memory(round % 2 == 0 ? &any_size : nullptr);
            return;
        }
        for (uint32_t round = 0; round < 60; round++) {
            const Members members = random_permutation(700, id * 100 + round);
            const Map map = map_of(members, forced(CMAP_REP_PACKED));
            for (uint32_t rank = 0; rank < 700; rank += 50)
                mistakes.unless(MPIR_cmap_select(map.get(), rank) == members[rank] &&
                                MPIR_cmap_rank(map.get(), members[rank]) == rank);
        }
        building--;
    });
    MPIR_cmap_set_node_memory(nullptr);
    EXPECT_TRUE(node.blocks.empty());
}

// CMAP_UNIT_NODE_MEMORY=1 runs all other tests with such memory.  Those that count allocations or
// bytes of their own differ then.
struct Everywhere : testing::Environment {
    void SetUp() override {
        if (std::getenv("CMAP_UNIT_NODE_MEMORY") != nullptr) MPIR_cmap_set_node_memory(&any_size);
    }
};
const auto *const everywhere = testing::AddGlobalTestEnvironment(new Everywhere);

}  // namespace
}  // namespace cmap_test
