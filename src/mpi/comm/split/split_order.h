/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_Comm_split without MPI: who has my colour, and in which order?
 *
 * Input is the table that the allgather brings, one row for each rank of the parent.  One pass over
 * it (MPIR_split_look) recognises the easy cases; MPIR_split_arrange() then turns the table, in
 * place, into as little as is needed to make the child's map.  Beside the table nothing is
 * allocated.
 *
 *   keys ascending or strictly descending     the members' ranks as arithmetic runs
 *   keys are k consecutive numbers            ranks placed by counting, O(n)
 *   any other keys                            stable radix sort of packed (key, rank) pairs, O(n)
 *                                             for each digit
 */
#ifndef SPLIT_ORDER_H_INCLUDED
#define SPLIT_ORDER_H_INCLUDED

#include <stdbool.h>
#include <string.h>
#include "cmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a process tells the others. */
typedef struct split_row {
    int32_t colour, key;
    union {
        uint64_t offer; /* of context ids, to its own side */
        /* the context id that follows, to the other side of an intercommunicator */
        uint32_t id;
    };
} split_row;

/* What one pass over the rows tells about those of one colour. */
typedef struct split_view {
    int32_t colour;  /* of the members */
    int32_t special; /* a colour whose rows are counted for themselves */
    uint32_t rows;   /* seen so far */
    uint32_t special_rows;
    uint32_t members;
    uint32_t runs;           /* arithmetic ones in the members' ranks */
    int32_t least, greatest; /* key */
    bool ascending;          /* keys: each at least the one before */
    bool descending;         /* each below the one before */
    /* the member before */
    int32_t key;
    uint32_t rank, stride; /* 0: the run has one member so far */
} split_view;

static inline split_view MPIR_split_view_of(int32_t colour, int32_t special)
{
    split_view view;

    memset(&view, 0, sizeof(view));
    view.colour = colour;
    view.special = special;
    view.least = INT32_MAX;
    view.greatest = view.key = INT32_MIN;
    view.ascending = view.descending = true;
    return view;
}

/* The next row, in the order of ranks. */
static inline void MPIR_split_look(split_view *view, const split_row *row)
{
    uint32_t rank = view->rows++;

    view->special_rows += (row->colour == view->special);
    if (row->colour != view->colour)
        return;

    view->ascending = view->ascending && row->key >= view->key;
    view->descending = view->descending && (view->members == 0 || row->key < view->key);
    view->least = (row->key < view->least) ? row->key : view->least;
    view->greatest = (row->key > view->greatest) ? row->key : view->greatest;

    uint32_t step = rank - view->rank;
    if (view->members == 0 || (view->stride != 0 && view->stride != step)) {
        view->runs++;
        view->stride = 0;
    } else {
        view->stride = step;
    }
    view->key = row->key;
    view->rank = rank;
    view->members++;
}

/* What the table has become. */
typedef enum split_form {
    SPLIT_SAME,   /* all rows, in their order: nothing is in the table */
    SPLIT_RANGES, /* cmap_rank_range[count] is in its front */
    SPLIT_RANKS   /* int[count] is */
} split_form;

typedef struct split_plan {
    split_form form;
    uint32_t count;
    size_t bytes; /* in use in front of the table */
} split_plan;

/* REQUIRES view->members > 0, from all `rows` of the table.  Its content is used up. */
split_plan MPIR_split_arrange(split_row table[], const split_view *view);

/* The member's rank among the members, REQUIRES that it is one. */
uint32_t MPIR_split_rank_of(const split_row table[], const split_plan *plan, uint32_t member);

/* The child's map, built under the default policy. */
cmap_status MPIR_split_map(const cmap_t *parent, const split_row table[], const split_plan *plan,
                           cmap_t **out);

#ifdef __cplusplus
}
#endif
#endif /* SPLIT_ORDER_H_INCLUDED */
