/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The exchange of descriptions (src/mpid/common/colours) by recursive doubling.
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
 * one at the same time.  Long descriptions, and the table of rows that have no closed form, need
 * memory.  It is reserved before the exchange (MPIR_split_zones_reserve), so that a member without
 * it tells the others in its description.  What is not used of it stays without pages.
 */
#ifndef SPLIT_BLOCKS_H_INCLUDED
#define SPLIT_BLOCKS_H_INCLUDED

#include "colours.h"
#include "split_reserve.h"

struct MPIR_Comm;

enum {
    SPLIT_MESSAGE = 256,
    /* two messages, and what a merge needs beside them; or 64 rows */
    SPLIT_ZONE = 2 * SPLIT_MESSAGE + 2 * COLOURS_EXTRA + COLOURS_SLACK
};

typedef struct split_zones {
    uint8_t *mine, *theirs, *spare; /* in `few` or in the reserve, each with so much room */
    size_t room;
    uint32_t ranks;
    bool by_nodes;         /* the blocks are of nodes, whose sizes are not known */
    split_reserve reserve; /* three zones; the first two may become the table of the rows */
    size_t used;           /* bytes of the reserve that may have pages */
    uint8_t few[3][SPLIT_ZONE];
} split_zones;

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

/* The 2^step units with this one among them; the unit's first rank sends their description. */
split_block MPIR_split_block_of(split_tree tree, int unit, int step);

/* REQUIRES at least one rank. */
void MPIR_split_zones_begin(split_zones *zones, uint32_t ranks);
void MPIR_split_zones_end(split_zones *zones);
/* Memory for whatever the ranks describe (split_reserve.h); false without it. */
bool MPIR_split_zones_reserve(split_zones *zones);
/* After the last exchange: 16 bytes a rank of the reserve, until MPIR_split_zones_end().
 * zones->mine keeps its content.  REQUIRES a reserve, and more than 64 ranks. */
void *MPIR_split_zones_lend(split_zones *zones);
/* After the last exchange, when memory is short: frees a reserve that was not used. */
void MPIR_split_zones_give_up(split_zones *zones);
/* What a merge of the two needs, in a communicator of so many ranks. */
size_t MPIR_split_room_for(const uint8_t *low, const uint8_t *high, uint32_t ranks);
/* False without a reserve that holds so many bytes. */
bool MPIR_split_zones_hold(split_zones *zones, size_t bytes);

/* Receives the description of `from` into zones->theirs, and sends zones->mine to the rank `to`, or
 * MPI_PROC_NULL.  A block whose rank is MPI_PROC_NULL sends nothing.  (The entry swap_blocks of
 * mpir_others.h.) */
int MPIR_split_swap_blocks(split_zones *zones, struct MPIR_Comm *comm, int to,
                           const split_block *from);

/* All of it: zones->mine is the description of this rank, and becomes that of all.  If a member
 * has failed, it has failed on all. */
int MPIR_split_merge_blocks(split_zones *zones, struct MPIR_Comm *comm);
/* zones->mine, then zones->theirs, or the other way round; the result becomes zones->mine. */
void MPIR_split_merge(split_zones *zones, bool is_mine_low);
/* This member cannot go on. */
void MPIR_split_fail(split_zones *zones);

#endif /* SPLIT_BLOCKS_H_INCLUDED */
