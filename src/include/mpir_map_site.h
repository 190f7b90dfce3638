/* SPDX-License-Identifier: BSD-3-Clause */

/* Where in the program something is made: the function of MPI that was called, and the place that
 * called it.  Found by the compiler's unwinder under the GNU C library; else unknown.  Every
 * function may be called by several threads. */
#ifndef MPIR_MAP_SITE_H_INCLUDED
#define MPIR_MAP_SITE_H_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct map_site {
    const void *function; /* an address in the function of MPI; NULL: unknown */
    const void *call;     /* the one it returns to; NULL: unknown */
} map_site;

/* Takes about 100 ns a frame of MPI, and one more. */
map_site MPIR_Map_site_here(void);
/* "MPI_Comm_split"; an empty text when it is not known. */
void MPIR_Map_site_function(map_site site, char *text, size_t room);
/* "program+0x12ab", to which addr2line knows the line; an empty text when it is not known. */
void MPIR_Map_site_call(map_site site, char *text, size_t room);

typedef struct map_line {
    map_site site;
    char text[168]; /* a function, " at ", and a place */
} map_line;

/* Sets each text to "MPI_Comm_split at program.c:12", or "... at program+0x12ab" if addr2line is
 * not installed or does not know the line; an empty text when nothing is known.  One addr2line for
 * each program and library that a place is in. */
void MPIR_Map_site_lines(map_line *lines, size_t n);

#ifdef __cplusplus
}
#endif
#endif /* MPIR_MAP_SITE_H_INCLUDED */
