/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What layers above the maps add to the report of MPIR_CVAR_CMAP_REPORT: windows and phases of
 * MPI_Init.  The report reads the MPI_T variables itself.  Every function may be called by several
 * threads.
 */
#ifndef MPIR_REPORT_H_INCLUDED
#define MPIR_REPORT_H_INCLUDED

#include <stdbool.h>

#include "mpir_map_site.h"

/* Will there be a report?  Also true in processes that do not write it. */
bool MPIR_Map_report_is_on(void);

/* A window is about to go: what was counted in it.  Windows of one name and line share an entry,
 * which adds them up.  name_of(i) is the name of values[i]; n is at most MPIR_REPORT_VALUES, and
 * the names are the same for all windows. */
#define MPIR_REPORT_VALUES 16
void MPIR_Map_report_window(const char *name, map_site site, int n, const char *(*name_of)(int),
                            const unsigned long long values[]);

/* A phase of MPI_Init has ended.  `name` stays alive. */
void MPIR_Map_report_phase(const char *name);

#endif /* MPIR_REPORT_H_INCLUDED */
