/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Orders of topologies that know the nodes (MPIR_CVAR_REORDER).  Each process computes the same
 * order from the maps and the nodes, which all know, and exchanges nothing.  Of a distributed graph
 * rank 0 computes it, from the edges that it receives.
 */
#ifndef TOPO_ORDER_H_INCLUDED
#define TOPO_ORDER_H_INCLUDED

/* *ranks: the rank in `comm` of each rank of the grid, or NULL if no order is better than that of
 * the ranks, or none is asked for.  The caller releases it.  The error is one of this process. */
int MPIR_Topo_order_grid(const MPIR_Comm *comm, int nnodes, int ndims, const int dims[],
                         const int periods[], cmap_t **ranks);
/* The same of a grid with a cell for each member of the map, without periods. */
cmap_status MPIR_Topo_order_cells(const cmap_t *map, int ndims, const int dims[], cmap_t **ranks);
/* The same of a graph as MPI_Graph_create has it. */
int MPIR_Topo_order_graph(const MPIR_Comm *comm, int nnodes, const int index[], const int edges[],
                          cmap_t **ranks);

/* Edges of each vertex, as MPI_Graph_create has them.  With weights, edges[] has the other end and
 * the weight of each. */
typedef struct {
    int n;            /* vertices */
    const int *index; /* [n]: edges of the vertices up to each */
    const int *edges;
    bool is_weighted;
} MPIR_Topo_edges_t;

/* Do distributed graphs with `reorder` get another order, under these hints?  All members that give
 * the same hints find the same. */
bool MPIR_Topo_orders_dist_graphs(const MPIR_Comm *comm, MPIR_Info *info);
/* The rank in `comm` of each vertex, if *better.  One process finds it for all. */
int MPIR_Topo_order_edges(const MPIR_Comm *comm, const MPIR_Topo_edges_t *edges, int order[],
                          bool *better);

/* Of a distributed graph, whose lists each process has for the vertex of its own rank.  If there is
 * a better order, *order has the rank in `comm` of each vertex.  `graph` then has the lists of this
 * process's new vertex: the process that had them sent them, and *lists holds them.  The caller
 * frees *order and *lists by MPL_free.  If there is none, *order is NULL.  Collective.  Takes
 * O(edges) time and memory on rank 0, and O(members) on the others.  `error`: one that this process
 * already has.  Returns it, or another one of this process, which then refuses in the agreement on
 * the context id. */
int MPIR_Topo_order_dist_graph(MPIR_Comm *comm, int error, MPII_Dist_graph_topology *graph,
                               int **order, int **lists);

#endif /* TOPO_ORDER_H_INCLUDED */
