/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RMA_WINDOW_SEGMENTS_H_INCLUDED
#define RMA_WINDOW_SEGMENTS_H_INCLUDED

/*
 * Where the memory of each process begins in the memory that a window has on a node.
 *
 * The segments of a shared window follow each other without a gap.  With alloc_shared_noncontig
 * each one has its own pages.  In a window of MPI_Win_allocate each process's memory begins at a
 * cache line at least, or where "mpi_minimum_memory_alignment" says.  There, an alignment of more
 * than a page cannot be had: the node's memory begins at any page.
 */

/* The alignment that an info value asks for: a power of two.  `otherwise` for any other value. */
size_t MPIDIG_alignment_of(const char *value, size_t otherwise);

/* What this process asks for in its entry of the table, before the table is exchanged. */
size_t MPIDIG_win_alignment(const MPIR_Win *win);

/* Computes the offset of each of `num` segments from their sizes and alignments.  Returns the bytes
 * of all, or, if their sum is not a size_t, so many that they cannot be mapped. */
size_t MPIDIG_win_segments(MPIDIG_win_shared_info_t *table, int num);

/* Computes the addresses from the offsets.  A segment of no bytes has the address NULL, but where
 * segments follow each other, that of its neighbour. */
void MPIDIG_win_segments_at(MPIR_Win *win, int num, char *base);

#endif /* RMA_WINDOW_SEGMENTS_H_INCLUDED */
