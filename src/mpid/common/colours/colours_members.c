/* SPDX-License-Identifier: BSD-3-Clause */

/* The members of a colour, in the order of their keys, by the forms of the pieces. */

#include "colours_piece.h"

#include <limits.h>
#include <string.h>

/* Plain rows beyond these are ordered faster in a table.  So are small grids in a larger world. */
#define MOST_PLAIN 64
#define LEAST_MEMBERS 4

/* Ranks of a piece in which every digit takes all values of its range: digit k those below
 * count[k], above its value in the first rank. */
typedef struct box {
    uint32_t rank;
    uint32_t levels;
    colours_pair first;
    int64_t count[COLOURS_LEVELS];
    const colours_piece *piece;
} box;

typedef enum found {
    FOUND_NONE, /* no member of the colour */
    FOUND_GRID,
    FOUND_NO_FORM
} found;

/* ---- a piece is boxes ------------------------------------------------------------------------ */

typedef bool take_box(void *context, const box *box);

typedef struct cutter {
    const colours_piece *piece;
    uint32_t rank; /* of the piece's first */
    take_box *take;
    void *context;
} cutter;

/* All digits below `levels` are free from this position on, and so many values of the next. */
static bool take_part(const cutter *cutter, int64_t position, uint32_t levels, int64_t count)
{
    const colours_piece *piece = cutter->piece;
    int64_t offset = position - piece->phase;
    box box = {.rank = cutter->rank + (uint32_t) offset,
               .levels = levels + 1,
               .first = MPIR_colours_at(piece, offset),
               .piece = piece};

    for (uint32_t k = 0; k < levels; k++)
        box.count[k] = piece->level[k + 1].weight / piece->level[k].weight;
    box.count[levels] = count;
    return cutter->take(cutter->context, &box);
}

/* Positions from `low` to below `high`, which differ in digits up to this one alone. */
static bool cut(const cutter *cutter, int64_t low, int64_t high, uint32_t level)
{
    int64_t weight = cutter->piece->level[level].weight;
    int64_t begin = (low + weight - 1) / weight * weight, end = high / weight * weight;

    if (low == high)
        return true;
    if (begin > end) /* inside one value of this digit */
        return cut(cutter, low, high, level - 1);
    return (low == begin || cut(cutter, low, begin, level - 1)) &&
           (begin == end || take_part(cutter, begin, level, (end - begin) / weight)) &&
           (end == high || cut(cutter, end, high, level - 1));
}

static bool each_row(const colours_piece *piece, uint32_t rank, take_box *take, void *context)
{
    for (uint32_t i = 0; i < piece->length; i++) {
        colours_row row = MPIR_colours_read_row(piece->rows + (size_t) i * COLOURS_ROW);
        box box = {.rank = rank + i, .first = {row.colour, row.key}, .piece = piece};
        if (!take(context, &box))
            return false;
    }
    return true;
}

static bool each_box(const uint8_t *description, take_box *take, void *context)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;

    for (uint32_t rank = 0; MPIR_colours_read(&reader, &piece); rank += piece.length) {
        cutter cutter = {.piece = &piece, .rank = rank, .take = take, .context = context};
        if (piece.levels == 0
                ? !each_row(&piece, rank, take, context)
                : !cut(&cutter, piece.phase, piece.phase + piece.length, piece.levels - 1))
            return false;
    }
    return true;
}

/* ---- a box has a colour's members ------------------------------------------------------------ */

typedef struct digit {
    int64_t count, step, weight; /* step: of what is in question */
} digit;

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

/* By the size of the steps, and equal ones by weight. */
static void sort_digits(digit digits[], uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        digit moved = digits[i];
        uint32_t j = i;
        for (; j > 0 && magnitude(digits[j - 1].step) > magnitude(moved.step); j--)
            digits[j] = digits[j - 1];
        digits[j] = moved;
    }
}

/* Is each step greater than all smaller ones together?  Equal values have equal digits then, but
 * for those without a step.  REQUIRES sorted digits. */
static bool nest(const digit digits[], uint32_t n)
{
    int64_t span = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (digits[i].step != 0 && magnitude(digits[i].step) <= span)
            return false;
        span += magnitude(digits[i].step) * (digits[i].count - 1);
    }
    return true;
}

/* Those whose count is more than 1, with the steps of colours or of keys. */
static uint32_t digits_of(const box *box, bool of_keys, digit digits[])
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < box->levels; k++) {
        const colours_level *level = &box->piece->level[k];
        digit digit = {box->count[k], of_keys ? level->step.key : level->step.colour,
                       level->weight};
        if (digit.count > 1)
            digits[n++] = digit;
    }
    return n;
}

static void range_of(const digit digits[], uint32_t n, int64_t first, int64_t *least,
                     int64_t *greatest)
{
    *least = *greatest = first;
    for (uint32_t i = 0; i < n; i++) {
        int64_t across = digits[i].step * (digits[i].count - 1);
        *(across < 0 ? least : greatest) += across;
    }
}

/* Fixes the digits that have steps of the colour, so that the colour is this one.  REQUIRES digits
 * that nest. */
static bool solve(box *box, int32_t colour)
{
    digit digits[COLOURS_LEVELS];
    uint32_t n = digits_of(box, false, digits);
    int64_t left = colour - box->first.colour, position = 0, key = 0;

    sort_digits(digits, n);
    for (uint32_t i = n; i-- > 0 && digits[i].step != 0;) {
        int64_t least, greatest, value, size = magnitude(digits[i].step);
        range_of(digits, i, 0, &least, &greatest); /* of the smaller ones */
        value = MPIR_colours_floor_div(left - least, size);
        left -= value * size;
        value = digits[i].step < 0 ? -value : value;
        if (value < 0 || value >= digits[i].count || left < least || left > greatest)
            return false;
        position += value * digits[i].weight;
    }
    if (left != 0)
        return false;
    for (uint32_t k = 0; k < box->levels; k++) {
        const colours_level *level = &box->piece->level[k];
        int64_t value = k + 1 < box->levels ? position / level->weight %
                                                  (box->piece->level[k + 1].weight / level->weight)
                                            : position / level->weight;
        key += value * level->step.key;
        if (level->step.colour != 0)
            box->count[k] = 1;
    }
    box->rank += (uint32_t) position;
    box->first.colour = colour;
    box->first.key += key;
    return true;
}

static bool is_int(int64_t least, int64_t greatest)
{
    return least >= INT32_MIN && greatest <= INT32_MAX;
}

/* The members in the order of their keys. */
static found order_box(const box *box, colours_grid *grid)
{
    digit digits[COLOURS_LEVELS];
    uint32_t n = digits_of(box, true, digits);
    int64_t least, greatest;

    sort_digits(digits, n);
    range_of(digits, n, box->first.key, &least, &greatest);
    if (!nest(digits, n) || !is_int(least, greatest))
        return FOUND_NO_FORM;
    *grid = (colours_grid){.rank = box->rank,
                           .members = 1,
                           .levels = n,
                           .least = (int32_t) least,
                           .greatest = (int32_t) greatest};
    for (uint32_t i = 0; i < n; i++) {
        bool turned = digits[i].step < 0;
        grid->count[i] = (uint32_t) digits[i].count;
        grid->stride[i] = (int32_t) (turned ? -digits[i].weight : digits[i].weight);
        grid->rank += (uint32_t) (turned ? digits[i].weight * (digits[i].count - 1) : 0);
        grid->members *= (uint32_t) digits[i].count;
    }
    return FOUND_GRID;
}

static found find_members(box box, int32_t colour, colours_grid *grid)
{
    digit digits[COLOURS_LEVELS];
    uint32_t n = digits_of(&box, false, digits);
    int64_t least, greatest;

    range_of(digits, n, box.first.colour, &least, &greatest);
    if (colour < least || colour > greatest)
        return FOUND_NONE;
    sort_digits(digits, n);
    if (!nest(digits, n) || !is_int(least, greatest))
        return FOUND_NO_FORM;
    return solve(&box, colour) ? order_box(&box, grid) : FOUND_NONE;
}

/* ---- order of the grids ---------------------------------------------------------------------- */

/* All members of a are before all of b; REQUIRES ranks of a below those of b for ties. */
static bool is_before(const colours_grid *a, const colours_grid *b, bool ranks_ascend)
{
    return a->greatest < b->least || (ranks_ascend && a->greatest == b->least);
}

/* The lowest rank of a grid */
static uint32_t lowest(const colours_grid *grid)
{
    int64_t rank = grid->rank;

    for (uint32_t k = 0; k < grid->levels; k++)
        rank += grid->stride[k] < 0 ? (int64_t) grid->stride[k] * (grid->count[k] - 1) : 0;
    return (uint32_t) rank;
}

/* The place of a rank in the grid, or UINT32_MAX.  Strides are weights, which nest. */
static uint32_t place_in(const colours_grid *grid, uint32_t rank)
{
    int64_t left = (int64_t) rank - lowest(grid);
    uint32_t place = 0, done = 0;

    if (left < 0)
        return UINT32_MAX;
    for (uint32_t turn = 0; turn < grid->levels; turn++) {
        uint32_t most = 0, before = 1, widest = 0;
        for (uint32_t k = 0, members = 1; k < grid->levels; members *= grid->count[k++]) {
            uint32_t stride = (uint32_t) magnitude(grid->stride[k]);
            if (!(done & 1u << k) && stride > most) {
                most = stride;
                widest = k;
                before = members;
            }
        }
        int64_t value = left / most;
        if (value >= grid->count[widest])
            return UINT32_MAX;
        left -= value * most;
        if (grid->stride[widest] < 0)
            value = grid->count[widest] - 1 - value;
        place += (uint32_t) value * before;
        done |= 1u << widest;
    }
    return left == 0 ? place : UINT32_MAX;
}

typedef struct collector {
    int32_t colour;
    uint32_t self;
    colours_order *order;
    colours_grid last; /* the one before, in the order of ranks */
    bool ascending, has_self;
} collector;

static void add_grid(collector *all, const colours_grid *grid)
{
    colours_order *order = all->order;
    uint32_t place = place_in(grid, all->self);

    if (place != UINT32_MAX) {
        order->rank = order->members + place;
        all->has_self = true;
    }
    if (order->grids > 0 && !is_before(&all->last, grid, true))
        all->ascending = false;
    if (order->grids < COLOURS_FEW)
        order->few[order->grids] = *grid;
    order->grids++;
    order->members += grid->members;
    all->last = *grid;
}

static bool collect(void *context, const box *box)
{
    collector *all = context;
    colours_grid grid;

    switch (find_members(*box, all->colour, &grid)) {
        case FOUND_NONE: return true;
        case FOUND_GRID:
            add_grid(all, &grid);
            return all->ascending || all->order->grids <= COLOURS_FEW;
        default: return false;
    }
}

/* Puts a few grids in order, if they have one. */
static bool sort_grids(collector *all)
{
    colours_order *order = all->order;

    for (uint32_t i = 1; i < order->grids; i++) {
        colours_grid moved = order->few[i];
        uint32_t j = i;
        for (; j > 0 && order->few[j - 1].least > moved.least; j--)
            order->few[j] = order->few[j - 1];
        order->few[j] = moved;
    }
    order->members = 0;
    for (uint32_t i = 0; i < order->grids; i++) {
        colours_grid *grid = &order->few[i];
        uint32_t place = place_in(grid, all->self);
        if (i > 0 && !is_before(&grid[-1], grid, lowest(&grid[-1]) < lowest(grid)))
            return false;
        if (place != UINT32_MAX)
            order->rank = order->members + place;
        order->members += grid->members;
    }
    return true;
}

static uint32_t ranks_of(const uint8_t *description, uint32_t *plain)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;
    uint32_t ranks = 0;

    *plain = 0;
    while (MPIR_colours_read(&reader, &piece)) {
        ranks += piece.length;
        *plain += piece.levels == 0 ? piece.length : 0;
    }
    return ranks;
}

static bool is_whole(const colours_order *order)
{
    uint32_t weight = 1;

    if (order->form != COLOURS_ASCENDING || order->members != order->ranks)
        return false;
    if (order->grids > COLOURS_FEW)
        return false;
    for (uint32_t i = 0; i < order->grids; i++) {
        const colours_grid *grid = &order->few[i];
        weight = 1;
        for (uint32_t k = 0; k < grid->levels; weight *= grid->count[k++]) {
            if (grid->stride[k] != (int32_t) weight)
                return false;
        }
    }
    return true;
}

void MPIR_colours_arrange(const uint8_t *description, int32_t colour, uint32_t self,
                          colours_order *order)
{
    collector all = {.colour = colour, .self = self, .order = order, .ascending = true};
    uint32_t plain;

    order->form = COLOURS_ASCENDING;
    order->ranks = ranks_of(description, &plain);
    order->members = order->grids = 0;
    order->rank = UINT32_MAX;
    order->whole = false;
    if (plain > MOST_PLAIN || !each_box(description, collect, &all)) {
        order->form = COLOURS_TABLE;
    } else if (!all.ascending) {
        order->form =
            order->grids <= COLOURS_FEW && sort_grids(&all) ? COLOURS_SORTED : COLOURS_TABLE;
    }
    if (order->ranks > MOST_PLAIN && order->grids > COLOURS_FEW &&
        order->grids > order->members / LEAST_MEMBERS)
        order->form = COLOURS_TABLE;
    if (order->form == COLOURS_TABLE)
        order->members = MPIR_colours_count(description, colour);
    order->whole = is_whole(order);
}

/* ---- what callers take ----------------------------------------------------------------------- */

typedef struct giver {
    int32_t colour;
    bool (*take)(void *context, const colours_grid *grid);
    void *context;
} giver;

static bool give(void *context, const box *box)
{
    giver *giver = context;
    colours_grid grid;

    return find_members(*box, giver->colour, &grid) != FOUND_GRID ||
           giver->take(giver->context, &grid);
}

bool MPIR_colours_each_grid(const uint8_t *description, int32_t colour, const colours_order *order,
                            bool (*take)(void *context, const colours_grid *grid), void *context)
{
    giver giver = {.colour = colour, .take = take, .context = context};

    if (order->form == COLOURS_ASCENDING)
        return each_box(description, give, &giver);
    for (uint32_t i = 0; i < order->grids; i++) {
        if (!take(context, &order->few[i]))
            return false;
    }
    return true;
}

typedef struct decoder {
    void (*take)(void *context, colours_row row);
    void *context;
} decoder;

static void decode_rows(const colours_piece *piece, const decoder *decoder)
{
    for (uint32_t i = 0; i < piece->length; i++)
        decoder->take(decoder->context,
                      MPIR_colours_read_row(piece->rows + (size_t) i * COLOURS_ROW));
}

/* How many ranks from this one on differ in digit 0 alone. */
static uint32_t line_from(const colours_piece *piece, uint32_t offset)
{
    uint32_t rest = piece->length - offset;
    int64_t count = piece->levels > 1 ? piece->level[1].weight : rest;
    int64_t line = piece->levels > 1 ? count - (piece->phase + offset) % count : rest;

    return line < rest ? (uint32_t) line : rest;
}

static void decode_levels(const colours_piece *piece, const decoder *decoder)
{
    for (uint32_t i = 0, next; i < piece->length; i = next) {
        colours_pair value = MPIR_colours_at(piece, i);
        for (next = i + line_from(piece, i); i < next; i++) {
            colours_row row = {.colour = (int32_t) value.colour, .key = (int32_t) value.key};
            decoder->take(decoder->context, row);
            value.colour += piece->level[0].step.colour;
            value.key += piece->level[0].step.key;
        }
    }
}

static void decode_piece(const colours_piece *piece, const decoder *decoder)
{
    if (piece->levels == 0)
        decode_rows(piece, decoder);
    else
        decode_levels(piece, decoder);
}

void MPIR_colours_decode(const uint8_t *description, void (*take)(void *context, colours_row row),
                         void *context)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;
    decoder decoder = {take, context};

    while (MPIR_colours_read(&reader, &piece))
        decode_piece(&piece, &decoder);
}

typedef struct counter {
    int32_t colour;
    uint32_t members;
} counter;

static void members_count(void *context, colours_row row)
{
    counter *counter = context;

    counter->members += row.colour == counter->colour;
}

/* A box has all of its members in a grid or, if its colours do not nest, none is certain. */
static bool count_in_box(void *context, const box *box)
{
    counter *counter = context;
    colours_grid grid;

    switch (find_members(*box, counter->colour, &grid)) {
        case FOUND_GRID: counter->members += grid.members; return true;
        case FOUND_NONE: return true;
        default: return false;
    }
}

static void count_in_rows(const colours_piece *piece, counter *counter)
{
    for (uint32_t i = 0; i < piece->length; i++)
        members_count(counter, MPIR_colours_read_row(piece->rows + (size_t) i * COLOURS_ROW));
}

static void count_in_piece(const colours_piece *piece, counter *counter)
{
    uint32_t before = counter->members;
    cutter cutter = {.piece = piece, .take = count_in_box, .context = counter};
    decoder decoder = {members_count, counter};

    if (!cut(&cutter, piece->phase, piece->phase + piece->length, piece->levels - 1)) {
        counter->members = before;
        decode_piece(piece, &decoder);
    }
}

uint32_t MPIR_colours_count(const uint8_t *description, int32_t colour)
{
    colours_reader reader = MPIR_colours_pieces_of(description);
    colours_piece piece;
    counter counter = {colour, 0};

    while (MPIR_colours_read(&reader, &piece)) {
        if (piece.levels == 0)
            count_in_rows(&piece, &counter);
        else
            count_in_piece(&piece, &counter);
    }
    return counter.members;
}
