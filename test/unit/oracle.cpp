// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"

#include "cmap_lookup.h"
#include "core/map.hpp"
#include "rep/sub.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace cmap_test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

constexpr uint32_t guard_word = 0xdeadbeefu;

AssertionResult differs(const char *what, uint64_t at, uint32_t want, uint32_t got) {
    return AssertionFailure() << what << " at " << at << ": want " << want << ", got " << got;
}

// Does a lookup decompress a block, here or in what the map refers to?
bool decompresses(const cmap_t *map) {
    if (MPIR_cmap_representation(map) == CMAP_REP_BWT) return true;
    const cmap_t *const parent = cmap::sub_parent(map);
    if (parent != nullptr && decompresses(parent)) return true;
    const auto part = cmap::representation(map).part;
    for (uint32_t i = 0; part != nullptr && part(map, i) != nullptr; i++)
        if (decompresses(part(map, i))) return true;
    return false;
}

// Lookups of one member; decoding and cursors see every member beside them.
uint32_t questions(const cmap_t *map) { return decompresses(map) ? 1u << 10 : 1u << 14; }

// At odd steps, and around the borders of directories, which lie at multiples of powers of two.
std::vector<uint32_t> ranks_to_ask(const cmap_t *map) {
    const uint32_t n = MPIR_cmap_size(map), limit = questions(map);
    const uint32_t step = n <= limit ? 1 : n / limit | 1;
    std::vector<uint32_t> ranks;
    for (uint32_t r = 0; r < n; r += step)
        ranks.push_back(r);
    if (step == 1) return ranks;
    const uint32_t apart = std::max(512u, 512u * (n / 64 / limit));
    for (uint32_t border = apart; border + 1 < n; border += apart)
        ranks.insert(ranks.end(), {border - 1, border, border + 1});
    ranks.push_back(n - 1);
    return ranks;
}

AssertionResult block_matches(const cmap_t *map, const Members &members, uint32_t first,
                              uint32_t count) {
    Members block(count + 1, guard_word);
    MPIR_cmap_decode(map, first, count, block.data());
    if (block[count] != guard_word)
        return AssertionFailure() << "decode wrote beyond " << count << " members from " << first;
    for (uint32_t i = 0; i < count; i++)
        if (block[i] != members[first + i])
            return differs("decode", first + i, members[first + i], block[i]);
    return AssertionSuccess();
}

AssertionResult blocks_match(const cmap_t *map, const Members &members) {
    const auto n = static_cast<uint32_t>(members.size());
    std::mt19937 random(n + 17);
    AssertionResult whole = block_matches(map, members, 0, n);
    for (int trial = 0; whole && n > 0 && trial < 24; trial++) {
        const uint32_t first = random() % n;
        const uint32_t widest = std::min<uint32_t>(n - first, trial % 3 == 0 ? 1031 : 77);
        whole = block_matches(map, members, first, random() % (widest + 1));
    }
    return whole;
}

AssertionResult drains(cmap_iter *iter, const Members &members, uint32_t room) {
    Members got(room + 1, guard_word);
    uint64_t seen = 0;
    for (;;) {
        const uint32_t count = MPIR_cmap_iter_next(iter, got.data(), room);
        if (count > room || got[room] != guard_word)
            return AssertionFailure() << "the cursor overran a room of " << room;
        if (count == 0) break;
        for (uint32_t i = 0; i < count; i++, seen++)
            if (seen >= members.size() || got[i] != members[seen])
                return AssertionFailure() << "cursor with room " << room << " wrong at " << seen;
    }
    if (seen != members.size()) return AssertionFailure() << "the cursor stopped after " << seen;
    return AssertionSuccess();
}

AssertionResult cursor_matches(const cmap_t *map, const Members &members) {
    cmap_iter iter;
    MPIR_cmap_iter_init(&iter, map);
    AssertionResult result = AssertionSuccess();
    for (uint32_t room : {1u, 3u, 63u, 1009u, 65537u}) {
        if (room < members.size() / 20000) continue;
        result = drains(&iter, members, room);
        if (!result) return result;
        uint32_t ignored = guard_word;
        if (MPIR_cmap_iter_next(&iter, &ignored, 1) != 0)
            return AssertionFailure() << "a drained cursor gave another member";
        MPIR_cmap_iter_rewind(&iter);
    }
    uint32_t first = guard_word;
    MPIR_cmap_iter_next(&iter, &first,
                        1);  // a cursor in the middle rewinds as well as a drained one
    MPIR_cmap_iter_rewind(&iter);
    return drains(&iter, members, 65536);
}

AssertionResult many_match(const cmap_t *map, const Members &members) {
    const auto n = static_cast<uint32_t>(members.size());
    std::mt19937 random(n + 29);
    std::vector<uint32_t> ranks(n == 0 ? 0 : 257);
    for (uint32_t &rank : ranks)
        rank = random() % n;
    Members got(ranks.size() + 1, guard_word);
    MPIR_cmap_select_many(map, ranks.data(), static_cast<uint32_t>(ranks.size()), got.data());
    if (got.back() != guard_word) return AssertionFailure() << "select_many wrote too far";
    for (size_t i = 0; i < ranks.size(); i++)
        if (got[i] != members[ranks[i]])
            return differs("select_many", ranks[i], members[ranks[i]], got[i]);
    return AssertionSuccess();
}

AssertionResult bytes_add_up(const cmap_t *map) {
    if (MPIR_cmap_bytes(map) != header_bytes() + MPIR_cmap_payload_bytes(map))
        return AssertionFailure() << "bytes " << MPIR_cmap_bytes(map) << " with a payload of "
                                  << MPIR_cmap_payload_bytes(map);
    if (MPIR_cmap_array_bytes(map) != size_t{4} * MPIR_cmap_size(map))
        return AssertionFailure() << "array_bytes " << MPIR_cmap_array_bytes(map);
    return AssertionSuccess();
}

void expect_extremes(const cmap_t *map, const Members &members) {
    const bool increasing =
        std::adjacent_find(members.begin(), members.end(),
                           [](uint32_t a, uint32_t b) { return a >= b; }) == members.end();
    const bool none = members.empty();
    EXPECT_EQ(members.size(), MPIR_cmap_size(map));
    EXPECT_EQ(none ? CMAP_NONE : *std::min_element(members.begin(), members.end()),
              MPIR_cmap_min(map));
    EXPECT_EQ(none ? CMAP_NONE : *std::max_element(members.begin(), members.end()),
              MPIR_cmap_max(map));
    EXPECT_EQ(increasing, MPIR_cmap_is_set(map) != 0);
}

// Tells members from others: by a bit each where they lie close enough, else by sorting.
class Membership {
  public:
    explicit Membership(const Members &members) {
        if (members.empty()) return;
        const auto ends = std::minmax_element(members.begin(), members.end());
        low_ = *ends.first;
        const uint64_t span = uint64_t{*ends.second} - low_ + 1;
        if (span <= 64 * uint64_t{members.size()}) {
            bits_.resize(span);
            for (uint32_t member : members)
                bits_[member - low_] = true;
        } else {
            sorted_ = members;
            std::sort(sorted_.begin(), sorted_.end());
        }
    }
    bool has(uint32_t index) const {
        if (bits_.empty()) return std::binary_search(sorted_.begin(), sorted_.end(), index);
        return index >= low_ && index - low_ < bits_.size() && bits_[index - low_];
    }

  private:
    uint32_t low_ = 0;
    std::vector<bool> bits_;
    Members sorted_;
};

AssertionResult strangers_match(const cmap_t *map, const Members &members) {
    const Membership membership(members);
    Members strangers = {CMAP_NONE, CMAP_MAX_SIZE, CMAP_MAX_SIZE - 1, 0};
    const size_t step = members.size() / (questions(map) / 4) + 1;
    for (size_t i = 0; i < members.size(); i += step)
        strangers.insert(strangers.end(), {members[i] + 1, members[i] - 1});
    if (!members.empty())
        strangers.insert(strangers.end(),
                         {MPIR_cmap_max(map) + 1, MPIR_cmap_max(map) + 64, MPIR_cmap_min(map) - 1});
    for (uint32_t index : strangers) {
        if (membership.has(index)) continue;
        const uint32_t rank = MPIR_cmap_rank(map, index);
        if (rank != CMAP_NONE) return differs("rank of a non-member", index, CMAP_NONE, rank);
    }
    return AssertionSuccess();
}

}  // namespace

AssertionResult selects_match(const cmap_t *map, const Members &members) {
    for (uint32_t rank : ranks_to_ask(map)) {
        const uint32_t in_line = MPIR_cmap_select(map, rank);
        if (in_line != members[rank]) return differs("inline select", rank, members[rank], in_line);
        const uint32_t outlined = MPIR_cmap_select_outlined(map, rank);
        if (outlined != members[rank])
            return differs("outlined select", rank, members[rank], outlined);
    }
    return AssertionSuccess();
}

AssertionResult ranks_match(const cmap_t *map, const Members &members) {
    for (uint32_t rank : ranks_to_ask(map)) {
        const uint32_t got = MPIR_cmap_rank(map, members[rank]);
        if (got != rank) return differs("rank of index", members[rank], rank, got);
    }
    return strangers_match(map, members);
}

AssertionResult is_valid(const cmap_t *map) {
    const char *reason = nullptr;
    const cmap_status status = MPIR_cmap_validate(map, &reason);
    if (status == CMAP_OK) return AssertionSuccess();
    return AssertionFailure() << MPIR_cmap_strerror(status) << ": "
                              << (reason ? reason : "no reason given");
}

void expect_map_is(const cmap_t *map, const Members &members) {
    ASSERT_NE(nullptr, map);
    ASSERT_EQ(members.size(), MPIR_cmap_size(map));
    EXPECT_TRUE(is_valid(map));
    EXPECT_TRUE(bytes_add_up(map));
    expect_extremes(map, members);
    EXPECT_TRUE(selects_match(map, members));
    EXPECT_TRUE(blocks_match(map, members));
    EXPECT_TRUE(cursor_matches(map, members));
    EXPECT_TRUE(many_match(map, members));
    EXPECT_TRUE(ranks_match(map, members));
    EXPECT_TRUE(bytes_add_up(map));  // the inverse is counted, too
    EXPECT_TRUE(is_valid(map));
}

}  // namespace cmap_test
