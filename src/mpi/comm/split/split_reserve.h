/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory that a split reserves before its exchange, because a member that fails later cannot tell
 * the others.  A regular split uses none of it.  Therefore a large reserve is address space, and
 * gets pages at their first use.
 *
 * The process keeps one reserve between splits, with the pages of its first SPLIT_KEPT bytes: a
 * later split maps nothing and has no page faults.  The other pages are the system's when it is
 * short of memory.  If the next split uses them, too, they stay as long as each split does, up to
 * SPLIT_KEPT_IN_USE bytes: glibc's heap keeps a table of rows in the same way.
 *
 * A split that finds no reserve, because another thread has it, maps its own.  Of two the larger is
 * kept.
 *
 *     split of 100 ranks      takes nothing, maps 3 kB      keeps 3 kB
 *     split of 1,000 ranks    takes 3 kB, maps 24 kB        keeps 24 kB
 *     split of 100 ranks      takes 24 kB                   keeps 24 kB
 *
 * MPI_Finalize frees it.  All functions may be called by several threads at once.
 */
#ifndef SPLIT_RESERVE_H_INCLUDED
#define SPLIT_RESERVE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPLIT_KEPT = 1 << 21, SPLIT_KEPT_IN_USE = 1 << 25 };

typedef struct split_reserve {
    uint8_t *memory; /* NULL: none */
    size_t bytes;
    bool is_filled; /* may have large pages */
    bool is_in_use; /* the last split wrote more than SPLIT_KEPT bytes */
} split_reserve;

/* At least so many bytes, of undefined content.  reserve.memory is NULL without memory. */
split_reserve MPIR_split_reserve_take(size_t bytes);
/* From here on the split writes so many bytes at a time. */
void MPIR_split_reserve_fill(split_reserve *reserve, size_t bytes);
/* After its use, of which only the first `used` bytes were written: decides which pages stay. */
void MPIR_split_reserve_settle(split_reserve *reserve, size_t used);
/* For later splits.  Without memory nothing happens. */
void MPIR_split_reserve_put(split_reserve reserve);
/* Frees the reserve instead. */
void MPIR_split_reserve_free(split_reserve reserve);

#endif /* SPLIT_RESERVE_H_INCLUDED */
