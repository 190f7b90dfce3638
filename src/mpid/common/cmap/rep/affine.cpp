// SPDX-License-Identifier: BSD-3-Clause
#include "rep/affine.hpp"

#include <cstdio>

#include "cmap_tuning.hpp"
#include "core/map.hpp"

namespace cmap {
namespace {

Estimate estimate(const Analysis &analysis) noexcept {
    const uint32_t levels = analysis.stats.affine.levels;
    return levels == 0 ? cannot() : Estimate{true, 0, TIME_AFFINE[levels]};
}

cmap_status build(cmap_t *map, const Analysis &analysis) noexcept {
    const AffineForm &form = analysis.stats.affine;
    cmap_affine_body &body = map->body.affine;
    body = cmap_affine_body();
    map->width = static_cast<uint8_t>(form.levels);
    if (!form.nest(body.order)) return CMAP_ERR_INVALID;
    body.base = form.base;
    body.step = static_cast<uint32_t>(form.stride[0]);
    for (uint32_t k = 1; k < form.levels; k++) {
        const uint32_t below = form.count(k - 1) * static_cast<uint32_t>(form.stride[k - 1]);
        body.jump[k - 1] = static_cast<uint32_t>(form.stride[k]) - below;
        body.recip[k - 1] = UINT64_MAX / form.weight[k] + 1;
    }
    return CMAP_OK;
}

}  // namespace

// The header keeps what select needs; the form follows from it without loss.
AffineForm form_of(const cmap_t *map) noexcept {
    const cmap_affine_body &body = map->body.affine;
    AffineForm form;
    form.levels = map->width;
    form.size = map->size;
    form.base = body.base;
    form.weight[0] = 1;
    form.stride[0] = static_cast<int32_t>(body.step);
    for (uint32_t k = 1; k < form.levels; k++) {
        form.weight[k] = static_cast<uint32_t>(UINT64_MAX / (body.recip[k - 1] - 1));
        const uint32_t below = form.count(k - 1) * static_cast<uint32_t>(form.stride[k - 1]);
        form.stride[k] = static_cast<int32_t>(body.jump[k - 1] + below);
    }
    return form;
}

namespace {

// Digits from the greatest |stride| down, relative to the least index of the whole form. Everything
// is modulo 2^32: the form's span is below that, so an index outside shows as a digit that is too
// large or as a remainder.
uint32_t rank(const cmap_t *map, uint32_t index) noexcept {
    const AffineForm form = form_of(map);
    uint32_t low = form.base;
    for (uint32_t k = 0; k < form.levels; k++)
        if (form.stride[k] < 0) low += (form.count(k) - 1) * static_cast<uint32_t>(form.stride[k]);
    uint32_t rest = index - low, found = 0;
    for (uint32_t i = 0; i < form.levels; i++) {
        const uint32_t k = map->body.affine.order >> (3 * i) & 7, count = form.count(k);
        const uint32_t stride =
            static_cast<uint32_t>(form.stride[k] < 0 ? -form.stride[k] : form.stride[k]);
        const uint32_t digit = stride == 0 ? 0 : rest / stride;
        if (digit >= count) return CMAP_NONE;
        rest -= digit * stride;
        found += (form.stride[k] < 0 ? count - 1 - digit : digit) * form.weight[k];
    }
    return rest == 0 && found < map->size ? found : CMAP_NONE;
}

void decode_block(const cmap_t *map, uint32_t first, uint32_t count, uint32_t *indices) noexcept {
    const AffineForm form = form_of(map);
    const uint32_t group = form.levels > 1 ? form.weight[1] : UINT32_MAX;
    uint32_t within = first % group;
    while (count > 0) {
        const uint32_t room = group - within, n = count < room ? count : room;
        const Run run{MPIR_cmap_affine_select(map, first), form.stride[0], n};
        for (uint32_t i = 0; i < n; i++)
            indices[i] = run.at(i);
        first += n, indices += n, count -= n;
        within = 0;
    }
}

// Two levels are one piece; the levels above make one such piece at every setting of theirs.
bool pieces(const cmap_t *map, std::size_t limit, Pieces &out) noexcept {
    const AffineForm form = form_of(map);
    const std::size_t before = out.size();
    const uint32_t w1 = form.levels > 1 ? form.weight[1] : map->size;
    const uint32_t w2 = form.levels > 2 ? form.weight[2] : map->size;
    bool done = w2 == 0 || map->size / w2 <= limit;
    for (uint32_t r = 0; done && r < map->size; r += w2) {
        const uint32_t members = map->size - r < w2 ? map->size - r : w2;
        const uint32_t whole = members / w1, rest = members % w1;
        const Run run{MPIR_cmap_affine_select(map, r), form.stride[0], w1};
        if (whole > 0) done = out.push(Piece{run, whole, whole > 1 ? form.stride[1] : 0});
        if (done && rest > 0)
            done = out.push(
                piece_of(Run{MPIR_cmap_affine_select(map, r + whole * w1), form.stride[0], rest}));
    }
    if (done && out.size() - before <= limit) return true;
    while (out.size() > before)
        out.pop();
    return false;
}

bool equals(const cmap_t *map, const Analysis &analysis) noexcept {
    const AffineForm mine = form_of(map), &other = analysis.stats.affine;
    if (mine.levels != other.levels || mine.base != other.base) return false;
    for (uint32_t k = 0; k < mine.levels; k++)
        if (mine.weight[k] != other.weight[k] || mine.stride[k] != other.stride[k]) return false;
    return true;
}

const char *validate(const cmap_t *map) noexcept {
    if (map->width < 1 || map->width > CMAP_AFFINE_LEVELS)
        return "affine: the number of levels is out of range";
    for (uint32_t k = 1; k < map->width; k++)
        if (map->body.affine.recip[k - 1] < 2) return "affine: a reciprocal is out of range";
    const AffineForm form = form_of(map);
    for (uint32_t k = 1; k < form.levels; k++)
        if (form.weight[k] <= form.weight[k - 1] || form.weight[k] % form.weight[k - 1] != 0 ||
            form.weight[k] >= form.size)
            return "affine: the counts are wrong";
    uint32_t order;
    if (!form.nest(order)) return "affine: the levels do not nest";
    return order == map->body.affine.order ? nullptr : "affine: the order of the levels is wrong";
}

int describe(const cmap_t *map, char *text, std::size_t room) noexcept {
    const AffineForm form = form_of(map);
    int length = std::snprintf(text, room, "%u", form.base);
    for (uint32_t k = 0; k < form.levels && map->size > 1; k++) {
        const std::size_t used = static_cast<std::size_t>(length);
        char *const at = used < room ? text + used : nullptr;
        const std::size_t left = used < room ? room - used : 0;
        const long long stride = form.stride[k];
        const char sign = stride < 0 ? '-' : '+';
        char digit[48];
        const bool top = k + 1 == form.levels;
        if (k == 0)
            std::snprintf(digit, sizeof digit, top ? "r" : "(r%%%u)", form.count(0));
        else
            std::snprintf(digit, sizeof digit, top ? "(r/%u)" : "(r/%u%%%u)", form.weight[k],
                          form.count(k));
        length +=
            std::snprintf(at, left, " %c %lld*%s", sign, stride < 0 ? -stride : stride, digit);
    }
    return length;
}

std::size_t bytes(const cmap_t *) noexcept { return 0; }

constexpr void (*release)(cmap_t *) = nullptr;  // a formula has no payload
constexpr auto select = MPIR_cmap_affine_select;

}  // namespace

constexpr Representation affine_representation = representation_with([](Representation &rep) {
    rep.name = "affine";
    CMAP_FUNCTIONS(rep);
    rep.pieces = pieces;
    rep.equals = equals;
});

}  // namespace cmap
