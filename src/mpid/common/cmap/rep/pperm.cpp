// SPDX-License-Identifier: BSD-3-Clause
// pperm: a set, which is a map of its own and shared by all permutations of it, and a packed
// permutation.
//
// Payload n * ceil(lg n) / 8 bytes (and up to 8), and the set with its header unless it is shared:
// a communicator and its reordered relatives pay for their members once.  select O(1) and the
// set's; rank the set's and one access to the inverse. (Mir Taheri 2011, section 3.4.)
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/intern.hpp"
#include "core/inverse.hpp"
#include "core/map.hpp"
#include "rep/permuted.hpp"

namespace cmap {
namespace {

struct PpermBody {
    cmap_t *set;
    unsigned char *bits;  // number r: the position in the set of the member at rank r
    uint32_t width;
    unsigned char inside[16];

    PackedView permutation() const noexcept { return packed_view(bits, width); }
};

static_assert(CMAP_INLINE_MEMBERS * 3 / 8 + 8 <= sizeof PpermBody::inside,
              "small maps stay in the header");

uint64_t payload(uint32_t size) noexcept {
    return inside(size) ? 0 : packed_bytes(size, bits_for(size));
}

// Of a set the permutation would be the identity: possible, but only when asked for.
Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (stats.size == 0 || (stats.is_set && analysis.policy.force != CMAP_REP_PPERM))
        return cannot();
    const Estimate below = estimate_permuted_set(analysis);
    const uint64_t own = payload(stats.size);
    return Estimate{below.fits, own + below.space, TIME_PART + time_access(own) + below.time,
                    below.shares};
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    PpermBody &body = make_body<PpermBody>(map);
    CMAP_TRY(build_permuted_set(map, analysis, &body.set));
    body.width = bits_for(map->size);
    body.bits = inside(map->size) ? body.inside
                                  : static_cast<unsigned char *>(allocate(payload(map->size)));
    if (body.bits == nullptr) {
        unref(body.set);
        return CMAP_ERR_NOMEM;
    }
    PackedWriter writer(body.bits, body.width);
    each_position(analysis, [&](uint32_t, uint32_t position) {
        writer.append(position, body.width);
        return true;
    });
    writer.finish(packed_bytes(map->size, body.width));
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    const PpermBody &body = body_of<PpermBody>(map);
    if (!inside(map->size)) deallocate(body.bits);
    unref(body.set);
}

uint32_t position(const cmap_t *map, uint32_t rank) noexcept {
    return body_of<PpermBody>(map).permutation()[rank];
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    return MPIR_cmap_select(body_of<PpermBody>(map).set, position(map, rank));
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const PpermBody &body = body_of<PpermBody>(map);
    const PackedView permutation = body.permutation();
    for (uint32_t i = 0; i < count; i++)
        indices[i] = permutation[uint64_t{first} + i];
    select_many(body.set, indices, count, indices);
}

uint32_t rank_of_position(const cmap_t *map, uint32_t position) noexcept {
    const PackedView permutation = body_of<PpermBody>(map).permutation();
    for (uint32_t rank = 0; rank < map->size; rank++)
        if (permutation[rank] == position) return rank;
    return CMAP_NONE;
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const uint32_t position = rank_of(body_of<PpermBody>(map).set, index);
    if (position == CMAP_NONE) return CMAP_NONE;
    const Inverse *inverse = inverse_of(map);
    return inverse != nullptr ? inverse->order[position] : rank_of_position(map, position);
}

const cmap_t *part(const cmap_t *map, uint32_t i) noexcept {
    return i == 0 ? body_of<PpermBody>(map).set : nullptr;
}

std::size_t bytes(const cmap_t *map) noexcept { return payload(map->size); }

const char *validate(const cmap_t *map) noexcept {
    const PpermBody &body = body_of<PpermBody>(map);
    if (!is_set(body.set)) return "pperm: what is permuted is no set";
    if (body.set->size != map->size) return "pperm: the set has another size";
    for (uint32_t r = 0; r < map->size; r++)
        if (body.permutation()[r] >= map->size) return "pperm: a position is out of range";
    return map_validate(body.set);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const PpermBody &body = body_of<PpermBody>(map);
    return std::snprintf(text, room, "%u x %u bits of a set held as %s", map->size, body.width,
                         representation(body.set).name);
}

// It seldom wins, and then the members were sorted to find duplicates among them.
bool wants_order(const Analysis &analysis) noexcept {
    return analysis.policy.force == CMAP_REP_PPERM;
}

const void *payload_of(const cmap_t *map) noexcept {
    return inside(map->size) ? nullptr : body_of<PpermBody>(map).bits;
}

void relocate(cmap_t *map, const Relocation &move) noexcept {
    move(changing_body_of<PpermBody>(map).bits);
}

}  // namespace

constexpr Representation pperm_representation = representation_with([](Representation &rep) {
    rep.name = "pperm";
    rep.list = true;
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
    rep.part = part;
    rep.position = position;
    rep.wants_order = wants_order;
});

}  // namespace cmap
