/* SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the report beside the maps: windows, phases of MPI_Init, MPI_T variables.  Only for
 * src/mpi/map; others use mpir_report.h. */
#ifndef MAP_EXTRA_H_INCLUDED
#define MAP_EXTRA_H_INCLUDED

#include <stdio.h>

#include "mpir_report.h"

typedef struct map_window {
    char name[MPI_MAX_OBJECT_NAME];
    map_site site;
    unsigned long long windows; /* of this name and line */
    unsigned long long values[MPIR_REPORT_VALUES];
} map_window;

enum { MAP_WINDOWS = 200, MAP_PHASES = 8 };

typedef struct map_phase {
    const char *name;
    double seconds;
} map_phase;

typedef struct map_extra {
    map_window windows[MAP_WINDOWS];
    unsigned long long unlisted; /* windows for which there was no entry left */
    int n_windows, n_values, n_phases;
    const char *(*name_of)(int);
    map_phase phases[MAP_PHASES];
} map_extra;

/* NULL: nothing was added, or there was no memory.  REQUIRES that nothing is added any more. */
const map_extra *MPIR_Map_extra(void);
void MPIR_Map_extra_open(void);
void MPIR_Map_extra_close(void);

/* Visits the MPI_T variables that are one number and belong to no object. */
void MPIR_Map_extra_variables(void (*visit)(void *context, const char *name,
                                            unsigned long long value),
                              void *context);

void MPIR_Map_extra_print(FILE *out);

#endif /* MAP_EXTRA_H_INCLUDED */
