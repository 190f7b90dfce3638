/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Descriptions of several nodes, whose ranks are consecutive: the first process of each node
 * describes the node's rows, the first processes exchange their descriptions, and each hands the
 * result to its node.  For example two nodes of three ranks:
 *
 *     ranks    0  1  2      3  4  5
 *     node     1 -> 0, 2 -> 0      4 -> 3, 5 -> 3      rows, by cache lines
 *     nodes    0 <-> 3                                 descriptions of three ranks
 *     node     0 -> 1, 2           3 -> 4, 5           the result, by cache lines
 *
 * At most 16 nodes exchange in one step, each with each, if no description is longer than
 * SPLIT_MESSAGE.  More of them exchange by recursive doubling (split_blocks.h).  A process merges
 * only what all first processes merge in the same order, so all have the same bytes.
 */
#ifndef SPLIT_NODES_H_INCLUDED
#define SPLIT_NODES_H_INCLUDED

#include "split_blocks.h"

/* What a process tells the first one of its node. */
typedef struct split_leaf {
    colours_row row;
    uint64_t offer;
    uint32_t flags; /* COLOURS_FAILED or 0 */
    uint32_t unused;
} split_leaf;

/* Does the communicator exchange by nodes?  Collective, with the same answer on all members.  From
 * the second split on this process makes the node communicators.  If a member has no memory for
 * them, all have an error. */
int MPIR_split_choose_nodes(struct MPIR_Comm *comm, bool *by_nodes);
/* MPIR_split_merge_blocks() by nodes.  zones->mine is the description of this rank, which has
 * the same content as the leaf. */
int MPIR_split_merge_nodes(split_zones *zones, struct MPIR_Comm *comm, const split_leaf *own);
/* Of so many leaves of a node, how many come next in MPIR_split_add_leaves(). */
uint32_t MPIR_split_next_leaves(uint32_t left);
/* Appends the ranks of these leaves to the description zones->mine; or if `is_first`, they become
 * the description. */
void MPIR_split_add_leaves(split_zones *zones, const split_leaf leaves[], uint32_t n,
                           bool is_first);

#endif /* SPLIT_NODES_H_INCLUDED */
