/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "topo_order.h"

/*
 * The order of a distributed graph.  Each process knows the edges of its own vertex.  The first
 * process gets those that leave, one vertex after the other, finds the order, and tells it.  So one
 * process holds the edges, and the others a rank for each vertex.  Then the lists of each vertex go
 * to its new process.
 *
 * A process without memory takes part in all of this, and its error stays its own.  It tells so
 * before the edges go, or drops what it receives.
 */

enum { ROOT = 0, PAIR = 2, HEADER = 3 };
/* Both ends of an edge are counted in 32 bits. */
#define MOST_EDGES (INT32_MAX / 2)

typedef struct {
    MPIR_Comm *comm;
    int n;
    int error;          /* the first one */
    int *order;         /* [n + 1]: of each vertex its process; last: is it better? */
    int64_t n_edges;    /* of all */
    int *packed;        /* that leave this vertex, with weights */
    int *index, *edges; /* of all; the first process has them */
} ordering;

static void *alloc(ordering *o, size_t ints)
{
    int mpi_errno = MPI_SUCCESS;
    void *p = MPL_malloc((ints + 1) * sizeof(int), MPL_MEM_COMM);

    MPIR_ERR_CHKANDSTMT2(!p, mpi_errno, MPI_ERR_NO_MEM, ;, "**nomem2", "**nomem2 %d %s",
                                                         (int) ((ints + 1) * sizeof(int)),
                                                         "order of a graph");
    MPIR_Err_keep_first(&o->error, mpi_errno);
    return p;
}

/* ---- messages ---- */

/* Without a request there may be one later. */
static bool is_done(ordering *o, int mpi_errno)
{
    if (MPIR_ERR_GET_CLASS(mpi_errno) == MPIX_ERR_NOREQ) {
        MPID_Progress_test(NULL);
        MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        MPIR_Yield_idle();
        return false;
    }
    MPIR_Err_keep_first(&o->error, mpi_errno);
    return true;
}

/* At most `room` integers, of which it returns how many there were. */
static int receive(ordering *o, int *buffer, size_t room, int source)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Status status;
    MPI_Aint n = 0;
    int before = o->error;

    while (!is_done(o, MPIC_Recv(buffer, (MPI_Aint) room, MPI_INT, source, MPIR_TOPO_A_TAG, o->comm,
                                 &status, &errflag)))
        ;
    if (o->error == before)
        MPIR_Get_count_impl(&status, MPI_INT, &n);
    return (int) n;
}

static void send_to_root(ordering *o, const int *buffer, size_t n)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    while (!is_done(
        o, MPIC_Send(buffer, (MPI_Aint) n, MPI_INT, ROOT, MPIR_TOPO_A_TAG, o->comm, &errflag)))
        ;
}

/* ---- the order ---- */

static void pack_edges(const MPII_Dist_graph_topology *graph, int *packed)
{
    for (int i = 0; i < graph->outdegree; i++) {
        packed[PAIR * i] = graph->out[i];
        packed[PAIR * i + 1] = graph->is_weighted ? graph->out_weights[i] : 1;
    }
}

static void ordering_prepare(ordering *o, const MPII_Dist_graph_topology *graph)
{
    o->order = alloc(o, (size_t) o->n);
    if (o->comm->rank == ROOT)
        o->index = alloc(o, (size_t) o->n);
    if (o->error == MPI_SUCCESS)
        o->packed = alloc(o, (size_t) graph->outdegree * PAIR);
    if (o->order)
        o->order[o->n] = false;
    if (o->packed)
        pack_edges(graph, o->packed);
}

/* True: all members have memory, and there are edges, but not too many. */
static bool agree_on_start(ordering *o, const MPII_Dist_graph_topology *graph)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int64_t sums[2] = {o->error != MPI_SUCCESS, graph->outdegree};

    MPIR_Err_keep_first(
        &o->error, MPIR_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, o->comm, &errflag));
    o->n_edges = sums[1];
    return o->error == MPI_SUCCESS && sums[0] == 0 && sums[1] > 0 && sums[1] <= MOST_EDGES;
}

/* Without memory for them the edges are dropped, and the order is the given one. */
static void gather_edges(ordering *o, const MPII_Dist_graph_topology *graph)
{
    size_t have = 0, all = (size_t) o->n_edges * PAIR;

    o->edges = alloc(o, all);
    for (int r = 0; r < o->n; r++) {
        if (r == ROOT && o->edges)
            memcpy(o->edges, o->packed, PAIR * sizeof(int) * (size_t) graph->outdegree);
        if (r == ROOT)
            have += PAIR * (size_t) graph->outdegree;
        else
            have += (size_t) receive(o, o->edges ? o->edges + have : NULL,
                                     o->edges ? all - have : 0, r);
        o->index[r] = (int) (have / PAIR);
    }
}

static void find_order(ordering *o, const MPII_Dist_graph_topology *graph)
{
    bool better = false;

    gather_edges(o, graph);
    MPIR_Topo_edges_t edges = {
        .n = o->n, .index = o->index, .edges = o->edges, .is_weighted = true};
    if (o->error == MPI_SUCCESS)
        MPIR_Err_keep_first(&o->error, MPIR_Topo_order_edges(o->comm, &edges, o->order, &better));
    o->order[o->n] = better;
}

/* ---- lists ---- */

static size_t ints_of_lists(const MPII_Dist_graph_topology *graph)
{
    return HEADER + (size_t) (graph->is_weighted ? 2 : 1) *
                        ((size_t) graph->indegree + (size_t) graph->outdegree);
}

static int *ints_put(int *to, const int *from, int n)
{
    if (n > 0)
        memcpy(to, from, (size_t) n * sizeof(int));
    return to + n;
}

static void pack_lists(const MPII_Dist_graph_topology *graph, int *to)
{
    *to++ = graph->indegree;
    *to++ = graph->outdegree;
    *to++ = graph->is_weighted;
    to = ints_put(to, graph->in, graph->indegree);
    to = ints_put(to, graph->out, graph->outdegree);
    if (graph->is_weighted) {
        to = ints_put(to, graph->in_weights, graph->indegree);
        ints_put(to, graph->out_weights, graph->outdegree);
    }
}

static void take_lists(MPII_Dist_graph_topology *graph, int *from)
{
    graph->indegree = from[0];
    graph->outdegree = from[1];
    graph->is_weighted = from[2];
    graph->in = from + HEADER;
    graph->out = graph->in + graph->indegree;
    graph->in_weights = graph->out + graph->outdegree;
    graph->out_weights = graph->in_weights + graph->indegree;
}

static int order_find(const int order[], int n, int rank)
{
    int v = 0;

    while (v < n && order[v] != rank)
        v++;
    return v;
}

/* Waits for the lists, whose length only the sender knows.  False: they do not come. */
static bool await_lists(ordering *o, int from, MPI_Aint *n)
{
    MPI_Status status;
    int flag = 0;

    while (!flag) {
        int mpi_errno =
            MPID_Iprobe(from, MPIR_TOPO_B_TAG, o->comm, MPIR_CONTEXT_INTRA_COLL, &flag, &status);
        MPIR_Err_keep_first(&o->error, mpi_errno);
        if (mpi_errno != MPI_SUCCESS || (!flag && o->comm->ended))
            return false;
        if (!flag) {
            MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
            MPIR_Yield_idle();
        }
    }
    MPIR_Get_count_impl(&status, MPI_INT, n);
    return true;
}

/* As much as comes, without memory nothing. */
static void receive_lists(ordering *o, int from, MPII_Dist_graph_topology *graph, int **lists)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Aint n = 0;

    if (!await_lists(o, from, &n)) {
        if (o->error == MPI_SUCCESS)
            o->error = MPIR_Comm_end_error(o->comm);
        return;
    }
    *lists = alloc(o, (size_t) n);
    while (!is_done(o, MPIC_Recv(*lists, *lists ? n : 0, MPI_INT, from, MPIR_TOPO_B_TAG, o->comm,
                                 MPI_STATUS_IGNORE, &errflag)))
        ;
    if (o->error == MPI_SUCCESS)
        take_lists(graph, *lists);
}

/* Vertex `rank` leaves this process, and its new one comes.  Without memory for what leaves, the
 * message is empty. */
static void swap_lists(ordering *o, MPII_Dist_graph_topology *graph, int **lists)
{
    static const int nothing[HEADER] = {0};
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPIR_Request *request = NULL;
    int rank = o->comm->rank, to = o->order[rank], from = order_find(o->order, o->n, rank);
    size_t n = ints_of_lists(graph);
    int *packed = to == rank ? NULL : alloc(o, n);

    if (to == rank)
        return;
    if (packed)
        pack_lists(graph, packed);
    while (!is_done(o, MPIC_Isend(packed ? packed : nothing, packed ? (MPI_Aint) n : HEADER,
                                  MPI_INT, to, MPIR_TOPO_B_TAG, o->comm, &request, &errflag)))
        ;
    receive_lists(o, from, graph, lists);
    if (request) {
        MPIR_Err_keep_first(&o->error, MPIC_Wait(request, &errflag));
        MPIR_Request_free(request);
    }
    MPL_free(packed);
}

int MPIR_Topo_order_dist_graph(MPIR_Comm *comm, int error, MPII_Dist_graph_topology *graph,
                               int **order, int **lists)
{
    ordering o = {.comm = comm, .n = comm->local_size, .error = error};
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int told;

    *order = *lists = NULL;
    ordering_prepare(&o, graph);
    if (agree_on_start(&o, graph)) {
        if (comm->rank == ROOT)
            find_order(&o, graph);
        else
            send_to_root(&o, o.packed, PAIR * (size_t) graph->outdegree);
        told = MPIR_Bcast(o.order, o.n + 1, MPI_INT, ROOT, comm, &errflag);
        MPIR_Err_keep_first(&o.error, told);
        if (told == MPI_SUCCESS && o.order[o.n]) {
            swap_lists(&o, graph, lists);
            *order = o.order;
            o.order = NULL;
        }
    }
    MPL_free(o.order);
    MPL_free(o.packed);
    MPL_free(o.index);
    MPL_free(o.edges);
    return o.error;
}
