/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for buffers of schedules, which live as long as one collective.
 *
 * malloc takes large blocks from the kernel and gives them back, so each collective would pay a
 * fault for each page.  Here a process keeps a few blocks that it has used, SPARE_BLOCKS of at most
 * SPARE_MOST bytes, for the next ones.
 *
 * Threads: all functions are safe to call concurrently, and none waits.
 */
#ifndef SPARE_H_INCLUDED
#define SPARE_H_INCLUDED

#include <stddef.h>

enum { SPARE_BLOCKS = 4, SPARE_LEAST = 1 << 16, SPARE_MOST = 1 << 20 };

/* As malloc; NULL: no memory. */
void *MPIR_Spare_malloc(size_t bytes);
/* Of MPIR_Spare_malloc; NULL is fine. */
void MPIR_Spare_free(void *block);

#endif /* SPARE_H_INCLUDED */
