/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "topo_create.h"
#include "topo_order.h"

/* ---- topologies ---- */

static int *copy(const int *from, int n, int *mpi_errno)
{
    int *to = NULL;

    if (*mpi_errno == MPI_SUCCESS && n > 0) {
        to = MPL_malloc(n * sizeof(int), MPL_MEM_COMM);
        MPIR_ERR_CHKANDSTMT2(!to, *mpi_errno, MPI_ERR_NO_MEM, ;
                             , "**nomem2", "**nomem2 %d %s", (int) (n * sizeof(int)), "topology");
    }
    if (to && from)
        memcpy(to, from, n * sizeof(int));
    return to;
}

static MPIR_Topology *new_topology(MPIR_Topo_type kind, int *mpi_errno)
{
    MPIR_Topology *topology = MPL_calloc(1, sizeof(*topology), MPL_MEM_COMM);

    if (topology)
        topology->kind = kind;
    else
        MPIR_ERR_SET2(*mpi_errno, MPI_ERR_NO_MEM, "**nomem2", "**nomem2 %d %s",
                      (int) sizeof(*topology), "topology");
    return topology;
}

/* The attribute takes the topology, or this frees it. */
static MPIR_Topo_plan_t plan_of(MPIR_Topology *topology, int mpi_errno)
{
    MPIR_Topo_plan_t plan = {.error = mpi_errno};

    if (plan.error == MPI_SUCCESS)
        plan.error = MPIR_Topology_reserve(topology, &plan.attribute);
    if (plan.error != MPI_SUCCESS && topology)
        MPIR_Topology_free(topology);
    return plan;
}

/* Coordinates in the order of rows. */
static void set_position(MPII_Cart_topology *cart, int rank)
{
    int rest = cart->nnodes;

    for (int i = 0; i < cart->ndims; i++) {
        rest /= cart->dims[i];
        cart->position[i] = rank / rest;
        rank %= rest;
    }
}

/* Arrays have room for one element at least. */
static MPIR_Topology *new_cart(int nnodes, int ndims, int *mpi_errno)
{
    MPIR_Topology *topology = new_topology(MPI_CART, mpi_errno);
    int room = MPL_MAX(ndims, 1);

    if (!topology)
        return NULL;
    topology->topo.cart.nnodes = nnodes;
    topology->topo.cart.ndims = ndims;
    topology->topo.cart.dims = copy(NULL, room, mpi_errno);
    topology->topo.cart.periodic = copy(NULL, room, mpi_errno);
    topology->topo.cart.position = copy(NULL, room, mpi_errno);
    return topology;
}

MPIR_Topo_plan_t MPIR_Topo_plan_cart(int nnodes, int ndims, const int dims[], const int periods[],
                                     int rank)
{
    int mpi_errno = MPI_SUCCESS;

    if (rank == MPI_UNDEFINED || rank >= nnodes)
        return (MPIR_Topo_plan_t){.attribute = NULL};
    MPIR_Topology *topology = new_cart(nnodes, ndims, &mpi_errno);
    if (mpi_errno == MPI_SUCCESS && ndims > 0) {
        memcpy(topology->topo.cart.dims, dims, ndims * sizeof(int));
        memcpy(topology->topo.cart.periodic, periods, ndims * sizeof(int));
        set_position(&topology->topo.cart, rank);
    }
    return plan_of(topology, mpi_errno);
}

static MPIR_Topo_plan_t plan_cart_sub(const MPIR_Topology *whole, const int remain[], int rank)
{
    const MPII_Cart_topology *from = &whole->topo.cart;
    int mpi_errno = MPI_SUCCESS, ndims = 0, nnodes = 1;

    for (int i = 0; i < from->ndims; i++) {
        ndims += remain[i] != 0;
        nnodes *= remain[i] ? from->dims[i] : 1;
    }
    MPIR_Topology *topology = new_cart(nnodes, ndims, &mpi_errno);
    for (int i = 0, to = 0; mpi_errno == MPI_SUCCESS && i < from->ndims; i++) {
        if (!remain[i])
            continue;
        topology->topo.cart.dims[to] = from->dims[i];
        topology->topo.cart.periodic[to++] = from->periodic[i];
    }
    if (mpi_errno == MPI_SUCCESS)
        set_position(&topology->topo.cart, rank);
    return plan_of(topology, mpi_errno);
}

MPIR_Topo_plan_t MPIR_Topo_plan_graph(int nnodes, const int index[], const int edges[])
{
    int mpi_errno = MPI_SUCCESS, nedges = index[nnodes - 1];
    MPIR_Topology *topology = new_topology(MPI_GRAPH, &mpi_errno);

    if (topology) {
        topology->topo.graph.nnodes = nnodes;
        topology->topo.graph.nedges = nedges;
        topology->topo.graph.index = copy(index, nnodes, &mpi_errno);
        topology->topo.graph.edges = copy(edges, nedges, &mpi_errno);
    }
    return plan_of(topology, mpi_errno);
}

MPIR_Topo_plan_t MPIR_Topo_plan_dist_graph(const MPII_Dist_graph_topology *graph)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Topology *topology = new_topology(MPI_DIST_GRAPH, &mpi_errno);
    MPII_Dist_graph_topology *to;

    if (!topology)
        return plan_of(NULL, mpi_errno);
    to = &topology->topo.dist_graph;
    to->indegree = graph->indegree;
    to->outdegree = graph->outdegree;
    to->is_weighted = graph->is_weighted;
    to->in = copy(graph->in, graph->indegree, &mpi_errno);
    to->out = copy(graph->out, graph->outdegree, &mpi_errno);
    if (graph->is_weighted) {
        to->in_weights = copy(graph->in_weights, graph->indegree, &mpi_errno);
        to->out_weights = copy(graph->out_weights, graph->outdegree, &mpi_errno);
    }
    return plan_of(topology, mpi_errno);
}

/* ---- communicators ---- */

/* When all members have agreed: nothing fails here. */
static int topo_finish(MPIR_Comm *made, MPIR_Topo_plan_t plan, int mpi_errno)
{
    if (!plan.attribute)
        return mpi_errno;
    if (mpi_errno == MPI_SUCCESS && made) {
        plan.attribute->next = made->attributes;
        made->attributes = plan.attribute;
    } else {
        MPIR_Topology_drop(plan.attribute);
    }
    return mpi_errno;
}

int MPIR_Topo_copy_comm(MPIR_Comm *comm, int size, MPIR_Topo_plan_t plan, MPIR_Comm **made)
{
    *made = NULL;
    if (plan.error) {
        MPIR_Ctxid_refuse(comm, NULL, 0);
        return plan.error;
    }
    int mpi_errno = MPII_Comm_copy(comm, size, NULL, made);
    return topo_finish(*made, plan, mpi_errno);
}

static int rank_in(const cmap_t *ranks, int rank)
{
    uint32_t found = MPIR_cmap_rank(ranks, (uint32_t) rank);
    return found == CMAP_NONE ? MPI_UNDEFINED : (int) found;
}

/* In the order of `ranks`, in which this process has the rank; NULL without an error: in the
 * order of the communicator. */
static int make_ordered(MPIR_Comm *comm, int size, const cmap_t *ranks, int rank,
                        MPIR_Topo_plan_t plan, MPIR_Comm **made)
{
    int mpi_errno;

    if (!ranks)
        return MPIR_Topo_copy_comm(comm, size, plan, made);
    mpi_errno = MPIR_Comm_make_ranks(comm, ranks, rank, plan.error, made);
    return topo_finish(*made, plan, mpi_errno);
}

int MPIR_Topo_make_grid(MPIR_Comm *comm, int nnodes, int ndims, const int dims[],
                        const int periods[], int reorder, MPIR_Comm **made)
{
    cmap_t *ranks = NULL;
    int rank = comm->rank, mpi_errno = MPI_SUCCESS;
    MPIR_Topo_plan_t plan;

    if (reorder)
        mpi_errno = MPIR_Topo_order_grid(comm, nnodes, ndims, dims, periods, &ranks);
    if (ranks)
        rank = rank_in(ranks, rank);
    if (mpi_errno == MPI_SUCCESS)
        plan = MPIR_Topo_plan_cart(nnodes, ndims, dims, periods, rank);
    else
        plan = (MPIR_Topo_plan_t){.error = mpi_errno};
    mpi_errno = make_ordered(comm, nnodes, ranks, rank, plan, made);
    MPIR_cmap_release(ranks);
    return mpi_errno;
}

int MPIR_Topo_make_graph(MPIR_Comm *comm, int nnodes, const int index[], const int edges[],
                         int reorder, MPIR_Comm **made)
{
    cmap_t *ranks = NULL;
    int rank = comm->rank, mpi_errno = MPI_SUCCESS;
    MPIR_Topo_plan_t plan = {.attribute = NULL};

    if (reorder)
        mpi_errno = MPIR_Topo_order_graph(comm, nnodes, index, edges, &ranks);
    if (ranks)
        rank = rank_in(ranks, rank);
    if (mpi_errno != MPI_SUCCESS)
        plan.error = mpi_errno;
    else if (rank != MPI_UNDEFINED && rank < nnodes)
        plan = MPIR_Topo_plan_graph(nnodes, index, edges);
    mpi_errno = make_ordered(comm, nnodes, ranks, rank, plan, made);
    MPIR_cmap_release(ranks);
    return mpi_errno;
}

int MPIR_Topo_make_dist_graph(MPIR_Comm *comm, int error, const MPII_Dist_graph_topology *graph,
                              MPIR_Info *info, int reorder, MPIR_Comm **made)
{
    MPII_Dist_graph_topology own = *graph;
    MPIR_Topo_plan_t plan = {.error = error};
    int size = comm->local_size, rank = comm->rank, *order = NULL, *lists = NULL, mpi_errno;
    cmap_t *ranks = NULL;

    if (reorder && MPIR_Topo_orders_dist_graphs(comm, info)) {
        if (MPIR_Others->refuses(comm, "a distributed graph with reorder", &mpi_errno))
            return mpi_errno;
        plan.error = MPIR_Topo_order_dist_graph(comm, error, &own, &order, &lists);
    }
    if (order && plan.error == MPI_SUCCESS) {
        cmap_status status = MPIR_cmap_from_array((uint32_t *) order, size, size, NULL, &ranks);
        if (status != CMAP_OK)
            plan.error = MPIR_Map_error(status, "order of a graph", size);
        else
            rank = rank_in(ranks, rank);
    }
    if (plan.error == MPI_SUCCESS)
        plan = MPIR_Topo_plan_dist_graph(&own);
    mpi_errno = make_ordered(comm, size, ranks, rank, plan, made);
    MPIR_cmap_release(ranks);
    MPL_free(order);
    MPL_free(lists);
    return mpi_errno;
}

/* In the order of `ranks`, which this releases; NULL: in that of the communicator. */
static int rank_by(cmap_t *ranks, const MPIR_Comm *comm, int nnodes)
{
    int rank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;

    if (ranks)
        rank = rank_in(ranks, comm->rank);
    MPIR_cmap_release(ranks);
    return rank;
}

int MPIR_Topo_rank_in_grid(MPIR_Comm *comm, int nnodes, int ndims, const int dims[],
                           const int periods[], int *rank)
{
    cmap_t *ranks = NULL;
    int mpi_errno = MPIR_Topo_order_grid(comm, nnodes, ndims, dims, periods, &ranks);

    *rank = rank_by(ranks, comm, nnodes);
    return mpi_errno;
}

int MPIR_Topo_rank_in_graph(MPIR_Comm *comm, int nnodes, const int index[], const int edges[],
                            int *rank)
{
    cmap_t *ranks = NULL;
    int mpi_errno = MPIR_Topo_order_graph(comm, nnodes, index, edges, &ranks);

    *rank = rank_by(ranks, comm, nnodes);
    return mpi_errno;
}

/* The ranks of the sub-grid through this process, as a closed form: a level for each dimension that
 * remains. */
static int ranks_of_sub_grid(const MPII_Cart_topology *cart, const int remain[], cmap_t **ranks)
{
    cmap_form form = {.base = 0};
    uint32_t weight = 1;
    cmap_status status;

    for (int i = cart->ndims - 1; i >= 0; i--) {
        if (!remain[i])
            form.base += cart->position[i] * weight;
        else if (cart->dims[i] > 1) {
            form.count[form.levels] = cart->dims[i];
            form.stride[form.levels++] = weight;
        }
        weight *= cart->dims[i];
    }
    status = MPIR_cmap_from_form(&form, cart->nnodes, NULL, ranks);
    return status == CMAP_OK ? MPI_SUCCESS : MPIR_Map_error(status, "sub-grid", cart->nnodes);
}

static int rank_in_sub_grid(const MPII_Cart_topology *cart, const int remain[])
{
    int rank = 0;

    for (int i = 0; i < cart->ndims; i++) {
        if (remain[i])
            rank = rank * cart->dims[i] + cart->position[i];
    }
    return rank;
}

int MPIR_Topo_sub_grid(MPIR_Comm *comm, const MPIR_Topology *whole, const int remain[],
                       MPIR_Comm **made)
{
    int rank = rank_in_sub_grid(&whole->topo.cart, remain);
    MPIR_Topo_plan_t plan = plan_cart_sub(whole, remain, rank);
    cmap_t *ranks = NULL;
    int mpi_errno = plan.error;

    if (mpi_errno == MPI_SUCCESS)
        mpi_errno = ranks_of_sub_grid(&whole->topo.cart, remain, &ranks);
    mpi_errno = MPIR_Comm_make_ranks(comm, ranks, rank, mpi_errno, made);
    MPIR_cmap_release(ranks);
    return topo_finish(*made, plan, mpi_errno);
}
