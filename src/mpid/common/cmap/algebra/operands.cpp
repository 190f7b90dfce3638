// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/operands.hpp"

#include <algorithm>

#include "core/intern.hpp"
#include "core/policy.hpp"

namespace cmap {
namespace {

bool has_policy(const cmap_t *map, const cmap_policy *policy) noexcept {
    cmap_policy wanted = policy_or_default(policy);
    if (!policy_valid(wanted)) return false;  // the builder says so
    wanted = policy_normal(wanted);
    return map->strategy == wanted.strategy && map->force == wanted.force &&
           map->alpha == wanted.alpha;
}

// Members at ranks that come in runs of any length, by select, decode or slice.
class Gather {
  public:
    Gather(Builder &builder, const cmap_t *map) noexcept : builder_(builder), map_(map) {}

    cmap_status add(const Grid &run) noexcept {
        if (run.step == 1 && run.count >= ALGEBRA_DECODE_MIN) {
            CMAP_TRY(flush());
            return add_decoded(static_cast<uint32_t>(run.base), static_cast<uint32_t>(run.count));
        }
        for (int64_t i = 0; i < run.count; i++) {
            if (used_ == ALGEBRA_BLOCK) CMAP_TRY(flush());
            ranks_[used_++] = static_cast<uint32_t>(run.at(i, 0));
        }
        return CMAP_OK;
    }

    cmap_status flush() noexcept {
        uint32_t indices[ALGEBRA_BLOCK];
        MPIR_cmap_select_many(map_, ranks_, used_, indices);
        const uint32_t n = used_;
        used_ = 0;
        return builder_.add_block(indices, n);
    }

  private:
    cmap_status add_decoded(uint32_t first, uint32_t count) noexcept {
        if (count > ALGEBRA_BLOCK) return builder_.add_slice(map_, first, count);
        uint32_t indices[ALGEBRA_BLOCK];
        decode(map_, first, count, indices);
        return builder_.add_block(indices, count);
    }

    Builder &builder_;
    const cmap_t *map_;
    uint32_t used_ = 0;
    uint32_t ranks_[ALGEBRA_BLOCK];
};

cmap_status add_gathered(Builder &builder, const cmap_t *map, const Grids &ranks) noexcept {
    Gather gather(builder, map);
    for (const Grid &grid : ranks)
        for (int64_t j = 0; j < grid.rows; j++)
            CMAP_TRY(gather.add(row_of(grid, j)));
    return gather.flush();
}

}  // namespace

size_t piece_limit(uint64_t members) noexcept {
    const uint64_t worth = members / ALGEBRA_MEMBERS_PER_PIECE;
    return size_t(std::clamp<uint64_t>(worth, ALGEBRA_MIN_PIECES, ALGEBRA_MAX_PIECES));
}

Budget budget_for(uint64_t members) noexcept {
    return Budget(piece_limit(members) * ALGEBRA_WORK_PER_PIECE);
}

cmap_status reuse(const cmap_t *map, const cmap_policy *policy, cmap_t **out) noexcept {
    if (has_policy(map, policy)) {
        *out = ref(map);
        return CMAP_OK;
    }
    Builder builder(universe_of(map), policy);
    return conclude(builder, builder.add_map(map), out);
}

cmap_status make_empty(const cmap_policy *policy, cmap_t **out) noexcept {
    Builder builder(0, policy);
    return builder.finish(out);
}

cmap_status make_of_bits(uint32_t universe, const BitSet *sets, unsigned n,
                         const cmap_policy *policy, cmap_t **out) noexcept {
    Builder builder(universe, policy);
    CMAP_TRY(builder.status());
    builder.borrow(sets, n);
    return builder.finish(out);
}

cmap_status conclude(Builder &builder, cmap_status status, cmap_t **out) noexcept {
    return status == CMAP_OK ? builder.finish(out) : status;
}

void relate(Builder &builder, const cmap_t *map, const Grids &ranks) noexcept {
    Content *const kin = builder.relate(map, static_cast<uint32_t>(members_of(ranks)));
    for (std::size_t k = 0; kin != nullptr && k < ranks.size(); k++)
        if (!kin->add(piece_of(ranks[k]))) return builder.unrelate();
}

cmap_status add_grids(Builder &builder, const Grids &values) noexcept {
    for (const Grid &grid : values)
        CMAP_TRY(builder.add_piece(piece_of(grid)));
    return CMAP_OK;
}

cmap_status add_picked(Builder &builder, const cmap_t *map, const Grids &ranks) noexcept {
    Sequence pieces;
    if (pieces.load(map, piece_limit(map->size))) return add_picked(builder, map, pieces, ranks);
    return add_gathered(builder, map, ranks);
}

cmap_status add_picked(Builder &builder, const cmap_t *map, const Sequence &pieces,
                       const Grids &ranks) noexcept {
    Grids values;
    Budget budget(size_t(budget_for(map->size).left() + 4 * ranks.size()));
    if (pieces.pick(ranks, values, budget)) return add_grids(builder, values);
    return add_gathered(builder, map, ranks);
}

}  // namespace cmap

cmap_status MPIR_cmap_with_policy(const cmap_t *map, const cmap_policy *policy,
                                  cmap_t **out) noexcept {
    if (!cmap::arguments(map, map, out)) return CMAP_ERR_ARG;
    return cmap::reuse(map, policy, out);
}
