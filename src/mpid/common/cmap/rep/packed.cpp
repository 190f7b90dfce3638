// SPDX-License-Identifier: BSD-3-Clause
// packed: a list of fixed-width offsets from the least index.
//
// Payload ceil(n * ceil(lg(max - min + 1)) / 8) bytes, and up to 8 so that one unaligned 64-bit
// load reads any member; none up to CMAP_INLINE_MEMBERS members.  select O(1): meets the
// information bound n lg u of a random permutation. rank through the inverse; by bisection when the
// list increases.  (Mir Taheri 2011, section 3.3.)
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/bits.hpp"
#include "core/inverse.hpp"
#include "core/map.hpp"
#include "core/sequence.hpp"

namespace cmap {
namespace {

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    return estimate_of(stats.size, packed_bytes(stats.size, bits_for(stats.span())),
                       sizeof cmap_packed_body::inside, TIME_PACKED);
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    cmap_packed_body &body = map->body.packed;
    body = cmap_packed_body();
    static_assert(CMAP_INLINE_MEMBERS * 31 / 8 + 8 <= sizeof body.inside,
                  "small maps stay in the header");
    const unsigned width = bits_for(analysis.stats.span());
    const std::size_t size = packed_bytes(map->size, width);
    unsigned char *bits = inside(map) ? body.inside : static_cast<unsigned char *>(allocate(size));
    if (bits == nullptr) return CMAP_ERR_NOMEM;
    map->width = static_cast<uint8_t>(width);
    body.base = map->size == 0 ? 0 : map->min;
    body.mask = packed_view(bits, width).mask;
    body.bits = bits;
    PackedWriter writer(bits, width);
    analysis.content.each_block([&](const uint32_t *members, uint32_t n) {
        pack_lows(writer, members, n, body.base);
        return true;
    });
    writer.finish(size);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    if (!inside(map)) deallocate(const_cast<unsigned char *>(map->body.packed.bits));
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const PackedView view = packed_view(map->body.packed.bits, map->width);
    const uint32_t base = map->body.packed.base;
    for (uint32_t i = 0; i < count; i++)
        indices[i] = base + view[uint64_t{first} + i];
}

std::size_t bytes(const cmap_t *map) noexcept {
    return inside(map) ? 0 : packed_bytes(map->size, map->width);
}

const char *validate(const cmap_t *map) noexcept {
    const cmap_packed_body &body = map->body.packed;
    if (map->width > 31) return "packed: the width is out of range";
    if (body.mask != packed_view(body.bits, map->width).mask)
        return "packed: the mask does not fit the width";
    return body.bits != nullptr ? nullptr : "packed: the bits are missing";
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    return std::snprintf(text, room, "%u x %u bits + %u", map->size, map->width,
                         map->body.packed.base);
}

constexpr auto select = MPIR_cmap_packed_select;
constexpr auto rank = list_rank;

const void *payload_of(const cmap_t *map) noexcept {
    return inside(map) ? nullptr : map->body.packed.bits;
}

void relocate(cmap_t *map, const Relocation &move) noexcept { move(map->body.packed.bits); }

}  // namespace

constexpr Representation packed_representation = representation_with([](Representation &rep) {
    rep.name = "packed";
    rep.list = true;
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
});

}  // namespace cmap
