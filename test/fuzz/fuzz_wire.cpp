// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: bytes are words of a map, as they are and behind a right head.  What is accepted
// must come back when it is written again.  A difference aborts, so the fuzzer keeps the input.
#include "cmap.h"
#include "cmap_wire.h"
#include "require.hpp"

#include <cstring>
#include <vector>

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t MOST = 100000;  // members that are worth a look at each

uint32_t count(const Words &words) { return static_cast<uint32_t>(words.size()); }

// The map that the words tell, or nullptr.
cmap_t *read(const std::vector<Words> &parts, uint32_t universe) {
    cmap_builder *builder = nullptr;
    cmap_t *map = nullptr;
    cmap_status status = MPIR_cmap_builder_create(universe, nullptr, &builder);
    REQUIRE(status == CMAP_OK);
    for (const Words &words : parts)
        if (status == CMAP_OK)
            status = MPIR_cmap_builder_add_words(builder, words.data(), count(words));
    REQUIRE(status == CMAP_OK || status == CMAP_ERR_ARG || status == CMAP_ERR_RANGE);
    if (status == CMAP_OK) {
        status = MPIR_cmap_builder_finish(builder, &map);
        REQUIRE(status == CMAP_OK || status == CMAP_ERR_DUPLICATE);
    }
    REQUIRE((status == CMAP_OK) == (map != nullptr));
    MPIR_cmap_builder_free(builder);
    return map;
}

std::vector<Words> write(const cmap_t *map, uint32_t room) {
    std::vector<Words> parts;
    for (uint32_t first = 0, next; first < MPIR_cmap_size(map); first = next) {
        Words words(room);
        const uint32_t used = MPIR_cmap_to_words(map, first, words.data(), room, &next);
        REQUIRE(used <= room && next > first && used <= next - first + 1 + CMAP_WIRE_HEAD);
        words.resize(used);
        parts.push_back(words);
    }
    return parts;
}

bool is_same(const cmap_t *a, const cmap_t *b) {
    cmap_order order;
    return MPIR_cmap_compare(a, b, &order) == CMAP_OK && order == CMAP_EQUAL;
}

void take(const Words &words) {
    cmap_t *map = read({words}, MOST);
    if (map == nullptr) return;
    cmap_t *again = read(write(map, CMAP_WORDS_MIN + words.front() % 100), MOST);
    REQUIRE(again != nullptr && is_same(map, again));
    REQUIRE((MPIR_cmap_find_in_words(map, words.data(), count(words)) == CMAP_NONE) ==
            (MPIR_cmap_size(map) == 0));
    MPIR_cmap_release(again);
    MPIR_cmap_release(map);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Words words(size / sizeof(uint32_t));
    if (words.empty()) return 0;
    std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
    take(words);
    Words with_head(CMAP_WIRE_HEAD);
    MPIR_cmap_wire_head(with_head.data(), count(words));
    with_head.insert(with_head.end(), words.begin(), words.end());
    take(with_head);
    // a byte for each word: small numbers make more that is right
    Words small(CMAP_WIRE_HEAD);
    for (size_t i = 0; i < size; i++)
        small.push_back(MPIR_cmap_wire_order(data[i]));
    MPIR_cmap_wire_head(small.data(), static_cast<uint32_t>(size));
    take(small);
    return 0;
}
