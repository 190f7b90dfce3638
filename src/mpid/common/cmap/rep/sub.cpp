// SPDX-License-Identifier: BSD-3-Clause
#include "rep/sub.hpp"

#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/intern.hpp"
#include "core/inverse.hpp"
#include "core/relation.hpp"
#include "core/strategy.hpp"

namespace cmap {
namespace {

constexpr uint32_t LEVELS = 4;

// A cmap_affine_body with fewer levels; how many, map->width says.
struct SubBody {
    cmap_t *parent;
    cmap_t *inner;  // nullptr: the form below
    uint32_t base, step;
    uint32_t jump[LEVELS - 1];
    uint32_t order;
    uint64_t recip[LEVELS - 1];

    uint32_t form_at(uint32_t rank, uint32_t levels) const noexcept {
        uint32_t index = base + rank * step;
        for (uint32_t k = 0; k + 1 < levels; k++)
            index += MPIR_cmap_mulhi(recip[k], rank) * jump[k];
        return index;
    }
};

const Representation &affine() noexcept { return representation(CMAP_REP_AFFINE); }

// The form as a map, for the functions that affine maps have.
cmap_s form_of(const cmap_t *map) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    cmap_s form = cmap_s();
    form.size = map->size;
    form.kind = CMAP_REP_AFFINE;
    form.width = map->width;
    form.body.affine.base = body.base;
    form.body.affine.step = body.step;
    form.body.affine.order = body.order;
    std::memcpy(form.body.affine.jump, body.jump, sizeof body.jump);
    std::memcpy(form.body.affine.recip, body.recip, sizeof body.recip);
    return form;
}

bool forced(const Analysis &analysis) noexcept { return analysis.policy.force == CMAP_REP_SUB; }

// ---- building

Estimate with_inner(const Analysis &inner, double parent_time) noexcept {
    if (sub_fits_header(inner.stats))
        return Estimate{true, 0, parent_time + TIME_SUB_LEVEL * inner.stats.affine.levels};
    const Estimate below = best(inner);
    return Estimate{below.fits, below.space + CMAP_HEADER_BYTES,
                    TIME_SUB + below.time + parent_time};
}

// The members are ranks of the identity themselves.
void copy_measures(const Analysis &from, Analysis &to) noexcept {
    to.stats = from.stats;
    to.set_stats = from.set_stats;
    to.split_stats[0] = from.split_stats[0];
    to.split_stats[1] = from.split_stats[1];
}

Estimate estimate_alone(const Analysis &analysis) noexcept {
    Analysis inner(analysis.content, analysis);
    copy_measures(analysis, inner);
    return with_inner(inner, TIME_AFFINE[1]);
}

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (stats.size <= CMAP_INLINE_MEMBERS) return cannot();
    Relation *const relation = analysis.relation;
    const bool may = forced(analysis) || (relation != nullptr && stats.affine.levels == 0 &&
                                          analysis.policy.strategy != CMAP_STRATEGY_TIME);
    if (!may) return cannot();
    if (relation == nullptr) return estimate_alone(analysis);
    if (!relation->prepare(analysis)) return forced(analysis) ? estimate_alone(analysis) : cannot();
    Estimate made = with_inner(relation->inner(), time_of(relation->parent()));
    made.shares = relation->shared_set(analysis) != nullptr;
    if (made.shares) return made;
    const double flat = best_simple(stats, analysis).time;
    return forced(analysis) || made.time <= flat * SUB_SLOWDOWN ? made : cannot();
}

cmap_status make_form(cmap_t *map, SubBody &body, const Analysis &inner) noexcept {
    cmap_s form = cmap_s();
    form.size = map->size;
    const cmap_status status = affine().build(&form, inner);
    map->width = form.width;
    body.base = form.body.affine.base;
    body.step = form.body.affine.step;
    body.order = form.body.affine.order;
    std::memcpy(body.jump, form.body.affine.jump, sizeof body.jump);
    std::memcpy(body.recip, form.body.affine.recip, sizeof body.recip);
    return status;
}

// Takes over the reference to the parent.
cmap_status build_on(cmap_t *map, cmap_t *parent, Analysis &inner) noexcept {
    SubBody &body = make_body<SubBody>(map);
    body.parent = parent;
    const cmap_status status =
        sub_fits_header(inner.stats) ? make_form(map, body, inner) : intern(inner, &body.inner);
    if (status == CMAP_OK && (body.inner == nullptr || sub_parent(body.inner) == nullptr))
        return CMAP_OK;
    // An equal map alive that refers to another one would make the chain longer.
    if (status == CMAP_OK) unref(body.inner);
    unref(parent);
    return status == CMAP_OK ? CMAP_ERR_INVALID : status;
}

cmap_status make_identity(uint32_t size, const Analysis &whole, cmap_t **out) noexcept {
    Content members;
    if (!members.add(piece_of(Run{0, 1, size}))) return CMAP_ERR_NOMEM;
    Analysis analysis(members, whole);
    analysis.measure();
    return intern(analysis, out);
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    Relation *const relation = analysis.relation;
    if (relation != nullptr && relation->prepare(analysis))
        return build_on(map, ref(relation->parent()), relation->inner());
    cmap_t *identity;
    CMAP_TRY(make_identity(map->max + 1, analysis, &identity));
    Analysis inner(analysis.content, analysis);
    copy_measures(analysis, inner);
    return build_on(map, identity, inner);
}

void release(cmap_t *map) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    if (body.inner != nullptr) unref(body.inner);
    unref(body.parent);
}

// ---- reading

uint32_t in_parent(const cmap_t *map, const SubBody &body, uint32_t rank) noexcept {
    return body.inner != nullptr ? MPIR_cmap_select(body.inner, rank)
                                 : body.form_at(rank, map->width);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    return MPIR_cmap_select(body.parent, in_parent(map, body, rank));
}

bool increases_by_one(const uint32_t *ranks, uint32_t n) noexcept {
    if (ranks[n - 1] - ranks[0] != n - 1) return false;
    for (uint32_t i = 1; i < n; i++)
        if (ranks[i] != ranks[0] + i) return false;
    return true;
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    const cmap_s form = body.inner == nullptr ? form_of(map) : cmap_s();
    const cmap_t *const inner = body.inner == nullptr ? &form : body.inner;
    uint32_t ranks[512];
    while (count > 0) {
        const uint32_t n = count < 512 ? count : 512;
        decode(inner, first, n, ranks);
        if (increases_by_one(ranks, n))
            decode(body.parent, ranks[0], n, indices);
        else
            MPIR_cmap_select_many(body.parent, ranks, n, indices);
        first += n, indices += n, count -= n;
    }
}

uint32_t rank_by_parent(const cmap_t *map, const SubBody &body, uint32_t index) noexcept {
    const uint32_t rank = rank_of(body.parent, index);
    if (rank == CMAP_NONE || body.inner != nullptr)
        return rank == CMAP_NONE ? CMAP_NONE : rank_of(body.inner, rank);
    const cmap_s form = form_of(map);
    return affine().rank(&form, rank);
}

// What the parent has to be searched or inverted for, a set finds by bisection in itself, and so
// does a list of a parent that keeps no inverse in its own one.
uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    const cmap_t *const parent = body.parent;
    const bool inverted = !ranks_by_inverse(parent) || inverse_if_built(parent) != nullptr;
    if (inverted || (!is_set(map) && parent->strategy != CMAP_STRATEGY_SPACE))
        return rank_by_parent(map, body, index);
    return list_rank(map, index);
}

const cmap_t *part(const cmap_t *map, uint32_t i) noexcept {
    return i == 0 ? body_of<SubBody>(map).inner : nullptr;
}

std::size_t bytes(const cmap_t *) noexcept { return 0; }

// ---- the rest

const char *validate_ranks(const cmap_t *map, const cmap_t *inner) noexcept {
    uint32_t greatest = 0, ranks[512];
    for (uint32_t first = 0, n; first < map->size; first += n) {
        n = map->size - first < 512 ? map->size - first : 512;
        decode(inner, first, n, ranks);
        for (uint32_t i = 0; i < n; i++)
            greatest = ranks[i] > greatest ? ranks[i] : greatest;
    }
    return greatest < body_of<SubBody>(map).parent->size ? nullptr
                                                         : "sub: a rank is not one of the parent's";
}

const char *validate(const cmap_t *map) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    if (sub_depth(map) > SUB_DEPTH) return "sub: too many references in a row";
    if (body.inner == nullptr) {
        if (map->width < 1 || map->width > LEVELS) return "sub: the number of levels is wrong";
        const cmap_s form = form_of(map);
        if (const char *reason = affine().validate(&form)) return reason;
        if (const char *reason = validate_ranks(map, &form)) return reason;
    } else {
        if (sub_parent(body.inner) != nullptr) return "sub: the inner map refers to another";
        if (body.inner->size != map->size) return "sub: the inner map has another size";
        if (const char *reason = map_validate(body.inner)) return reason;
        if (const char *reason = validate_ranks(map, body.inner)) return reason;
    }
    // Its members are its own affair, and may be many more than ours.
    return __atomic_load_n(&body.parent->refs, __ATOMIC_RELAXED) == 0
               ? "sub: the parent is gone"
               : representation(body.parent).validate(body.parent);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const SubBody &body = body_of<SubBody>(map);
    int length = std::snprintf(text, room, "of %u held as %s, at ", body.parent->size,
                               representation(body.parent).name);
    const std::size_t used = static_cast<std::size_t>(length);
    char *const at = used < room ? text + used : nullptr;
    const std::size_t left = used < room ? room - used : 0;
    if (body.inner != nullptr)
        return length +
               std::snprintf(at, left, "ranks held as %s", representation(body.inner).name);
    const cmap_s form = form_of(map);
    return length + affine().describe(&form, at, left);
}

}  // namespace

const cmap_t *sub_parent(const cmap_t *map) noexcept {
    return map->kind == CMAP_REP_SUB ? body_of<SubBody>(map).parent : nullptr;
}

unsigned sub_depth(const cmap_t *map) noexcept {
    unsigned depth = 0;
    while ((map = sub_parent(map)) != nullptr)
        depth++;
    return depth;
}

uint32_t sub_rank_in_parent(const cmap_t *map, uint32_t rank) noexcept {
    return in_parent(map, body_of<SubBody>(map), rank);
}

bool sub_fits_header(const Stats &ranks) noexcept {
    return ranks.affine.levels != 0 && ranks.affine.levels <= LEVELS;
}

constexpr Representation sub_representation = representation_with([](Representation &rep) {
    rep.name = "sub";
    rep.list = true;
    CMAP_FUNCTIONS(rep);
    rep.part = part;
});

}  // namespace cmap
