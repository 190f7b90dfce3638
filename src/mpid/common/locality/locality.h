/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Nodes of the members of closed forms (cmap.h), without a look at each member.
 *
 * The indices of processes lie on the nodes in blocks: `size` in a row on each node, and after
 * `period` indices the nodes begin again.  Ranks in blocks and ranks in turns are both of that
 * kind.  Whether two indices that are a fixed step apart are on one node follows from the remainder
 * of the first one modulo `size`.  How many members of a form have which remainder is a convolution
 * of its levels, in time of `size` for each level.
 *
 * Orders of grids and partitions of graphs come below.
 *
 * The module knows nothing of MPI and allocates nothing.
 */
#ifndef LOCALITY_H_INCLUDED
#define LOCALITY_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#include "../cmap/cmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most indices of a block. */
#define LOCALITY_MOST 1024u

/* Index i is on node  first + ((i - origin) mod period) / size.  */
typedef struct {
    uint32_t origin;
    uint32_t size;   /* 1 .. LOCALITY_MOST */
    uint32_t period; /* a multiple of size, at least two of them; 0: there is none */
    uint32_t first;
} locality_nodes;

uint32_t MPIR_locality_node_of(const locality_nodes *nodes, uint32_t index);

/* How many members v of the form are on another node than the index v + step.  REQUIRES that both
 * are indices of these nodes, of every member.  O(levels * size). */
uint64_t MPIR_locality_crossings(const cmap_form *form, int64_t step, const locality_nodes *nodes);

/* Some members of a map, all of them on these nodes. */
typedef struct {
    cmap_form form;
    locality_nodes nodes;
} locality_part;

typedef struct {
    uint32_t nodes; /* that have a member */
    /* Maximal runs of ranks on one node: as many as nodes if the ranks of each node are
     * consecutive. */
    uint32_t stretches;
} locality_count;

/* Counts for a map, given as `n` parts in rank order, at most LOCALITY_PARTS.  Two parts have
 * either the same nodes, or none in common.  False: this takes a look at the members.  REQUIRES
 * that each part has a member, and none twice.  O(levels * levels * size) for each part. */
#define LOCALITY_PARTS 32u
bool MPIR_locality_count_nodes(const locality_part parts[], uint32_t n, locality_count *count);

/*
 * An order of a grid (W. Gropp, "Using node information to implement MPI Cartesian topologies",
 * EuroMPI 2018).  Ranks of the grid are those of MPI_Cart_create: the last dimension runs first.
 * An order gives each of them a position, and positions lie on the nodes as they come.  It cuts the
 * grid into tiles.  The cells of a tile follow one another, and then the tiles do, those along one
 * dimension first.  A tile of as many cells as a node has processes is a node's own; a smaller one
 * makes bands.  The position is a permutation of the digits of the rank, so that it is a form.
 */
#define LOCALITY_DIMS 16u
/* The levels of a form without payload. */
#define LOCALITY_LEVELS 6u

typedef struct {
    uint32_t dims;               /* 1 .. LOCALITY_DIMS */
    uint32_t dim[LOCALITY_DIMS]; /* their product is at most CMAP_MAX_SIZE */
    bool periodic[LOCALITY_DIMS];
} locality_grid;

typedef struct {
    uint32_t side[LOCALITY_DIMS]; /* of a tile; divides the grid's dimension */
    uint32_t along;               /* the dimension along which tiles follow one another first */
} locality_order;

/* The order of the ranks. */
void MPIR_locality_given_order(const locality_grid *grid, locality_order *order);
/* Rank to position, with as few levels as there can be. */
void MPIR_locality_order_form(const locality_grid *grid, const locality_order *order,
                              cmap_form *form);

/* Edges of the grid between different nodes, each counted once, those of a periodic dimension of
 * two twice.  `where`: a locality_nodes of the positions, O(dims^2 * size); or the node of each
 * position, O(dims * cells). */
typedef uint64_t (*locality_cut)(const locality_grid *grid, const locality_order *order,
                                 const void *where);
uint64_t MPIR_locality_cut_on_blocks(const locality_grid *grid, const locality_order *order,
                                     const void *nodes);
uint64_t MPIR_locality_cut_on_list(const locality_grid *grid, const locality_order *order,
                                   const void *node_of_position);

typedef struct {
    locality_order order;
    uint64_t cut;
    bool is_given; /* no order of tiles or bands is better than the given one */
} locality_choice;

/* The best order for nodes with `per_node` processes each, as far as one number says it: among all
 * tiles of as many cells and the most promising bands.  `closed`: only orders with at most
 * LOCALITY_LEVELS levels.  `given`: the edges between nodes as it is, which the processes may
 * have in another order than that of the positions. */
void MPIR_locality_choose_order(const locality_grid *grid, uint32_t per_node, bool closed,
                                locality_cut cut, const void *where, uint64_t given,
                                locality_choice *choice);

/* A graph whose edges are there from both ends. */
typedef struct {
    uint32_t n;             /* vertices */
    const uint32_t *first;  /* [n + 1]: edges first[v] .. first[v + 1] - 1 are those of v */
    const uint32_t *other;  /* the other end of each edge, below n */
    const uint32_t *weight; /* NULL: 1 each */
} locality_graph;

/* Gives each vertex a node, as many as there is room for on each, so that few edges lie between
 * nodes.  The result follows from the arguments alone.  `work` has MPIR_locality_partition_bytes(n)
 * bytes, aligned for an int64_t.  O(edges * lg n).  REQUIRES room for all. */
uint64_t MPIR_locality_partition_bytes(uint32_t n);
void MPIR_locality_partition(const locality_graph *graph, const uint32_t room[], uint32_t nodes,
                             uint32_t node_of[], void *work);
/* The weight of the edges between nodes. */
uint64_t MPIR_locality_cut_of_graph(const locality_graph *graph, const uint32_t node_of[]);

#ifdef __cplusplus
}
#endif
#endif /* LOCALITY_H_INCLUDED */
