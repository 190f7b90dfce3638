/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPIR_SPARSE_H_INCLUDED
#define MPIR_SPARSE_H_INCLUDED

#include <stddef.h>

/*
 * Tables with an entry for each process of the world, of which few are ever used: zeroed memory
 * whose pages come into being when they are written. The processor's page tables are the upper
 * level, so that an entry is found as in an array.
 */

/* NULL when there is no address space left. */
void *MPIR_Sparse_alloc(size_t bytes);
/* REQUIRES: `bytes` is what it was allocated with; NULL is fine. */
void MPIR_Sparse_free(void *memory, size_t bytes);
/* Most of these bytes are going to be written: the system may give large pages.  REQUIRES, as
 * below, that they are part of memory from MPIR_Sparse_alloc(). */
void MPIR_Sparse_fill(void *begin, size_t bytes);
/* The system may take the pages that lie within these bytes, until they are written again.  The
 * content becomes undefined. */
void MPIR_Sparse_forget(void *begin, size_t bytes);

#endif /* MPIR_SPARSE_H_INCLUDED */
