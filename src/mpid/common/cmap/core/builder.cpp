// SPDX-License-Identifier: BSD-3-Clause
#include "core/builder.hpp"

#include "cmap_tuning.hpp"
#include "core/intern.hpp"
#include "core/policy.hpp"
#include "core/relation.hpp"

namespace cmap {
namespace {

// take(const Piece &) for a partial run in front, whole runs and a partial run behind: `count`
// members of the piece from the first-th on.
template <class Take>
cmap_status take_part(const Piece &piece, uint32_t first, uint32_t count, Take &&take) noexcept {
    const uint32_t length = piece.run.count;
    uint32_t i = first / length;
    if (first % length != 0) {
        const uint32_t skip = first % length, n = count < length - skip ? count : length - skip;
        const Run run = piece.repeat(i++);
        CMAP_TRY(take(piece_of(Run{run.at(skip), run.step, n})));
        count -= n;
    }
    const uint32_t whole = count / length;
    if (whole > 0) CMAP_TRY(take(Piece{piece.repeat(i), whole, piece.pitch}));
    const Run rest = piece.repeat(i + whole);
    const uint32_t behind = count % length;
    return behind == 0 ? CMAP_OK : take(piece_of(Run{rest.first, rest.step, behind}));
}

// The same for ranks first .. first+count-1 of the members of all pieces.
template <class Take>
cmap_status each_part(const Pieces &pieces, uint32_t first, uint32_t count, Take &&take) noexcept {
    for (const Piece &piece : pieces) {
        const uint64_t members = piece.members();
        if (first >= members) {
            first -= static_cast<uint32_t>(members);
            continue;
        }
        const uint64_t left = members - first;
        const uint32_t n = count < left ? count : static_cast<uint32_t>(left);
        CMAP_TRY(take_part(piece, first, n, take));
        count -= n;
        first = 0;
        if (count == 0) break;
    }
    return CMAP_OK;
}

cmap_status status_of(uint32_t universe, const cmap_policy &policy) noexcept {
    if (!policy_valid(policy)) return CMAP_ERR_ARG;
    return universe > CMAP_MAX_SIZE ? CMAP_ERR_RANGE : CMAP_OK;
}

}  // namespace

Builder::Builder(uint32_t universe, const cmap_policy *policy) noexcept
    : universe_(universe),
      policy_(policy_or_default(policy)),
      status_(status_of(universe, policy_)) {
    if (status_ == CMAP_OK) policy_ = policy_normal(policy_);
}

cmap_status Builder::kept(bool done) noexcept {
    lost_ = lost_ || !done;
    return done ? CMAP_OK : CMAP_ERR_NOMEM;
}

cmap_status Builder::check(const Piece &piece) const noexcept {
    const bool repeated = piece.run.count > 1 && piece.run.step == 0;
    return repeated || !within(piece, universe_) ? CMAP_ERR_RANGE : CMAP_OK;
}

// More members than the universe has: some index comes twice, and finish() shall say so without
// storing them all.
cmap_status Builder::admit(uint64_t members) noexcept {
    if (status_ != CMAP_OK) return status_;
    if (lost_) return CMAP_ERR_NOMEM;
    overfull_ = overfull_ || members + content_.size() > universe_;
    return CMAP_OK;
}

cmap_status Builder::add(uint32_t index) noexcept { return add_piece(piece_of(Run{index, 0, 1})); }

cmap_status Builder::add_block(const uint32_t *indices, uint32_t n) noexcept {
    if (status_ == CMAP_OK && n != 0 && indices == nullptr) return CMAP_ERR_ARG;
    uint32_t greatest = 0;
    for (uint32_t i = 0; status_ == CMAP_OK && i < n; i++)
        greatest = indices[i] > greatest ? indices[i] : greatest;
    if (status_ == CMAP_OK && n != 0 && greatest >= universe_) return CMAP_ERR_RANGE;
    CMAP_TRY(admit(n));
    return overfull_ ? CMAP_OK : kept(content_.add(indices, n));
}

cmap_status Builder::add_run(const Run &run) noexcept { return add_piece(piece_of(run)); }

cmap_status Builder::add_piece(const Piece &piece) noexcept {
    if (status_ == CMAP_OK && piece.members() == 0) return CMAP_OK;
    if (status_ == CMAP_OK) CMAP_TRY(check(piece));
    CMAP_TRY(admit(piece.members()));
    return overfull_ ? CMAP_OK : kept(content_.add(piece));
}

cmap_status Builder::add_map(const cmap_t *map) noexcept {
    return map == nullptr ? CMAP_ERR_ARG : add_slice(map, 0, map->size);
}

cmap_status Builder::add_slice(const cmap_t *map, uint32_t first, uint32_t count) noexcept {
    CMAP_TRY(status_);
    if (map == nullptr) return CMAP_ERR_ARG;
    if (first > map->size || count > map->size - first) return CMAP_ERR_RANGE;
    if (count == 0) return CMAP_OK;
    Pieces pieces;
    if (count <= SLICE_SMALL || !pieces_of(map, SLICE_PIECES, pieces))
        return add_members(map, first, count);
    if (map->max >= universe_)  // only this slice must be inside
        CMAP_TRY(
            each_part(pieces, first, count, [this](const Piece &part) { return check(part); }));
    return each_part(pieces, first, count, [this](const Piece &part) { return add_piece(part); });
}

cmap_status Builder::add_members(const cmap_t *map, uint32_t first, uint32_t count) noexcept {
    if (map->min < universe_ && map->max >= universe_) {  // only this slice must be inside
        uint32_t block[512];
        for (uint32_t i = 0; i < count;) {
            const uint32_t n = count - i < 512 ? count - i : 512;
            decode(map, first + i, n, block);
            for (uint32_t j = 0; j < n; j++)
                if (block[j] >= universe_) return CMAP_ERR_RANGE;
            i += n;
        }
    } else if (map->max >= universe_) {
        return CMAP_ERR_RANGE;
    }
    while (count > 0) {
        uint32_t block[512];
        const uint32_t n = count < 512 ? count : 512;
        decode(map, first, n, block);
        CMAP_TRY(add_block(block, n));
        first += n, count -= n;
    }
    return CMAP_OK;
}

void Builder::borrow(const uint32_t *indices, uint32_t n) noexcept { content_.borrow(indices, n); }

void Builder::borrow(const BitSet *sets, unsigned n) noexcept { content_.borrow(sets, n); }

Content *Builder::relate(const cmap_t *parent, uint32_t members) noexcept {
    unrelate();
    if (status_ != CMAP_OK || !worth_relating(parent, members, policy_)) return nullptr;
    parent_ = parent;
    return &ranks_;
}

void Builder::unrelate() noexcept {
    parent_ = nullptr;
    ranks_.clear();
}

void Builder::empty() noexcept {
    content_.clear();
    unrelate();
    lost_ = overfull_ = false;
}

cmap_status Builder::finish(cmap_t **out) noexcept {
    *out = nullptr;
    CMAP_TRY(status_);
    cmap_status status = lost_ ? CMAP_ERR_NOMEM : overfull_ ? CMAP_ERR_DUPLICATE : CMAP_OK;
    if (status == CMAP_OK) {
        Analysis analysis(content_, policy_);
        analysis.measure();
        std::optional<Relation> relation;
        if (parent_ != nullptr && ranks_.size() == content_.size())
            analysis.relation = &relation.emplace(parent_, ranks_);
        status = analysis.stats.size != 0 && analysis.stats.max >= universe_
                     ? CMAP_ERR_RANGE
                     : intern(analysis, out);
    }
    empty();
    return status;
}

}  // namespace cmap
