/* SPDX-License-Identifier: BSD-3-Clause */

#include "locality.h"

#include <string.h>

/* ---- orders as closed forms ---- */

static uint64_t size_of(const locality_grid *grid)
{
    uint64_t size = 1;
    for (uint32_t d = 0; d < grid->dims; d++)
        size *= grid->dim[d];
    return size;
}

static uint32_t tiles_of(const locality_grid *grid, const locality_order *order, uint32_t d)
{
    return grid->dim[d] / order->side[d];
}

/* How far apart in the order two neighbours are: within a tile, and in neighbouring tiles. */
typedef struct {
    uint32_t within[LOCALITY_DIMS], beyond[LOCALITY_DIMS];
} steps;

static void steps_of(const locality_grid *grid, const locality_order *order, steps *s)
{
    uint32_t step = 1;

    for (uint32_t d = grid->dims; d-- > 0;) {
        s->within[d] = step;
        step *= order->side[d];
    }
    s->beyond[order->along] = step;
    step *= tiles_of(grid, order, order->along);
    for (uint32_t d = grid->dims; d-- > 0;) {
        if (d == order->along)
            continue;
        s->beyond[d] = step;
        step *= tiles_of(grid, order, d);
    }
}

static void add_level(cmap_form *form, uint32_t count, uint32_t stride)
{
    uint32_t top = form->levels - 1;

    if (count == 1)
        return;
    if (form->levels > 0 && (uint64_t) form->count[top] * (uint32_t) form->stride[top] == stride) {
        form->count[top] *= count;
        return;
    }
    form->count[form->levels] = count;
    form->stride[form->levels++] = (int32_t) stride;
}

void MPIR_locality_order_form(const locality_grid *grid, const locality_order *order,
                              cmap_form *form)
{
    steps s;

    steps_of(grid, order, &s);
    form->base = 0;
    form->levels = 0;
    for (uint32_t d = grid->dims; d-- > 0;) {
        add_level(form, order->side[d], s.within[d]);
        add_level(form, tiles_of(grid, order, d), s.beyond[d]);
    }
}

void MPIR_locality_given_order(const locality_grid *grid, locality_order *order)
{
    for (uint32_t d = 0; d < grid->dims; d++)
        order->side[d] = 1;
    order->along = grid->dims - 1;
}

/* ---- edges between nodes ---- */

/* All positions of the grid at which dimension d has the first `sides` of each of the first `tiles`
 * tiles, from a first one on. */
static void cells_of(const locality_grid *grid, const locality_order *order, const steps *s,
                     uint32_t d, uint32_t sides, uint32_t tiles, uint32_t first, cmap_form *form)
{
    form->base = first;
    form->levels = 0;
    for (uint32_t e = 0; e < grid->dims; e++) {
        uint32_t side = e == d ? sides : order->side[e];
        uint32_t all = e == d ? tiles : tiles_of(grid, order, e);
        form->count[form->levels] = side;
        form->stride[form->levels++] = (int32_t) s->within[e];
        form->count[form->levels] = all;
        form->stride[form->levels++] = (int32_t) s->beyond[e];
    }
}

/* Edges along one dimension: those within tiles, those from one tile to the next, and those from
 * the end to the beginning. */
static uint64_t cut_along(const locality_grid *grid, const locality_order *order, const steps *s,
                          uint32_t d, const locality_nodes *nodes)
{
    uint32_t side = order->side[d], tiles = tiles_of(grid, order, d);
    uint32_t last_side = (side - 1) * s->within[d], last_tile = (tiles - 1) * s->beyond[d];
    uint64_t cut = 0;
    cmap_form form;

    if (side > 1) {
        cells_of(grid, order, s, d, side - 1, tiles, 0, &form);
        cut += MPIR_locality_crossings(&form, s->within[d], nodes);
    }
    if (tiles > 1) {
        cells_of(grid, order, s, d, 1, tiles - 1, last_side, &form);
        cut += MPIR_locality_crossings(&form, (int64_t) s->beyond[d] - last_side, nodes);
    }
    if (grid->periodic[d] && grid->dim[d] > 1) {
        cells_of(grid, order, s, d, 1, 1, last_side + last_tile, &form);
        cut += MPIR_locality_crossings(&form, -(int64_t) last_side - last_tile, nodes);
    }
    return cut;
}

uint64_t MPIR_locality_cut_on_blocks(const locality_grid *grid, const locality_order *order,
                                     const void *nodes)
{
    uint64_t cut = 0;
    steps s;

    steps_of(grid, order, &s);
    for (uint32_t d = 0; d < grid->dims; d++)
        cut += cut_along(grid, order, &s, d, nodes);
    return cut;
}

static uint32_t position_of(const locality_grid *grid, const locality_order *order, const steps *s,
                            const uint32_t at[])
{
    uint32_t position = 0;
    for (uint32_t d = 0; d < grid->dims; d++)
        position += at[d] % order->side[d] * s->within[d] + at[d] / order->side[d] * s->beyond[d];
    return position;
}

/* False at the end. */
static bool next_cell(const locality_grid *grid, uint32_t at[])
{
    for (uint32_t d = grid->dims; d-- > 0;) {
        if (++at[d] < grid->dim[d])
            return true;
        at[d] = 0;
    }
    return false;
}

uint64_t MPIR_locality_cut_on_list(const locality_grid *grid, const locality_order *order,
                                   const void *node_of_position)
{
    const uint32_t *node = node_of_position;
    uint32_t at[LOCALITY_DIMS] = {0};
    uint64_t cut = 0;
    steps s;

    steps_of(grid, order, &s);
    do {
        uint32_t here = node[position_of(grid, order, &s, at)];
        for (uint32_t d = 0; d < grid->dims; d++) {
            uint32_t old = at[d];
            at[d] = old + 1 < grid->dim[d] ? old + 1 : 0;
            if (at[d] > old || (grid->periodic[d] && grid->dim[d] > 1))
                cut += here != node[position_of(grid, order, &s, at)];
            at[d] = old;
        }
    } while (next_cell(grid, at));
    return cut;
}

/* ---- candidates ---- */

enum {
    MOST_TUPLES = 4096, /* that are looked at; 4 dimensions and 128 a node have less */
    MOST_BANDS = 6      /* that are counted exactly */
};

typedef struct {
    locality_order order;
    uint64_t cut; /* or what it should be about */
} candidate;

typedef struct {
    const locality_grid *grid;
    uint32_t per_node;
    uint64_t size;
    bool closed; /* only orders with few levels */
    uint32_t tuples;
    candidate tile; /* the best one of as many cells as a node has */
    bool has_tile;
    candidate bands[MOST_BANDS]; /* the best ones, in order */
    uint32_t n_bands;
} search;

static bool has_few_levels(const search *s, const locality_order *order)
{
    cmap_form form;

    if (!s->closed)
        return true;
    MPIR_locality_order_form(s->grid, order, &form);
    return form.levels <= LOCALITY_LEVELS;
}

/* Cut faces between tiles along d, if each tile is on a node of its own. */
static uint64_t faces(const search *s, const locality_order *order, uint32_t d)
{
    uint64_t across = s->size / s->grid->dim[d], tiles = tiles_of(s->grid, order, d);
    return across * (tiles - 1 + (s->grid->periodic[d] && tiles > 1));
}

static void consider_tile(search *s, const locality_order *order)
{
    uint64_t cut = 0;

    for (uint32_t d = 0; d < s->grid->dims; d++)
        cut += faces(s, order, d);
    if ((!s->has_tile || cut < s->tile.cut) && has_few_levels(s, order)) {
        s->tile = (candidate){.order = *order, .cut = cut};
        s->has_tile = true;
    }
}

/* A band is a row of tiles, each smaller than a node: a node has some tiles along the row, and
 * perhaps parts of two more. */
static void consider_band(search *s, const locality_order *order, uint32_t cells)
{
    uint64_t cut = s->size * cells / s->per_node;
    uint32_t i;

    for (uint32_t d = 0; d < s->grid->dims; d++) {
        if (d != order->along)
            cut += faces(s, order, d);
    }
    if (s->n_bands == MOST_BANDS && cut >= s->bands[MOST_BANDS - 1].cut)
        return;
    if (!has_few_levels(s, order))
        return;
    i = s->n_bands < MOST_BANDS ? s->n_bands++ : MOST_BANDS - 1;
    for (; i > 0 && s->bands[i - 1].cut > cut; i--)
        s->bands[i] = s->bands[i - 1];
    s->bands[i] = (candidate){.order = *order, .cut = cut};
}

/* All sides of the dimensions from d on that divide the grid, with at most `room` cells.  Bands
 * have side 1 along the row, and tiles fill the room. */
static void try_sides(search *s, locality_order *order, uint32_t d, uint32_t room, bool band)
{
    if (d == s->grid->dims) {
        if (s->tuples++ >= MOST_TUPLES)
            return;
        if (band)
            consider_band(s, order, s->per_node / room);
        else if (room == 1)
            consider_tile(s, order);
        return;
    }
    for (uint32_t side = 1; side <= room && side <= s->grid->dim[d]; side++) {
        bool fits = s->grid->dim[d] % side == 0 && (band || room % side == 0);
        if (!fits || (band && d == order->along && side > 1) || s->tuples >= MOST_TUPLES)
            continue;
        order->side[d] = side;
        try_sides(s, order, d + 1, room / side, band);
    }
}

static void collect(search *s)
{
    locality_order order;

    MPIR_locality_given_order(s->grid, &order);
    try_sides(s, &order, 0, s->per_node, false);
    for (uint32_t d = 0; d < s->grid->dims; d++) {
        s->tuples = 0;
        order.along = d;
        try_sides(s, &order, 0, s->per_node, true);
    }
}

/* ---- the choice ---- */

static void take_better(const search *s, const candidate *one, locality_cut cut, const void *where,
                        locality_choice *best)
{
    uint64_t its = cut(s->grid, &one->order, where);

    if (its < best->cut) {
        best->cut = its;
        best->order = one->order;
        best->is_given = false;
    }
}

void MPIR_locality_choose_order(const locality_grid *grid, uint32_t per_node, bool closed,
                                locality_cut cut, const void *where, uint64_t given,
                                locality_choice *choice)
{
    search s = {.grid = grid, .per_node = per_node, .size = size_of(grid), .closed = closed};

    MPIR_locality_given_order(grid, &choice->order);
    choice->cut = given;
    choice->is_given = true;
    if (given == 0 || per_node < 2)
        return;
    collect(&s);
    if (s.has_tile)
        take_better(&s, &s.tile, cut, where, choice);
    for (uint32_t i = 0; i < s.n_bands && s.bands[i].cut < choice->cut; i++)
        take_better(&s, &s.bands[i], cut, where, choice);
}
