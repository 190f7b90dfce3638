// SPDX-License-Identifier: BSD-3-Clause
// Members at given ranks, and all others: MPI_Group_incl, _excl, _range_incl, _range_excl.
#include <algorithm>

#include "algebra/membership.hpp"
#include "core/closed_form.hpp"
#include "core/intern.hpp"
#include "core/piece_former.hpp"

namespace cmap {
namespace {

cmap_status check_ranks(const int *ranks, uint32_t n, uint32_t size) noexcept {
    uint32_t greatest = 0;  // a negative rank is a large one here
    for (uint32_t i = 0; i < n; i++)
        greatest = std::max(greatest, uint32_t(ranks[i]));
    if (n != 0 && greatest >= size) return CMAP_ERR_RANGE;
    return n > size ? CMAP_ERR_DUPLICATE : CMAP_OK;
}

// Do samples say that most steps between ranks differ from the step before?  Then the list is
// handed over as it is: forming pieces of it would be in vain, or cost more than it saves.
bool seem_irregular(const int *ranks, uint32_t n) noexcept {
    constexpr uint32_t SAMPLES = 32;
    if (n < SAMPLES * 8) return false;
    uint32_t bends = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const int *const at = ranks + uint64_t{n - 3} * i / SAMPLES;
        bends += at[1] - at[0] != at[2] - at[1];
    }
    return bends > SAMPLES / 2;
}

// Without a copy where each rank is its member.
cmap_status incl_list(Builder &builder, const cmap_t *map, const uint32_t *ranks, uint32_t n,
                      cmap_t **out) noexcept {
    Buffer<uint32_t> members;
    if (!is_affine_run(map, Run{0, 1, map->size})) {
        if (!members.resize(n)) return CMAP_ERR_NOMEM;
        select_many(map, ranks, n, members.data());
        ranks = members.data();
    }
    builder.borrow(ranks, n);
    return builder.finish(out);
}

cmap_status incl(const cmap_t *map, const int *ranks, uint32_t n, const cmap_policy *policy,
                 cmap_t **out) noexcept {
    CMAP_TRY(check_ranks(ranks, n, map->size));
    Builder builder(universe_of(map), policy);
    static_assert(sizeof(int) == sizeof(uint32_t), "ranks that are not negative are read as both");
    const auto *const as_list = reinterpret_cast<const uint32_t *>(ranks);
    if (Content *kin = builder.relate(map, n)) kin->borrow(as_list, n);
    if (seem_irregular(ranks, n)) return incl_list(builder, map, as_list, n, out);
    uint32_t some[ALGEBRA_BLOCK], indices[ALGEBRA_BLOCK];
    for (uint32_t first = 0, count; first < n; first += count) {
        count = std::min(n - first, ALGEBRA_BLOCK);
        std::copy(ranks + first, ranks + first + count, some);
        MPIR_cmap_select_many(map, some, count, indices);
        CMAP_TRY(builder.add_block(indices, count));
    }
    return builder.finish(out);
}

// Increasing ranks as grids; false when they are too many for it to be worth while, or memory ends.
bool form_grids(const int *ranks, uint32_t n, size_t limit, Grids &out) noexcept {
    PieceFormer former;
    const auto sink = [&](const Piece &piece) {
        return out.size() < limit && out.push(grid_of(piece));
    };
    for (uint32_t i = 0; i < n; i++)
        if (!former.add(uint32_t(ranks[i]), sink)) return false;
    return former.flush(sink);
}

// The members of `map` whose ranks are not in `out_of_it`.
cmap_status add_unmarked(Builder &builder, const cmap_t *map, const Bits &out_of_it) noexcept {
    uint32_t members[ALGEBRA_BLOCK], ranks[ALGEBRA_BLOCK];
    Content *kin = builder.relate(map, map->size);
    for (uint32_t first = 0, n; first < map->size; first += n) {
        n = std::min(map->size - first, ALGEBRA_BLOCK);
        decode(map, first, n, members);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; i++) {
            members[kept] = members[i];
            ranks[kept] = first + i;
            kept += !out_of_it.test(first + i);
        }
        if (kin != nullptr && !kin->add(ranks, kept)) {
            builder.unrelate();
            kin = nullptr;
        }
        CMAP_TRY(builder.add_block(members, kept));
    }
    return CMAP_OK;
}

cmap_status add_complement(Builder &builder, const cmap_t *map, const Grids &ranks) noexcept {
    Grids others;
    Budget plenty(SIZE_MAX);
    if (!complement(ranks, map->size, others, plenty)) return CMAP_ERR_NOMEM;
    relate(builder, map, others);
    return add_picked(builder, map, others);
}

cmap_status add_unlisted(Builder &builder, const cmap_t *map, const int *ranks,
                         uint32_t n) noexcept {
    Bits marked;
    if (!marked.start(0, map->size)) return CMAP_ERR_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (marked.set(uint32_t(ranks[i]))) return CMAP_ERR_DUPLICATE;
    return add_unmarked(builder, map, marked);
}

bool increasing(const int *ranks, uint32_t n) noexcept {
    return std::adjacent_find(ranks, ranks + n, [](int a, int b) { return a >= b; }) == ranks + n;
}

cmap_status excl(const cmap_t *map, const int *ranks, uint32_t n, const cmap_policy *policy,
                 cmap_t **out) noexcept {
    CMAP_TRY(check_ranks(ranks, n, map->size));
    if (n == 0) return reuse(map, policy, out);
    Builder builder(universe_of(map), policy);
    const bool few = uint64_t{n} * ALGEBRA_SORT_SHARE <= map->size, ordered = increasing(ranks, n);
    const size_t limit = few ? n : piece_limit(map->size);
    Buffer<int> sorted;
    if (few && !ordered) {
        if (!sorted.append(ranks, n)) return CMAP_ERR_NOMEM;
        std::sort(sorted.begin(), sorted.end());
        if (!increasing(sorted.data(), n)) return CMAP_ERR_DUPLICATE;
        ranks = sorted.data();
    }
    Grids grids;
    if ((few || ordered) && form_grids(ranks, n, limit, grids))
        return conclude(builder, add_complement(builder, map, grids), out);
    return conclude(builder, add_unlisted(builder, map, ranks, n), out);
}

cmap_status check_range(const cmap_rank_range &range, uint32_t size) noexcept {
    const bool forward = range.last > range.first, backward = range.last < range.first;
    const bool wrong_way = range.stride > 0 ? backward : forward;
    return range.stride == 0 || wrong_way || range.first >= size || range.last >= size
               ? CMAP_ERR_RANGE
               : CMAP_OK;
}

Grid ranks_of(const cmap_rank_range &range) noexcept {
    const int64_t count = (int64_t{range.last} - range.first) / range.stride + 1;
    return line(range.first, count > 1 ? range.stride : 1, count);
}

cmap_status read_ranges(const cmap_rank_range *ranges, uint32_t n, uint32_t size,
                        Grids &out) noexcept {
    int64_t members = 0;
    if (!out.reserve(n)) return CMAP_ERR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        CMAP_TRY(check_range(ranges[i], size));
        const Grid ranks = ranks_of(ranges[i]);
        members += ranks.count;
        if (!out.push(ranks)) return CMAP_ERR_NOMEM;
    }
    return members > size ? CMAP_ERR_DUPLICATE : CMAP_OK;
}

cmap_status add_unranged(Builder &builder, const cmap_t *map, const Grids &ranges) noexcept {
    Bits marked;
    if (!marked.start(0, map->size)) return CMAP_ERR_NOMEM;
    for (const Grid &range : ranges)
        for (int64_t i = 0; i < range.count; i++)
            if (marked.set(uint32_t(range.at(i, 0)))) return CMAP_ERR_DUPLICATE;
    return add_unmarked(builder, map, marked);
}

// A closed form's members at one range of ranks are one, where the range cuts no level.
bool incl_closed(const cmap_t *map, const Grids &ranges, const cmap_policy *policy, cmap_t **out,
                 cmap_status &status) noexcept {
    if (map->kind != CMAP_REP_AFFINE || map->width < 3 || ranges.size() != 1) return false;
    const Piece piece = piece_of(ranges[0]);
    const cmap_form ranks{piece.run.first, 1, {piece.run.count}, {piece.run.step}};
    cmap_form members;
    if (!compose_forms(map, ranks, members)) return false;
    status = map_from_form(members, universe_of(map), policy, out);
    return true;
}

// One run's members at one range of ranks are a run.
cmap_t *find_range(const cmap_t *map, const cmap_rank_range &range,
                   const cmap_policy *policy) noexcept {
    if (!is_affine_run(map)) return nullptr;
    const Grid ranks = ranks_of(range);
    const int64_t step = int64_t{ranks.step} * static_cast<int32_t>(map->body.affine.step);
    if (step != static_cast<int32_t>(step)) return nullptr;
    const auto count = static_cast<uint32_t>(ranks.count);
    const Run run{MPIR_cmap_affine_select(map, range.first), static_cast<int32_t>(step), count};
    return find_run(run, universe_of(map), policy);
}

cmap_status range_incl(const cmap_t *map, const Grids &ranges, const cmap_policy *policy,
                       cmap_t **out) noexcept {
    cmap_status status;
    if (incl_closed(map, ranges, policy, out, status)) return status;
    Builder builder(universe_of(map), policy);
    relate(builder, map, ranges);
    return conclude(builder, add_picked(builder, map, ranges), out);
}

cmap_status range_excl(const cmap_t *map, const Grids &ranges, const cmap_policy *policy,
                       cmap_t **out) noexcept {
    Grids upward;
    for (Grid range : ranges) {
        ascending(range, range);
        if (!upward.push(range)) return CMAP_ERR_NOMEM;
    }
    Builder builder(universe_of(map), policy);
    Budget budget(budget_for(map->size).left() + ranges.size());
    switch (settle(upward, budget)) {
        case Settled::ok: return conclude(builder, add_complement(builder, map, upward), out);
        case Settled::duplicate: return CMAP_ERR_DUPLICATE;
        case Settled::too_much: break;
    }
    return conclude(builder, add_unranged(builder, map, ranges), out);
}

}  // namespace
}  // namespace cmap

cmap_status MPIR_cmap_incl(const cmap_t *map, const int *ranks, uint32_t n,
                           const cmap_policy *policy, cmap_t **out) noexcept {
    const bool ready = cmap::arguments(map, map, out) && (ranks != nullptr || n == 0);
    return ready ? cmap::incl(map, ranks, n, policy, out) : CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_excl(const cmap_t *map, const int *ranks, uint32_t n,
                           const cmap_policy *policy, cmap_t **out) noexcept {
    const bool ready = cmap::arguments(map, map, out) && (ranks != nullptr || n == 0);
    return ready ? cmap::excl(map, ranks, n, policy, out) : CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_range_incl(const cmap_t *map, const cmap_rank_range *ranges, uint32_t n,
                                 const cmap_policy *policy, cmap_t **out) noexcept {
    if (!cmap::arguments(map, map, out) || (ranges == nullptr && n != 0)) return CMAP_ERR_ARG;
    if (n == 1) {
        CMAP_TRY(cmap::check_range(*ranges, map->size));
        *out = cmap::find_range(map, *ranges, policy);
        if (*out != nullptr) return CMAP_OK;
    }
    cmap::Grids ranks;
    CMAP_TRY(cmap::read_ranges(ranges, n, map->size, ranks));
    return cmap::range_incl(map, ranks, policy, out);
}

cmap_status MPIR_cmap_range_excl(const cmap_t *map, const cmap_rank_range *ranges, uint32_t n,
                                 const cmap_policy *policy, cmap_t **out) noexcept {
    if (!cmap::arguments(map, map, out) || (ranges == nullptr && n != 0)) return CMAP_ERR_ARG;
    cmap::Grids ranks;
    CMAP_TRY(cmap::read_ranges(ranges, n, map->size, ranks));
    return n == 0 ? cmap::reuse(map, policy, out) : cmap::range_excl(map, ranks, policy, out);
}
