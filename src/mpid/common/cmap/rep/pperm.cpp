// SPDX-License-Identifier: BSD-3-Clause
#include "rep/pperm.hpp"

#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/intern.hpp"
#include "core/inverse.hpp"
#include "core/strategy.hpp"

namespace cmap {
namespace {

struct PpermBody {
    cmap_t *set;
    unsigned char *bits;  // number r: the place in the set of the member at rank r
    uint32_t width;
    unsigned char inside[16];

    PackedView places() const noexcept { return packed_view(bits, width); }
};

static_assert(CMAP_INLINE_MEMBERS * 3 / 8 + 8 <= sizeof PpermBody::inside,
              "small maps stay in the header");

bool inside(uint32_t size) noexcept { return size <= CMAP_INLINE_MEMBERS; }

uint64_t payload(uint32_t size) noexcept {
    return inside(size) ? 0 : packed_bytes(size, bits_for(size));
}

cmap_policy unforced(const cmap_policy &policy) noexcept {
    return {policy.strategy, policy.alpha, CMAP_REP_ANY};
}

// Of a set the permutation would be the identity: possible, but only when asked for.
Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (stats.size == 0 || (stats.is_set && analysis.policy.force != CMAP_REP_PPERM))
        return cannot();
    const Stats &set = stats.is_set ? stats : analysis.set;
    if (set.size == 0) return cannot();  // nobody needed the members in order
    const Estimate below = best_simple(set, unforced(analysis.policy));
    const uint64_t own = payload(stats.size);
    return Estimate{below.fits, own + below.space + CMAP_HEADER_BYTES,
                    TIME_PART + time_access(own) + below.time};
}

cmap_status build_set(const Analysis &analysis, cmap_t **out) noexcept {
    Content members;
    if (!analysis.stats.is_set)
        analysis.sorter.lend(members);
    else if (!analysis.content.slice(0, analysis.stats.size, members))
        return CMAP_ERR_NOMEM;
    Analysis set(members, unforced(analysis.policy));
    set.stats = analysis.stats.is_set ? analysis.stats : analysis.set;
    return intern(set, out);
}

void fill_places(PpermBody &body, const Analysis &analysis) noexcept {
    uint32_t rank = 0;
    analysis.content.each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++, rank++) {
            const uint32_t place =
                analysis.stats.is_set ? rank : analysis.sorter.position(members[i]);
            packed_put(body.bits, body.width, rank, place);
        }
        return true;
    });
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    PpermBody &body = make_body<PpermBody>(map);
    CMAP_TRY(build_set(analysis, &body.set));
    body.width = bits_for(map->size);
    body.bits = inside(map->size) ? body.inside
                                  : static_cast<unsigned char *>(allocate(payload(map->size)));
    if (body.bits == nullptr) {
        unref(body.set);
        return CMAP_ERR_NOMEM;
    }
    std::memset(body.bits, 0, packed_bytes(map->size, body.width));
    fill_places(body, analysis);
    return CMAP_OK;
}

void release(cmap_t *map) noexcept {
    const PpermBody &body = body_of<PpermBody>(map);
    if (!inside(map->size)) deallocate(body.bits);
    unref(body.set);
}

uint32_t position(const cmap_t *map, uint32_t rank) noexcept {
    return body_of<PpermBody>(map).places()[rank];
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    return cmap_select(body_of<PpermBody>(map).set, position(map, rank));
}

uint32_t find_place(const cmap_t *map, uint32_t place) noexcept {
    const PackedView places = body_of<PpermBody>(map).places();
    for (uint32_t rank = 0; rank < map->size; rank++)
        if (places[rank] == place) return rank;
    return CMAP_NONE;
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const uint32_t place = rank_of(body_of<PpermBody>(map).set, index);
    if (place == CMAP_NONE) return CMAP_NONE;
    const Inverse *inverse = inverse_of(map);
    return inverse != nullptr ? inverse->order[place] : find_place(map, place);
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
        if (body.places()[r] >= map->size) return "pperm: a place is out of range";
    return map_validate(body.set);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const PpermBody &body = body_of<PpermBody>(map);
    return std::snprintf(text, room, "%u x %u bits of a set held as %s", map->size, body.width,
                         representation(body.set).name);
}

}  // namespace

const Representation pperm_representation = {
    "pperm", true,    estimate, build, release,  select,   rank,     decode_by_select,
    nullptr, nullptr, bytes,    part,  position, validate, describe,
};

}  // namespace cmap
