// SPDX-License-Identifier: BSD-3-Clause
// bdd: a set as the binary decision diagram of its membership function, the variables being the
// bits of the index, most significant first, within the smallest aligned block of 2^v indices that
// holds the set.  Made from the core's own diagram, which has measured it; what combines two such
// sets is a private BuDDy (algebra/diagrams.hpp).  Of two forms the smaller is stored:
//
//   cells   8 bytes for each node above the lowest six variables, with its number of members, and
//           for each different truth table of the lowest six.  select and rank O(v), a division
//           where levels are left out.
//   paths   2v bits for each path to true (what it demands, what does not matter to it) and, where
//           there are several, ceil(lg n) bits for the members before it.  select and rank O(v)
//           steps with a binary search among the paths in each.
//
// Up to 40 bytes of either lie in the header.  For binary patterns: unions of hypercube faces,
// sub-meshes of power-of-two sizes, thresholds. (Mir Taheri 2011, section 4.1.2; J. Lind-Nielsen,
// BuDDy; R. E. Bryant, "Graph-based algorithms for Boolean function manipulation", 1986.)
#include <cmath>
#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/map.hpp"
#include "core/probe.hpp"
#include "core/strategy.hpp"
#include "rep/bdd_extract.hpp"

namespace cmap {
namespace {

// The smaller of the two forms, as far as the limits allow them.
struct Form {
    bool fits = false, paths = false;
    uint64_t bytes = 0;  // wherever they lie

    bool inside() const noexcept { return bytes <= BDD_INSIDE_BYTES; }
    uint64_t payload() const noexcept { return inside() ? 0 : bytes; }
};

Form form_of(const Diagram &diagram, const Analysis &analysis) noexcept {
    Form form;
    if (diagram.cells() <= BddCells::MOST)
        form = Form{true, false, bdd_cell_bytes(diagram.cells())};
    const uint32_t paths = diagram.paths();
    if (paths > analysis.limits.bdd_paths) return form;
    const uint64_t bytes = bdd_path_bytes(paths, diagram.levels(), analysis.stats.size);
    if (!form.fits || bytes < form.bytes) form = Form{true, true, bytes};
    return form;
}

double time_of(const Diagram &diagram, const Form &form) noexcept {
    const double far = time_access(form.payload()) - time_access(0);
    if (form.paths) return TIME_BDD_PATH + std::log2(diagram.paths()) * (TIME_BDD_SPLIT + far);
    return TIME_BDD + diagram.steps() * (TIME_BDD_STEP + far);
}

// No more nodes than the limit, nor than are worth while: none where there is a closed form, which
// is never larger and always faster.
uint32_t node_limit(const Analysis &analysis) noexcept {
    const uint32_t limit = analysis.limits.bdd_nodes;
    if (analysis.policy.force == CMAP_REP_BDD) return limit;
    if (analysis.stats.affine.levels != 0) return 0;
    if (space_worth(analysis, CMAP_REP_BDD, TIME_BDD_PATH) < 0) return 0;
    const double several = TIME_BDD + BDD_STEPS_LEAST * TIME_BDD_STEP;
    const double space = space_worth(analysis, CMAP_REP_BDD, several);
    const double most = std::fmax(BDD_NODES_LEAST, space * BDD_NODES_PER_BYTE);
    return most < limit ? static_cast<uint32_t>(most) : limit;
}

struct BddPlan {
    static constexpr cmap_rep KIND = CMAP_REP_BDD;

    bool made = false;
    Diagram diagram;
};

// nullptr: it has more nodes than the limit, or there is no memory.
const Diagram *diagram_of(const Analysis &analysis) noexcept {
    if (const BddPlan *const plan = analysis.plans.find<BddPlan>())
        return plan->made ? &plan->diagram : nullptr;
    const uint32_t most = node_limit(analysis);
    BddPlan *const plan = most == 0 ? nullptr : analysis.plans.add<BddPlan>();
    if (plan == nullptr) return nullptr;
    const Content &content = analysis.content;
    const uint32_t min = analysis.stats.min, max = analysis.stats.max;
    plan->made =
        !has_many_blocks(content, min, max, most) && plan->diagram.read(content, min, max, most);
    if (plan->made) return &plan->diagram;
    plan->diagram.clear();
    return nullptr;
}

Estimate estimate(const Analysis &analysis) noexcept {
    const Stats &stats = analysis.stats;
    if (!stats.is_set || stats.size == 0 || analysis.content.size() != stats.size) return cannot();
    const Diagram *diagram = diagram_of(analysis);
    if (diagram == nullptr) return cannot();
    const Form form = form_of(*diagram, analysis);
    if (!form.fits || (stats.size <= CMAP_INLINE_MEMBERS && !form.inside())) return cannot();
    return Estimate{true, form.payload(), time_of(*diagram, form)};
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const Diagram *diagram = diagram_of(analysis);
    const Form form = diagram == nullptr ? Form() : form_of(*diagram, analysis);
    if (!form.fits) return CMAP_ERR_INVALID;
    BddBody &body = make_body<BddBody>(map);
    body.base = diagram->base();
    body.levels = static_cast<uint8_t>(diagram->levels());
    if (form.paths) {
        body.paths = diagram->paths();
        body.sum_width = static_cast<uint8_t>(bits_for(map->size));
    } else {
        body.cells = static_cast<uint16_t>(diagram->cells());
        body.words = static_cast<uint16_t>(diagram->words());
    }
    body.data = form.inside() ? body.inside : static_cast<unsigned char *>(allocate(form.bytes));
    if (body.data == nullptr) return CMAP_ERR_NOMEM;
    std::memset(body.data, 0, form.bytes);
    if (extract(*diagram, body)) return CMAP_OK;
    if (!form.inside()) deallocate(body.data);
    return CMAP_ERR_NOMEM;
}

void release(cmap_t *map) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    if (body.data != body.inside) deallocate(body.data);
}

uint32_t select(const cmap_t *map, uint32_t rank) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    return body.paths != 0 ? bdd_paths::select(body, map->size, rank)
                           : bdd_cells::select(body, map->size, rank);
}

uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    return body.paths != 0 ? bdd_paths::rank(body, map->size, index)
                           : bdd_cells::rank(body, map->size, index);
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    (body.paths != 0 ? bdd_paths::decode : bdd_cells::decode)(body, map->size, first, count,
                                                              indices);
}

std::size_t bytes(const cmap_t *map) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    if (body.data == body.inside) return 0;
    return body.paths != 0 ? bdd_path_bytes(body.paths, body.levels, map->size)
                           : bdd_cell_bytes(body.cells);
}

const char *validate(const cmap_t *map) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    if (!is_set(map)) return "bdd: this is no set";
    if (body.levels < WORD_LEVEL || body.levels > 31) return "bdd: the levels are out of range";
    if ((body.base & ((uint32_t{1} << body.levels) - 1)) != 0) return "bdd: the base is wrong";
    return body.paths != 0 ? bdd_paths::validate(body, map->size)
                           : bdd_cells::validate(body, map->size);
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    if (body.paths != 0)
        return std::snprintf(text, room, "%u paths of %u variables", body.paths, body.levels);
    return std::snprintf(text, room, "%u nodes over %u words, %u variables",
                         unsigned{body.cells} - body.words, body.words, body.levels);
}

const void *payload_of(const cmap_t *map) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    return body.data == body.inside ? nullptr : body.data;
}

void relocate(cmap_t *map, const Relocation &move) noexcept {
    move(changing_body_of<BddBody>(map).data);
}

void mark(const cmap_t *map, uint32_t base, uint64_t *words, uint32_t count) noexcept {
    const BddBody &body = body_of<BddBody>(map);
    (body.paths != 0 ? bdd_paths::mark : bdd_cells::mark)(body, base, words, count);
}

}  // namespace

constexpr Representation bdd_representation = representation_with([](Representation &rep) {
    rep.name = "bdd";
    CMAP_FUNCTIONS(rep);
    CMAP_ONE_PAYLOAD(rep);
    rep.mark = mark;
});

}  // namespace cmap
