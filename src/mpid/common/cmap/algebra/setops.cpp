// SPDX-License-Identifier: BSD-3-Clause
// Union, intersection, difference: in closed form where both operands have pieces, by looking up
// the members of the smaller, or by decoding and testing block by block.
#include <algorithm>

#include "algebra/diagrams.hpp"
#include "algebra/subset.hpp"
#include "algebra/words.hpp"

namespace cmap {
namespace {

// How much of `a` is in `b`, as far as the headers tell.
enum class Overlap { none, all, unknown };

Overlap overlap_of(const cmap_t *a, const cmap_t *b) noexcept {
    if (a->size == 0 || b->size == 0 || a->max < b->min || b->max < a->min) return Overlap::none;
    if (a == b || (is_interval(b) && a->min >= b->min && a->max <= b->max)) return Overlap::all;
    return Overlap::unknown;
}

// The ranks in `a` of its members that are (are not) in `b`, in closed form.
bool ranks_in_closed_form(const Sequence &pieces, const cmap_t *a, const cmap_t *b, bool wanted,
                          Grids &out) noexcept {
    const uint64_t members = uint64_t{a->size} + b->size;
    Budget budget = budget_for(members);
    Sequence others;
    if (!others.load(b, piece_limit(members))) return false;
    if (wanted) return common_ranks(pieces, others, out, budget);
    Grids common;
    return common_ranks(pieces, others, common, budget) && complement(common, a->size, out, budget);
}

bool has_pieces(const cmap_t *map) noexcept { return representation(map).pieces != nullptr; }

bool worth_lookups(const cmap_t *a, const cmap_t *b) noexcept {
    const bool ranks_fast = !ranks_by_inverse(a) || inverse_if_built(a) != nullptr;
    return ranks_fast && b->size * ALGEBRA_DECODES_PER_LOOKUP < a->size;
}

// The same by asking for the rank of each member of a small `b`.  False: no memory.
bool ranks_by_lookup(const cmap_t *a, const cmap_t *b, bool wanted, Grids &out) noexcept {
    Buffer<uint32_t> found;
    const Ranker rank_in_a(a, b->size);
    const bool done = each_block(b, [&](const uint32_t *members, uint32_t n) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t rank = rank_in_a(members[i]);
            if (rank != CMAP_NONE && !found.push(rank)) return false;
        }
        return true;
    });
    if (!done) return false;
    if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
    Grids common;
    Grids &ranks = wanted ? out : common;
    for (uint32_t rank : found) {
        const bool adjacent = !ranks.empty() && ranks.back().base + ranks.back().count == rank;
        if (adjacent)
            ranks.back().count++;
        else if (!ranks.push(line(rank, 1, 1)))
            return false;
    }
    Budget plenty(SIZE_MAX);
    return wanted || complement(common, a->size, out, plenty);
}

// Members worked out one by one, in one array that the map is then made of.
class Gathered {
  public:
    // Room for `n` members and a block that is filtered into it.
    bool start(uint64_t n) noexcept { return members_.reserve(size_t(n) + ALGEBRA_BLOCK); }
    void add_all(const cmap_t *map) noexcept {
        decode(map, 0, map->size, members_.data() + n_);
        n_ += map->size;
    }
    // The members of `a` that are (are not) in `b`, in a's order; and, where asked for, their ranks
    // in `a`.
    void add_part(const cmap_t *a, const cmap_t *b, bool wanted, Content *ranks) noexcept {
        const Membership in_b(b, a->size);
        uint32_t block[ALGEBRA_BLOCK];
        for (uint32_t first = 0, n; first < a->size; first += n) {
            n = std::min(a->size - first, ALGEBRA_BLOCK);
            decode(a, first, n, block);
            uint32_t *const kept = members_.data() + n_;
            const uint32_t count = in_b.filter(block, n, wanted, kept);
            n_ += count;
            if (ranks != nullptr && !add_ranks_of(kept, count, block, first, *ranks))
                ranks = nullptr;  // short of some, and so without effect
        }
    }
    cmap_status finish(Builder &builder, cmap_t **out) noexcept {
        builder.borrow(members_.data(), n_);
        return builder.finish(out);
    }

  private:
    // `kept` are some of the block's members, in their order.
    static bool add_ranks_of(const uint32_t *kept, uint32_t count, const uint32_t *block,
                             uint32_t first, Content &ranks) noexcept {
        uint32_t found[ALGEBRA_BLOCK];
        for (uint32_t i = 0, k = 0; k < count; i++) {
            found[k] = first + i;
            k += block[i] == kept[k];
        }
        return ranks.add(found, count);
    }

    Buffer<uint32_t> members_;
    uint32_t n_ = 0;
};

// The members of `a` that are (are not) in `b`, without looking at each member of `a`.  False when
// that cannot be, and then nothing was added.
bool part_by_ranks(const cmap_t *a, const cmap_t *b, bool wanted, Sequence &pieces,
                   Grids &ranks) noexcept {
    const bool loaded = pieces.load(a, piece_limit(uint64_t{a->size} + b->size));
    if (loaded && ranks_in_closed_form(pieces, a, b, wanted, ranks)) return true;
    ranks.clear();
    if (worth_words(a, b)) return false;
    // A difference is most of `a`: it is decoded anyway unless it goes piece by piece.
    return (wanted || loaded) && worth_lookups(a, b) && ranks_by_lookup(a, b, wanted, ranks);
}

cmap_status add_ranks(Builder &builder, const cmap_t *map, const Sequence &pieces,
                      const Grids &ranks) noexcept {
    const bool loaded = pieces.size() == map->size;
    return loaded ? add_picked(builder, map, pieces, ranks) : add_picked(builder, map, ranks);
}

cmap_status select_words(const cmap_t *a, const cmap_t *b, bool wanted, const cmap_policy *policy,
                         cmap_t **out) noexcept {
    SetBits in_a, in_b;
    Buffer<uint64_t> words;
    BitSet part;
    if (!in_a.load(a) || !in_b.load(b) || !part_by_words(*in_a, *in_b, wanted, words, part))
        return CMAP_ERR_NOMEM;
    if (part.count == 0) return make_empty(policy, out);
    return make_of_bits(universe_of(a), &part, 1, policy, out);
}

// What `b` adds lies behind `a`, and all is one set; or it makes the second of two.
cmap_status join_words(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                       cmap_t **out) noexcept {
    SetBits in_a, in_b;
    Buffer<uint64_t> words, joined;
    BitSet parts[2];
    if (!in_a.load(a) || !in_b.load(b) || !part_by_words(*in_b, *in_a, false, words, parts[1]))
        return CMAP_ERR_NOMEM;
    if (parts[1].count == 0) return reuse(a, policy, out);
    const uint32_t universe = std::max(universe_of(a), universe_of(b));
    parts[0] = *in_a;
    if (parts[1].min() < a->max) return make_of_bits(universe, parts, 2, policy, out);
    if (!join_by_words(*in_a, parts[1], joined, parts[0])) return CMAP_ERR_NOMEM;
    return make_of_bits(universe, parts, 1, policy, out);
}

cmap_status select_part(const cmap_t *a, const cmap_t *b, bool wanted, const cmap_policy *policy,
                        cmap_t **out) noexcept {
    switch (overlap_of(a, b)) {
        case Overlap::none: return wanted ? make_empty(policy, out) : reuse(a, policy, out);
        case Overlap::all: return wanted ? reuse(a, policy, out) : make_empty(policy, out);
        case Overlap::unknown: break;
    }
    cmap_status status;
    if (select_diagrams(a, b, wanted, policy, out, status)) return status;
    Sequence pieces;
    Grids ranks;
    if (part_by_ranks(a, b, wanted, pieces, ranks)) {
        Builder builder(universe_of(a), policy);
        relate(builder, a, ranks);
        return conclude(builder, add_ranks(builder, a, pieces, ranks), out);
    }
    if (worth_words(a, b)) return select_words(a, b, wanted, policy, out);
    Gathered gathered;
    if (!gathered.start(wanted ? std::min(a->size, b->size) : a->size)) return CMAP_ERR_NOMEM;
    Builder builder(universe_of(a), policy);
    CMAP_TRY(builder.status());
    gathered.add_part(a, b, wanted,
                      builder.relate(a, wanted ? std::min(a->size, b->size) : a->size));
    return gathered.finish(builder, out);
}

cmap_status join(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                 cmap_t **out) noexcept {
    const Overlap overlap = overlap_of(b, a);
    if (b->size == 0 || overlap == Overlap::all) return reuse(a, policy, out);
    if (a->size == 0) return reuse(b, policy, out);
    cmap_status status;
    if (join_diagrams(a, b, policy, out, status)) return status;
    const uint32_t universe = std::max(universe_of(a), universe_of(b));
    Sequence pieces;
    Grids ranks;
    if (overlap == Overlap::none && worth_words(a, b) && !(has_pieces(a) && has_pieces(b)))
        return join_words(a, b, policy, out);
    if (overlap == Overlap::none || part_by_ranks(b, a, false, pieces, ranks)) {
        Builder builder(universe, policy);
        CMAP_TRY(builder.add_map(a));
        const cmap_status added =
            overlap == Overlap::none ? builder.add_map(b) : add_ranks(builder, b, pieces, ranks);
        return conclude(builder, added, out);
    }
    if (worth_words(a, b)) return join_words(a, b, policy, out);
    Gathered gathered;
    if (!gathered.start(uint64_t{a->size} + b->size)) return CMAP_ERR_NOMEM;
    Builder builder(universe, policy);
    CMAP_TRY(builder.status());
    gathered.add_all(a);
    gathered.add_part(b, a, false, nullptr);
    return gathered.finish(builder, out);
}

bool missing_in_closed_form(const cmap_t *part, const cmap_t *whole, uint32_t &rank) noexcept {
    Sequence pieces;
    Grids ranks;
    if (!pieces.load(part, piece_limit(uint64_t{part->size} + whole->size)) ||
        !ranks_in_closed_form(pieces, part, whole, false, ranks))
        return false;
    rank = ranks.empty() ? part->size : uint32_t(ranks[0].base);
    return true;
}

bool missing_by_words(const cmap_t *part, const cmap_t *whole, uint32_t &rank) noexcept {
    SetBits in_part, in_whole;
    Buffer<uint64_t> words;
    BitSet missing;
    if (!worth_words(part, whole) || !in_part.load(part) || !in_whole.load(whole) ||
        !part_by_words(*in_part, *in_whole, false, words, missing))
        return false;
    rank = missing.count == 0 ? part->size : rank_of(part, missing.min());
    return true;
}

}  // namespace

uint32_t first_missing(const cmap_t *part, const cmap_t *whole) noexcept {
    uint32_t rank = 0;
    const Overlap overlap = overlap_of(part, whole);
    if (part->size == 0 || overlap == Overlap::all) return part->size;
    if (overlap == Overlap::none) return 0;
    if (missing_in_closed_form(part, whole, rank)) return rank;
    if (missing_by_words(part, whole, rank)) return rank;
    rank = 0;
    const Membership in_whole(whole, part->size);
    each_block(part, [&](const uint32_t *members, uint32_t n) {
        const uint32_t there = in_whole.first_missing(members, n);
        rank += there;
        return there == n;
    });
    return rank;
}

}  // namespace cmap

cmap_status MPIR_cmap_union(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                            cmap_t **out) noexcept {
    return cmap::arguments(a, b, out) ? cmap::join(a, b, policy, out) : CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_intersection(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                                   cmap_t **out) noexcept {
    return cmap::arguments(a, b, out) ? cmap::select_part(a, b, true, policy, out) : CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_difference(const cmap_t *a, const cmap_t *b, const cmap_policy *policy,
                                 cmap_t **out) noexcept {
    return cmap::arguments(a, b, out) ? cmap::select_part(a, b, false, policy, out) : CMAP_ERR_ARG;
}

cmap_status MPIR_cmap_is_subset(const cmap_t *part, const cmap_t *whole, int *yes,
                                uint32_t *rank) noexcept {
    if (part == nullptr || whole == nullptr || yes == nullptr) return CMAP_ERR_ARG;
    const uint32_t missing = cmap::first_missing(part, whole);
    *yes = missing == part->size;
    if (rank != nullptr && !*yes) *rank = missing;
    return CMAP_OK;
}
