// SPDX-License-Identifier: BSD-3-Clause
#include "core/relation.hpp"

#include "core/map.hpp"
#include "core/strategy.hpp"
#include "rep/sub.hpp"

namespace cmap {
namespace {

bool forces_sub(const cmap_policy &policy) noexcept { return policy.force == CMAP_REP_SUB; }

// What would stay alive of the parent for the child's sake.
uint64_t footprint(const cmap_t *map) noexcept {
    const Representation &rep = representation(map);
    uint64_t sum = rep.bytes(map);
    for (uint32_t i = 0; rep.part != nullptr; i++) {
        const cmap_t *part = rep.part(map, i);
        if (part == nullptr) break;
        sum += sizeof *part + footprint(part);
    }
    const cmap_t *parent = sub_parent(map);
    return parent == nullptr ? sum : sum + sizeof *parent + footprint(parent);
}

// The members of a map as a set, where it refers to one: what it permutes, or itself.
const cmap_t *set_of(const cmap_t *map) noexcept {
    if (representation(map).position != nullptr) return representation(map).part(map, 0);
    const cmap_t *const parent = sub_parent(map);
    if (parent != nullptr && parent->size == map->size) return set_of(parent);
    return is_set(map) ? map : nullptr;
}

// In set_of() the map.
uint32_t position_of(const cmap_t *map, uint32_t rank) noexcept {
    if (const auto position = representation(map).position) return position(map, rank);
    const cmap_t *const parent = sub_parent(map);
    if (parent != nullptr && parent->size == map->size)
        return position_of(parent, sub_rank_in_parent(map, rank));
    return rank;
}

bool is_identity(const cmap_t *map) noexcept {
    return is_set(map) && map->min == 0 && map->max == map->size - 1;
}

bool may_keep(const cmap_t *parent, uint32_t members, const cmap_policy &policy) noexcept {
    return forces_sub(policy) || footprint(parent) <= uint64_t{members} * sizeof(uint32_t);
}

// What the members of the parent may be a permutation of: a set that was chosen by the strategy of
// the child, so that its time and its space were weighed when that was done.  Positions in the
// identity are the members themselves.
const cmap_t *set_to_share(const cmap_t *parent, const cmap_policy &policy) noexcept {
    const cmap_t *const set = set_of(parent);
    if (set == nullptr || is_identity(set) || sub_depth(set) >= SUB_DEPTH) return nullptr;
    const bool alike = set->strategy == policy.strategy && set->alpha == policy.alpha;
    return alike && may_keep(set, set->size, policy) ? set : nullptr;
}

}  // namespace

bool worth_relating(const cmap_t *parent, uint32_t members, const cmap_policy &policy) noexcept {
    if (members <= CMAP_INLINE_MEMBERS) return false;
    if (forces_sub(policy)) return true;
    if (is_identity(parent)) return false;
    if (members == parent->size && set_to_share(parent, policy) != nullptr) return true;
    return policy.strategy != CMAP_STRATEGY_TIME && may_keep(parent, members, policy);
}

bool Relation::find_permutation(const cmap_t *set) noexcept {
    permutation_ = ranks_;
    if (set == parent_) return true;
    permutation_ = &flat_;
    if (!array_.resize(ranks_->size())) return false;
    flat_.borrow(array_.data(), ranks_->size());
    uint32_t *out = array_.data();
    return ranks_->each_block([&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++)
            *out++ = position_of(parent_, members[i]);
        return true;
    });
}

const cmap_t *Relation::shared_set(const Analysis &child) noexcept {
    if (looked_) return set_;
    looked_ = true;
    if (child.stats.size != parent_->size) return nullptr;
    const cmap_t *const set = set_to_share(parent_, child.policy);
    if (set != nullptr && find_permutation(set)) set_ = set;
    return set_;
}

// The ranks in the map at the root of a chain of references.
bool Relation::flatten(const cmap_t *&root, Content &ranks) const noexcept {
    return ranks_->each_block([&](const uint32_t *members, uint32_t n) {
        constexpr uint32_t BLOCK = 512;
        uint32_t block[BLOCK];
        for (uint32_t first = 0; first < n; first += BLOCK) {
            const uint32_t some = n - first < BLOCK ? n - first : BLOCK;
            std::memcpy(block, members + first, some * sizeof *block);
            root = parent_;
            for (const cmap_t *above; (above = sub_parent(root)) != nullptr; root = above)
                for (uint32_t i = 0; i < some; i++)
                    block[i] = sub_rank_in_parent(root, block[i]);
            if (!ranks.add(block, some)) return false;
        }
        return true;
    });
}

// Referring to the root is a step less for every select, so the parent must save bytes for it.
void Relation::choose_root(const Analysis &child, const cmap_t *root) noexcept {
    std::optional<Analysis> far(std::in_place, flat_, child);
    far->measure();
    const bool direct = sub_depth(parent_) < SUB_DEPTH &&
                        may_keep(parent_, child.stats.size, child.policy) &&
                        !sub_fits_header(far->stats);
    if (direct) {
        inner_.emplace(*ranks_, child);
        inner_->measure();
        const Estimate near = best(*inner_), other = best(*far);
        if (sub_fits_header(inner_->stats) || near.space + near.space / 4 < other.space) return;
    }
    inner_.emplace(flat_, child);
    inner_->measure();
    parent_ = root;
}

bool Relation::prepare(const Analysis &child) noexcept {
    if (prepared_) return inner_.has_value();
    prepared_ = true;
    if (shared_set(child) != nullptr) {
        inner_.emplace(*permutation_, child);
        inner_->measure();
        parent_ = set_;
        return true;
    }
    const bool chained = sub_parent(parent_) != nullptr;
    if (chained) {
        const cmap_t *root = parent_;
        if (!flatten(root, flat_)) return false;
        if (!may_keep(root, child.stats.size, child.policy)) return false;
        choose_root(child, root);
        return true;
    }
    if (!may_keep(parent_, child.stats.size, child.policy)) return false;
    inner_.emplace(*ranks_, child);
    inner_->measure();
    return true;
}

}  // namespace cmap
