/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Pruned selection tables, one for all communicators with the same answers.
 *
 * What pruning asks a communicator about is a handful of numbers (csel_shared.c: struct traits).
 * Communicators alike in these get the same table; the last one that goes frees it.
 */
#ifndef CSEL_SHARED_H_INCLUDED
#define CSEL_SHARED_H_INCLUDED

/* A table pruned from `root` for a communicator like this one, with a reference for the caller;
 * NULL if there is none. */
void *MPIR_Csel_shared_find(const void *root, MPIR_Comm *comm);
/* Room for one, to be filled and then published; NULL without memory. */
void *MPIR_Csel_shared_new(const void *root, MPIR_Comm *comm, size_t size);
/* Lets others find it.  Returns the table to use: another thread may have been first. */
void *MPIR_Csel_shared_publish(void *table);
void MPIR_Csel_shared_release(void *table);
/* `root` goes.  Tables of communicators that are still there are not found any more. */
void MPIR_Csel_shared_root_gone(const void *root);

#endif /* CSEL_SHARED_H_INCLUDED */
