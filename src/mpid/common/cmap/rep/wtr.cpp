// SPDX-License-Identifier: BSD-3-Clause
// wtr: a set, which is a map of its own and shared by all permutations of it, and a permutation as
// a wavelet tree on the ascending runs of the list.
//
// The leaves of the tree are the runs.  An inner node has a bit for every position of the set whose
// member lies in a run below it, in increasing order: to which side that run is.  From a position
// down to the rank it takes a rank query a level, from a rank up to its position a select query.
// The shape is Huffman's (rep/wtr_shape.hpp): of all trees with these leaves it has the fewest
// bits, at most n (H + 1) where H <= lg(runs) is the entropy of the lengths of the runs, and n
// lg(runs) when they are equal and a power of two in number.
//
// Payload: those bits with the directories of core/rank_select.hpp (3.9 to 4.7 %), about 18 bytes a
// run, and the set with its header unless it is shared.  select: O(levels) after a search among the
// runs that starts from a hint, on average H + 1 levels at most; rank: the set's and O(levels).
// Neither needs an inverse.  Up to cmap_limits' wtr_runs runs.  (Barbay and Navarro, "Compressed
// representations of permutations, and applications", STACS 2009; Mir Taheri 2011, section 4.2.1.)
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/intern.hpp"
#include "rep/permuted.hpp"
#include "rep/wtr_plan.hpp"

namespace cmap {
namespace {

struct WtrBody {
    cmap_t *set;
    WtrTree tree;
};

// Of a set the permutation would be the identity: possible, but only when asked for.
Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (stats.size <= CMAP_INLINE_MEMBERS) return cannot();
    const bool forced = analysis.policy.force == CMAP_REP_WTR;
    if (stats.is_set && !forced) return cannot();
    const Estimate below = estimate_permuted_set(analysis);
    if (!below.fits || !(forced || below.shares || worth_planning(analysis))) return cannot();
    const WtrPlan *const plan = wtr_plan_of(analysis);
    if (plan == nullptr) return cannot();
    const uint64_t own = plan->layout.bytes();
    const double level = (plan->inverted ? TIME_WTR_DOWN : TIME_WTR_LEVEL) + time_access(own);
    const double time = TIME_WTR + plan->levels() * level + below.time;
    return Estimate{true, own + below.space, time, below.shares};
}

cmap_status build_tree(WtrTree &tree, const Analysis &analysis) noexcept {
    const WtrPlan *const plan = wtr_plan_of(analysis);
    if (plan == nullptr) return CMAP_ERR_INVALID;
    void *memory = allocate(plan->layout.bytes());
    if (memory == nullptr) return CMAP_ERR_NOMEM;
    if (tree.build(memory, *plan, analysis)) return CMAP_OK;
    deallocate(memory);
    return CMAP_ERR_NOMEM;
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    WtrBody &body = make_body<WtrBody>(map);
    CMAP_TRY(build_permuted_set(map, analysis, &body.set));
    const cmap_status status = build_tree(body.tree, analysis);
    if (status != CMAP_OK) unref(body.set);
    return status;
}

void release(cmap_t *map) noexcept {
    const WtrBody &body = body_of<WtrBody>(map);
    deallocate(body.tree.memory());
    unref(body.set);
}

uint32_t position(const cmap_t *map, uint32_t rank) noexcept {
    return body_of<WtrBody>(map).tree.position(rank);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const WtrBody &body = body_of<WtrBody>(map);
    return MPIR_cmap_select(body.set, body.tree.position(rank));
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const WtrBody &body = body_of<WtrBody>(map);
    const uint32_t position = rank_of(body.set, index);
    return position == CMAP_NONE ? CMAP_NONE : body.tree.rank(position);
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const WtrBody &body = body_of<WtrBody>(map);
    body.tree.positions(first, count, indices);
    for (uint32_t i = 0; i < count; i++)
        indices[i] = MPIR_cmap_select(body.set, indices[i]);
}

const cmap_t *part(const cmap_t *map, uint32_t i) noexcept {
    return i == 0 ? body_of<WtrBody>(map).set : nullptr;
}

std::size_t bytes(const cmap_t *map) noexcept { return body_of<WtrBody>(map).tree.bytes(); }

const char *validate(const cmap_t *map) noexcept {
    const WtrBody &body = body_of<WtrBody>(map);
    if (!is_set(body.set)) return "wtr: what is permuted is no set";
    if (body.set->size != map->size) return "wtr: the set has another size";
    if (const char *reason = body.tree.validate(map->size)) return reason;
    return map_validate(body.set);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const WtrBody &body = body_of<WtrBody>(map);
    return std::snprintf(text, room, "%u runs%s, %u levels, of a set held as %s", body.tree.runs(),
                         body.tree.inverted() ? " of the inverse" : "", body.tree.levels(),
                         representation(body.set).name);
}

// Does anything else fit so many bytes?
bool others_fit(const Analysis &analysis, uint64_t bytes) noexcept {
    for (unsigned kind = 0; kind < CMAP_REP_COUNT; kind++) {
        if (kind == CMAP_REP_PPERM || kind == CMAP_REP_WTR) continue;
        const Estimate other = representation(kind).estimate(analysis);
        if (other.fits && other.space <= bytes) return true;
    }
    return false;
}

// The set comes on top, and then the tree, of a bit a member at least, is slower than anything else
// that is larger.
bool wants_order(const Analysis &analysis) noexcept {
    if (analysis.policy.force == CMAP_REP_WTR) return true;
    const Stats &stats = analysis.stats;
    if (stats.is_set || stats.affine.levels != 0 || stats.size <= CMAP_INLINE_MEMBERS) return false;
    if (stats.ascents > most_ascents(analysis.limits)) return false;  // the inverse is not known
    const bool shares = known_permutation(analysis) != nullptr;
    if (others_fit(analysis, stats.size / 8) || !(shares || worth_planning(analysis))) return false;
    const WtrPlan *const plan = wtr_plan_of(analysis);
    if (plan == nullptr) return false;
    return !others_fit(analysis, plan->layout.bytes() + (shares ? 0 : CMAP_HEADER_BYTES));
}

const void *payload_of(const cmap_t *map) noexcept { return body_of<WtrBody>(map).tree.memory(); }

void relocate(cmap_t *map, const Relocation &move) noexcept {
    changing_body_of<WtrBody>(map).tree.relocate(move);
}

}  // namespace

constexpr Representation wtr_representation = representation_with([](Representation &rep) {
    rep.name = "wtr";
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
    rep.part = part;
    rep.position = position;
    rep.wants_order = wants_order;
});

}  // namespace cmap
