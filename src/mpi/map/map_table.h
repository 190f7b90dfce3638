/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The table behind MPIR_CVAR_CMAP_REPORT: which holders (communicators, groups) are alive, and one row for all holders
 * that had the same label and a map of the same size, representation and bytes.  Every function may be called by several
 * threads; when memory runs out the table loses rows, says so when printed, and nothing else happens.
 */
#ifndef MAP_TABLE_H_INCLUDED
#define MAP_TABLE_H_INCLUDED

#include <stdio.h>
#include "cmap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum map_holder {
    MAP_HOLDER_COMM,
    MAP_HOLDER_GROUP
} map_holder;

void MPIR_Map_table_enter(void *holder, map_holder kind) CMAP_NOEXCEPT;
/* Whether it was in the table. */
int MPIR_Map_table_leave(void *holder) CMAP_NOEXCEPT;
/* Counts one holder of `map` in the row of its label. */
void MPIR_Map_table_count(const char *label, const cmap_t * map) CMAP_NOEXCEPT;
/* Calls `visit` for every holder in the table, in the order they came. */
void MPIR_Map_table_visit(void (*visit) (void *holder, map_holder kind)) CMAP_NOEXCEPT;
void MPIR_Map_table_print(FILE * out, int world_size) CMAP_NOEXCEPT;
void MPIR_Map_table_clear(void) CMAP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif /* MAP_TABLE_H_INCLUDED */
