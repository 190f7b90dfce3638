/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Topologies as maps: a 3-D grid and all its sub-grids, graphs, and distributed graphs with
 * neighbour collectives, over the world, the reversed world and a shuffled part of it.
 *
 * Where the library may reorder ranks, the test takes the order it finds as the oracle, once it has
 * seen that it is a permutation of the right processes; everything derived is held against that.
 */
#include "cmaptest.h"

#define DIMS 3

static int world_size;

/* ---- parents ---- */

static MPI_Comm parent_of_kind(int kind, ct_list *members)
{
    MPI_Comm comm;
    ct_rng rng = {5 + kind};

    *members = ct_pattern_list(kind, &rng, world_size);
    int me = ct_find(members, ct_me);
    MPI_Comm_split(MPI_COMM_WORLD, me == MPI_UNDEFINED ? MPI_UNDEFINED : 0, me, &comm);
    return comm;
}

/* The order the library gave: which member of `from` is where.  Without reordering it has to be
 * the first `n` of them. */
static ct_list found_order(MPI_Comm comm, const ct_list *from, int n, int reorder, const char *what)
{
    int size;

    MPI_Comm_size(comm, &size);
    CT_CHECK(size == n, "%s: size is %d, not %d", what, size, n);
    ct_list order = ct_list_new(size);
    order.n = size;
    MPI_Allgather(&ct_me, 1, MPI_INT, order.id, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++) {
        CT_CHECK(ct_find(&order, order.id[i]) == i, "%s: %d is there twice", what, order.id[i]);
        CT_CHECK(ct_find(from, order.id[i]) != MPI_UNDEFINED, "%s: %d is a stranger", what,
                 order.id[i]);
        CT_CHECK(reorder || order.id[i] == from->id[i], "%s: rank %d is %d, not %d", what, i,
                 order.id[i], from->id[i]);
    }
    return order;
}

/* ---- grids ---- */

static int rank_of(const int *dims, const int *coords)
{
    return (coords[0] * dims[1] + coords[1]) * dims[2] + coords[2];
}

static void coords_of(const int *dims, int rank, int *coords)
{
    coords[0] = rank / (dims[1] * dims[2]);
    coords[1] = rank / dims[2] % dims[1];
    coords[2] = rank % dims[2];
}

static void check_coords(MPI_Comm grid, const int *dims)
{
    int coords[DIMS], want[DIMS], rank, size;

    MPI_Comm_size(grid, &size);
    for (int i = 0; i < size; i++) {
        coords_of(dims, i, want);
        MPI_Cart_coords(grid, i, DIMS, coords);
        CT_CHECK(!memcmp(coords, want, sizeof(want)), "cart: coordinates of rank %d", i);
        MPI_Cart_rank(grid, want, &rank);
        CT_CHECK(rank == i, "cart: rank of the coordinates of %d is %d", i, rank);
    }
}

/* The sub-grid through this process: ranks of the grid, in the order of the dimensions that stay.
 */
static ct_list sub_grid_oracle(const int *dims, int rank, const int *remain, const ct_list *order)
{
    int mine[DIMS], c[DIMS];
    ct_list list = ct_list_new(order->n);

    coords_of(dims, rank, mine);
    for (int i = 0; i < order->n; i++) {
        coords_of(dims, i, c);
        int in = 1;
        for (int d = 0; d < DIMS; d++)
            in = in && (remain[d] || c[d] == mine[d]);
        if (in)
            list.id[list.n++] = order->id[i];
    }
    return list;
}

static void check_sub_grids(MPI_Comm grid, const int *dims, const ct_list *order)
{
    int rank;

    MPI_Comm_rank(grid, &rank);
    for (int mask = 0; mask < 1 << DIMS; mask++) {
        int remain[DIMS] = {mask & 1, mask >> 1 & 1, mask >> 2 & 1};
        MPI_Comm sub;
        ct_list want = sub_grid_oracle(dims, rank, remain, order);
        MPI_Cart_sub(grid, remain, &sub);
        /* a grid without dimensions: MPICH has one for the first process only */
        if (sub != MPI_COMM_NULL || mask != 0) {
            ct_check_comm(sub, &want, "sub-grid");
            MPI_Comm_free(&sub);
        }
        ct_list_free(&want);
    }
}

/* Neighbours along every dimension, by shift and by a neighbour collective. */
static void check_shifts(MPI_Comm grid, const int *dims, const int *periods, const ct_list *order)
{
    int rank, mine[DIMS], got[2 * DIMS], want[2 * DIMS];

    MPI_Comm_rank(grid, &rank);
    coords_of(dims, rank, mine);
    for (int k = 0; k < 2 * DIMS; k++) {
        int c[DIMS] = {mine[0], mine[1], mine[2]}, d = k / 2, source, dest;
        c[d] += k % 2 ? 1 : -1;
        int outside = c[d] < 0 || c[d] >= dims[d];
        c[d] = (c[d] + dims[d]) % dims[d];
        int there = outside && !periods[d] ? MPI_PROC_NULL : rank_of(dims, c);
        MPI_Cart_shift(grid, d, 1, &source, &dest);
        CT_CHECK((k % 2 ? dest : source) == there, "shift in dimension %d: not %d", d, there);
        want[k] = there == MPI_PROC_NULL ? -1 : order->id[there];
        got[k] = -1;
    }
    MPI_Neighbor_allgather(&ct_me, 1, MPI_INT, got, 1, MPI_INT, grid);
    for (int k = 0; k < 2 * DIMS; k++)
        CT_CHECK(got[k] == want[k], "grid neighbour %d is %d, not %d", k, got[k], want[k]);
}

static void check_grid(MPI_Comm parent, const ct_list *members, int reorder)
{
    int dims[DIMS] = {0, 0, 0}, periods[DIMS] = {1, 0, 1};
    int used = members->n > 3 ? members->n / 2 * 2 : members->n;
    MPI_Comm grid;

    MPI_Dims_create(used, DIMS, dims);
    MPI_Cart_create(parent, DIMS, dims, periods, reorder, &grid);
    if (grid == MPI_COMM_NULL) {
        CT_CHECK(reorder || ct_find(members, ct_me) >= used, "cart: left out");
        return;
    }
    ct_list order = found_order(grid, members, used, reorder, "cart");
    ct_check_comm(grid, &order, "cart");
    check_coords(grid, dims);
    check_shifts(grid, dims, periods, &order);
    check_sub_grids(grid, dims, &order);
    MPI_Comm_free(&grid);
    ct_list_free(&order);
}

/* ---- graphs ---- */

/* Symmetric: a ring with chords to the opposite rank. */
static int graph_neighbors(int n, int rank, int *list)
{
    int count = 0;

    list[count++] = (rank + 1) % n;
    list[count++] = (rank + n - 1) % n;
    if (n % 2 == 0)
        list[count++] = (rank + n / 2) % n;
    return count;
}

static void check_graph(MPI_Comm parent, const ct_list *members, int reorder)
{
    int n = members->n, want[3], got[3], from[3], count, rank, total = 0;
    int *index = ct_ints(n), *edges = ct_ints(3 * n);
    MPI_Comm graph;

    for (int i = 0; i < n; i++) {
        total += graph_neighbors(n, i, edges + total);
        index[i] = total;
    }
    MPI_Graph_create(parent, n, index, edges, reorder, &graph);
    ct_list order = found_order(graph, members, n, reorder, "graph");
    ct_check_comm(graph, &order, "graph");
    MPI_Comm_rank(graph, &rank);
    int k = graph_neighbors(n, rank, want);
    MPI_Graph_neighbors_count(graph, rank, &count);
    CT_CHECK(count == k, "graph: %d neighbours, not %d", count, k);
    MPI_Graph_neighbors(graph, rank, k, got);
    CT_CHECK(!memcmp(got, want, k * sizeof(int)), "graph: wrong neighbours");
    MPI_Neighbor_allgather(&ct_me, 1, MPI_INT, from, 1, MPI_INT, graph);
    for (int i = 0; i < k; i++)
        CT_CHECK(from[i] == order.id[want[i]], "graph: neighbour %d is %d, not %d", i, from[i],
                 order.id[want[i]]);
    MPI_Comm_free(&graph);
    ct_list_free(&order);
    free(index);
    free(edges);
}

/* ---- distributed graphs: a random matrix every rank knows ---- */

typedef struct adjacency {
    int ins, outs;
    int *in, *out;
} adjacency;

static adjacency adjacency_of(const char *matrix, int n, int rank)
{
    adjacency a = {0, 0, ct_ints(n), ct_ints(n)};

    for (int i = n - 1; i >= 0; i--) /* descending, to differ from the obvious order */
        if (matrix[i * n + rank])
            a.in[a.ins++] = i;
    for (int i = 0; i < n; i++)
        if (matrix[rank * n + i])
            a.out[a.outs++] = i;
    return a;
}

static void check_neighbor_collectives(MPI_Comm graph, const adjacency *a, const ct_list *order)
{
    int rank, *got = ct_ints(a->ins), *send = ct_ints(a->outs);

    MPI_Comm_rank(graph, &rank);
    MPI_Neighbor_allgather(&ct_me, 1, MPI_INT, got, 1, MPI_INT, graph);
    for (int i = 0; i < a->ins; i++)
        CT_CHECK(got[i] == order->id[a->in[i]], "dist_graph: source %d is %d, not %d", a->in[i],
                 got[i], order->id[a->in[i]]);
    for (int i = 0; i < a->outs; i++)
        send[i] = rank * 1000 + a->out[i];
    MPI_Neighbor_alltoall(send, 1, MPI_INT, got, 1, MPI_INT, graph);
    for (int i = 0; i < a->ins; i++)
        CT_CHECK(got[i] == a->in[i] * 1000 + rank, "dist_graph: %d from source %d", got[i],
                 a->in[i]);
    free(got);
    free(send);
}

static void check_dist_graph(MPI_Comm parent, const ct_list *members)
{
    int n = members->n, rank;
    char *matrix = ct_alloc(n * n, 1);
    ct_rng rng = ct_rng_of(members, 9);
    MPI_Comm graph;

    for (int i = 0; i < n * n; i++)
        matrix[i] = ct_below(&rng, n) < 4;
    MPI_Comm_rank(parent, &rank);
    adjacency a = adjacency_of(matrix, n, rank);
    MPI_Dist_graph_create_adjacent(parent, a.ins, a.in, MPI_UNWEIGHTED, a.outs, a.out,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    ct_list order = found_order(graph, members, n, 0, "dist_graph");
    ct_check_comm(graph, &order, "dist_graph");
    check_neighbor_collectives(graph, &a, &order);
    MPI_Comm_free(&graph);
    ct_list_free(&order);
    free(a.in);
    free(a.out);
    free(matrix);
}

int main(int argc, char **argv)
{
    static const int kinds[] = {CT_ALL, CT_REVERSED, CT_SHUFFLED_SUBSET};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (int k = 0; k < 3; k++) {
        ct_list members;
        MPI_Comm parent = parent_of_kind(kinds[k], &members);
        if (parent != MPI_COMM_NULL) {
            for (int reorder = 0; reorder < 2; reorder++) {
                check_grid(parent, &members, reorder);
                check_graph(parent, &members, reorder);
            }
            check_dist_graph(parent, &members);
            MPI_Comm_free(&parent);
        }
        ct_list_free(&members);
    }
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
