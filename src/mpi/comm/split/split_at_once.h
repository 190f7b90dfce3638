/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two steps of the exchange of descriptions (split_exchange.h) that few processes do in one go, as
 * aggregates do: the leaves of a node come by cache lines, and each of few nodes sends its
 * description to each.
 *
 * *is_done is the same on all that take part.  False: there are too many of them, or too many
 * bytes, and they do the step by messages.
 */
#ifndef SPLIT_AT_ONCE_H_INCLUDED
#define SPLIT_AT_ONCE_H_INCLUDED

#include "split_exchange.h"

enum { SPLIT_LEAVES_MOST = 128 }; /* on the stack */

#ifdef MPIR_WITHOUT_AGGREGATES

static inline int MPIR_split_gather_at_once(MPIR_Comm *node MPL_UNUSED,
                                            const split_leaf *own MPL_UNUSED,
                                            split_leaf leaves[] MPL_UNUSED, bool *is_done)
{
    *is_done = false;
    return MPI_SUCCESS;
}

static inline int MPIR_split_swap_at_once(split_zones *zones MPL_UNUSED,
                                          MPIR_Comm *roots MPL_UNUSED, bool *is_done)
{
    *is_done = false;
    return MPI_SUCCESS;
}

#else

/* Those of all, in the order of their ranks, at the first process of the node. */
int MPIR_split_gather_at_once(MPIR_Comm *node, const split_leaf *own, split_leaf leaves[],
                              bool *is_done);
/* zones->mine becomes the description of all nodes. */
int MPIR_split_swap_at_once(split_zones *zones, MPIR_Comm *roots, bool *is_done);

#endif /* MPIR_WITHOUT_AGGREGATES */

#endif /* SPLIT_AT_ONCE_H_INCLUDED */
