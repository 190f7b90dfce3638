/* SPDX-License-Identifier: BSD-3-Clause */

#include "split_grids.h"
#include "cmap_wire.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct grids {
    cmap_builder *builder;
    cmap_status status;
} grids;

/* Digits 0 and 1 of the members from this rank on, as MPIR_cmap_builder_add_words() reads them. */
enum { FIRST = CMAP_WIRE_HEAD + 1, STEP, COUNT, REPEATS, PITCH, PIECE_WORDS };

static bool add_piece(grids *all, const colours_grid *grid, uint32_t rank)
{
    uint32_t words[PIECE_WORDS] = {[FIRST] = rank, [COUNT] = 1, [REPEATS] = 1};

    if (grid->levels > 0) {
        words[STEP] = (uint32_t) grid->stride[0];
        words[COUNT] = grid->count[0];
    }
    if (grid->levels > 1) {
        words[REPEATS] = grid->count[1];
        words[PITCH] = (uint32_t) grid->stride[1];
    }
    for (int i = FIRST; i < PIECE_WORDS; i++)
        words[i] = MPIR_cmap_wire_order(words[i]);
    MPIR_cmap_wire_head(words, PIECE_WORDS - CMAP_WIRE_HEAD);
    all->status = MPIR_cmap_builder_add_words(all->builder, words, PIECE_WORDS);
    return all->status == CMAP_OK;
}

/* Counts through the digits above. */
static bool add_grid(void *context, const colours_grid *grid)
{
    uint32_t digit[COLOURS_LEVELS] = {0}, rank = grid->rank, k;

    do {
        if (!add_piece(context, grid, rank))
            return false;
        for (k = 2; k < grid->levels; k++) {
            rank += (uint32_t) grid->stride[k];
            if (++digit[k] < grid->count[k])
                break;
            rank -= grid->count[k] * (uint32_t) grid->stride[k];
            digit[k] = 0;
        }
    } while (k < grid->levels);
    return true;
}

/* In the parent's ranks */
static cmap_status make_ranks(uint32_t size, const uint8_t *description, int32_t colour,
                              const colours_order *order, cmap_t **out)
{
    grids all = {.status = CMAP_OK};

    *out = NULL;
    all.status = MPIR_cmap_builder_create(size, NULL, &all.builder);
    if (all.status == CMAP_OK && MPIR_colours_each_grid(description, colour, order, add_grid, &all))
        all.status = MPIR_cmap_builder_finish(all.builder, out);
    MPIR_cmap_builder_free(all.builder);
    return all.status;
}

cmap_status MPIR_split_grids_map(const cmap_t *parent, const uint8_t *description, int32_t colour,
                                 const colours_order *order, cmap_t **out)
{
    cmap_t *ranks;
    cmap_status status;

    if (order->whole)
        return MPIR_cmap_with_policy(parent, NULL, out);
    *out = NULL;
    status = make_ranks(MPIR_cmap_size(parent), description, colour, order, &ranks);
    if (status != CMAP_OK)
        return status;
    status = MPIR_cmap_compose(parent, ranks, NULL, out); /* the ranks themselves, for a world */
    MPIR_cmap_release(ranks);
    return status;
}
