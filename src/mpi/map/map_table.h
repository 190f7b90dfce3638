/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The table behind MPIR_CVAR_CMAP_REPORT.  It knows which holders of maps are alive.  It has one
 * row for all holders with the same label and a map of the same size, representation and bytes.
 * Unnamed holders made at different places of the program have rows of their own.  With details,
 * named ones do too, a row keeps a picture of its first map, and the table has a history.
 *
 * Several threads may call every function.  If memory runs out, the table loses rows and says so
 * when it is printed; nothing else fails.  Only for src/mpi/map; others use mpir_map.h.
 */
#ifndef MAP_TABLE_H_INCLUDED
#define MAP_TABLE_H_INCLUDED

#include <stdio.h>
#include "cmap.h"
#include "mpir_map_site.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls MPIR_Map_table_count for every map of a holder. */
typedef void (*map_counter)(const void *holder);

/* Before anything is entered. */
void MPIR_Map_table_open(int with_details) CMAP_NOEXCEPT;
void MPIR_Map_table_enter(void *holder, map_counter counter) CMAP_NOEXCEPT;
/* Counts the maps of a holder that is in the table, and takes it out. */
void MPIR_Map_table_leave(void *holder) CMAP_NOEXCEPT;
/* Counts one holder of `map`, which is in the table, in the row of its label. */
void MPIR_Map_table_count(const void *holder, const char *label, const cmap_t *map) CMAP_NOEXCEPT;
/* Counts the maps of every holder in the table, in the order they came. */
void MPIR_Map_table_count_alive(void) CMAP_NOEXCEPT;
void MPIR_Map_table_print(FILE *out, int rank, int world_size) CMAP_NOEXCEPT;
void MPIR_Map_table_clear(void) CMAP_NOEXCEPT;

/* A row as a visitor sees it.  Times are in seconds since MPIR_Map_table_open. */
typedef struct map_row {
    const char *label;
    uint32_t size;
    cmap_rep representation;
    int force_declined;
    size_t payload, bytes, array; /* beyond the header, with it, and 4 * size */
    uint32_t sharers;             /* the most seen at once */
    uint64_t holders;
    /* with details: */
    double first, last; /* when the first of them was made, and the last */
    map_site site;      /* without details, of holders without a name */
    const char *form;   /* what MPIR_cmap_describe says */
    uint32_t n_points;
    const uint32_t *points; /* the process of rank  i * size / n_points */
    size_t on_node;         /* of the payload: in memory that the node's processes share */
} map_row;

/* All that was counted, as MPIR_Map_table_count_alive leaves it: also what is in no row, because
 * there were too many. */
typedef struct map_holders {
    uint64_t counted, array_bytes, unlisted;
} map_holders;
map_holders MPIR_Map_table_holders(void) CMAP_NOEXCEPT;

/* The largest number of each that was alive at once. */
typedef struct map_peak {
    uint64_t maps, bytes, array_bytes;
} map_peak;
map_peak MPIR_Map_table_peak(void) CMAP_NOEXCEPT;

/* Holders, and all maps of the process, that were alive at a moment. */
typedef struct map_moment {
    double seconds;
    uint64_t holders, maps, bytes, array_bytes;
} map_moment;

/* Calls row() for each row and moment() for each of a few hundred moments, in the order in which
 * they came.  False: the table is not complete. */
typedef struct map_visitor {
    void (*row)(void *context, const map_row *row);
    void (*moment)(void *context, const map_moment *moment);
    void *context;
} map_visitor;
int MPIR_Map_table_visit(const map_visitor *visitor) CMAP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif /* MAP_TABLE_H_INCLUDED */
