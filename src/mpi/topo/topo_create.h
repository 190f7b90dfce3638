/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A communicator with a topology.  The topology is made first, in the attribute that holds it: a
 * process that has no memory for it refuses in the agreement on the context id, so that the
 * creation fails on all members.
 */
#ifndef TOPO_CREATE_H_INCLUDED
#define TOPO_CREATE_H_INCLUDED

#include "mpir_attr.h"

/* A topology in its attribute; `error` says why there is none. */
typedef struct MPIR_Topo_plan {
    MPIR_Attribute *attribute;
    int error;
} MPIR_Topo_plan_t;

/* What this process is to get; for a process outside the new communicator an empty plan. */
MPIR_Topo_plan_t MPIR_Topo_plan_cart(int nnodes, int ndims, const int dims[], const int periods[],
                                     int rank);
MPIR_Topo_plan_t MPIR_Topo_plan_graph(int nnodes, const int index[], const int edges[]);
MPIR_Topo_plan_t MPIR_Topo_plan_dist_graph(const MPII_Dist_graph_topology *graph);

/* Makes the communicator of the first `size` ranks, and gives it the topology.  The plan is used
 * up.  A process whose plan is an error refuses. */
int MPIR_Topo_copy_comm(MPIR_Comm *comm, int size, MPIR_Topo_plan_t plan, MPIR_Comm **made);

/* The grid, and the graph, of the first `nnodes` processes of the communicator; the others get
 * none.  With `reorder` in the order that topo_order.h finds. */
int MPIR_Topo_make_grid(MPIR_Comm *comm, int nnodes, int ndims, const int dims[],
                        const int periods[], int reorder, MPIR_Comm **made);
int MPIR_Topo_make_graph(MPIR_Comm *comm, int nnodes, const int index[], const int edges[],
                         int reorder, MPIR_Comm **made);

/* The graph of all processes, of which each has the lists of its vertex.  With `reorder` in the
 * order that topo_order.h finds, if the setting or the hints ask for it.  `error`: one that this
 * process already has. */
int MPIR_Topo_make_dist_graph(MPIR_Comm *comm, int error, const MPII_Dist_graph_topology *graph,
                              MPIR_Info *info, int reorder, MPIR_Comm **made);

/* The rank that this process would get with `reorder`, or MPI_UNDEFINED (MPI_Cart_map,
 * MPI_Graph_map). */
int MPIR_Topo_rank_in_grid(MPIR_Comm *comm, int nnodes, int ndims, const int dims[],
                           const int periods[], int *rank);
int MPIR_Topo_rank_in_graph(MPIR_Comm *comm, int nnodes, const int index[], const int edges[],
                            int *rank);

/* The sub-grid through this process, of the dimensions that remain of `whole`.  The members follow
 * from the dimensions: nothing but a context id is agreed on. */
int MPIR_Topo_sub_grid(MPIR_Comm *comm, const MPIR_Topology *whole, const int remain[],
                       MPIR_Comm **made);

#endif /* TOPO_CREATE_H_INCLUDED */
