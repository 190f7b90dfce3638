/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A breadth-first search of a graph that is spread over all processes, by one-sided communication,
 * as Graph500 has it: in each level, the owner of a vertex accumulates that vertex into the window
 * of each neighbour's owner, and a fence ends the level.  The least of the vertices that reach a
 * neighbour becomes its parent.
 *
 *     mpicc -O2 -o bfs bfs.c && mpiexec -n 4 ./bfs 13 8
 *     MPIR_CVAR_CH4_RMA_ISSUE=lazy mpiexec -n 4 ./bfs 13 8
 *
 * searches a graph of 2^13 vertices (7 without arguments) and 16 times as many edges from 8 roots
 * (4 without), and compares each tree with that of a search by one process alone.  It prints the
 * median time of a search and the edges it has passed in that time, both of the second half of the
 * searches: in the first ones, libraries make connections and touch their buffers.
 */
#include <mpi.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { EDGES_A_VERTEX = 16, MOST_SCALE = 24, MOST_SEARCHES = 1000 };

/* more than any vertex, so that the least of both is the vertex */
static const long NONE = LONG_MAX;

static int rank, size, scale;
static long vertices, edges;

/* The neighbours of some vertices, which are PART, PART + PARTS, PART + 2 PARTS...; of the k-th
 * of them from first[k] on. */
struct graph {
    int part, parts;
    long count, *first, *neighbours;
};

static void *allocate(long count)
{
    void *memory = calloc((size_t) count + 1, sizeof(long));

    if (!memory) {
        fprintf(stderr, "bfs: no memory for %ld numbers\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* ---- the graph: R-MAT, a Kronecker graph */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9fb21c651e98df25);
    x = (x ^ (x >> 28)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

/* A permutation of the vertices: those with many neighbours are not next to each other. */
static long scattered(long vertex)
{
    for (int turn = 0; turn < 2; turn++) {
        vertex = (vertex * 40503 + 12345) & (vertices - 1);
        vertex ^= vertex >> (scale + 1) / 2;
    }
    return vertex;
}

/* Both ends of the edge number e.  Each bit of them chooses a quarter of the matrix, of which
 * the first is the densest. */
static void edge(long e, long ends[2])
{
    uint64_t random = mixed((uint64_t) e + 1);

    ends[0] = ends[1] = 0;
    for (int bit = 0; bit < scale; bit++) {
        unsigned percent = (unsigned) (random >> 32) % 100;

        ends[0] = 2 * ends[0] + (percent >= 76);
        ends[1] = 2 * ends[1] + ((percent >= 57 && percent < 76) || percent >= 95);
        random = mixed(random + UINT64_C(0x2545f4914f6cdd1d));
    }
    ends[0] = scattered(ends[0]);
    ends[1] = scattered(ends[1]);
}

/* Everybody makes all edges and keeps those of his vertices, which is less work than sending them
 * at the sizes of this program.  Loops and edges that come twice stay, as in Graph500. */
static struct graph graph_of(int part, int parts)
{
    struct graph g = {part, parts, (vertices - part + parts - 1) / parts, NULL, NULL};
    long *next, ends[2];

    g.first = allocate(g.count);
    next = allocate(g.count);
    for (long e = 0; e < edges; e++) {
        edge(e, ends);
        for (int end = 0; end < 2; end++)
            if (ends[end] % parts == part)
                g.first[ends[end] / parts + 1]++;
    }
    for (long k = 0; k < g.count; k++)
        next[k] = g.first[k + 1] += g.first[k];
    g.neighbours = allocate(g.first[g.count]);
    for (long e = 0; e < edges; e++) {
        edge(e, ends);
        for (int end = 0; end < 2; end++)
            if (ends[end] % parts == part)
                g.neighbours[--next[ends[end] / parts]] = ends[!end];
    }
    free(next);
    return g;
}

static void graph_free(struct graph *g)
{
    free(g->first);
    free(g->neighbours);
}

/* ---- the search */

struct search {
    long *parent;         /* of each of the graph's vertices; a root's is itself */
    long *reached_by;     /* in this level: the window of the search on all processes */
    long *level, n_level; /* the vertices reached in the last level */
};

static void start(struct search *s, const struct graph *g, long root)
{
    for (long k = 0; k < g->count; k++)
        s->parent[k] = s->reached_by[k] = NONE;
    s->n_level = 0;
    if (root % g->parts == g->part) {
        s->parent[root / g->parts] = root;
        s->level[s->n_level++] = root;
    }
}

/* The vertices that were reached for the first time are the next level. */
static void next_level(struct search *s, const struct graph *g)
{
    s->n_level = 0;
    for (long k = 0; k < g->count; k++) {
        if (s->reached_by[k] != NONE && s->parent[k] == NONE) {
            s->parent[k] = s->reached_by[k];
            s->level[s->n_level++] = k * g->parts + g->part;
        }
        s->reached_by[k] = NONE;
    }
}

/* The window may be touched by its owner until the fence that opens the level, and after the one
 * that closes it. */
static void search_together(struct search *s, const struct graph *g, long root, MPI_Win win)
{
    long everywhere = 1;

    start(s, g, root);
    while (everywhere > 0) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        for (long i = 0; i < s->n_level; i++) {
            long k = s->level[i] / size;

            for (long n = g->first[k]; n < g->first[k + 1]; n++) {
                long to = g->neighbours[n];

                MPI_Accumulate(&s->level[i], 1, MPI_LONG, (int) (to % size), to / size, 1, MPI_LONG,
                               MPI_MIN, win);
            }
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        next_level(s, g);
        MPI_Allreduce(&s->n_level, &everywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void search_alone(struct search *s, const struct graph *g, long root)
{
    for (start(s, g, root); s->n_level > 0; next_level(s, g)) {
        for (long i = 0; i < s->n_level; i++) {
            long from = s->level[i];

            for (long n = g->first[from]; n < g->first[from + 1]; n++) {
                long to = g->neighbours[n];

                if (from < s->reached_by[to])
                    s->reached_by[to] = from;
            }
        }
    }
}

/* ---- all searches */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static long root_number(int number, const struct graph *whole)
{
    long root = (long) (mixed((uint64_t) number + 1000003) & (uint64_t) (vertices - 1));

    while (whole->first[root] == whole->first[root + 1])
        root = (root + 1) % vertices;
    return root;
}

/* What differs from the search alone; also counts the edges that were passed. */
static long compare(const struct search *s, const struct graph *g, const struct search *alone,
                    const struct graph *whole, long *passed)
{
    long wrong = 0;

    for (long k = 0; k < g->count; k++)
        wrong += s->parent[k] != alone->parent[k * g->parts + g->part];
    *passed = 0;
    for (long v = 0; v < vertices; v++)
        if (alone->parent[v] != NONE)
            *passed += whole->first[v + 1] - whole->first[v];
    *passed /= 2;
    return wrong;
}

static double median_of_second_half(double *figures, int n)
{
    int half = n / 2;

    qsort(figures + half, (size_t) (n - half), sizeof figures[0], ascending);
    return figures[half + (n - half) / 2];
}

/* How many parents were wrong. */
static long all_searches(int searches, struct search *s, const struct graph *g, MPI_Win win)
{
    struct graph whole = graph_of(0, 1);
    struct search alone = {allocate(vertices), allocate(vertices), allocate(vertices), 0};
    double us[MOST_SEARCHES], rates[MOST_SEARCHES];
    long passed, wrong = 0, all;

    for (int i = 0; i < searches; i++) {
        long root = root_number(i, &whole);

        MPI_Barrier(MPI_COMM_WORLD);
        us[i] = MPI_Wtime();
        search_together(s, g, root, win);
        us[i] = 1e6 * (MPI_Wtime() - us[i]);
        search_alone(&alone, &whole, root);
        wrong += compare(s, g, &alone, &whole, &passed);
        rates[i] = (double) passed / us[i];
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf(
            "%d ranks, %ld vertices, %ld edges, %d searches: %.1f us a search, %.3f million edges "
            "a second, %ld wrong\n",
            size, vertices, edges, searches, median_of_second_half(us, searches),
            median_of_second_half(rates, searches), all);
    graph_free(&whole);
    free(alone.parent);
    free(alone.reached_by);
    free(alone.level);
    return all;
}

int main(int argc, char **argv)
{
    struct graph mine;
    struct search s = {NULL, NULL, NULL, 0};
    MPI_Win win;
    int searches;
    long wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    scale = argc > 1 ? atoi(argv[1]) : 7;
    searches = argc > 2 ? atoi(argv[2]) : 4;
    if (scale < 1 || scale > MOST_SCALE || searches < 1 || searches > MOST_SEARCHES) {
        fprintf(stderr, "usage: bfs [SCALE, 1 to %d [SEARCHES, 1 to %d]]\n", MOST_SCALE,
                MOST_SEARCHES);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    vertices = 1L << scale;
    edges = EDGES_A_VERTEX * vertices;
    mine = graph_of(rank, size);
    s.parent = allocate(mine.count);
    s.level = allocate(mine.count);
    MPI_Win_allocate(mine.count * (MPI_Aint) sizeof(long), sizeof(long), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &s.reached_by, &win);
    wrong = all_searches(searches, &s, &mine, win);
    MPI_Win_free(&win);
    free(s.parent);
    free(s.level);
    graph_free(&mine);
    MPI_Finalize();
    return wrong != 0;
}
