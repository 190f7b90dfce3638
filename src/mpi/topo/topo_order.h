/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Orders of topologies that know the nodes (MPIR_CVAR_REORDER).  Each process computes the same
 * order from the maps and the nodes, which all know: nothing is exchanged.
 */
#ifndef TOPO_ORDER_H_INCLUDED
#define TOPO_ORDER_H_INCLUDED

/* *ranks: the rank in `comm` of each rank of the grid, or NULL if no order is better than that of
 * the ranks, or none is asked for.  The caller releases it.  The error is one of this process. */
int MPIR_Topo_order_grid(const MPIR_Comm * comm, int nnodes, int ndims, const int dims[],
                         const int periods[], cmap_t ** ranks);
/* The same of a graph as MPI_Graph_create has it. */
int MPIR_Topo_order_graph(const MPIR_Comm * comm, int nnodes, const int index[], const int edges[],
                          cmap_t ** ranks);

#endif /* TOPO_ORDER_H_INCLUDED */
