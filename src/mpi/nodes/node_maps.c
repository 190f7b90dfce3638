/* SPDX-License-Identifier: BSD-3-Clause */

#include "mpiimpl.h"
#include "node_blocks.h"
#include "locality.h"

/*
 * The nodes under a communicator, without a table of its ranks.
 *
 *   intranode_map   rank in node_comm -> rank in the communicator: the processes of this node, in
 *                   increasing order
 *   internode_map   rank in node_roots_comm -> node id: the nodes in the order of their first
 *                   ranks; made with the communicators by nodes, which alone ask for it.  NULL when
 *                   every process has a node to itself, because rank and node then have the same
 *                   number
 *
 * Which node a process is on follows from MPIR_Process.node_blocks, once per process and for the
 * world only; so a rank's node is found through the communicator's map, and the node's number by
 * asking internode_map for the rank of the node id.  Ranks in blocks or in turns on the nodes make
 * both maps affine: no payload.  At worst the first takes bits for this node's processes, and the
 * second for the nodes.
 *
 * The node of a process that was spawned or connected is not known.  A communicator with one has no
 * maps, and no node-aware collectives.
 *
 * What MPIR_Find_nodes finds of a closed form, or of a few of them, follows from their levels and
 * the blocks of the nodes (locality.h) and from the ranks of this node's processes.  All other
 * maps are walked.
 */

#define UNKNOWN_NODE (-1)

static int node_of(uint32_t index)
{
    return index < (uint32_t) MPIR_Process.size ? MPIR_World_node((int) index) : UNKNOWN_NODE;
}

/* Ranks first .. first + count - 1 are on one node, those before and after them on others. */
typedef struct stretch {
    int node;
    uint32_t first, count;
} stretch;

typedef cmap_status (*stretch_visitor)(void *state, const stretch *s);

/* The node of a process, and the processes around it that are on the same. */
static MPIR_Node_stretch neighbours_of(uint32_t index)
{
    if (index < (uint32_t) MPIR_Process.size)
        return MPIR_Node_blocks_find(MPIR_Process.node_blocks, index);
    return (MPIR_Node_stretch){.node = (uint32_t) UNKNOWN_NODE, .first = index, .count = 1};
}

/* Visits the stretches of a map that is not empty, in rank order. */
static cmap_status walk_stretches(const cmap_t *map, stretch_visitor visit, void *state)
{
    uint32_t block[256], n;
    MPIR_Node_stretch around = neighbours_of(MPIR_cmap_select(map, 0));
    stretch s = {.node = (int) around.node, .first = 0, .count = 0};
    cmap_iter iter;

    MPIR_cmap_iter_init(&iter, map);
    while ((n = MPIR_cmap_iter_next(&iter, block, 256)) > 0) {
        for (uint32_t i = 0; i < n; i++) {
            if (block[i] - around.first >= around.count)
                around = neighbours_of(block[i]);
            int node = (int) around.node;
            if (node != s.node) {
                cmap_status status = visit(state, &s);
                if (status != CMAP_OK)
                    return status;
                s = (stretch){.node = node, .first = s.first + s.count, .count = 0};
            }
            s.count++;
        }
    }
    return visit(state, &s);
}

/* A bit for each node, and one for the unknown. */
static unsigned char *alloc_seen(void)
{
    return MPL_calloc((size_t) MPIR_Process.num_nodes / 8 + 1, 1, MPL_MEM_COMM);
}

static bool mark_seen(unsigned char *seen, int node)
{
    int k = (node == UNKNOWN_NODE) ? MPIR_Process.num_nodes : node;
    unsigned char bit = 1u << (k % 8);
    bool first = !(seen[k / 8] & bit);

    seen[k / 8] |= bit;
    return first;
}

/* What MPIR_Find_nodes collects on its way. */
typedef struct survey {
    cmap_builder *mine;
    unsigned char *seen;
    int my_node, node_count, stretches;
    bool complete; /* every node is known */
} survey;

static cmap_status survey_stretch(void *state, const stretch *s)
{
    survey *v = state;
    cmap_status status = CMAP_OK;

    v->stretches++;
    v->complete = v->complete && s->node != UNKNOWN_NODE;
    if (v->complete && s->node == v->my_node)
        status = MPIR_cmap_builder_add_range(v->mine, s->first, 1, s->count);
    if (mark_seen(v->seen, s->node))
        v->node_count++;
    return status;
}

static cmap_status survey_begin(survey *v, const MPIR_Comm *comm)
{
    *v = (survey){.my_node = MPIR_World_node(MPIR_Process.rank), .complete = true};
    v->seen = alloc_seen();
    if (!v->seen)
        return CMAP_ERR_NOMEM;
    return MPIR_cmap_builder_create(comm->local_size, NULL, &v->mine);
}

static cmap_status survey_finish(survey *v, MPIR_Comm *comm)
{
    comm->node_count = v->node_count;
    comm->is_node_consecutive = v->complete && v->stretches == v->node_count;
    return v->complete ? MPIR_cmap_builder_finish(v->mine, &comm->intranode_map) : CMAP_OK;
}

static void survey_end(survey *v)
{
    MPL_free(v->seen);
    MPIR_cmap_builder_free(v->mine);
}

static bool has_same_members(const MPIR_Comm *comm, const MPIR_Comm *source)
{
    return comm->comm_kind == MPIR_COMM_KIND__INTRACOMM &&
           source->comm_kind == MPIR_COMM_KIND__INTRACOMM &&
           comm->map == MPIR_Map_load(&source->map);
}

static void share_nodes(MPIR_Comm *comm, const MPIR_Comm *source)
{
    comm->node_count = source->node_count;
    comm->is_node_consecutive = source->is_node_consecutive;
    comm->intranode_map = MPIR_cmap_addref(source->intranode_map);
    /* another thread may be making it */
    if (MPL_atomic_acquire_load_int(&source->node_comms_made) && source->internode_map)
        comm->internode_map = MPIR_cmap_addref(source->internode_map);
}

/* One member, or all of them from a world on one node: no need to look at each. */
static bool is_on_one_known_node(const cmap_t *map)
{
    return MPIR_cmap_max(map) < (uint32_t) MPIR_Process.size &&
           (MPIR_cmap_size(map) == 1 || MPIR_Process.num_nodes == 1);
}

/* What a survey of a single stretch finds. */
static cmap_status take_one_node(MPIR_Comm *comm)
{
    uint32_t size = comm->local_size;

    comm->node_count = 1;
    comm->is_node_consecutive = true;
    return MPIR_cmap_from_range(0, 1, size, size, NULL, &comm->intranode_map);
}

static cmap_status survey_all(MPIR_Comm *comm)
{
    survey v;
    cmap_status status = survey_begin(&v, comm);

    if (status == CMAP_OK)
        status = walk_stretches(comm->map, survey_stretch, &v);
    if (status == CMAP_OK)
        status = survey_finish(&v, comm);
    survey_end(&v);
    return status;
}

/* ---- closed forms ---- */

static bool is_run(const cmap_form *form)
{
    uint32_t levels = 0;
    for (uint32_t k = 0; k < form->levels; k++)
        levels += form->count[k] > 1;
    return levels <= 1;
}

static locality_nodes nodes_of_block(const MPIR_Node_block *b)
{
    return (locality_nodes){.origin = b->rank, .size = b->size, .first = b->node};
}

/* The members of a run block by block, which have different nodes.  Returns how many parts there
 * are then; 0: too many. */
static uint32_t cut_run(const cmap_form *form, locality_part parts[], uint32_t n)
{
    const MPIR_Node_blocks *blocks = MPIR_Process.node_blocks;
    cmap_form rest = {.base = form->base, .levels = 1, .count = {1}, .stride = {1}};

    for (uint32_t k = 0; k < form->levels; k++) {
        if (form->count[k] > 1) {
            rest.count[0] = form->count[k];
            rest.stride[0] = form->stride[k];
        }
    }
    while (rest.count[0] > 0 && n < LOCALITY_PARTS) {
        const MPIR_Node_block *b = MPIR_Node_blocks_of(blocks, rest.base);
        bool is_last = b + 1 == blocks->b + blocks->n;
        uint32_t end = is_last ? blocks->end : b[1].rank, step, left;

        step = (uint32_t) (rest.stride[0] < 0 ? -rest.stride[0] : rest.stride[0]);
        left = (rest.stride[0] < 0 ? rest.base - b->rank : end - 1 - rest.base) / step + 1;
        parts[n] = (locality_part){.form = rest, .nodes = nodes_of_block(b)};
        parts[n].form.count[0] = MPL_MIN(left, rest.count[0]);
        rest.count[0] -= parts[n].form.count[0];
        rest.base += parts[n++].form.count[0] * (uint32_t) rest.stride[0];
    }
    return rest.count[0] > 0 ? 0 : n;
}

/* On blocks of one size, which may begin again and again. */
static uint32_t parts_on_one_block(const cmap_form forms[], uint32_t n, locality_part parts[])
{
    const MPIR_Node_blocks *blocks = MPIR_Process.node_blocks;
    locality_nodes nodes = nodes_of_block(&blocks->b[0]);

    if (nodes.size > LOCALITY_MOST)
        return 0;
    if (blocks->end < blocks->processes)
        nodes.period = blocks->end;
    for (uint32_t i = 0; i < n; i++)
        parts[i] = (locality_part){.form = forms[i], .nodes = nodes};
    return n;
}

static uint32_t parts_on_blocks(const cmap_form forms[], uint32_t n, locality_part parts[])
{
    const MPIR_Node_blocks *blocks = MPIR_Process.node_blocks;
    uint32_t made = 0;

    if (blocks->end < blocks->processes || !MPIR_Node_blocks_ascend(blocks))
        return 0;
    for (uint32_t i = 0; i < blocks->n; i++) {
        if (blocks->b[i].size > LOCALITY_MOST)
            return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!is_run(&forms[i]))
            return 0;
        made = cut_run(&forms[i], parts, made);
        if (made == 0)
            return 0;
    }
    return made;
}

/* The members as forms on nodes.  0: they are none, or too many. */
static uint32_t parts_of(const cmap_t *map, locality_part parts[])
{
    cmap_form forms[LOCALITY_PARTS];
    uint32_t n = MPIR_cmap_forms_of(map, forms, LOCALITY_PARTS);

    if (MPIR_Process.node_blocks->n == 1)
        return parts_on_one_block(forms, n, parts);
    return parts_on_blocks(forms, n, parts);
}

static int compare_ranks(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *) a, right = *(const uint32_t *) b;

    return (left > right) - (left < right);
}

/* This node's processes, by their ranks: one lookup for each. */
static cmap_status find_neighbours(MPIR_Comm *comm)
{
    uint32_t n = 0, *ranks = MPL_malloc(MPIR_Process.local_size * sizeof(*ranks), MPL_MEM_COMM);
    cmap_status status;

    if (!ranks)
        return CMAP_ERR_NOMEM;
    for (int i = 0; i < MPIR_Process.local_size; i++) {
        ranks[n] = MPIR_cmap_rank(comm->map, (uint32_t) MPIR_Process.node_local_map[i]);
        n += ranks[n] != CMAP_NONE;
    }
    qsort(ranks, n, sizeof(*ranks), compare_ranks);
    status = MPIR_cmap_from_array(ranks, n, comm->local_size, NULL, &comm->intranode_map);
    MPL_free(ranks);
    return status;
}

static bool count_by_forms(const cmap_t *map, locality_count *count)
{
    locality_part parts[LOCALITY_PARTS];

    return MPIR_cmap_max(map) < (uint32_t) MPIR_Process.size &&
           MPIR_locality_count_nodes(parts, parts_of(map, parts), count);
}

static cmap_status take_count(MPIR_Comm *comm, const locality_count *count)
{
    comm->node_count = (int) count->nodes;
    comm->is_node_consecutive = count->stretches == count->nodes;
    return find_neighbours(comm);
}

/* All of the world in its order, on nodes of which each is in one block: what a survey finds
 * follows from the blocks. */
static bool is_world_in_blocks(const cmap_t *map)
{
    return MPIR_cmap_size(map) == (uint32_t) MPIR_Process.size && MPIR_cmap_is_set(map) &&
           MPIR_cmap_max(map) == (uint32_t) MPIR_Process.size - 1 &&
           MPIR_Node_blocks_ascend(MPIR_Process.node_blocks);
}

static int count_nodes(const MPIR_Node_blocks *blocks)
{
    int nodes = 0;
    MPIR_Node_block b;

    for (uint32_t rank = 0; rank < blocks->end; nodes += (int) b.count)
        rank = MPIR_Node_blocks_next(blocks, rank, &b);
    return nodes;
}

static cmap_status survey_world(MPIR_Comm *comm)
{
    const MPIR_Node_blocks *blocks = MPIR_Process.node_blocks;
    survey v;
    cmap_status status = survey_begin(&v, comm);

    for (int i = 0; i < MPIR_Process.local_size && status == CMAP_OK; i++)
        status = MPIR_cmap_builder_add(v.mine, (uint32_t) MPIR_Process.node_local_map[i]);
    if (status == CMAP_OK) {
        v.node_count = count_nodes(blocks);
        v.stretches = blocks->end == blocks->processes ? v.node_count : INT_MAX;
        status = survey_finish(&v, comm);
    }
    survey_end(&v);
    return status;
}

int MPIR_Find_nodes(MPIR_Comm *comm)
{
    cmap_status status;

    bool one_node = comm->hierarchy_kind == MPIR_COMM_HIERARCHY_KIND__NODE;
    locality_count count;

    if (comm->intranode_map)
        return MPI_SUCCESS; /* found before */
    comm->node_count = one_node ? 1 : comm->local_size;
    if (comm->comm_kind != MPIR_COMM_KIND__INTRACOMM ||
        comm->hierarchy_kind != MPIR_COMM_HIERARCHY_KIND__FLAT)
        return MPI_SUCCESS;

    if (is_on_one_known_node(comm->map))
        status = take_one_node(comm);
    else if (count_by_forms(comm->map, &count))
        status = take_count(comm, &count);
    else
        status = is_world_in_blocks(comm->map) ? survey_world(comm) : survey_all(comm);
    return (status == CMAP_OK) ? MPI_SUCCESS : MPIR_Map_error(status, "nodes", comm->local_size);
}

int MPIR_Copy_nodes(MPIR_Comm *comm, const MPIR_Comm *source)
{
    if (!comm->intranode_map && source->intranode_map && has_same_members(comm, source))
        share_nodes(comm, source);
    return MPIR_Find_nodes(comm);
}

/* What MPIR_Find_node_order collects; NULL: it is not asked for. */
typedef struct order {
    cmap_builder *nodes, *roots;
    unsigned char *seen;
} order;

static cmap_status add_node(void *state, const stretch *s)
{
    order *o = state;
    cmap_status status = CMAP_OK;

    if (!mark_seen(o->seen, s->node))
        return CMAP_OK;
    if (o->nodes)
        status = MPIR_cmap_builder_add(o->nodes, s->node);
    if (o->roots && status == CMAP_OK)
        status = MPIR_cmap_builder_add(o->roots, s->first);
    return status;
}

static cmap_status add_blocks(const MPIR_Node_blocks *blocks, order *o)
{
    cmap_status status = CMAP_OK;
    MPIR_Node_block b;

    for (uint32_t rank = 0; rank < blocks->end && status == CMAP_OK;) {
        rank = MPIR_Node_blocks_next(blocks, rank, &b);
        if (o->nodes)
            status = MPIR_cmap_builder_add_range(o->nodes, b.node, 1, b.count);
        if (o->roots && status == CMAP_OK)
            status = MPIR_cmap_builder_add_range(o->roots, b.rank, (int32_t) b.size, b.count);
    }
    return status;
}

static cmap_status find_order(const MPIR_Comm *comm, order *o, cmap_t **nodes, cmap_t **roots)
{
    cmap_status status = o->seen ? CMAP_OK : CMAP_ERR_NOMEM;

    if (nodes && status == CMAP_OK)
        status = MPIR_cmap_builder_create(MPIR_Process.num_nodes, NULL, &o->nodes);
    if (roots && status == CMAP_OK)
        status = MPIR_cmap_builder_create(comm->local_size, NULL, &o->roots);
    if (status == CMAP_OK && is_world_in_blocks(comm->map))
        status = add_blocks(MPIR_Process.node_blocks, o);
    else if (status == CMAP_OK)
        status = walk_stretches(comm->map, add_node, o);
    if (nodes && status == CMAP_OK)
        status = MPIR_cmap_builder_finish(o->nodes, nodes);
    if (roots && status == CMAP_OK)
        status = MPIR_cmap_builder_finish(o->roots, roots);
    return status;
}

int MPIR_Find_node_order(const MPIR_Comm *comm, cmap_t **nodes, cmap_t **roots)
{
    order o = {.nodes = NULL, .roots = NULL, .seen = alloc_seen()};
    cmap_status status = find_order(comm, &o, nodes, roots);

    MPIR_cmap_builder_free(o.nodes);
    MPIR_cmap_builder_free(o.roots);
    MPL_free(o.seen);
    if (status != CMAP_OK)
        return MPIR_Map_error(status, "order of the nodes", comm->node_count);
    return MPI_SUCCESS;
}

int MPIR_Get_intranode_rank(MPIR_Comm *comm, int r)
{
    uint32_t rank;

    MPIR_Assert(comm->intranode_map);
    MPIR_Assert(r >= 0 && r < comm->local_size);
    if (r == comm->rank && comm->node_comm)
        return comm->node_comm->rank;
    rank = MPIR_cmap_rank(comm->intranode_map, r);
    return rank == CMAP_NONE ? -1 : (int) rank;
}

int MPIR_Get_internode_rank(MPIR_Comm *comm, int r)
{
    MPIR_Assert(comm->intranode_map);
    MPIR_Assert(r >= 0 && r < comm->local_size);
    if (!MPIR_Comm_is_parent_comm(comm))
        return r;
    if (r == 0)
        return 0; /* nodes are in the order of their first processes */
    if (r == comm->rank && comm->node_roots_comm)
        return comm->node_roots_comm->rank;
    MPIR_Assert(comm->internode_map);
    return (int) MPIR_cmap_rank(comm->internode_map, node_of(MPIR_cmap_select(comm->map, r)));
}
