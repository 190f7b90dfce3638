// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: bytes become builder calls, policies and group algebra over a pool of maps, each of
// which has its array beside it.  A difference aborts, so the fuzzer keeps the input.
#include "oracle_algebra.hpp"
#include "require.hpp"

#include "cmap_lookup.h"

#include <numeric>

namespace {

using namespace cmap_fuzz;

constexpr size_t pool_size = 6;
constexpr size_t most_members = 3000;

class Input {
  public:
    Input(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
    bool done() const { return at_ == end_; }
    uint32_t byte() { return done() ? 0 : *at_++; }
    uint32_t word() { return byte() | byte() << 8; }
    uint32_t below(uint32_t limit) { return limit == 0 ? 0 : word() % limit; }
    int32_t small_stride() { return static_cast<int8_t>(byte()); }

  private:
    const uint8_t *at_, *end_;
};

struct Entry {
    cmap_t *map = nullptr;
    Members members;
};

struct World {
    uint32_t base;      // everything the builder is fed lies from here on, modulo 2^32
    uint32_t universe;  // of what is built next
    cmap_policy policy;
    Entry pool[pool_size];
    cmap_limits limits;  // of others

    World() { MPIR_cmap_limits_get(&limits); }
    ~World() {
        MPIR_cmap_limits_set(&limits);
        for (Entry &entry : pool)
            MPIR_cmap_release(entry.map);
    }
    bool inside(uint32_t index) const { return index < universe; }
};

cmap_policy policy_from(Input &in) {
    cmap_policy policy;
    policy.strategy = static_cast<cmap_strategy>(in.byte() % 3);
    policy.alpha = in.byte() / 255.0;
    policy.force = static_cast<cmap_rep>(in.byte() % (CMAP_REP_COUNT + 1));
    return policy;
}

uint32_t universe_from(Input &in) {
    const uint32_t kind = in.byte() % 4;
    return kind == 0 ? in.byte() : kind == 1 ? 1 + in.word() % 6000 : CMAP_MAX_SIZE - (kind == 2);
}

void set_limits_from(Input &in) {
    cmap_limits limits;
    static const uint32_t some[] = {0, 1, 2, 5, 17, 100, 1000, 1000000};
    limits.bdd_nodes = some[in.byte() % 8];
    limits.bdd_paths = some[in.byte() % 8];
    limits.wtr_runs = some[in.byte() % 8];
    limits.bwt_block = in.word();
    const bool right =
        limits.bwt_block >= CMAP_BWT_BLOCK_MIN && limits.bwt_block <= CMAP_BWT_BLOCK_MAX;
    REQUIRE(MPIR_cmap_limits_set(&limits) == (right ? CMAP_OK : CMAP_ERR_ARG));
}

void check_answers(const cmap_t *map, const Members &members, Input &in) {
    const auto n = static_cast<uint32_t>(members.size());
    for (uint32_t trial = 0; n > 0 && trial < 16; trial++) {
        const uint32_t rank = (in.below(n) + trial * 1009) % n;
        REQUIRE(MPIR_cmap_select(map, rank) == members[rank]);
        REQUIRE(MPIR_cmap_select_outlined(map, rank) == members[rank]);
        REQUIRE(MPIR_cmap_rank(map, members[rank]) == rank);
        const uint32_t near = members[rank] + 1;
        REQUIRE((MPIR_cmap_rank(map, near) != CMAP_NONE) == has(members, near));
    }
    Members part(n);
    const uint32_t first = in.below(n), count = n == 0 ? 0 : in.below(n - first + 1);
    MPIR_cmap_decode(map, first, count, part.data());
    REQUIRE(std::equal(part.begin(), part.begin() + count, members.begin() + first));
}

void check(const cmap_t *map, const Members &members, const cmap_policy &policy, Input &in) {
    const char *reason = "";
    REQUIRE(MPIR_cmap_size(map) == members.size());
    REQUIRE(MPIR_cmap_validate(map, &reason) == CMAP_OK);
    Members all(members.size() + 256);
    cmap_iter iter;
    MPIR_cmap_iter_init(&iter, map);
    size_t seen = 0;
    while (const uint32_t got = MPIR_cmap_iter_next(&iter, &all[seen], 1 + in.byte()))
        REQUIRE((seen += got) <= members.size());
    all.resize(seen);
    REQUIRE(all == members);
    const size_t built = MPIR_cmap_payload_bytes(map) - MPIR_cmap_cached_bytes(map);
    if (policy.force == CMAP_REP_ANY && policy.strategy != CMAP_STRATEGY_TIME)
        REQUIRE(built <= 4 * members.size());
    if (members.size() <= CMAP_INLINE_MEMBERS) REQUIRE(built == 0);
    check_answers(map, members, in);
}

// Takes a result into the pool when it is what the array says.
void settle(World &world, cmap_status status, cmap_t *map, const Answer &want, Input &in) {
    REQUIRE(status == want.status);
    REQUIRE((map != nullptr) == (status == CMAP_OK));
    if (map == nullptr) return;
    check(map, want.members, world.policy, in);
    Entry &slot = world.pool[in.byte() % pool_size];
    MPIR_cmap_release(slot.map);
    slot.map = map;
    slot.members = want.members;
}

void feed_range(cmap_builder *builder, World &world, Members &members, Input &in) {
    const uint32_t first = world.base + in.word(), count = 1 + in.byte();
    const int32_t stride = in.small_stride();
    const int64_t last = first + static_cast<int64_t>(stride) * (count - 1);
    const bool right = (stride != 0 || count == 1) && world.inside(first) && last >= 0 &&
                       last < static_cast<int64_t>(world.universe);
    const cmap_status status = MPIR_cmap_builder_add_range(builder, first, stride, count);
    REQUIRE(status == (right ? CMAP_OK : CMAP_ERR_RANGE));
    for (uint32_t i = 0; right && i < count; i++)
        members.push_back(first + i * static_cast<uint32_t>(stride));
}

void feed_block(cmap_builder *builder, World &world, Members &members, Input &in) {
    Members block(in.byte() % 32);
    bool right = true;
    for (uint32_t &index : block) {
        index = world.base + in.word() % 4096;
        right = right && world.inside(index);
    }
    const cmap_status status =
        MPIR_cmap_builder_add_block(builder, block.data(), static_cast<uint32_t>(block.size()));
    REQUIRE(status == (right ? CMAP_OK : CMAP_ERR_RANGE));
    if (right) members.insert(members.end(), block.begin(), block.end());
}

void feed_slice(cmap_builder *builder, World &world, Members &members, Input &in) {
    const Entry &from = world.pool[in.byte() % pool_size];
    if (from.map == nullptr) return;
    const auto n = static_cast<uint32_t>(from.members.size());
    const uint32_t first = in.below(n + 1), count = in.below(n - first + 1);
    const auto begin = from.members.begin() + first, end = begin + count;
    const bool right = std::all_of(begin, end, [&](uint32_t index) { return world.inside(index); });
    REQUIRE(MPIR_cmap_builder_add_slice(builder, from.map, first, count) ==
            (right ? CMAP_OK : CMAP_ERR_RANGE));
    if (right) members.insert(members.end(), begin, end);
}

// The same short block again and again, shifted: strided blocks, meshes, transposes.
void feed_pattern(cmap_builder *builder, World &world, Members &members, Input &in) {
    const uint32_t first = world.base + in.word() % 1024, width = 1 + in.byte() % 16,
                   times = 1 + in.byte() % 32;
    const uint32_t pitch = in.byte(), stride = 1 + in.byte() % 8;
    for (uint32_t t = 0; t < times; t++)
        for (uint32_t i = 0; i < width; i++) {
            const uint32_t index = first + t * pitch + i * stride;
            const cmap_status status = MPIR_cmap_builder_add(builder, index);
            REQUIRE(status == (world.inside(index) ? CMAP_OK : CMAP_ERR_RANGE));
            if (status == CMAP_OK) members.push_back(index);
        }
}

void build(World &world, Input &in) {
    cmap_builder *builder = nullptr;
    REQUIRE(MPIR_cmap_builder_create(world.universe, &world.policy, &builder) == CMAP_OK);
    Members members;
    for (uint32_t calls = 1 + in.byte() % 8; calls > 0 && members.size() < most_members; calls--) {
        static void (*const feeds[])(cmap_builder *, World &, Members &, Input &) = {
            feed_range, feed_block, feed_slice, feed_pattern};
        feeds[in.byte() % 4](builder, world, members, in);
        // More members than the universe has are not kept.
        REQUIRE(
            MPIR_cmap_builder_size(builder) == members.size() ||
            (members.size() > world.universe && MPIR_cmap_builder_size(builder) <= world.universe));
    }
    Answer want{all_different(members) ? CMAP_OK : CMAP_ERR_DUPLICATE, members};
    cmap_t *map = nullptr, *again = nullptr;
    const cmap_status status = MPIR_cmap_builder_finish(builder, &map);
    MPIR_cmap_builder_free(builder);
    if (status == CMAP_OK) {
        const auto n = static_cast<uint32_t>(members.size());
        REQUIRE(MPIR_cmap_from_array(members.data(), n, world.universe, &world.policy, &again) ==
                CMAP_OK);
        REQUIRE(again == map);
        MPIR_cmap_release(again);
    }
    settle(world, status, map, want, in);
}

// An array with anything in it, in pieces that wrap: what the builder would not take, all at once.
void build_array(World &world, Input &in) {
    static const uint32_t starts[] = {0, 1, 1000, CMAP_MAX_SIZE - 3, UINT32_MAX - 3, 1u << 31};
    Members members;
    for (uint32_t runs = 1 + in.byte() % 12; runs > 0; runs--) {
        uint32_t index = (in.byte() % 4 == 0 ? starts[in.byte() % 6] : world.base) + in.byte();
        const auto stride = static_cast<uint32_t>(in.small_stride());
        for (uint32_t count = in.byte() % 24; count > 0; count--, index += stride)
            members.push_back(index);
    }
    const bool inside = std::all_of(members.begin(), members.end(),
                                    [&](uint32_t index) { return world.inside(index); });
    cmap_t *map = nullptr;
    const cmap_status status = MPIR_cmap_from_array(
        members.data(), static_cast<uint32_t>(members.size()), world.universe, &world.policy, &map);
    const cmap_status wrong = inside ? CMAP_ERR_DUPLICATE : CMAP_ERR_RANGE;
    settle(world, status, map, {inside && all_different(members) ? CMAP_OK : wrong, members}, in);
}

// Up to five parts, the same one perhaps again.
void join(World &world, Input &in) {
    std::vector<const cmap_t *> parts;
    Members all;
    for (uint32_t n = in.byte() % 6; n > 0; n--) {
        const Entry &part = world.pool[in.byte() % pool_size];
        if (part.map == nullptr || all.size() + part.members.size() > most_members) continue;
        parts.push_back(part.map);
        all = joined(all, part.members);
    }
    cmap_t *map = nullptr;
    const cmap_status status =
        MPIR_cmap_concat(parts.data(), static_cast<uint32_t>(parts.size()), &world.policy, &map);
    settle(world, status, map, {all_different(all) ? CMAP_OK : CMAP_ERR_DUPLICATE, all}, in);
}

void combine(World &world, const Entry &a, const Entry &b, Input &in) {
    cmap_t *map = nullptr;
    if (a.members.size() + b.members.size() > most_members) return;
    const cmap_t *parts[] = {a.map, b.map};
    const cmap_policy *policy = &world.policy;
    switch (in.byte() % 5) {
        case 0: {
            const cmap_status status = MPIR_cmap_union(a.map, b.map, policy, &map);
            return settle(world, status, map,
                          {CMAP_OK, joined(a.members, kept(b.members, a.members, false))}, in);
        }
        case 1: {
            const cmap_status status = MPIR_cmap_intersection(a.map, b.map, policy, &map);
            return settle(world, status, map, {CMAP_OK, kept(a.members, b.members, true)}, in);
        }
        case 2: {
            const cmap_status status = MPIR_cmap_difference(a.map, b.map, policy, &map);
            return settle(world, status, map, {CMAP_OK, kept(a.members, b.members, false)}, in);
        }
        case 3: {
            const cmap_status status = MPIR_cmap_compose(a.map, b.map, policy, &map);
            return settle(world, status, map, composed(a.members, b.members), in);
        }
        default: {
            const Members both = joined(a.members, b.members);
            const cmap_status status = MPIR_cmap_concat(parts, 2, policy, &map);
            return settle(world, status, map,
                          {all_different(both) ? CMAP_OK : CMAP_ERR_DUPLICATE, both}, in);
        }
    }
}

void ask(const Entry &a, const Entry &b, Input &in) {
    cmap_order order = CMAP_EQUAL;
    REQUIRE(MPIR_cmap_compare(a.map, b.map, &order) == CMAP_OK);
    REQUIRE(order == compared(a.members, b.members));
    int yes = -1;
    uint32_t missing = CMAP_NONE;
    REQUIRE(MPIR_cmap_is_subset(a.map, b.map, &yes, &missing) == CMAP_OK);
    const Members strangers = kept(a.members, b.members, false);
    REQUIRE((yes != 0) == strangers.empty());
    REQUIRE(yes || a.members[missing] == strangers[0]);
    std::vector<int> ranks(in.byte() % 20), out(ranks.size());
    for (int &rank : ranks)
        rank = a.members.empty()
                   ? -1
                   : static_cast<int>(in.below(static_cast<uint32_t>(a.members.size()) + 1)) - 1;
    const auto n = static_cast<uint32_t>(ranks.size());
    REQUIRE(MPIR_cmap_translate(a.map, ranks.data(), n, b.map, out.data()) == CMAP_OK);
    for (size_t i = 0; i < ranks.size(); i++) {
        const auto found = ranks[i] < 0 ? b.members.end()
                                        : std::find(b.members.begin(), b.members.end(),
                                                    a.members[static_cast<size_t>(ranks[i])]);
        REQUIRE(out[i] ==
                (found == b.members.end() ? -1 : static_cast<int>(found - b.members.begin())));
    }
}

void pick_ranges(World &world, const Entry &a, Input &in) {
    const auto n = static_cast<uint32_t>(a.members.size());
    std::vector<cmap_rank_range> ranges(in.byte() % 6);
    for (cmap_rank_range &range : ranges)
        range = {in.below(n + 1), in.below(n + 1), in.small_stride()};
    Members ranks;
    const bool in_range = ranks_of(ranges, n, ranks);
    const cmap_status wrong = !in_range ? CMAP_ERR_RANGE : CMAP_ERR_DUPLICATE;
    const bool right = in_range && all_different(ranks);
    const bool include = in.byte() % 2 == 0;
    cmap_t *map = nullptr;
    const auto operation = include ? MPIR_cmap_range_incl : MPIR_cmap_range_excl;
    const cmap_status status =
        operation(a.map, ranges.data(), static_cast<uint32_t>(ranges.size()), &world.policy, &map);
    if (!in_range && status == CMAP_ERR_DUPLICATE)  // an earlier range was doubled: just as true
        return;
    if (!right) return settle(world, status, map, {wrong, {}}, in);
    settle(world, status, map,
           {CMAP_OK, include ? picked(a.members, ranks) : left_out(a.members, ranks)}, in);
}

void pick_ranks(World &world, const Entry &a, Input &in) {
    const auto n = static_cast<uint32_t>(a.members.size());
    Members ranks(n == 0 ? 0 : in.byte() % 40);
    for (uint32_t &rank : ranks)
        rank = in.below(n);
    const std::vector<int> as_ints(ranks.begin(), ranks.end());
    const bool right = all_different(ranks);
    const bool include = in.byte() % 2 == 0;
    cmap_t *map = nullptr;
    const auto operation = include ? MPIR_cmap_incl : MPIR_cmap_excl;
    const cmap_status status =
        operation(a.map, as_ints.data(), static_cast<uint32_t>(ranks.size()), &world.policy, &map);
    if (!right) return settle(world, status, map, {CMAP_ERR_DUPLICATE, {}}, in);
    settle(world, status, map,
           {CMAP_OK, include ? picked(a.members, ranks) : left_out(a.members, ranks)}, in);
}

// All members in another order: a few steps of a shuffle, or turned as well.
void permute(World &world, const Entry &a, Input &in) {
    const auto n = static_cast<uint32_t>(a.members.size());
    Members ranks(n);
    std::iota(ranks.begin(), ranks.end(), 0u);
    if (in.byte() % 2 == 0) std::reverse(ranks.begin(), ranks.end());
    for (uint32_t swaps = in.byte(); n > 0 && swaps > 0; swaps--)
        std::swap(ranks[in.below(n)], ranks[(swaps * 2654435761u) % n]);
    const std::vector<int> as_ints(ranks.begin(), ranks.end());
    cmap_t *map = nullptr;
    const cmap_status status = MPIR_cmap_incl(a.map, as_ints.data(), n, &world.policy, &map);
    settle(world, status, map, {CMAP_OK, picked(a.members, ranks)}, in);
}

void step(World &world, Input &in) {
    const uint32_t what = in.byte() % 12;
    const Entry a = world.pool[in.byte() % pool_size], b = world.pool[in.byte() % pool_size];
    if (what == 7) world.policy = policy_from(in);
    if (what == 7) world.universe = universe_from(in);
    if (what == 9) set_limits_from(in);
    if (what == 10) return join(world, in);
    if (what == 11) return build_array(world, in);
    if (what < 3 || what == 7 || a.map == nullptr || b.map == nullptr) return build(world, in);
    MPIR_cmap_addref(a.map);  // the slots may be filled anew while the operands are in use
    MPIR_cmap_addref(b.map);
    if (what == 3)
        combine(world, a, b, in);
    else if (what == 4)
        ask(a, b, in);
    else if (what == 5)
        pick_ranges(world, a, in);
    else if (what == 8)
        permute(world, a, in);
    else
        pick_ranks(world, a, in);
    MPIR_cmap_release(a.map);
    MPIR_cmap_release(b.map);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Input in(data, size);
    cmap_totals before, after;
    MPIR_cmap_get_totals(&before);
    {
        World world;
        static const uint32_t bases[] = {0, 1000, CMAP_MAX_SIZE - 5000, 1u << 30, UINT32_MAX - 900};
        world.base = bases[in.byte() % 5];
        world.universe = universe_from(in);
        world.policy = policy_from(in);
        for (int steps = 0; !in.done() && steps < 64; steps++)
            step(world, in);
    }
    MPIR_cmap_get_totals(&after);
    REQUIRE(before.maps == after.maps && before.bytes == after.bytes);
    return 0;
}
