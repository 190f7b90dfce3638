/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "topo_create.h"

/*
 * MPI_Dist_graph_create_adjacent, at the end, and MPI_Dist_graph_create: there each edge goes to
 * the processes at its two ends.
 *
 * Messages are synchronous: when those of a process are done, all of them are received, and it
 * enters a barrier.  When the barrier is over, so are the messages of all (T. Hoefler, C. Siebert,
 * A. Lumsdaine, "Scalable communication protocols for dynamic sparse data exchange", PPoPP 2010).
 * No process waits for a message that another one must have memory for: a process that lacks some
 * goes on, and refuses when the members agree on the context id.
 */

/* One end of an edge, as the process there is told. */
typedef struct {
    int peer;   /* the process at this end */
    int is_out; /* does the edge begin there? */
    int order;  /* in the call */
    int other, weight;
} edge_end;

enum { ENDS_OF_AN_EDGE = 2, INTS_OF_AN_END = 3 }; /* is_out, other, weight travel */

typedef struct {
    int *other, *weight;
    int degree, room;
} neighbours;

typedef struct {
    MPIR_Comm *comm;
    int error; /* the first one */
    edge_end *ends;
    int n_ends;
    int *packed; /* the ends, as they travel */
    MPIR_Request **requests;
    int n_requests, n_complete;
    neighbours in, out;
    int step;     /* of the barrier; 0: not begun */
    bool is_sent; /* this step's message */
} exchange;

static void *alloc(exchange *e, size_t bytes)
{
    int mpi_errno = MPI_SUCCESS;
    void *p = MPL_malloc(bytes ? bytes : 1, MPL_MEM_COMM);

    MPIR_ERR_CHKANDSTMT2(!p, mpi_errno, MPI_ERR_NO_MEM, ;
                         , "**nomem2", "**nomem2 %d %s", (int) bytes, "graph");
    MPIR_Err_keep_first(&e->error, mpi_errno);
    return p;
}

/* ---- edges of this process's call ---- */

static int by_peer(const void *a, const void *b)
{
    const edge_end *x = a, *y = b;

    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void list_ends(exchange *e, int n, const int sources[], const int degrees[],
                      const int destinations[], const int weights[])
{
    int edge = 0;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < degrees[i]; j++, edge++) {
            int to = destinations[edge], weight = weights == MPI_UNWEIGHTED ? 0 : weights[edge];
            e->ends[e->n_ends++] = (edge_end){sources[i], 1, edge, to, weight};
            e->ends[e->n_ends++] = (edge_end){to, 0, edge, sources[i], weight};
        }
    }
    qsort(e->ends, e->n_ends, sizeof(edge_end), by_peer);
    for (int i = 0; i < e->n_ends; i++) {
        e->packed[INTS_OF_AN_END * i] = e->ends[i].is_out;
        e->packed[INTS_OF_AN_END * i + 1] = e->ends[i].other;
        e->packed[INTS_OF_AN_END * i + 2] = e->ends[i].weight;
    }
}

/* All or nothing: of a process without memory the others hear nothing, and it fails for all. */
static void exchange_prepare(exchange *e, int n, const int sources[], const int degrees[],
                             const int destinations[], const int weights[])
{
    size_t ends = 0;

    for (int i = 0; i < n; i++)
        ends += (size_t) degrees[i] * ENDS_OF_AN_EDGE;
    e->ends = alloc(e, ends * sizeof(edge_end));
    e->packed = alloc(e, ends * INTS_OF_AN_END * sizeof(int));
    e->requests = alloc(e, MPL_MIN(ends, (size_t) e->comm->local_size) * sizeof(MPIR_Request *));
    if (e->error == MPI_SUCCESS)
        list_ends(e, n, sources, degrees, destinations, weights);
}

/* ---- edges of this process in the graph ---- */

static bool grow(exchange *e, neighbours *list)
{
    int mpi_errno = MPI_SUCCESS, room = list->room ? 2 * list->room : 8;
    int *other = MPL_realloc(list->other, room * sizeof(int), MPL_MEM_COMM), *weight = NULL;

    if (other) {
        list->other = other;
        weight = MPL_realloc(list->weight, room * sizeof(int), MPL_MEM_COMM);
    }
    if (weight) {
        list->weight = weight;
        list->room = room;
    }
    MPIR_ERR_CHKANDSTMT(!weight, mpi_errno, MPI_ERR_NO_MEM, ;, "**nomem");
    MPIR_Err_keep_first(&e->error, mpi_errno);
    return weight != NULL;
}

static void exchange_take(exchange *e, const int *packed, int n)
{
    for (int i = 0; i < n; i++, packed += INTS_OF_AN_END) {
        neighbours *list = packed[0] ? &e->out : &e->in;
        if (list->degree == list->room && !grow(e, list))
            return;
        list->other[list->degree] = packed[1];
        list->weight[list->degree++] = packed[2];
    }
}

/* ---- messages ---- */

/* Of one peer, `n` ends from the first on.  To itself a process sends nothing. */
static void send_to(exchange *e, int first, int n)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    const int *packed = e->packed + (size_t) INTS_OF_AN_END * first;
    int mpi_errno = MPI_SUCCESS;

    if (e->ends[first].peer == e->comm->rank) {
        exchange_take(e, packed, n);
        return;
    }
    mpi_errno = MPIC_Issend(packed, (MPI_Aint) n * INTS_OF_AN_END, MPI_INT, e->ends[first].peer,
                            MPIR_TOPO_A_TAG, e->comm, &e->requests[e->n_requests], &errflag);
    e->n_requests += (mpi_errno == MPI_SUCCESS);
    MPIR_Err_keep_first(&e->error, mpi_errno);
}

static void send_all(exchange *e)
{
    for (int first = 0, next; first < e->n_ends; first = next) {
        for (next = first; next < e->n_ends && e->ends[next].peer == e->ends[first].peer; next++)
            ;
        send_to(e, first, next - first);
    }
}

static bool has_come(exchange *e, int source, int tag, MPI_Status *status)
{
    int flag = 0;

    MPIR_Err_keep_first(&e->error,
                        MPID_Iprobe(source, tag, e->comm, MPIR_CONTEXT_INTRA_COLL, &flag, status));
    return flag;
}

/* Without a request the message stays where it is: there may be one later.  On a revoked
 * communicator it is dropped elsewhere. */
static bool receive(exchange *e, void *buffer, MPI_Aint n, int source, int tag)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    int mpi_errno =
        MPIC_Recv(buffer, n, MPI_INT, source, tag, e->comm, MPI_STATUS_IGNORE, &errflag);

    MPIR_Err_keep_first(&e->error, mpi_errno);
    return MPIR_ERR_GET_CLASS(mpi_errno) != MPIX_ERR_NOREQ &&
           MPIR_ERR_GET_CLASS(mpi_errno) != MPIX_ERR_REVOKED;
}

/* Edges that there is no memory for are received all the same, without their data. */
static void receive_edges(exchange *e)
{
    MPI_Status status;
    MPI_Aint n;

    if (!has_come(e, MPI_ANY_SOURCE, MPIR_TOPO_A_TAG, &status))
        return;
    MPIR_Get_count_impl(&status, MPI_INT, &n);
    int *packed = alloc(e, n * sizeof(int));
    if (receive(e, packed, packed ? n : 0, status.MPI_SOURCE, MPIR_TOPO_A_TAG) && packed)
        exchange_take(e, packed, (int) (n / INTS_OF_AN_END));
    MPL_free(packed);
}

static bool all_sent(exchange *e)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;

    while (e->n_complete < e->n_requests && MPIR_Request_is_complete(e->requests[e->n_complete])) {
        MPIR_Err_keep_first(&e->error, MPIC_Wait(e->requests[e->n_complete], &errflag));
        MPIR_Request_free(e->requests[e->n_complete++]);
    }
    return e->n_complete == e->n_requests;
}

/* Goes on in the barrier, by dissemination, as far as messages have come.  True: it is over. */
static bool pass_barrier(exchange *e)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPI_Status status;
    int size = e->comm->local_size, rank = e->comm->rank;

    for (e->step = MPL_MAX(e->step, 1); e->step < size; e->step *= 2) {
        int from = (rank - e->step + size) % size;
        if (!e->is_sent) {
            int mpi_errno = MPIC_Send(NULL, 0, MPI_INT, (rank + e->step) % size, MPIR_TOPO_B_TAG,
                                      e->comm, &errflag);
            MPIR_Err_keep_first(&e->error, mpi_errno);
            e->is_sent = MPIR_ERR_GET_CLASS(mpi_errno) != MPIX_ERR_NOREQ;
        }
        if (!e->is_sent || !has_come(e, from, MPIR_TOPO_B_TAG, &status) ||
            !receive(e, NULL, 0, from, MPIR_TOPO_B_TAG))
            return false;
        e->is_sent = false;
    }
    return true;
}

/* Other threads, and other processes where they share a core. */
static void let_others_go_on(void)
{
    MPID_THREAD_CS_YIELD(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    MPIR_Yield_idle();
}

/* Of a revoked communicator: no message comes any more. */
static bool is_revoked(exchange *e)
{
    if (likely(!e->comm->ended))
        return false;
    if (e->error == MPI_SUCCESS)
        e->error = MPIR_Comm_end_error(e->comm);
    return true;
}

static void exchange_edges(exchange *e)
{
    bool is_over = false;

    if (e->error == MPI_SUCCESS)
        send_all(e);
    while (!is_over) {
        bool revoked = is_revoked(e);
        if (revoked)
            MPIR_Err_keep_first(&e->error, MPID_Progress_test(NULL));
        else
            receive_edges(e);
        is_over = all_sent(e) && (revoked || pass_barrier(e));
        if (!is_over)
            let_others_go_on();
    }
}

static void free_all(exchange *e)
{
    MPL_free(e->ends);
    MPL_free(e->packed);
    MPL_free(e->requests);
    MPL_free(e->in.other);
    MPL_free(e->in.weight);
    MPL_free(e->out.other);
    MPL_free(e->out.weight);
}

int MPIR_Dist_graph_create_impl(MPIR_Comm *comm_ptr, int n, const int sources[],
                                const int degrees[], const int destinations[], const int weights[],
                                MPIR_Info *info_ptr, int reorder, MPIR_Comm **p_comm_dist_graph_ptr)
{
    exchange e = {.comm = comm_ptr};
    int mpi_errno = MPI_SUCCESS;

    if (MPIR_Others->refuses(comm_ptr, "MPI_Dist_graph_create", &mpi_errno))
        return mpi_errno;
    exchange_prepare(&e, n, sources, degrees, destinations, weights);
    exchange_edges(&e);
    MPII_Dist_graph_topology graph = {.indegree = e.in.degree,
                                      .in = e.in.other,
                                      .in_weights = e.in.weight,
                                      .outdegree = e.out.degree,
                                      .out = e.out.other,
                                      .out_weights = e.out.weight,
                                      .is_weighted = (weights != MPI_UNWEIGHTED)};
    mpi_errno = MPIR_Topo_make_dist_graph(comm_ptr, e.error, &graph, info_ptr, reorder,
                                          p_comm_dist_graph_ptr);
    free_all(&e);
    return mpi_errno;
}

int MPIR_Dist_graph_create_adjacent_impl(MPIR_Comm *comm, int indegree, const int sources[],
                                         const int sourceweights[], int outdegree,
                                         const int destinations[], const int destweights[],
                                         MPIR_Info *info, int reorder, MPIR_Comm **made)
{
    MPII_Dist_graph_topology graph = {.indegree = indegree,
                                      .in = (int *) sources,
                                      .in_weights = (int *) sourceweights,
                                      .outdegree = outdegree,
                                      .out = (int *) destinations,
                                      .out_weights = (int *) destweights,
                                      .is_weighted = (sourceweights != MPI_UNWEIGHTED)};

    /* no attribute of the old communicator goes to the new one */
    return MPIR_Topo_make_dist_graph(comm, MPI_SUCCESS, &graph, info, reorder, made);
}
