/* SPDX-License-Identifier: BSD-3-Clause */

#include "colours_piece.h"

int64_t MPIR_colours_digit(const colours_piece *piece, uint32_t k, int64_t position)
{
    int64_t digit = MPIR_colours_floor_div(position, piece->level[k].weight);

    if (k + 1 == piece->levels)
        return digit;
    return MPIR_colours_floor_mod(digit, piece->level[k + 1].weight / piece->level[k].weight);
}

colours_pair MPIR_colours_at(const colours_piece *piece, int64_t offset)
{
    colours_pair value = piece->first;

    for (uint32_t k = 0; k < piece->levels; k++) {
        int64_t moved = MPIR_colours_digit(piece, k, piece->phase + offset) -
                        MPIR_colours_digit(piece, k, piece->phase);
        value.colour += moved * piece->level[k].step.colour;
        value.key += moved * piece->level[k].step.key;
    }
    return value;
}

/* ---- two neighbours -------------------------------------------------------------------------- */

static int64_t last_weight(const colours_piece *piece)
{
    return piece->level[piece->levels - 1].weight;
}

static bool is_line(const colours_piece *piece) { return piece->levels == 1 && piece->length > 1; }

static bool has_same_levels(const colours_piece *a, const colours_piece *b, uint32_t levels)
{
    for (uint32_t k = 0; k < levels; k++) {
        if (a->level[k].weight != b->level[k].weight ||
            !MPIR_colours_equal(a->level[k].step, b->level[k].step))
            return false;
    }
    return true;
}

/* Is `part`, but for its first value, what the pattern has from this position on? */
static bool has_shape(const colours_piece *pattern, int64_t position, const colours_piece *part)
{
    uint32_t levels = part->levels;

    if (part->length == 1)
        return true;
    if (levels > pattern->levels || !has_same_levels(pattern, part, levels))
        return false;
    if (levels < pattern->levels) {
        int64_t weight = pattern->level[levels].weight;
        if (MPIR_colours_floor_mod(position, weight) + part->length > weight)
            return false;
    }
    return MPIR_colours_floor_mod(position, last_weight(part)) == part->phase;
}

/* The shape first: with equal steps the value does not overflow, however far the offset is. */
static bool fits(const colours_piece *pattern, int64_t offset, const colours_piece *part)
{
    return pattern->length > 1 && has_shape(pattern, pattern->phase + offset, part) &&
           MPIR_colours_equal(MPIR_colours_at(pattern, offset), part->first);
}

static bool extend(colours_piece *low, const colours_piece *high)
{
    if (!fits(low, low->length, high))
        return false;
    low->length += high->length;
    return true;
}

static bool extend_back(colours_piece *low, const colours_piece *high)
{
    colours_piece both = *high;

    if (!fits(high, -(int64_t) low->length, low))
        return false;
    both.phase = MPIR_colours_floor_mod(high->phase - low->length, last_weight(high));
    both.first = low->first;
    both.length += low->length;
    *low = both;
    return true;
}

static bool make_line(colours_piece *low, const colours_piece *high)
{
    if (low->length > 1 || high->length > 1)
        return false;
    low->level[0].step = MPIR_colours_minus(high->first, low->first);
    low->length = 2;
    return true;
}

/* Pairs may be seen as beginning at odd positions: the other two steps make the same pattern. */
static bool extend_pairs(colours_piece *low, const colours_piece *high)
{
    colours_piece turned = *high;

    if (low->levels != 2 || high->levels != 2 || low->level[1].weight != 2 ||
        high->level[1].weight != 2)
        return false;
    turned.level[0].step = MPIR_colours_minus(high->level[1].step, high->level[0].step);
    turned.phase = 1 - high->phase;
    return extend(low, &turned);
}

/* The first rank of a line goes on with the line below. */
static bool give_down(colours_piece *low, colours_piece *high)
{
    if (!is_line(low) || !is_line(high) ||
        !MPIR_colours_equal(MPIR_colours_at(low, low->length), high->first))
        return false;
    low->length++;
    high->first = MPIR_colours_at(high, 1);
    high->length--;
    return true;
}

/* The last of two ranks begins the line above. */
static bool give_up(colours_piece *low, colours_piece *high)
{
    if (!is_line(low) || low->length > 2 || !is_line(high) ||
        !MPIR_colours_equal(MPIR_colours_at(low, 1), MPIR_colours_at(high, -1)))
        return false;
    low->length = 1;
    high->first = MPIR_colours_at(high, -1);
    high->length++;
    return true;
}

static bool join(colours_piece *low, const colours_piece *high)
{
    return extend(low, high) || extend_back(low, high) || extend_pairs(low, high) ||
           make_line(low, high);
}

/* ---- three neighbours ------------------------------------------------------------------------ */

/* On both sides of the middle one is a border, so that its length is that of the level.  At the
 * ends of a block a border may be where the block was cut. */
static bool join_three(colours_piece piece[3])
{
    const colours_piece *low = &piece[0], *middle = &piece[1], *high = &piece[2];
    int64_t weight = middle->length, phase = weight - low->length;
    colours_piece all = *middle;

    if (middle->length < 2 || middle->levels == COLOURS_LEVELS || middle->phase != 0 ||
        weight % last_weight(middle) != 0 || phase < 0 || high->length > weight ||
        !has_shape(middle, phase, low) || !has_shape(middle, 0, high))
        return false;
    colours_pair step = MPIR_colours_minus(MPIR_colours_at(middle, phase), low->first);
    if (!MPIR_colours_equal(MPIR_colours_minus(high->first, middle->first), step))
        return false;
    all.level[all.levels].weight = weight;
    all.level[all.levels++].step = step;
    all.phase = phase;
    all.first = low->first;
    all.length += low->length + high->length;
    piece[0] = all;
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static uint32_t close_gap(colours_piece pieces[], uint32_t n, uint32_t at, uint32_t gone)
{
    for (uint32_t i = at; i + gone < n; i++)
        pieces[i] = pieces[i + gone];
    return n - gone;
}

static bool has_levels(const colours_piece pieces[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (pieces[i].levels == 0)
            return false;
    }
    return true;
}

/* Applies a rule to the pieces from i on; how many are gone.  *moved: a border has moved. */
static uint32_t apply(colours_piece pieces[], uint32_t left, bool *moved)
{
    *moved = false;
    if (left < 2 || !has_levels(pieces, 2))
        return 0;
    if (join(&pieces[0], &pieces[1]))
        return 1;
    if (left > 2 && has_levels(pieces, 3) && join_three(pieces))
        return 2;
    *moved = give_down(&pieces[0], &pieces[1]) || give_up(&pieces[0], &pieces[1]);
    return 0;
}

uint32_t MPIR_colours_reduce(colours_piece pieces[], uint32_t n)
{
    uint32_t turns = 8 * n; /* a border that moves may not move for ever */

    for (uint32_t i = 0; i + 1 < n && turns > 0;) {
        bool moved;
        uint32_t gone = apply(pieces + i, n - i, &moved);
        n = close_gap(pieces, n, i + 1, gone);
        if (gone == 0 && !moved) {
            i++;
        } else {
            i = i > 2 ? i - 2 : 0;
            turns--;
        }
    }
    return n;
}
