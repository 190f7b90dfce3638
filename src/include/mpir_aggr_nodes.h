/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Steps of a collective over several nodes, for code that makes its own: MPI_Comm_split by
 * descriptions.  A node's processes bring their data to its first one, and the first ones meet.
 */
#ifndef MPIR_AGGR_NODES_H_INCLUDED
#define MPIR_AGGR_NODES_H_INCLUDED

#include <stdbool.h>

#ifdef MPIR_WITHOUT_AGGREGATES

/* Nobody notes it. */
static inline bool MPIR_Aggr_mark_collective(MPIR_Comm *comm MPL_UNUSED) { return false; }

#else

/* Notes that the members do a blocking collective.  True if they did one before: then the node
 * communicators are worth their memory.  The same on all members. */
bool MPIR_Aggr_mark_collective(MPIR_Comm *comm);

/* `bytes` of each process of a node, in the order of their ranks, at `to` on the first one; by
 * cache lines where that is possible.  It allocates no memory by size.  REQUIRES that all processes
 * wait for the first one before they leave the collective. */
int MPIR_Aggr_gather_node(MPIR_Comm *node, const void *mine, size_t bytes, void *to);

/* The most processes without a common node that use MPIR_Aggr_exchange. */
enum { MPIR_AGGR_DIRECT_MOST = 16 };

/* The data of each process, in `all` at  rank * bytes,  by a message from each to each.  An error,
 * or errflag, of one process is the error of all.  It allocates only requests, and one is enough.
 * REQUIRES MPIR_Aggr_is_direct(comm) */
int MPIR_Aggr_exchange(MPIR_Comm *comm, const void *mine, size_t bytes, void *all, int tag,
                       MPIR_Errflag_t *errflag);

#endif /* MPIR_WITHOUT_AGGREGATES */

#endif /* MPIR_AGGR_NODES_H_INCLUDED */
