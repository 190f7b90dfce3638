/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compressed maps inside MPICH: their policy, errors, MPI_T variables and report.
 *
 * A communicator and a group hold a `cmap_t *`: rank -> process index.  The processes of
 * MPI_COMM_WORLD have the indices 0 .. MPIR_Process.size - 1; those of a later address-vector table
 * follow from the base of that table (ch4_proc.h).  The rules of cmap.h hold: immutable, interned,
 * reference counted.
 *
 * This file knows neither groups nor communicators.  Its callers are all layers above it
 * (maint/layers.txt), and MPICH's own files, which are hooks.
 */
#ifndef MPIR_MAP_H_INCLUDED
#define MPIR_MAP_H_INCLUDED

#include "cmap.h"
#include "cmap_lookup.h"

/* Reads and checks the MPIR_CVAR_CMAP_* variables, registers the MPI_T variables.  Before any
 * group or communicator. */
int MPIR_Map_init(void);
/* MPI error for a failed map operation: names the operation, the number of members asked for and
 * the reason. */
int MPIR_Map_error(cmap_status status, const char *operation, int size);

/* When the node has its start-up segment, and before it goes: from then on, and until then,
 * large payloads go into memory that the node's processes share.  `board`:
 * MPIR_onecopy_board_bytes() of the segment, which are zero at first; NULL for none. */
void MPIR_Map_meet(void *board);
void MPIR_Map_part(void);

/* Rank of this process in a map or MPI_UNDEFINED; never builds an inverse. */
int MPIR_Map_own_rank(const cmap_t *map);

/* A slot whose map another thread may replace meanwhile is read and written by these. */
static inline const cmap_t *MPIR_Map_load(cmap_t *const *slot)
{
    return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

static inline void MPIR_Map_store(cmap_t **slot, cmap_t *map)
{
    __atomic_store_n(slot, map, __ATOMIC_RELEASE);
}

/* For MPIR_CVAR_CMAP_REPORT: a holder has got its maps (born), or is about to lose them (gone; no
 * effect on a holder that was not born).  `counter` calls MPIR_Map_report_count for each of its
 * maps. */
typedef void (*MPIR_Map_counter)(const void *holder);

int MPIR_Map_node_init(void);
int MPIR_Map_report_init(void);
void MPIR_Map_report_born(void *holder, MPIR_Map_counter counter);
void MPIR_Map_report_gone(void *holder);
/* Sets the function that returns the node of a process of the world.  Until then all processes
 * count as neighbours. */
void MPIR_Map_report_nodes(int (*node_of)(int rank));
/* If a label begins with MPIR_MAP_NO_NAME, the table shows the line of the program that made the
 * holder instead. */
#define MPIR_MAP_NO_NAME "(no name)"
void MPIR_Map_report_count(const void *holder, const char *label, const cmap_t *map);

#endif /* MPIR_MAP_H_INCLUDED */
