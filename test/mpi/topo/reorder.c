/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Grids, graphs and distributed graphs with reorder, over communicators whose ranks lie on the
 * nodes in every order.
 * Each order is a permutation of the processes of the given order, and all members find the same.
 * MPI_Cart_map and MPI_Graph_map foretell it.  No more edges lie between nodes than in the given
 * order.  Where the nodes are blocks of the ranks and a tile fits, no tile has
 * less.  Without reorder, or under MPIR_CVAR_REORDER=none, the order is the given one.  Of a
 * distributed graph each process has the lists of the vertex that is its new rank.
 *
 * Which processes share a node is what MPI_Comm_split_type says.
 */
#include "cmaptest.h"

#define DIMS 3

static int world_size, *node_of; /* of each rank of the world */

static void find_nodes(void)
{
    MPI_Comm node;
    int first = ct_me;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    node_of = ct_ints(world_size);
    MPI_Allgather(&first, 1, MPI_INT, node_of, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
}

static int is_off(const char *value)
{
    const char *set = getenv("MPIR_CVAR_REORDER");

    return strcmp(set ? set : "cart", value) == 0;
}

/* The processes of a communicator as ranks of the world, which all of `parent` then know. */
static ct_list order_of(MPI_Comm parent, MPI_Comm made, int n)
{
    int rank = -1, size, *all;
    ct_list order = ct_list_new(n);

    MPI_Comm_size(parent, &size);
    all = ct_ints(size);
    if (made != MPI_COMM_NULL)
        MPI_Comm_rank(made, &rank);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, parent);
    order.n = n;
    for (int i = 0; i < n; i++)
        order.id[i] = -1;
    for (int i = 0; i < size; i++) {
        CT_CHECK(all[i] < n, "rank %d of %d", all[i], n);
        if (all[i] >= 0 && all[i] < n)
            order.id[all[i]] = i;
    }
    free(all);
    return order;
}

/* From ranks of the parent to ranks of the world. */
static void translate(ct_list *order, const ct_list *members)
{
    for (int i = 0; i < order->n; i++)
        order->id[i] = order->id[i] < 0 ? -1 : members->id[order->id[i]];
}

static void check_permutation(const ct_list *order, const ct_list *members, const char *what)
{
    for (int i = 0; i < order->n; i++) {
        int at = order->id[i] < 0 ? MPI_UNDEFINED : ct_find(members, order->id[i]);
        CT_CHECK(at != MPI_UNDEFINED && at < order->n && ct_find(order, order->id[i]) == i,
                 "%s: rank %d is process %d", what, i, order->id[i]);
    }
}

static int is_given(const ct_list *order, const ct_list *members)
{
    return !memcmp(order->id, members->id, order->n * sizeof(int));
}

/* ---- grids ---- */

/* Edges between nodes; cell: the name of what rank r of the grid is on. */
static int edges(const int *dims, const int *periods, const int *cell)
{
    int n = dims[0] * dims[1] * dims[2], cut = 0, weight = n;

    for (int d = 0; d < DIMS; d++) {
        weight /= dims[d];
        for (int r = 0; r < n; r++) {
            int x = r / weight % dims[d], last = x + 1 == dims[d];
            if (!last || (periods[d] && dims[d] > 1))
                cut += cell[r] != cell[last ? r - x * weight : r + weight];
        }
    }
    return cut;
}

static int edges_in_order(const int *dims, const int *periods, const ct_list *order)
{
    int *cell = ct_ints(order->n), cut;

    for (int r = 0; r < order->n; r++)
        cell[r] = node_of[order->id[r]];
    cut = edges(dims, periods, cell);
    free(cell);
    return cut;
}

static int edges_of_tiles(const int *dims, const int *periods, const int *side)
{
    int n = dims[0] * dims[1] * dims[2], *cell = ct_ints(n), cut;

    for (int r = 0; r < n; r++) {
        int x = r / (dims[1] * dims[2]), y = r / dims[2] % dims[1], z = r % dims[2];
        cell[r] = (x / side[0] * dims[1] + y / side[1]) * dims[2] + z / side[2];
    }
    cut = edges(dims, periods, cell);
    free(cell);
    return cut;
}

/* The least of all tiles of so many cells, or -1. */
static int least_of_tiles(const int *dims, const int *periods, int cells)
{
    int least = -1, side[DIMS];

    for (side[0] = 1; side[0] <= cells; side[0]++) {
        for (side[1] = 1; side[0] * side[1] <= cells; side[1]++) {
            side[2] = cells / side[0] / side[1];
            if (side[0] * side[1] * side[2] != cells || dims[0] % side[0] || dims[1] % side[1] ||
                dims[2] % side[2])
                continue;
            int cut = edges_of_tiles(dims, periods, side);
            if (least < 0 || cut < least)
                least = cut;
        }
    }
    return least;
}

/* Ranks on each node, if the first n members have so many on each, or 0. */
static int even_size(const ct_list *members, int n)
{
    int size = 0;

    for (int i = 0; i < n; i++) {
        int count = 0;
        for (int k = 0; k < n; k++)
            count += node_of[members->id[k]] == node_of[members->id[i]];
        if (size != 0 && count != size)
            return 0;
        size = count;
    }
    return size;
}

static void check_order_of_grid(MPI_Comm parent, const ct_list *members, const int *dims,
                                const int *periods, int reorder)
{
    int n = dims[0] * dims[1] * dims[2], rank, mapped;
    MPI_Comm grid;

    MPI_Cart_create(parent, DIMS, dims, periods, reorder, &grid);
    ct_list order = order_of(parent, grid, n);
    translate(&order, members);
    check_permutation(&order, members, "grid");
    if (!reorder || is_off("none")) {
        CT_CHECK(is_given(&order, members), "grid: another order without reorder");
    } else if (ct_errs == 0) {
        int cut = edges_in_order(dims, periods, &order), size = even_size(members, n);
        int given = edges_in_order(dims, periods, members);
        int least = size > 0 ? least_of_tiles(dims, periods, size) : -1;
        CT_CHECK(cut <= given, "grid %d x %d x %d: %d edges between nodes, and %d as given",
                 dims[0], dims[1], dims[2], cut, given);
        CT_CHECK(least < 0 || cut <= least,
                 "grid %d x %d x %d: %d edges between nodes, and %d by a tile", dims[0], dims[1],
                 dims[2], cut, least);
        CT_CHECK(cut < given || is_given(&order, members), "another order that is no better");
        MPI_Cart_map(parent, DIMS, dims, periods, &mapped);
        if (grid == MPI_COMM_NULL)
            rank = MPI_UNDEFINED;
        else
            MPI_Comm_rank(grid, &rank);
        CT_CHECK(mapped == rank, "MPI_Cart_map says %d, and the rank is %d", mapped, rank);
    }
    if (grid != MPI_COMM_NULL) {
        ct_check_comm(grid, &order, "grid");
        MPI_Comm_free(&grid);
    }
    ct_list_free(&order);
}

static void check_grids(MPI_Comm parent, const ct_list *members)
{
    for (int x = 1; x <= members->n; x++) {
        for (int y = 1; x * y <= members->n; y++) {
            int z = members->n / (x * y), dims[DIMS] = {x, y, z}, periods[DIMS] = {x % 2, y % 2, 0};
            /* all processes, or nearly all */
            if (x * y * z < members->n - 2 || (x > 4 && y > 4))
                continue;
            check_order_of_grid(parent, members, dims, periods, 1);
            if (x == 2)
                check_order_of_grid(parent, members, dims, periods, 0);
        }
    }
}

/* ---- graphs ---- */

/* Rings of four whose members are far apart. */
static void fill_graph(int n, int *index, int *list)
{
    int total = 0, rings = n / 4;

    for (int v = 0; v < n; v++) {
        if (rings > 0 && v < 4 * rings) {
            list[total++] = (v + rings) % (4 * rings);
            list[total++] = (v + 3 * rings) % (4 * rings);
        }
        index[v] = total;
    }
}

static int edges_of_graph(int n, const int *index, const int *list, const ct_list *order)
{
    int cut = 0;

    for (int v = 0, i = 0; v < n; v++)
        for (; i < index[v]; i++)
            cut += node_of[order->id[v]] != node_of[order->id[list[i]]];
    return cut;
}

static void check_graph(MPI_Comm parent, const ct_list *members, int reorder)
{
    int n = members->n, *index = ct_ints(n), *list = ct_ints(2 * n), rank, mapped;
    MPI_Comm graph;

    fill_graph(n, index, list);
    MPI_Graph_create(parent, n, index, list, reorder, &graph);
    ct_list order = order_of(parent, graph, n);
    translate(&order, members);
    check_permutation(&order, members, "graph");
    if (!reorder || !is_off("all")) {
        CT_CHECK(is_given(&order, members), "graph: another order");
    } else if (ct_errs == 0) {
        int cut = edges_of_graph(n, index, list, &order);
        int given = edges_of_graph(n, index, list, members);
        CT_CHECK(cut <= given, "graph: %d edges between nodes, and %d as given", cut, given);
        /* rings fit nodes */
        int size = even_size(members, n);
        CT_CHECK(cut == 0 || size == 0 || size % 4 != 0, "graph: %d edges between nodes", cut);
    }
    MPI_Graph_map(parent, n, index, list, &mapped);
    MPI_Comm_rank(graph, &rank);
    CT_CHECK(!reorder || mapped == rank, "MPI_Graph_map says %d, and the rank is %d", mapped, rank);
    ct_check_comm(graph, &order, "graph");
    MPI_Comm_free(&graph);
    ct_list_free(&order);
    free(index);
    free(list);
}

/* Dimensions whose product alone is that of a grid: an error, or all processes in some order. */
static void check_negative(MPI_Comm parent, int n)
{
    int dims[2] = {-1, -n}, periods[2] = {0, 0}, size;
    MPI_Comm grid = MPI_COMM_NULL;

    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    if (MPI_Cart_create(parent, 2, dims, periods, 1, &grid) == MPI_SUCCESS &&
        grid != MPI_COMM_NULL) {
        MPI_Comm_size(grid, &size);
        CT_CHECK(size == n, "negative dimensions: %d processes, not %d", size, n);
        MPI_Comm_free(&grid);
    }
}

/* ---- distributed graphs ---- */

/* Random edges with weights, which each process knows; and rings of four whose members are far
 * apart, which weigh most. */
typedef struct {
    int n, n_vertices, *from, *to, *weight;
} edge_list;

enum { HEAVY = 1000000000 };

static edge_list make_edges(int n, int salt)
{
    ct_rng rng = {77 + (uint64_t) salt};
    edge_list e = {0, n, ct_ints(4 * n), ct_ints(4 * n), ct_ints(4 * n)};
    int rings = n / 4;

    for (int i = 0; i < 2 * n; i++) {
        e.from[e.n] = ct_below(&rng, n);
        e.to[e.n] = ct_below(&rng, n);
        e.weight[e.n++] = ct_below(&rng, 3);
    }
    for (int v = 0; v < 4 * rings; v++) {
        e.from[e.n] = v;
        e.to[e.n] = (v + rings) % (4 * rings);
        e.weight[e.n++] = HEAVY;
    }
    return e;
}

static void free_edges(edge_list *e)
{
    free(e->from);
    free(e->to);
    free(e->weight);
}

static long long weight_between_nodes(const edge_list *e, const ct_list *order, int weighted)
{
    long long cut = 0;

    for (int i = 0; i < e->n; i++)
        if (node_of[order->id[e->from[i]]] != node_of[order->id[e->to[i]]])
            cut += weighted ? e->weight[i] : 1;
    return cut;
}

/* The ends of a vertex in the order of the edges; returns how many. */
static int list_ends(const edge_list *e, int v, int is_out, int *other, int *weight)
{
    int n = 0;

    for (int i = 0; i < e->n; i++) {
        if ((is_out ? e->from : e->to)[i] == v) {
            other[n] = (is_out ? e->to : e->from)[i];
            weight[n++] = e->weight[i];
        }
    }
    return n;
}

static const int *weights_for(int n, int weighted, const int *weight)
{
    if (!weighted)
        return MPI_UNWEIGHTED;
    return n == 0 ? MPI_WEIGHTS_EMPTY : weight;
}

/* Edge i is given by process i mod `givers`, whatever its ends. */
static void create_from(MPI_Comm parent, int givers, const edge_list *e, int weighted,
                        MPI_Info info, int reorder, MPI_Comm *graph)
{
    int rank, n = 0, *from = ct_ints(e->n), *to = ct_ints(e->n), *weight = ct_ints(e->n);
    int *ones = ct_ints(e->n);

    MPI_Comm_rank(parent, &rank);
    for (int i = rank; rank < givers && i < e->n; i += givers, n++) {
        from[n] = e->from[i];
        to[n] = e->to[i];
        weight[n] = e->weight[i];
        ones[n] = 1;
    }
    MPI_Dist_graph_create(parent, n, from, ones, to, weights_for(n, weighted, weight), info,
                          reorder, graph);
    free(from);
    free(to);
    free(weight);
    free(ones);
}

static void create_by_edges(MPI_Comm parent, const edge_list *e, int weighted, MPI_Info info,
                            int reorder, MPI_Comm *graph)
{
    create_from(parent, e->n_vertices, e, weighted, info, reorder, graph);
}

static void create_by_one(MPI_Comm parent, const edge_list *e, int weighted, MPI_Info info,
                          int reorder, MPI_Comm *graph)
{
    create_from(parent, 1, e, weighted, info, reorder, graph);
}

static void create_adjacent(MPI_Comm parent, const edge_list *e, int weighted, MPI_Info info,
                            int reorder, MPI_Comm *graph)
{
    int rank, *in = ct_ints(e->n), *out = ct_ints(e->n);
    int *in_weight = ct_ints(e->n), *out_weight = ct_ints(e->n);

    MPI_Comm_rank(parent, &rank);
    int n_in = list_ends(e, rank, 0, in, in_weight);
    int n_out = list_ends(e, rank, 1, out, out_weight);
    MPI_Dist_graph_create_adjacent(parent, n_in, in, weights_for(n_in, weighted, in_weight), n_out,
                                   out, weights_for(n_out, weighted, out_weight), info, reorder,
                                   graph);
    free(in);
    free(out);
    free(in_weight);
    free(out_weight);
}

/* Pairs of end and weight in an order of their own: MPI_Dist_graph_create promises none. */
static int compare_pairs(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(int)); }

static void sort_ends(int n, const int *other, const int *weight, int *pairs)
{
    for (int i = 0; i < n; i++) {
        pairs[2 * i] = other[i];
        pairs[2 * i + 1] = weight[i];
    }
    qsort(pairs, (size_t) n, 2 * sizeof(int), compare_pairs);
}

static void check_ends(const edge_list *e, int rank, int is_out, int weighted, int n, int *other,
                       int *weight)
{
    int *want = ct_ints(e->n), *its = ct_ints(e->n), *a = ct_ints(2 * e->n), *b = ct_ints(2 * e->n);
    int n_want = list_ends(e, rank, is_out, want, its);

    if (!weighted) {
        memset(its, 0, (size_t) e->n * sizeof(int));
        memset(weight, 0, (size_t) e->n * sizeof(int));
    }
    CT_CHECK(n == n_want, "vertex %d: %d edges %s, not %d", rank, n, is_out ? "out" : "in", n_want);
    if (n == n_want) {
        sort_ends(n, other, weight, a);
        sort_ends(n, want, its, b);
        CT_CHECK(!memcmp(a, b, 2 * (size_t) n * sizeof(int)), "vertex %d: other edges %s", rank,
                 is_out ? "out" : "in");
    }
    free(want);
    free(its);
    free(a);
    free(b);
}

static void check_lists(MPI_Comm graph, const edge_list *e, int weighted)
{
    int rank, n_in, n_out, is_weighted, *in = ct_ints(e->n), *out = ct_ints(e->n);
    int *in_weight = ct_ints(e->n), *out_weight = ct_ints(e->n);

    MPI_Comm_rank(graph, &rank);
    MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &is_weighted);
    CT_CHECK(is_weighted == weighted, "vertex %d: weighted %d, not %d", rank, is_weighted,
             weighted);
    MPI_Dist_graph_neighbors(graph, n_in, in, in_weight, n_out, out, out_weight);
    check_ends(e, rank, 0, weighted, n_in, in, in_weight);
    check_ends(e, rank, 1, weighted, n_out, out, out_weight);
    free(in);
    free(out);
    free(in_weight);
    free(out_weight);
}

/* Each vertex hears from those that have an edge to it. */
static void check_neighbour_exchange(MPI_Comm graph)
{
    int rank, n_in, n_out, is_weighted;

    MPI_Comm_rank(graph, &rank);
    MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &is_weighted);
    int *in = ct_ints(n_in), *out = ct_ints(n_out), *got = ct_ints(n_in);
    int *w = ct_ints(n_in + n_out);
    MPI_Dist_graph_neighbors(graph, n_in, in, w, n_out, out, w + n_in);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
    for (int i = 0; i < n_in; i++)
        CT_CHECK(got[i] == in[i], "vertex %d hears from %d, not %d", rank, got[i], in[i]);
    free(in);
    free(out);
    free(got);
    free(w);
}

typedef void (*graph_maker)(MPI_Comm parent, const edge_list *e, int weighted, MPI_Info info,
                            int reorder, MPI_Comm *graph);

static void check_dist_graph(MPI_Comm parent, const ct_list *members, graph_maker make,
                             int weighted, const char *hint, int reorder)
{
    int n = members->n, ordered = reorder && (hint ? !strcmp(hint, "true") : is_off("all"));
    edge_list e = make_edges(n, weighted);
    MPI_Comm graph;
    MPI_Info info = MPI_INFO_NULL;

    if (hint) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpix_reorder", hint);
    }
    make(parent, &e, weighted, info, reorder, &graph);
    ct_list order = order_of(parent, graph, n);
    translate(&order, members);
    check_permutation(&order, members, "distributed graph");
    if (!ordered || is_off("none")) {
        CT_CHECK(is_given(&order, members), "distributed graph: another order");
    } else if (ct_errs == 0) {
        long long cut = weight_between_nodes(&e, &order, weighted);
        long long given = weight_between_nodes(&e, members, weighted);
        int size = even_size(members, n);
        CT_CHECK(cut < given || is_given(&order, members),
                 "distributed graph: %lld between nodes, and %lld as given", cut, given);
        /* the heavy rings fit nodes */
        CT_CHECK(!weighted || cut < HEAVY || size == 0 || size % 4 != 0,
                 "distributed graph: %lld between nodes", cut);
    }
    check_lists(graph, &e, weighted);
    check_neighbour_exchange(graph);
    ct_check_comm(graph, &order, "distributed graph");
    MPI_Comm_free(&graph);
    if (hint)
        MPI_Info_free(&info);
    ct_list_free(&order);
    free_edges(&e);
}

static void check_dist_graphs(MPI_Comm parent, const ct_list *members)
{
    static const graph_maker makers[] = {create_by_edges, create_by_one, create_adjacent};

    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        for (int weighted = 0; weighted < 2; weighted++) {
            check_dist_graph(parent, members, makers[i], weighted, NULL, 0);
            check_dist_graph(parent, members, makers[i], weighted, NULL, 1);
        }
        check_dist_graph(parent, members, makers[i], 1, "true", 0);
        check_dist_graph(parent, members, makers[i], 1, "true", 1);
        check_dist_graph(parent, members, makers[i], 1, "false", 1);
    }
}

/* No process has an edge. */
static void check_graph_without_edges(MPI_Comm parent, const ct_list *members)
{
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent(parent, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                   MPI_INFO_NULL, 1, &graph);
    ct_check_comm(graph, members, "graph without edges");
    MPI_Comm_free(&graph);
}

/* The two halves of the world have no graph in common. */
static void check_intercommunicator(void)
{
    MPI_Comm half, inter, graph = MPI_COMM_NULL;
    int side = ct_me < world_size / 2, result;

    if (world_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? world_size / 2 : 0, 3, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    result = MPI_Dist_graph_create_adjacent(inter, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 1, &graph);
    CT_CHECK(result != MPI_SUCCESS, "a graph of an intercommunicator");
    result =
        MPI_Dist_graph_create(inter, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
    CT_CHECK(result != MPI_SUCCESS, "a graph of an intercommunicator, by edges");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    static const int kinds[] = {CT_ALL,       CT_REVERSED, CT_EVENS,
                                CT_TRANSPOSE, CT_SHUFFLED, CT_SHUFFLED_SUBSET};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    find_nodes();
    check_intercommunicator();
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        ct_rng rng = {11 + (int) k};
        ct_list members = ct_pattern_list(kinds[k], &rng, world_size);
        int me = ct_find(&members, ct_me);
        MPI_Comm parent;
        MPI_Comm_split(MPI_COMM_WORLD, me == MPI_UNDEFINED ? MPI_UNDEFINED : 0, me, &parent);
        if (parent != MPI_COMM_NULL) {
            check_grids(parent, &members);
            check_graph(parent, &members, 0);
            check_graph(parent, &members, 1);
            check_negative(parent, members.n);
            check_dist_graphs(parent, &members);
            check_graph_without_edges(parent, &members);
            MPI_Comm_free(&parent);
        }
        ct_list_free(&members);
    }
    free(node_of);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
