/* SPDX-License-Identifier: BSD-3-Clause */

#include "locality.h"

/* Parts grow one after the other (the greedy graph growing of G. Karypis and V. Kumar, "A fast and
 * high quality multilevel scheme for partitioning irregular graphs", 1998).  A part begins in the
 * vertex with the most edges to the parts before it, so that no lone vertices are left behind.  Of
 * the vertices next to it the one comes next whose addition cuts least, and of those the one that
 * was next to it first, so that a part is round and no line. */

#define NONE UINT32_MAX

struct growth;

typedef struct {
    bool (*is_before)(const struct growth *g, uint32_t v, uint32_t w);
    uint32_t *at, *place; /* vertices; where each vertex is, or NONE */
    uint32_t size;
} heap;

typedef struct growth {
    const locality_graph *graph;
    uint32_t *node_of;
    int64_t *gain;          /* of adding: edges that are then not cut, less those that are */
    uint64_t *to_part;      /* edges to the part that grows */
    uint64_t *to_others;    /* edges to those before */
    uint32_t *found, *seen; /* when a vertex came next to the part, and to one before */
    uint32_t n_found;
    uint32_t first, lowest; /* the vertex to begin with; no vertex below is left */
    heap next, seeds;       /* vertices next to the part, and next to those before */
} growth;

enum { LONG_WORDS = 3, WORDS = 6 }; /* arrays of 64 and of 32 bits */

uint64_t MPIR_locality_partition_bytes(uint32_t n)
{
    return n * (LONG_WORDS * sizeof(int64_t) + WORDS * sizeof(uint32_t));
}

static uint32_t weight_of(const locality_graph *graph, uint32_t edge)
{
    return graph->weight ? graph->weight[edge] : 1;
}

/* ---- heaps ---- */

static bool grows_before(const growth *g, uint32_t v, uint32_t w)
{
    return g->gain[v] != g->gain[w] ? g->gain[v] > g->gain[w] : g->found[v] < g->found[w];
}

/* Edges in all: adding a vertex keeps 2 to_part + to_others of them. */
static int64_t degree_of(const growth *g, uint32_t v)
{
    return (int64_t) (2 * g->to_part[v] + g->to_others[v]) - g->gain[v];
}

/* Of as many edges to others the one with the fewest in all, and then the one seen first. */
static bool begins_before(const growth *g, uint32_t v, uint32_t w)
{
    int64_t more = degree_of(g, w) - degree_of(g, v);

    if (g->to_others[v] != g->to_others[w])
        return g->to_others[v] > g->to_others[w];
    return more != 0 ? more > 0 : g->seen[v] < g->seen[w];
}

static void heap_put(heap *h, uint32_t at, uint32_t v)
{
    h->at[at] = v;
    h->place[v] = at;
}

static void rise(const growth *g, heap *h, uint32_t v)
{
    uint32_t at = h->place[v];

    for (; at > 0 && h->is_before(g, v, h->at[(at - 1) / 2]); at = (at - 1) / 2)
        heap_put(h, at, h->at[(at - 1) / 2]);
    heap_put(h, at, v);
}

static void sink(const growth *g, heap *h, uint32_t v)
{
    uint32_t at = h->place[v], child;

    for (; (child = 2 * at + 1) < h->size; at = child) {
        if (child + 1 < h->size && h->is_before(g, h->at[child + 1], h->at[child]))
            child++;
        if (!h->is_before(g, h->at[child], v))
            break;
        heap_put(h, at, h->at[child]);
    }
    heap_put(h, at, v);
}

static void heap_append(heap *h, uint32_t v)
{
    heap_put(h, h->size, v);
    h->size++;
}

static void heap_leave(const growth *g, heap *h, uint32_t v)
{
    uint32_t at = h->place[v], last;

    if (at == NONE)
        return;
    h->place[v] = NONE;
    last = h->at[--h->size];
    if (last == v)
        return;
    heap_put(h, at, last);
    rise(g, h, last);
    sink(g, h, last);
}

/* ---- parts ---- */

static void add_vertex(growth *g, uint32_t v, uint32_t node)
{
    const locality_graph *graph = g->graph;

    g->node_of[v] = node;
    heap_leave(g, &g->next, v);
    heap_leave(g, &g->seeds, v);
    for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
        uint32_t w = graph->other[e], weight = weight_of(graph, e);
        if (g->node_of[w] != NONE)
            continue;
        if (g->next.place[w] == NONE) {
            g->found[w] = g->n_found++;
            heap_append(&g->next, w);
        }
        g->to_part[w] += weight;
        g->gain[w] += 2 * (int64_t) weight;
        rise(g, &g->next, w);
    }
}

static uint32_t next_vertex(growth *g)
{
    if (g->next.size > 0)
        return g->next.at[0];
    if (g->seeds.size > 0)
        return g->seeds.at[0];
    if (g->node_of[g->first] == NONE)
        return g->first; /* the one with the fewest edges: a corner */
    while (g->node_of[g->lowest] != NONE)
        g->lowest++;
    return g->lowest;
}

/* The part is complete: edges to it are cut from now on, whatever comes. */
static void close_part(growth *g)
{
    for (uint32_t i = 0; i < g->next.size; i++) {
        uint32_t v = g->next.at[i];
        heap_leave(g, &g->seeds, v);
        g->gain[v] -= (int64_t) g->to_part[v];
        g->to_others[v] += g->to_part[v];
        g->to_part[v] = 0;
        g->next.place[v] = NONE;
        g->seen[v] = g->found[v];
        heap_append(&g->seeds, v);
        rise(g, &g->seeds, v);
    }
    g->next.size = 0;
}

static void growth_start(growth *g, const locality_graph *graph, uint32_t node_of[], void *work)
{
    uint32_t n = graph->n, *words;

    *g = (growth){.graph = graph, .node_of = node_of, .gain = work};
    g->to_part = (uint64_t *) (g->gain + n);
    g->to_others = g->to_part + n;
    words = (uint32_t *) (g->to_others + n);
    g->found = words;
    g->seen = words + n;
    g->next = (heap){.is_before = grows_before, .at = words + 2 * (uint64_t) n};
    g->seeds = (heap){.is_before = begins_before, .at = words + 3 * (uint64_t) n};
    g->next.place = words + 4 * (uint64_t) n;
    g->seeds.place = words + 5 * (uint64_t) n;
    for (uint32_t v = 0; v < n; v++) {
        g->gain[v] = 0;
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
            g->gain[v] -= weight_of(graph, e);
        if (g->gain[v] > g->gain[g->first])
            g->first = v;
        g->to_part[v] = g->to_others[v] = 0;
        g->next.place[v] = g->seeds.place[v] = node_of[v] = NONE;
    }
}

void MPIR_locality_partition(const locality_graph *graph, const uint32_t room[], uint32_t nodes,
                             uint32_t node_of[], void *work)
{
    growth g;
    uint32_t left = graph->n;

    growth_start(&g, graph, node_of, work);
    for (uint32_t node = 0; node < nodes && left > 0; node++) {
        for (uint32_t i = 0; i < room[node] && left > 0; i++, left--)
            add_vertex(&g, next_vertex(&g), node);
        close_part(&g);
    }
}

uint64_t MPIR_locality_cut_of_graph(const locality_graph *graph, const uint32_t node_of[])
{
    uint64_t cut = 0;

    for (uint32_t v = 0; v < graph->n; v++) {
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
            cut += node_of[v] != node_of[graph->other[e]] ? weight_of(graph, e) : 0;
    }
    return cut / 2;
}
