// SPDX-License-Identifier: BSD-3-Clause
#include "core/closed_form.hpp"

#include "core/builder.hpp"
#include "core/intern.hpp"
#include "core/policy.hpp"
#include "core/strategy.hpp"
#include "rep/affine.hpp"

namespace cmap {
namespace {

bool append(cmap_form &form, uint32_t count, int64_t stride) noexcept {
    if (form.levels == CMAP_FORM_LEVELS) return false;
    form.count[form.levels] = count;
    form.stride[form.levels++] = static_cast<int32_t>(stride);
    return true;
}

// Without levels of one member, and without those that carry on the one below: as the detector
// finds it.  Returns the number of members.  REQUIRES members inside the universe.
uint32_t simplify(const cmap_form &given, cmap_form &form) noexcept {
    uint32_t size = 1;
    form.base = given.base;
    form.levels = 0;
    for (uint32_t k = 0; k < given.levels; k++) {
        size *= given.count[k];
        if (given.count[k] == 1) continue;
        const uint32_t top = form.levels - 1;
        const bool carries_on =
            form.levels != 0 && given.stride[k] == int64_t{form.count[top]} * form.stride[top];
        if (carries_on)
            form.count[top] *= given.count[k];
        else
            append(form, given.count[k], given.stride[k]);
    }
    return size;
}

// Levels, members and the least and the greatest index.
cmap_status check(const cmap_form &form, uint32_t universe, uint64_t &members) noexcept {
    int64_t low = form.base, high = form.base;
    members = 1;
    if (form.levels > CMAP_FORM_LEVELS) return CMAP_ERR_ARG;
    for (uint32_t k = 0; k < form.levels; k++) {
        members *= form.count[k];
        if (members > universe) return CMAP_ERR_RANGE;
        if (form.count[k] == 0) return CMAP_OK;
        if (form.count[k] > 1 && form.stride[k] == 0) return CMAP_ERR_DUPLICATE;
        const int64_t across = int64_t{form.stride[k]} * (form.count[k] - 1);
        (across < 0 ? low : high) += across;
        if (low < 0 || high >= universe) return CMAP_ERR_RANGE;
    }
    return high < universe ? CMAP_OK : CMAP_ERR_RANGE;
}

// Levels 0 and 1 are a piece; the others count.
cmap_status add_pieces(Builder &builder, const cmap_form &form) noexcept {
    uint32_t digit[CMAP_FORM_LEVELS] = {}, k;
    Piece piece{Run{form.base, form.stride[0], form.count[0]}, 1, 0};
    if (form.levels > 1) piece.repeats = form.count[1], piece.pitch = form.stride[1];
    do {
        CMAP_TRY(builder.add_piece(piece));
        for (k = 2; k < form.levels; k++) {
            piece.run.first += static_cast<uint32_t>(form.stride[k]);
            if (++digit[k] < form.count[k]) break;
            piece.run.first -= form.count[k] * static_cast<uint32_t>(form.stride[k]);
            digit[k] = 0;
        }
    } while (k < form.levels);
    return CMAP_OK;
}

AffineForm affine_of(const cmap_form &form, uint32_t size) noexcept {
    AffineForm affine;
    affine.levels = form.levels;
    affine.size = size;
    affine.base = form.base;
    uint32_t weight = 1;
    for (uint32_t k = 0; k < form.levels; k++) {
        affine.weight[k] = weight;
        affine.stride[k] = form.stride[k];
        weight *= form.count[k];
    }
    return affine;
}

// False: another representation, or none of affine maps' forms.
bool from_affine(const cmap_form &form, uint32_t size, const cmap_policy *policy, cmap_t **out,
                 cmap_status &status) noexcept {
    const cmap_policy wanted = policy_or_default(policy);
    uint32_t order;
    if (size <= CMAP_INLINE_MEMBERS || form.levels > CMAP_AFFINE_LEVELS || !policy_valid(wanted) ||
        number_of(wanted.force) != CMAP_REP_ANY)
        return false;
    const AffineForm affine = affine_of(form, size);
    if (!affine.nest(order)) return false;
    Content none;
    Analysis analysis(none, policy_normal(wanted));
    analysis.stats = stats_of(affine);
    if (!closed_form_wins(analysis)) return false;
    status = intern_form(analysis, out);
    return true;
}

}  // namespace

cmap_status map_from_form(const cmap_form &given, uint32_t universe, const cmap_policy *policy,
                          cmap_t **out) noexcept {
    Builder builder(universe, policy);
    CMAP_TRY(builder.status());
    uint64_t members;
    CMAP_TRY(check(given, universe, members));
    if (members == 0) return builder.finish(out);
    cmap_form form;
    const uint32_t size = simplify(given, form);
    if (form.levels == 0) append(form, 1, 0);
    cmap_status status;
    if (from_affine(form, size, policy, out, status)) return status;
    CMAP_TRY(add_pieces(builder, form));
    return builder.finish(out);
}

// ---- one form through another

namespace {

// The digits of a rank in an affine map, and how far they go up from there: no level may carry
// into the next.
class Digits {
  public:
    explicit Digits(const AffineForm &form) noexcept : form_(form) {}

    void start(uint32_t rank) noexcept {
        for (uint32_t k = form_.levels; k-- > 0; rank %= form_.weight[k])
            used_[k] = rank / form_.weight[k];
    }
    // What a step of so many ranks comes to.
    int64_t stride(uint32_t step) const noexcept {
        int64_t stride = 0;
        for (uint32_t k = form_.levels; k-- > 0; step %= form_.weight[k])
            stride += int64_t{step / form_.weight[k]} * form_.stride[k];
        return stride;
    }
    // How many members of `count` at steps of so many ranks lie in one level: those that follow are
    // one of the level above apart.
    uint32_t within_level(uint32_t step, uint32_t count) const noexcept {
        uint32_t k = form_.levels - 1;
        while (k > 0 && form_.weight[k] > step)
            k--;
        if (k + 1 == form_.levels || step % form_.weight[k] != 0) return count;
        const uint32_t room = form_.weight[k + 1] / form_.weight[k], apart = step / form_.weight[k];
        if (room % apart != 0 || count % (room / apart) != 0) return count;
        return room / apart;
    }
    // False: a level overflows.
    bool use(uint32_t step, uint32_t count) noexcept {
        for (uint32_t k = form_.levels; k-- > 0; step %= form_.weight[k]) {
            used_[k] += uint64_t{step / form_.weight[k]} * (count - 1);
            if (used_[k] >= form_.count(k)) return false;
        }
        return true;
    }

  private:
    const AffineForm &form_;
    uint64_t used_[CMAP_AFFINE_LEVELS] = {};
};

// One level of the inner form, from its least rank up; `down`: it runs the other way.
bool compose_level(Digits &digits, uint32_t step, uint32_t count, bool down,
                   cmap_form &out) noexcept {
    for (uint32_t n; count > 1; count /= n, step *= n) {
        n = digits.within_level(step, count);
        const int64_t stride = digits.stride(step);
        if (!digits.use(step, n) || stride != static_cast<int32_t>(stride) ||
            !append(out, n, down ? -stride : stride))
            return false;
        if (down) out.base += (n - 1) * static_cast<uint32_t>(stride);
    }
    return true;
}

}  // namespace

bool compose_forms(const cmap_t *outer, const cmap_form &inner, cmap_form &out) noexcept {
    const AffineForm form = form_of(outer);
    Digits digits(form);
    uint32_t least = inner.base;
    for (uint32_t k = 0; k < inner.levels; k++)
        if (inner.stride[k] < 0)
            least += (inner.count[k] - 1) * static_cast<uint32_t>(inner.stride[k]);
    digits.start(least);
    out.base = form.at(least);
    out.levels = 0;
    for (uint32_t k = 0; k < inner.levels; k++) {
        const bool down = inner.stride[k] < 0;
        const auto step = static_cast<uint32_t>(down ? -inner.stride[k] : inner.stride[k]);
        if (!compose_level(digits, step, inner.count[k], down, out)) return false;
    }
    return true;
}

// ---- forms of maps

namespace {

// Levels below `k` whole, and `count` of that one.
cmap_form part_of(const AffineForm &form, uint32_t rank, uint32_t k, uint32_t count) noexcept {
    cmap_form part;
    part.base = form.at(rank);
    part.levels = 0;
    for (uint32_t i = 0; i < k; i++)
        append(part, form.count(i), form.stride[i]);
    append(part, count, form.stride[k]);
    return part;
}

}  // namespace

uint32_t forms_of_affine(const cmap_t *map, cmap_form *forms, uint32_t room) noexcept {
    const AffineForm form = form_of(map);
    uint32_t n = 0;
    for (uint32_t rank = 0, k = form.levels; k-- > 0;) {
        const uint32_t count = (map->size - rank) / form.weight[k];
        if (count == 0) continue;
        if (n == room) return 0;
        forms[n++] = part_of(form, rank, k, count);
        rank += count * form.weight[k];
    }
    return n;
}

}  // namespace cmap

cmap_status MPIR_cmap_from_form(const cmap_form *form, uint32_t universe, const cmap_policy *policy,
                                cmap_t **out) noexcept {
    if (out == nullptr) return CMAP_ERR_ARG;
    *out = nullptr;
    return form == nullptr ? CMAP_ERR_ARG : cmap::map_from_form(*form, universe, policy, out);
}

uint32_t MPIR_cmap_forms_of(const cmap_t *map, cmap_form *forms, uint32_t room) noexcept {
    if (map->kind == CMAP_REP_AFFINE) return cmap::forms_of_affine(map, forms, room);
    cmap::Pieces pieces;
    if (!cmap::pieces_of(map, room, pieces)) return 0;
    uint32_t n = 0;
    for (const cmap::Piece &piece : pieces)
        forms[n++] = cmap_form{
            piece.run.first, 2, {piece.run.count, piece.repeats}, {piece.run.step, piece.pitch}};
    return n;
}
