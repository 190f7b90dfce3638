/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The nodes of the world's processes, as process managers tell them: a block is `count` nodes in a
 * row with `size` processes each. When there are more processes than the blocks hold, the blocks
 * begin again with the first that starts at node 0 (or with the first of all). So a node is found
 * by a formula, whatever the size of the world.
 *
 * There is no MPI in this file: the unit tests compile it alone.
 */
#ifndef NODE_BLOCKS_H_INCLUDED
#define NODE_BLOCKS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MPIR_Node_block {
    uint32_t node, count, size;
    uint32_t rank; /* of the first process; MPIR_Node_blocks_complete sets it */
} MPIR_Node_block;

typedef struct MPIR_Node_blocks {
    uint32_t processes;
    uint32_t n; /* blocks */
    /* what MPIR_Node_blocks_complete finds */
    uint32_t nodes; /* highest node and one */
    uint32_t end;   /* processes in the blocks, before they begin again */
    uint32_t again; /* the block with which they do */
    MPIR_Node_block b[];
} MPIR_Node_blocks;

static inline size_t MPIR_Node_blocks_bytes(uint32_t n)
{
    return sizeof(MPIR_Node_blocks) + n * sizeof(MPIR_Node_block);
}

/* From processes, n, and node, count and size of each block. False when the blocks hold nobody. */
bool MPIR_Node_blocks_complete(MPIR_Node_blocks *m);
/* Numbers the nodes that have processes 0, 1, ... in the same order: a spawned world may be on
 * nodes 1 and 2 of its job. O(n^2) at most. REQUIRES: MPIR_Node_blocks_complete(m) was true. */
void MPIR_Node_blocks_close_gaps(MPIR_Node_blocks *m);
/* The same as MPIR_Node_blocks_complete from nodes[processes]. Returns how many
 * blocks these take; fills in m, which may be NULL, when m->n is that. */
uint32_t MPIR_Node_blocks_from_array(const int nodes[], uint32_t processes, MPIR_Node_blocks *m);

/* Processes first .. first + count - 1 are on this node, one after the other. */
typedef struct MPIR_Node_stretch {
    uint32_t node, first, count;
} MPIR_Node_stretch;

/* The stretch of a process; a longer one may follow from how blocks meet. REQUIRES: rank <
 * processes. */
MPIR_Node_stretch MPIR_Node_blocks_find(const MPIR_Node_blocks *m, uint32_t rank);
/* The block of a process.  REQUIRES: rank < end, no more than the blocks hold. */
const MPIR_Node_block *MPIR_Node_blocks_of(const MPIR_Node_blocks *m, uint32_t rank);
/* The block whose first process is `rank`, without what lies beyond the world: its last node may
 * have fewer processes than `size`. Returns the rank at which the next one begins. REQUIRES:
 * rank is 0 or was returned, and < processes. */
uint32_t MPIR_Node_blocks_next(const MPIR_Node_blocks *m, uint32_t rank, MPIR_Node_block *block);
/* No node is in two blocks, and they come in increasing order. */
bool MPIR_Node_blocks_ascend(const MPIR_Node_blocks *m);
/* The first process of a node, or UINT32_MAX when it has none. */
uint32_t MPIR_Node_blocks_root(const MPIR_Node_blocks *m, uint32_t node);
/* Writes a node's processes in increasing order, unless ranks is NULL, and returns how many
 * there are. */
uint32_t MPIR_Node_blocks_members(const MPIR_Node_blocks *m, uint32_t node, int ranks[]);

#endif /* NODE_BLOCKS_H_INCLUDED */
