/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which lines of the program hold the context ids of this process: communicators, windows and
 * files.  To find the line takes longer than a quick duplicate.  So one creation in 1,024 is looked
 * at, at random, and stands for 1,024.  If somebody may ask for the list, or if the limit of ids is
 * low, each creation is looked at.
 *
 * If memory is missing a creation is not counted.  Every function may be called by several
 * threads.
 */
#ifndef CTXID_HOLDERS_H_INCLUDED
#define CTXID_HOLDERS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctxid_names.h"
#include "mpir_map_site.h"

typedef struct {
    uint32_t stands_for;        /* so many creations; 0: it is not looked at */
    map_site site;
} ctxid_holder_t;

/* Counts a creation, and finds its line if it is to be looked at. */
ctxid_holder_t ctxid_holder_here(void);
/* The id is a communicator's now.  What was known of the id is forgotten. */
void ctxid_holders_set(uint32_t prefix, ctxid_holder_t holder);
/* Before the id is given back. */
void ctxid_holders_forget(uint32_t prefix);
void ctxid_holders_close(void);

/* From now on each creation is looked at. */
void ctxid_holders_look_always(void);
/* Unknown, if the id was not looked at. */
map_site ctxid_holders_site(uint32_t prefix);

/* "MPI_Comm_dup at solver.c:45 (about 12000)" and so on, those that hold most first, at most
 * `most` of them, separated by commas; returns how many.  Those that do not fit into `room` bytes
 * are left out.  Starts addr2line once for each line that has not been in a text before.  Time:
 * of all that were looked at. */
int ctxid_holders_text(int most, char *text, size_t room);

#endif /* CTXID_HOLDERS_H_INCLUDED */
