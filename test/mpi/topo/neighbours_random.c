/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives of neighbours at random: grids, graphs and distributed graphs, with edges that come
 * several times, that lead to their own process, or to none; parts of any length, many of them
 * empty and some too long for lines; blocking, nonblocking and persistent, up to eight of them at
 * a time; types with gaps, which are freed while they are in use, and communicators, too.  Each
 * element is compared with what it must be, and so are those between the parts.
 *
 *   neighbours_random [rounds]
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { COMMS = 4, OPEN = 8, NOTHING = -77, MANY = 300 };
enum kind { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, KINDS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static const char *const names[] = {"allgather", "allgatherv", "alltoall", "alltoallv",
                                    "alltoallw"};
static const char *const forms[] = {"blocking", "nonblocking", "persistent"};

/* An end of an edge at this process: `number` tells edges between two processes from each other,
 * and is the same at both ends. */
struct end {
    int other, number;
};

struct topology {
    MPI_Comm comm;
    int rank, is_crowded;
    int n_out, n_in;
    struct end *out, *in;
};

/* One side of a call: a part for each edge, with an element between two parts. */
struct side {
    int *at, *counts, *places;
    MPI_Aint *bytes;
    MPI_Datatype *types;
    int n, stride, elements;
    struct end *ends;
};

struct call {
    enum kind kind;
    enum form form;
    int round, rank, longest;
    MPI_Comm comm;
    struct side out, in;
    MPI_Request request;
};

static ct_rng common_rng, own_rng;
static MPI_Datatype with_gap;

/* ---- topologies ---- */

static struct end *ends(int n) { return ct_alloc((size_t) n + 1, sizeof(struct end)); }

/* Which of the ends with that process is this one? */
static int count_before(const struct end *list, int i)
{
    int n = 0;

    for (int k = 0; k < i; k++)
        n += list[k].other == list[i].other;
    return n;
}

static void number_ends(struct end *list, int n)
{
    for (int i = 0; i < n; i++)
        list[i].number = count_before(list, i);
}

/* What leaves in one direction comes from the other one. */
static void make_grid(struct topology *topology, MPI_Comm from)
{
    int dims[4] = {0}, periods[4], n = 1 + ct_below(&common_rng, 4), size;

    MPI_Comm_size(from, &size);
    MPI_Dims_create(size, n, dims);
    for (int d = 0; d < n; d++)
        periods[d] = ct_below(&common_rng, 3) > 0;
    MPI_Cart_create(from, n, dims, periods, 0, &topology->comm);
    topology->n_out = topology->n_in = 2 * n;
    topology->out = ends(2 * n);
    topology->in = ends(2 * n);
    for (int d = 0; d < n; d++) {
        int to[2];

        MPI_Cart_shift(topology->comm, d, 1, &to[0], &to[1]);
        for (int i = 0; i < 2; i++) {
            topology->out[2 * d + i] = (struct end){to[i], 2 * d + i};
            topology->in[2 * d + i] = (struct end){to[i], 2 * d + 1 - i};
        }
    }
}

/* As many edges from one to the other as back. */
static void make_graph(struct topology *topology, MPI_Comm from)
{
    int size, rank, all = 0, most, *index, *edges, *pairs;

    MPI_Comm_size(from, &size);
    MPI_Comm_rank(from, &rank);
    index = ct_ints(size + 1);
    pairs = ct_ints(size * size);
    most = ct_below(&common_rng, 3) + 1;
    for (int i = 0; i < size; i++)
        for (int k = 0; k <= i; k++)
            pairs[i * size + k] = pairs[k * size + i] = ct_below(&common_rng, most + 1);
    edges = ct_ints(3 * size * size + 1);
    for (int i = 0; i < size; i++) {
        int first = all;

        for (int left = most; left > 0; left--)
            for (int k = 0; k < size; k++)
                if (pairs[i * size + (k + i) % size] >= left)
                    edges[all++] = (k + i) % size;
        index[i] = all;
        if (i != rank)
            continue;
        topology->n_out = topology->n_in = all - first;
        topology->out = ends(all - first);
        topology->in = ends(all - first);
        for (int e = first; e < all; e++)
            topology->out[e - first].other = topology->in[e - first].other = edges[e];
    }
    MPI_Graph_create(from, size, index, edges, 0, &topology->comm);
    number_ends(topology->out, topology->n_out);
    number_ends(topology->in, topology->n_in);
    free(index);
    free(edges);
    free(pairs);
}

static int *others_of(const struct end *list, int n)
{
    int *others = ct_ints(n + 1);

    for (int i = 0; i < n; i++)
        others[i] = list[i].other;
    return others;
}

static void shuffle(struct end *list, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = ct_below(&own_rng, i + 1);
        struct end kept = list[i];

        list[i] = list[k];
        list[k] = kept;
    }
    number_ends(list, n);
}

/* Sometimes with more edges than a row can list. */
static void make_distributed(struct topology *topology, MPI_Comm from)
{
    int size, rank, edges, few, *sources, *targets;

    MPI_Comm_size(from, &size);
    MPI_Comm_rank(from, &rank);
    few = ct_below(&common_rng, 20);
    topology->is_crowded = few == 0;
    edges = few ? ct_below(&common_rng, 4 * size) : MANY * size;
    topology->out = ends(edges);
    topology->in = ends(edges);
    for (int e = 0; e < edges; e++) {
        int source = ct_below(&common_rng, size), target = ct_below(&common_rng, size);

        if (topology->is_crowded && size > 1) /* all from one */
            source = 1;
        if (source == rank)
            topology->out[topology->n_out++].other = target;
        if (target == rank)
            topology->in[topology->n_in++].other = source;
    }
    shuffle(topology->out, topology->n_out);
    shuffle(topology->in, topology->n_in);
    sources = others_of(topology->in, topology->n_in);
    targets = others_of(topology->out, topology->n_out);
    MPI_Dist_graph_create_adjacent(from, topology->n_in, sources, MPI_UNWEIGHTED, topology->n_out,
                                   targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &topology->comm);
    free(sources);
    free(targets);
}

static void make_topologies(struct topology made[COMMS])
{
    static void (*const make[])(struct topology *, MPI_Comm) = {make_grid, make_graph,
                                                                make_distributed};

    for (int i = 0; i < COMMS; i++) {
        MPI_Comm from = MPI_COMM_WORLD;

        if (ct_below(&common_rng, 2))
            MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &from);
        made[i] = (struct topology){.comm = MPI_COMM_NULL};
        make[i % 3](&made[i], from);
        MPI_Comm_rank(made[i].comm, &made[i].rank);
        for (int n = ct_below(&common_rng, 3); n > 0; n--)
            MPI_Barrier(made[i].comm);
        if (from != MPI_COMM_WORLD)
            MPI_Comm_free(&from);
    }
}

static void free_topologies(struct topology made[COMMS])
{
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_free(&made[i].comm);
        free(made[i].out);
        free(made[i].in);
    }
}

/* ---- what must be ---- */

/* Elements of an edge: the same function at both ends. */
static int length(const struct call *call, int from, int to, int number)
{
    unsigned mixed = (unsigned) (call->round * 7919 + from * 104729);

    if (call->kind == ALLGATHER || call->kind == ALLTOALL)
        return call->longest;
    if (call->kind != ALLGATHERV)
        mixed += (unsigned) (to * 1299709 + number * 15485863);
    mixed = (mixed ^ mixed >> 7) * 2654435761U >> 8;
    return mixed % 3 == 0 ? 0 : (int) (mixed / 3 % (unsigned) (call->longest + 1));
}

static int value(const struct call *call, int from, int to, int number, int i)
{
    if (call->kind <= ALLGATHERV)
        to = number = 0;
    return call->round % 1000 * 100003 + from * 10007 + to * 1009 + number * 101 + i % 97;
}

/* ---- buffers ---- */

static int has_one_part(const struct call *call, int is_given)
{
    return is_given && call->kind <= ALLGATHERV;
}

static void clear(const struct side *side)
{
    for (int i = 0; i < side->elements; i++)
        side->at[i] = NOTHING;
}

static void lay_out(struct side *side, const struct call *call, const struct topology *topology,
                    int is_given)
{
    const struct end *list = is_given ? topology->out : topology->in;
    int one = has_one_part(call, is_given), gap = call->kind != ALLGATHER && call->kind != ALLTOALL;
    int next = gap;

    side->n = one ? 1 : is_given ? topology->n_out : topology->n_in;
    side->counts = ct_ints(side->n + 1);
    side->places = ct_ints(side->n + 1);
    side->bytes = ct_alloc((size_t) side->n + 1, sizeof(MPI_Aint));
    side->types = ct_alloc((size_t) side->n + 1, sizeof(MPI_Datatype));
    side->ends = ends(side->n);
    side->stride = ct_below(&own_rng, 3) == 0 ? 2 : 1;
    for (int i = 0; i < side->n; i++) {
        struct end end = one ? (struct end){0, 0} : list[i];

        side->ends[i] = end;
        side->counts[i] = is_given ? length(call, call->rank, end.other, end.number)
                                   : length(call, end.other, call->rank, end.number);
        side->places[i] = next;
        side->bytes[i] = (MPI_Aint) next * side->stride * (MPI_Aint) sizeof(int);
        next += side->counts[i] + gap;
    }
    side->elements = (next + 1) * side->stride;
    side->at = ct_ints(side->elements);
    clear(side);
    for (int i = 0; i <= side->n; i++)
        MPI_Type_dup(side->stride == 2 ? with_gap : MPI_INT, &side->types[i]);
}

static void fill(const struct side *side, const struct call *call)
{
    for (int e = 0; e < side->n; e++)
        for (int i = 0; i < side->counts[e]; i++)
            side->at[(side->places[e] + i) * side->stride] =
                value(call, call->rank, side->ends[e].other, side->ends[e].number, i);
}

/* Nothing comes from MPI_PROC_NULL. */
static void set_wanted(int *wanted, const struct side *in, const struct call *call)
{
    for (int i = 0; i < in->elements; i++)
        wanted[i] = NOTHING;
    for (int e = 0; e < in->n; e++)
        for (int i = 0; i < in->counts[e] && in->ends[e].other != MPI_PROC_NULL; i++)
            wanted[(in->places[e] + i) * in->stride] =
                value(call, in->ends[e].other, call->rank, in->ends[e].number, i);
}

static void check(const struct call *call)
{
    const struct side *in = &call->in;
    int *wanted = ct_ints(in->elements);

    set_wanted(wanted, in, call);
    for (int i = 0; i < in->elements && ct_errs == 0; i++)
        CT_CHECK(in->at[i] == wanted[i],
                 "round %d, %s %s of at most %d ints, rank %d, %d edges come and %d leave: element "
                 "%d is %d, not %d",
                 call->round, forms[call->form], names[call->kind], call->longest, call->rank,
                 in->n, call->out.n, i, in->at[i], wanted[i]);
    free(wanted);
}

/* ---- calls ---- */

#define CALL(name, ...) \
    do { \
        if (call->form == BLOCKING) \
            MPI_Neighbor_##name(__VA_ARGS__, call->comm); \
        else if (call->form == NONBLOCKING) \
            MPI_Ineighbor_##name(__VA_ARGS__, call->comm, &call->request); \
        else \
            MPI_Neighbor_##name##_init(__VA_ARGS__, call->comm, MPI_INFO_NULL, &call->request); \
    } while (0)

static void do_call(struct call *call)
{
    const struct side *out = &call->out, *in = &call->in;
    const int *first = out->at + out->places[0] * out->stride;

    if (call->kind == ALLGATHER)
        CALL(allgather, first, call->longest, out->types[0], in->at, call->longest, in->types[0]);
    else if (call->kind == ALLGATHERV)
        CALL(allgatherv, first, out->counts[0], out->types[0], in->at, in->counts, in->places,
             in->types[0]);
    else if (call->kind == ALLTOALL)
        CALL(alltoall, out->at, call->longest, out->types[0], in->at, call->longest, in->types[0]);
    else if (call->kind == ALLTOALLV)
        CALL(alltoallv, out->at, out->counts, out->places, out->types[0], in->at, in->counts,
             in->places, in->types[0]);
    else
        CALL(alltoallw, out->at, out->counts, out->bytes, out->types, in->at, in->counts, in->bytes,
             in->types);
}

static void free_types(struct side *side)
{
    for (int i = 0; i <= side->n; i++)
        MPI_Type_free(&side->types[i]);
}

/* A persistent one is started several times, and the last start is waited for later. */
static void begin(struct call *call, const struct topology *topology)
{
    lay_out(&call->out, call, topology, 1);
    lay_out(&call->in, call, topology, 0);
    fill(&call->out, call);
    do_call(call);
    free_types(&call->out);
    free_types(&call->in);
    for (int start = 0; start < (call->form == PERSISTENT ? 5 : 0); start++) {
        if (start > 0)
            MPI_Wait(&call->request, MPI_STATUS_IGNORE);
        if (start > 0)
            check(call);
        clear(&call->in);
        MPI_Start(&call->request);
    }
}

static void free_side(struct side *side)
{
    free(side->at);
    free(side->counts);
    free(side->places);
    free(side->bytes);
    free(side->types);
    free(side->ends);
}

static void finish(struct call *call)
{
    check(call);
    if (call->request != MPI_REQUEST_NULL)
        MPI_Request_free(&call->request);
    free_side(&call->out);
    free_side(&call->in);
}

static struct call draw_call(const struct topology *topology, int round)
{
    static const int longest[] = {1, 5, 5, 12, 60, 300, 1500, 5000};
    struct call call = {.comm = topology->comm, .round = round, .request = MPI_REQUEST_NULL};
    int lengths = topology->is_crowded ? 5 : 8;

    call.rank = topology->rank;
    call.kind = (enum kind) ct_below(&common_rng, KINDS);
    call.form = (enum form) ct_below(&common_rng, FORMS);
    call.longest = longest[ct_below(&common_rng, lengths)];
    return call;
}

static void complete_one(struct call open[], int *n)
{
    int which = ct_below(&own_rng, *n);

    MPI_Wait(&open[which].request, MPI_STATUS_IGNORE);
    finish(&open[which]);
    open[which] = open[--*n];
}

int main(int argc, char **argv)
{
    struct topology topologies[COMMS];
    struct call open[OPEN];
    int n_open = 0, rounds;

    MTest_Init(&argc, &argv);
    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    common_rng.state = 815;
    own_rng.state = (uint64_t) ct_me + 1;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_gap);
    MPI_Type_commit(&with_gap);
    make_topologies(topologies);
    for (int round = 0; round < rounds && ct_errs == 0; round++) {
        const struct topology *topology = &topologies[ct_below(&common_rng, COMMS)];

        while (n_open == OPEN || (n_open > 0 && ct_below(&own_rng, 2)))
            complete_one(open, &n_open);
        open[n_open] = draw_call(topology, round);
        begin(&open[n_open++], topology);
        if (round % 50 == 49) { /* the calls go on */
            free_topologies(topologies);
            make_topologies(topologies);
        }
    }
    while (n_open > 0)
        complete_one(open, &n_open);
    free_topologies(topologies);
    MPI_Type_free(&with_gap);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
