/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Grids and graphs with reorder, over communicators whose ranks lie on the nodes in every order.
 * Whatever the order, it is a permutation of the processes that the given order has, all members
 * find the same, MPI_Cart_map and MPI_Graph_map foretell it, and no more edges lie between nodes
 * than in the given order.  Where the nodes are blocks of the ranks and a tile fits, no tile has
 * less.  Without reorder, or under MPIR_CVAR_REORDER=none, the order is the given one.
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

int main(int argc, char **argv)
{
    static const int kinds[] = {CT_ALL, CT_REVERSED, CT_EVENS, CT_TRANSPOSE, CT_SHUFFLED,
                                CT_SHUFFLED_SUBSET};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    find_nodes();
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        ct_rng rng = {11 + (int)k};
        ct_list members = ct_pattern_list(kinds[k], &rng, world_size);
        int me = ct_find(&members, ct_me);
        MPI_Comm parent;
        MPI_Comm_split(MPI_COMM_WORLD, me == MPI_UNDEFINED ? MPI_UNDEFINED : 0, me, &parent);
        if (parent != MPI_COMM_NULL) {
            check_grids(parent, &members);
            check_graph(parent, &members, 0);
            check_graph(parent, &members, 1);
            check_negative(parent, members.n);
            MPI_Comm_free(&parent);
        }
        ct_list_free(&members);
    }
    free(node_of);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
