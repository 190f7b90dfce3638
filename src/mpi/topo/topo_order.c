/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "../nodes/node_blocks.h"
#include "locality.h"
#include "topo_order.h"

/*
=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===

categories :
    - name        : TOPO
      description : cvars that control topologies

cvars:
    - name        : MPIR_CVAR_REORDER
      category    : TOPO
      type        : enum
      default     : cart
      class       : none
      verbosity   : MPI_T_VERBOSITY_USER_BASIC
      scope       : MPI_T_SCOPE_ALL_EQ
      description : |-
        Which topologies that are created with reorder get an order with fewer edges between nodes:
        cart - grids
        all  - grids and graphs
        none - none
        MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent also follow the info key
        mpix_reorder = true or false, except under none.

=== END_MPI_T_CVAR_INFO_BLOCK ===
*/

/* Larger grids whose nodes have no form keep their order: counting the edges takes some ms here. */
#define MOST_BY_LIST 16384

/* MPI_Cart_create lets two negative dimensions pass, and a product that is beyond an int. */
static bool has_cells(int nnodes, int ndims, const int dims[])
{
    int64_t cells = 1;

    for (int d = 0; d < ndims && cells <= nnodes; d++) {
        if (dims[d] < 1)
            return false;
        cells *= dims[d];
    }
    return cells == nnodes;
}

static locality_grid grid_of(int ndims, const int dims[], const int periods[])
{
    locality_grid grid = {.dims = (uint32_t) ndims};

    for (int d = 0; d < ndims; d++) {
        grid.dim[d] = (uint32_t) dims[d];
        grid.periodic[d] = periods[d] != 0;
    }
    return grid;
}

/* ---- nodes in blocks or in turns ---- */

/* Positions, which lie on the nodes in blocks, and ranks. */
typedef struct {
    locality_nodes positions, ranks;
    cmap_form rank_of; /* a position */
} layout;

/* A map that is one run, upwards or downwards. */
static bool find_run(const cmap_t *map, cmap_form *run)
{
    return MPIR_cmap_max(map) < (uint32_t) MPIR_Process.size && MPIR_cmap_is_arithmetic(map) &&
           MPIR_cmap_forms_of(map, run, 1) == 1;
}

/* Ranks in blocks are positions. */
static bool lay_out_blocks(const cmap_form *run, const MPIR_Node_block *block, uint32_t n,
                           layout *found)
{
    uint32_t size = block->size, at = (run->base - block->rank) % size;
    uint32_t step = (uint32_t) (run->stride[0] < 0 ? -run->stride[0] : run->stride[0]);

    if (step == 0 || size % step != 0)
        return false;
    if (run->stride[0] < 0)
        at = size - 1 - at;
    found->positions = found->ranks = (locality_nodes){.origin = -(at / step), .size = size / step};
    found->rank_of = (cmap_form){.levels = 1, .count = {n}, .stride = {1}};
    return true;
}

/* Of ranks in turns the positions are those of one node after the other. */
static bool lay_out_turns(const cmap_form *run, const MPIR_Node_blocks *blocks, uint32_t n,
                          layout *found)
{
    uint32_t turn = blocks->end, size = blocks->b[0].size, turns = n / turn;

    if (run->stride[0] != 1 || run->base % turn != 0 || n % turn != 0 || turns < 2 ||
        turns * size > LOCALITY_MOST)
        return false;
    found->positions = (locality_nodes){.size = turns * size};
    found->ranks = (locality_nodes){.size = size, .period = turn};
    found->rank_of = (cmap_form){.levels = 3,
                                 .count = {size, turns, turn / size},
                                 .stride = {1, (int32_t) turn, (int32_t) size}};
    return true;
}

/* Of the first n ranks. */
static bool lay_out(const cmap_t *map, uint32_t n, layout *found)
{
    const MPIR_Node_blocks *blocks = MPIR_Process.node_blocks;
    cmap_form run;

    if (blocks->n != 1 || blocks->b[0].size > LOCALITY_MOST || !find_run(map, &run))
        return false;
    if (blocks->end < blocks->processes)
        return lay_out_turns(&run, blocks, n, found);
    return lay_out_blocks(&run, &blocks->b[0], n, found);
}

static cmap_status map_order(const locality_grid *grid, const locality_order *order,
                             const layout *where, uint32_t n, cmap_t **ranks)
{
    cmap_form form;
    cmap_t *positions = NULL, *rank_of = NULL;
    cmap_status status;

    MPIR_locality_order_form(grid, order, &form);
    status = MPIR_cmap_from_form(&form, n, NULL, &positions);
    if (status == CMAP_OK)
        status = MPIR_cmap_from_form(&where->rank_of, n, NULL, &rank_of);
    if (status == CMAP_OK)
        status = MPIR_cmap_compose(rank_of, positions, NULL, ranks);
    MPIR_cmap_release(positions);
    MPIR_cmap_release(rank_of);
    return status;
}

static cmap_status order_by_forms(const locality_grid *grid, const layout *where, uint32_t n,
                                  cmap_t **ranks)
{
    locality_order given;
    locality_choice choice;

    MPIR_locality_given_order(grid, &given);
    MPIR_locality_choose_order(grid, where->positions.size, true, MPIR_locality_cut_on_blocks,
                               &where->positions,
                               MPIR_locality_cut_on_blocks(grid, &given, &where->ranks), &choice);
    return choice.is_given ? CMAP_OK : map_order(grid, &choice.order, where, n, ranks);
}

/* ---- nodes by a list ---- */

typedef struct {
    uint32_t n, nodes, most; /* most: ranks on one node */
    uint32_t *node_of_rank;  /* nodes by their first ranks */
    uint32_t *position_node; /* the node of each position: one node after the other */
    uint32_t *rank_of;       /* of each position */
    uint32_t *count;         /* ranks on each node */
    uint32_t *memory;
} list;

static bool alloc_list(list *l, uint32_t n)
{
    *l = (list){.n = n};
    l->memory = MPL_calloc(4 * (size_t) n, sizeof(uint32_t), MPL_MEM_COMM);
    l->node_of_rank = l->memory;
    l->position_node = l->memory + n;
    l->rank_of = l->memory + 2 * (size_t) n;
    l->count = l->memory + 3 * (size_t) n;
    return l->memory != NULL;
}

/* The nodes get numbers by their first ranks.  `seen`: a number for each node of the world. */
static void number_nodes(const cmap_t *map, list *l, uint32_t seen[])
{
    for (uint32_t r = 0; r < l->n; r++) {
        int node = MPIR_World_node((int) MPIR_cmap_select(map, r));
        if (seen[node] == 0)
            seen[node] = ++l->nodes;
        l->node_of_rank[r] = seen[node] - 1;
        l->count[seen[node] - 1]++;
    }
}

static void group_by_nodes(list *l)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < l->nodes; i++) {
        uint32_t count = l->count[i];
        l->most = MPL_MAX(l->most, count);
        l->count[i] = first;
        first += count;
    }
    for (uint32_t r = 0; r < l->n; r++) {
        uint32_t position = l->count[l->node_of_rank[r]]++;
        l->rank_of[position] = r;
        l->position_node[position] = l->node_of_rank[r];
    }
}

static cmap_status make_list(const cmap_t *map, uint32_t n, list *l)
{
    uint32_t *seen = MPL_calloc(MPIR_Process.num_nodes, sizeof(*seen), MPL_MEM_COMM);
    bool done = seen != NULL && alloc_list(l, n);

    if (done) {
        number_nodes(map, l, seen);
        group_by_nodes(l);
    }
    MPL_free(seen);
    return done ? CMAP_OK : CMAP_ERR_NOMEM;
}

static cmap_status map_list(const locality_grid *grid, const locality_order *order, const list *l,
                            cmap_t **ranks)
{
    cmap_form form;
    cmap_t *positions = NULL;
    cmap_status status;

    MPIR_locality_order_form(grid, order, &form);
    status = MPIR_cmap_from_form(&form, l->n, NULL, &positions);
    if (status != CMAP_OK)
        return status;
    for (uint32_t r = 0; r < l->n; r++)
        l->node_of_rank[r] = l->rank_of[MPIR_cmap_select(positions, r)];
    MPIR_cmap_release(positions);
    return MPIR_cmap_from_array(l->node_of_rank, l->n, l->n, NULL, ranks);
}

/* Tiles as large as the largest node, or as nodes are on average. */
static cmap_status choose_by_list(const locality_grid *grid, list *l, cmap_t **ranks)
{
    locality_choice choice, other;
    locality_order given;
    uint64_t cut;

    MPIR_locality_given_order(grid, &given);
    cut = MPIR_locality_cut_on_list(grid, &given, l->node_of_rank);
    MPIR_locality_choose_order(grid, l->most, false, MPIR_locality_cut_on_list, l->position_node,
                               cut, &choice);
    MPIR_locality_choose_order(grid, l->n / l->nodes, false, MPIR_locality_cut_on_list,
                               l->position_node, choice.cut, &other);
    if (!other.is_given)
        choice = other;
    return choice.is_given ? CMAP_OK : map_list(grid, &choice.order, l, ranks);
}

static cmap_status order_by_list(const cmap_t *map, const locality_grid *grid, uint32_t n,
                                 cmap_t **ranks)
{
    list l = {.memory = NULL};
    cmap_status status;

    if (n > MOST_BY_LIST || MPIR_cmap_max(map) >= (uint32_t) MPIR_Process.size)
        return CMAP_OK;
    status = make_list(map, n, &l);
    if (status == CMAP_OK)
        status = choose_by_list(grid, &l, ranks);
    MPL_free(l.memory);
    return status;
}

static cmap_status order_grid(const cmap_t *map, const locality_grid *grid, uint32_t n,
                              cmap_t **ranks)
{
    layout where;

    return lay_out(map, n, &where) ? order_by_forms(grid, &where, n, ranks)
                                   : order_by_list(map, grid, n, ranks);
}

int MPIR_Topo_order_grid(const MPIR_Comm *comm, int nnodes, int ndims, const int dims[],
                         const int periods[], cmap_t **ranks)
{
    locality_grid grid;
    cmap_status status;

    *ranks = NULL;
    if (MPIR_CVAR_REORDER == MPIR_CVAR_REORDER_none || nnodes < 1 || ndims < 1 ||
        ndims > (int) LOCALITY_DIMS || !has_cells(nnodes, ndims, dims) || comm->node_count == 1 ||
        comm->node_count == comm->local_size)
        return MPI_SUCCESS;
    grid = grid_of(ndims, dims, periods);
    status = order_grid(MPIR_Comm_map(comm, MPIR_MAP_LOCAL), &grid, (uint32_t) nnodes, ranks);
    return status == CMAP_OK ? MPI_SUCCESS : MPIR_Map_error(status, "order of a grid", nnodes);
}

cmap_status MPIR_Topo_order_cells(const cmap_t *map, int ndims, const int dims[], cmap_t **ranks)
{
    static const int periods[LOCALITY_DIMS]; /* none */
    locality_grid grid = grid_of(ndims, dims, periods);

    *ranks = NULL;
    if (MPIR_Process.num_nodes == 1 || MPIR_Process.num_nodes == MPIR_Process.size)
        return CMAP_OK;
    return order_grid(map, &grid, MPIR_cmap_size(map), ranks);
}

/* ---- graphs ---- */

typedef struct {
    locality_graph graph;
    uint32_t *first, *other, *weight;
    uint32_t *node_of_vertex;
    void *work;
} edges_of_both_ends;

static bool alloc_edges(edges_of_both_ends *e, const MPIR_Topo_edges_t *given)
{
    size_t n = (size_t) given->n, ends = 2 * (size_t) given->index[n - 1] + 1;

    *e = (edges_of_both_ends){.first = MPL_calloc(n + 2, sizeof(uint32_t), MPL_MEM_COMM)};
    e->other = MPL_malloc(ends * sizeof(uint32_t), MPL_MEM_COMM);
    if (given->is_weighted)
        e->weight = MPL_malloc(ends * sizeof(uint32_t), MPL_MEM_COMM);
    e->node_of_vertex = MPL_malloc(n * sizeof(uint32_t), MPL_MEM_COMM);
    e->work = MPL_malloc(MPIR_locality_partition_bytes((uint32_t) n), MPL_MEM_COMM);
    return e->first && e->other && (e->weight || !given->is_weighted) && e->node_of_vertex &&
           e->work;
}

static void free_edges(edges_of_both_ends *e)
{
    MPL_free(e->first);
    MPL_free(e->other);
    MPL_free(e->weight);
    MPL_free(e->node_of_vertex);
    MPL_free(e->work);
}

/* The other end of edge i of vertex v; MPI_PROC_NULL: no order has the edge between nodes, or it
 * weighs nothing. */
static int other_end(const MPIR_Topo_edges_t *given, int v, int i)
{
    int w = given->is_weighted ? given->edges[2 * (size_t) i] : given->edges[i];
    int weight = given->is_weighted ? given->edges[2 * (size_t) i + 1] : 1;

    return w == v || w < 0 || w >= given->n || weight <= 0 ? MPI_PROC_NULL : w;
}

static void add_end(edges_of_both_ends *e, const MPIR_Topo_edges_t *given, int v, int w, int i)
{
    uint32_t at = e->first[v + 1]++;

    e->other[at] = (uint32_t) w;
    if (given->is_weighted)
        e->weight[at] = (uint32_t) given->edges[2 * (size_t) i + 1];
}

/* Both ends get the edge.  first[v + 1] is where the edges of v begin, until they are there. */
static void fill_edges(edges_of_both_ends *e, const MPIR_Topo_edges_t *given)
{
    for (int v = 0, i = 0; v < given->n; v++) {
        for (; i < given->index[v]; i++) {
            int w = other_end(given, v, i);
            if (w != MPI_PROC_NULL) {
                e->first[v + 2]++;
                e->first[w + 2]++;
            }
        }
    }
    for (int v = 0; v < given->n; v++)
        e->first[v + 2] += e->first[v + 1];
    for (int v = 0, i = 0; v < given->n; v++) {
        for (; i < given->index[v]; i++) {
            int w = other_end(given, v, i);
            if (w != MPI_PROC_NULL) {
                add_end(e, given, v, w, i);
                add_end(e, given, w, v, i);
            }
        }
    }
    e->graph = (locality_graph){
        .n = (uint32_t) given->n, .first = e->first, .other = e->other, .weight = e->weight};
}

/* Vertices take the ranks of their nodes in order: node_of_rank becomes the rank of each. */
static void map_vertices(list *l, const uint32_t node_of_vertex[])
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < l->nodes; i++) { /* where the ranks of each node begin */
        uint32_t end = l->count[i];
        l->count[i] = first;
        first = end;
    }
    for (uint32_t v = 0; v < l->n; v++)
        l->node_of_rank[v] = l->rank_of[l->count[node_of_vertex[v]]++];
}

/* False: the given order has no more edges between nodes. */
static bool partition(list *l, edges_of_both_ends *e)
{
    uint32_t *room = l->position_node; /* no longer needed */

    for (uint32_t i = 0; i < l->nodes; i++)
        room[i] = l->count[i] - (i > 0 ? l->count[i - 1] : 0);
    MPIR_locality_partition(&e->graph, room, l->nodes, e->node_of_vertex, e->work);
    if (MPIR_locality_cut_of_graph(&e->graph, e->node_of_vertex) >=
        MPIR_locality_cut_of_graph(&e->graph, l->node_of_rank))
        return false;
    map_vertices(l, e->node_of_vertex);
    return true;
}

/* Is there a choice?  All members find the same. */
static bool has_several_nodes(const MPIR_Comm *comm)
{
    return comm->node_count > 1 && comm->node_count < comm->local_size &&
           MPIR_cmap_max(MPIR_Comm_map(comm, MPIR_MAP_LOCAL)) < (uint32_t) MPIR_Process.size;
}

static cmap_status order_edges(const MPIR_Comm *comm, const MPIR_Topo_edges_t *given, list *l,
                               bool *better)
{
    edges_of_both_ends e;
    cmap_status status = make_list(MPIR_Comm_map(comm, MPIR_MAP_LOCAL), given->n, l);

    if (!alloc_edges(&e, given))
        status = CMAP_ERR_NOMEM;
    if (status == CMAP_OK) {
        fill_edges(&e, given);
        *better = partition(l, &e);
    }
    free_edges(&e);
    return status;
}

int MPIR_Topo_order_graph(const MPIR_Comm *comm, int nnodes, const int index[], const int edges[],
                          cmap_t **ranks)
{
    const MPIR_Topo_edges_t given = {.n = nnodes, .index = index, .edges = edges};
    list l = {.memory = NULL};
    bool better = false;
    cmap_status status;

    *ranks = NULL;
    if (MPIR_CVAR_REORDER != MPIR_CVAR_REORDER_all || nnodes < 1 || !has_several_nodes(comm))
        return MPI_SUCCESS;
    status = order_edges(comm, &given, &l, &better);
    if (status == CMAP_OK && better)
        status = MPIR_cmap_from_array(l.node_of_rank, l.n, l.n, NULL, ranks);
    MPL_free(l.memory);
    return status == CMAP_OK ? MPI_SUCCESS : MPIR_Map_error(status, "order of a graph", nnodes);
}

bool MPIR_Topo_orders_dist_graphs(const MPIR_Comm *comm, MPIR_Info *info)
{
    int flag = 0;
    char value[8] = "";

    if (MPIR_CVAR_REORDER == MPIR_CVAR_REORDER_none || !has_several_nodes(comm))
        return false;
    if (info &&
        MPIR_Info_get_impl(info, "mpix_reorder", sizeof(value) - 1, value, &flag) == MPI_SUCCESS &&
        flag)
        return strcmp(value, "true") == 0;
    return MPIR_CVAR_REORDER == MPIR_CVAR_REORDER_all;
}

int MPIR_Topo_order_edges(const MPIR_Comm *comm, const MPIR_Topo_edges_t *edges, int order[],
                          bool *better)
{
    list l = {.memory = NULL};
    cmap_status status = order_edges(comm, edges, &l, better);

    for (int v = 0; status == CMAP_OK && *better && v < edges->n; v++)
        order[v] = (int) l.node_of_rank[v];
    MPL_free(l.memory);
    return status == CMAP_OK ? MPI_SUCCESS : MPIR_Map_error(status, "order of a graph", edges->n);
}
