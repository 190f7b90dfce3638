/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The exchange of descriptions (src/mpid/common/colours), by recursive doubling.
 *
 * The ranks form units: with n ranks and p = 2^k <= n < 2^(k+1) the last 2 (n - p) ranks are pairs,
 * each other rank is a unit.  In step j a unit exchanges the description of its 2^j units with the
 * unit whose number differs in bit j, and both merge the two.  A pair first merges its own; its
 * first rank takes part in the steps and hands the result to the second.  For example n = 6:
 *
 *     ranks    0    1    2 3    4 5              pairs
 *     step 0   0 <-> 1    2 <-> 4                0-1        2-5
 *     step 1   0 <-> 2    1 <-> 4                0-5        0-5
 *              2 -> 3,    4 -> 5                 the results of the pairs
 *
 * A message has at most SPLIT_MESSAGE bytes; the rest of a longer description travels in a second
 * one at the same time.
 *
 * Of several nodes, whose ranks are consecutive, the first process describes the node's rows.  The
 * first processes exchange their descriptions, and each hands the result to its node.  For example
 * two nodes of three ranks:
 *
 *     ranks    0  1  2      3  4  5
 *     node     1 -> 0, 2 -> 0      4 -> 3, 5 -> 3      rows, by cache lines
 *     nodes    0 <-> 3                                 descriptions of three ranks
 *     node     0 -> 1, 2           3 -> 4, 5           the result, by cache lines
 *
 * At most 16 nodes exchange in one step, each with each, if no description is longer than
 * SPLIT_MESSAGE.  A process merges only what all first processes merge in the same order, so all
 * have the same bytes.
 */
#ifndef SPLIT_EXCHANGE_H_INCLUDED
#define SPLIT_EXCHANGE_H_INCLUDED

#include "split_zones.h"

struct MPIR_Comm;

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
/* All of the exchange: zones->mine becomes the description of all ranks.  If a member has failed,
 * it has failed on all.  `own`: this rank's part. */
int MPIR_split_exchange(split_zones *zones, struct MPIR_Comm *comm, const split_leaf *own,
                        bool by_nodes);

/* A type of so many bytes that all go to one place: a process without room for a message receives
 * it, so that the sender goes on. */
int MPIR_split_make_drain(int bytes, MPI_Datatype *drain);

/* ---- parts of it, as mpirank1 does them for the other ranks ---------------------------------- */

typedef struct split_tree {
    int units;
    int singles; /* the first units have one rank, the others two */
} split_tree;

split_tree MPIR_split_tree_of(int ranks);
int MPIR_split_first_rank(split_tree tree, int unit);
int MPIR_split_unit_of(split_tree tree, int rank);

/* Some consecutive ranks of a communicator */
typedef struct split_block {
    int first, count;
    int rank;     /* that sends their description */
    int step;     /* of the tree, or a split_step */
    bool is_most; /* `count` is not exact: there are at most so many */
} split_block;

/* Exchanges beside the steps of the tree */
typedef enum split_step {
    SPLIT_OF_PAIR = -1, /* the other one of a pair */
    SPLIT_OF_ALL = -2,  /* the result */
    SPLIT_OF_NODE = -3  /* the processes of this node */
} split_step;

/* Receives the description of `from` into zones->theirs, and sends zones->mine to the rank `to`, or
 * MPI_PROC_NULL.  A block whose rank is MPI_PROC_NULL sends nothing.  (The entry swap_blocks of
 * mpir_others.h.) */
int MPIR_split_swap_blocks(split_zones *zones, struct MPIR_Comm *comm, int to,
                           const split_block *from);

/* Of so many leaves of a node, how many come next in MPIR_split_add_leaves(). */
uint32_t MPIR_split_next_leaves(uint32_t left);
/* Appends the ranks of these leaves to the description zones->mine; or if `is_first`, they become
 * the description. */
void MPIR_split_add_leaves(split_zones *zones, const split_leaf leaves[], uint32_t n,
                           bool is_first);

#endif /* SPLIT_EXCHANGE_H_INCLUDED */
