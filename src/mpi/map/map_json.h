/* SPDX-License-Identifier: BSD-3-Clause */

/* The table of MPIR_CVAR_CMAP_REPORT as one JSON object.  Only for src/mpi/map. */
#ifndef MAP_JSON_H_INCLUDED
#define MAP_JSON_H_INCLUDED

#include <stdio.h>

/* The process is `rank` of a world of `size`.  Returns 0, or errno of what went wrong. */
int MPIR_Map_json_write(FILE *out, int rank, int size);

#endif /* MAP_JSON_H_INCLUDED */
