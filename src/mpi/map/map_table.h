/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The table behind MPIR_CVAR_CMAP_REPORT: which holders of maps are alive, and one row for all holders
 * that had the same label and a map of the same size, representation and bytes.  Every function may be called by several
 * threads; when memory runs out the table loses rows, says so when printed, and nothing else happens.
 * Only for src/mpi/map; others use mpir_map.h.
 */
#ifndef MAP_TABLE_H_INCLUDED
#define MAP_TABLE_H_INCLUDED

#include <stdio.h>
#include "cmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls MPIR_Map_table_count for every map of a holder. */
typedef void (*map_counter) (const void *holder);

void MPIR_Map_table_enter(void *holder, map_counter counter) CMAP_NOEXCEPT;
/* Counts the maps of a holder that is in the table, and takes it out. */
void MPIR_Map_table_leave(void *holder) CMAP_NOEXCEPT;
/* Counts one holder of `map` in the row of its label. */
void MPIR_Map_table_count(const char *label, const cmap_t * map) CMAP_NOEXCEPT;
/* Counts the maps of every holder in the table, in the order they came. */
void MPIR_Map_table_count_alive(void) CMAP_NOEXCEPT;
void MPIR_Map_table_print(FILE * out, int world_size) CMAP_NOEXCEPT;
void MPIR_Map_table_clear(void) CMAP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif /* MAP_TABLE_H_INCLUDED */
