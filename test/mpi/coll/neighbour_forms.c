/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The neighborhood collectives, blocking, nonblocking and persistent, on grids and graphs of all
 * kinds: no neighbours, more in than out, one process several times or the process itself, periodic
 * dimensions of 1 and 2, no dimensions. The model matches the messages between two processes in the
 * order of the neighbours; on a grid what is sent in the negative direction arrives from the
 * positive one. Counts and types differ from message to message.
 */
#include "cmaptest.h"

enum { RANKS = 16, DEGREE = 24, STARTS = 3, UNTOUCHED = -7, MOST = 4 };

typedef struct lists {
    int out, in;
    int to[DEGREE], from[DEGREE];
} lists;

/* The neighbours of all processes, and for each incoming one the message of its sender. */
typedef struct model {
    int size, is_grid;
    lists of[RANKS];
    int message[RANKS][DEGREE];
} model;

static MPI_Comm topology;
static int me;
static model m;
static MPI_Datatype strided; /* two integers with a gap between them */

enum { STRIDED = 3 }; /* integers that it spans */

/* ---- the model ---- */

static int receive_order(int k) { return m.is_grid ? k ^ 1 : k; }

/* The messages of p to q, in order, for the receives of q from p, in order. */
static void match_pair(int p, int q)
{
    const lists *sender = &m.of[p], *receiver = &m.of[q];
    int k = 0;

    for (int i = 0; i < receiver->in; i++) {
        int l = receive_order(i);

        if (receiver->from[l] != p)
            continue;
        while (k < sender->out && sender->to[k] != q)
            k++;
        CT_CHECK(k < sender->out, "the model has no message for a receive");
        m.message[q][l] = k++;
    }
}

static void match(void)
{
    for (int p = 0; p < m.size; p++) {
        for (int q = 0; q < m.size; q++)
            match_pair(p, q);
    }
}

static int count_of(int sender, int k) { return (2 * sender + k) % MOST; }

static int value(int start, int sender, int k, int i)
{
    return ((start * RANKS + sender) * DEGREE + k) * MOST + i;
}

/* ---- buffers of one collective ---- */

enum kind { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, KINDS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static const char *const names[] = {"allgather", "allgatherv", "alltoall", "alltoallv",
                                    "alltoallw"};

/* Exactly as long as the degrees say. */
typedef struct arguments {
    enum kind kind;
    int *send, *receive;
    int send_room, receive_room;
    int *send_counts, *receive_counts, *send_at, *receive_at;
    MPI_Aint *send_bytes, *receive_bytes;
    MPI_Datatype *send_types, *receive_types;
} arguments;

static int has_one_message(enum kind kind) { return kind == ALLGATHER || kind == ALLGATHERV; }

static int has_equal_counts(enum kind kind) { return kind == ALLGATHER || kind == ALLTOALL; }

static int length(enum kind kind, int sender, int k)
{
    if (has_equal_counts(kind))
        return MOST - 1;
    return count_of(sender, has_one_message(kind) ? 0 : k);
}

/* The type follows from the message, so that both sides know it. */
static int is_strided(enum kind kind, int sender, int k)
{
    return kind == ALLTOALLW && (sender + k) % 2;
}

static int span(enum kind kind, int sender, int k)
{
    return length(kind, sender, k) * (is_strided(kind, sender, k) ? STRIDED : 1);
}

static void put(int *at, enum kind kind, int start, int sender, int k)
{
    int stride = is_strided(kind, sender, k) ? STRIDED : 1;
    int label = has_one_message(kind) ? 0 : k;

    for (int i = 0; i < length(kind, sender, k); i++) {
        at[i * stride] = value(start, sender, label, i);
        if (stride > 1)
            at[i * stride + stride - 1] = -value(start, sender, label, i) - 10;
    }
}

static void alloc(arguments *a)
{
    const lists *l = &m.of[me];

    a->send_counts = ct_alloc(l->out, sizeof(int));
    a->send_at = ct_alloc(l->out, sizeof(int));
    a->send_bytes = ct_alloc(l->out, sizeof(MPI_Aint));
    a->send_types = ct_alloc(l->out, sizeof(MPI_Datatype));
    a->receive_counts = ct_alloc(l->in, sizeof(int));
    a->receive_at = ct_alloc(l->in, sizeof(int));
    a->receive_bytes = ct_alloc(l->in, sizeof(MPI_Aint));
    a->receive_types = ct_alloc(l->in, sizeof(MPI_Datatype));
}

/* One message behind the other; those received have a gap between them, if the call allows it. */
static arguments arguments_of(enum kind kind)
{
    arguments a = {.kind = kind};
    const lists *l = &m.of[me];

    alloc(&a);
    for (int k = 0; k < l->out; k++) {
        a.send_counts[k] = length(kind, me, k);
        a.send_types[k] = is_strided(kind, me, k) ? strided : MPI_INT;
        a.send_at[k] = a.send_room;
        a.send_bytes[k] = a.send_room * sizeof(int);
        a.send_room += has_one_message(kind) ? 0 : span(kind, me, k);
    }
    if (has_one_message(kind))
        a.send_room = span(kind, me, 0);
    for (int i = 0; i < l->in; i++) {
        int sender = l->from[i], k = m.message[me][i];

        if (sender == MPI_PROC_NULL)
            sender = k = 0;
        a.receive_counts[i] = length(kind, sender, k);
        a.receive_types[i] = is_strided(kind, sender, k) ? strided : MPI_INT;
        a.receive_at[i] = a.receive_room;
        a.receive_bytes[i] = a.receive_room * sizeof(int);
        a.receive_room += span(kind, sender, k) + !has_equal_counts(kind);
    }
    a.send = ct_alloc(a.send_room, sizeof(int));
    a.receive = ct_alloc(a.receive_room, sizeof(int));
    return a;
}

static void drop(arguments *a)
{
    free(a->send);
    free(a->receive);
    free(a->send_counts);
    free(a->receive_counts);
    free(a->send_at);
    free(a->receive_at);
    free(a->send_bytes);
    free(a->receive_bytes);
    free(a->send_types);
    free(a->receive_types);
}

static void fill(arguments *a, int start)
{
    for (int i = 0; i < a->receive_room; i++)
        a->receive[i] = UNTOUCHED;
    if (has_one_message(a->kind))
        put(a->send, a->kind, start, me, 0);
    for (int k = 0; !has_one_message(a->kind) && k < m.of[me].out; k++)
        put(a->send + a->send_at[k], a->kind, start, me, k);
}

static void check(const arguments *a, enum form form, int start, const char *what)
{
    int *want = ct_alloc(a->receive_room, sizeof(int)), wrong = 0;

    for (int i = 0; i < a->receive_room; i++)
        want[i] = UNTOUCHED;
    for (int i = 0; i < m.of[me].in; i++) {
        if (m.of[me].from[i] != MPI_PROC_NULL)
            put(want + a->receive_at[i], a->kind, start, m.of[me].from[i], m.message[me][i]);
    }
    for (int i = 0; i < a->receive_room; i++)
        wrong += want[i] != a->receive[i];
    CT_CHECK(!wrong, "%s, %s, form %d, start %d: %d of %d integers are wrong", what, names[a->kind],
             form, start, wrong, a->receive_room);
    free(want);
}

/* ---- the calls ---- */

#define EQUAL(a) (a)->send, MOST - 1, MPI_INT, (a)->receive, MOST - 1, MPI_INT, topology
#define FROM_ALL(a) \
    (a)->send, length(ALLGATHERV, me, 0), MPI_INT, (a)->receive, (a)->receive_counts, \
        (a)->receive_at, MPI_INT, topology
#define EACH(a) \
    (a)->send, (a)->send_counts, (a)->send_at, MPI_INT, (a)->receive, (a)->receive_counts, \
        (a)->receive_at, MPI_INT, topology
#define TYPED(a) \
    (a)->send, (a)->send_counts, (a)->send_bytes, (a)->send_types, (a)->receive, \
        (a)->receive_counts, (a)->receive_bytes, (a)->receive_types, topology

static int blocking(const arguments *a)
{
    switch (a->kind) {
        case ALLGATHER: return MPI_Neighbor_allgather(EQUAL(a));
        case ALLGATHERV: return MPI_Neighbor_allgatherv(FROM_ALL(a));
        case ALLTOALL: return MPI_Neighbor_alltoall(EQUAL(a));
        case ALLTOALLV: return MPI_Neighbor_alltoallv(EACH(a));
        default: return MPI_Neighbor_alltoallw(TYPED(a));
    }
}

static int nonblocking(const arguments *a, MPI_Request *request)
{
    switch (a->kind) {
        case ALLGATHER: return MPI_Ineighbor_allgather(EQUAL(a), request);
        case ALLGATHERV: return MPI_Ineighbor_allgatherv(FROM_ALL(a), request);
        case ALLTOALL: return MPI_Ineighbor_alltoall(EQUAL(a), request);
        case ALLTOALLV: return MPI_Ineighbor_alltoallv(EACH(a), request);
        default: return MPI_Ineighbor_alltoallw(TYPED(a), request);
    }
}

static int persistent(const arguments *a, MPI_Request *request)
{
    switch (a->kind) {
        case ALLGATHER: return MPI_Neighbor_allgather_init(EQUAL(a), MPI_INFO_NULL, request);
        case ALLGATHERV: return MPI_Neighbor_allgatherv_init(FROM_ALL(a), MPI_INFO_NULL, request);
        case ALLTOALL: return MPI_Neighbor_alltoall_init(EQUAL(a), MPI_INFO_NULL, request);
        case ALLTOALLV: return MPI_Neighbor_alltoallv_init(EACH(a), MPI_INFO_NULL, request);
        default: return MPI_Neighbor_alltoallw_init(TYPED(a), MPI_INFO_NULL, request);
    }
}

static void run(enum kind kind, enum form form, const char *what)
{
    arguments a = arguments_of(kind);
    MPI_Request request;

    if (form == PERSISTENT)
        persistent(&a, &request);
    for (int start = 0; start < STARTS; start++) {
        fill(&a, start);
        if (form == BLOCKING)
            blocking(&a);
        else if (form == NONBLOCKING)
            nonblocking(&a, &request);
        else
            MPI_Start(&request);
        if (form != BLOCKING)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(&a, form, start, what);
    }
    if (form == PERSISTENT)
        MPI_Request_free(&request);
    drop(&a);
}

static void run_all(const char *what)
{
    match();
    for (enum kind kind = 0; kind < KINDS; kind++) {
        for (enum form form = 0; form < FORMS; form++)
            run(kind, form, what);
    }
    MPI_Comm_free(&topology);
}

static void begin(MPI_Comm made, int is_grid)
{
    topology = made;
    MPI_Comm_rank(topology, &me);
    MPI_Comm_size(topology, &m.size);
    m.is_grid = is_grid;
}

/* ---- grids ---- */

static int place(const int n, const int dims[], const int at[])
{
    int rank = 0;

    for (int i = 0; i < n; i++)
        rank = rank * dims[i] + at[i];
    return rank;
}

static int beside(int rank, int n, const int dims[], const int periods[], int d, int step)
{
    int at[8], rest = rank;

    for (int i = n - 1; i >= 0; i--) {
        at[i] = rest % dims[i];
        rest /= dims[i];
    }
    at[d] += step;
    if (periods[d])
        at[d] = (at[d] + dims[d]) % dims[d];
    return at[d] < 0 || at[d] >= dims[d] ? MPI_PROC_NULL : place(n, dims, at);
}

static void grid(int n, const int dims[], const int periods[])
{
    MPI_Comm made;
    char what[100];

    MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, 0, &made);
    if (made == MPI_COMM_NULL)
        return;
    begin(made, 1);
    for (int p = 0; p < m.size; p++) {
        lists *l = &m.of[p];

        l->out = l->in = 2 * n;
        for (int k = 0; k < 2 * n; k++)
            l->to[k] = l->from[k] = beside(p, n, dims, periods, k / 2, k % 2 ? 1 : -1);
    }
    snprintf(what, sizeof(what), "grid of %d dimensions, %d x %d x %d, periods %d %d %d", n,
             n > 0 ? dims[0] : 0, n > 1 ? dims[1] : 0, n > 2 ? dims[2] : 0, n > 0 && periods[0],
             n > 1 && periods[1], n > 2 && periods[2]);
    run_all(what);
}

static void grids(int size)
{
    for (int n = 0; n <= 3; n++) {
        for (int code = 0; code < 27 && (n == 3 || code < (n == 2 ? 9 : n == 1 ? 3 : 1)); code++) {
            int dims[3] = {code % 3 + 1, code / 3 % 3 + 1, code / 9 + 1}, cells = 1;

            for (int i = 0; i < n; i++)
                cells *= dims[i];
            for (int periodic = 0; cells <= size && periodic < 1 << n; periodic++) {
                int periods[3] = {periodic & 1, periodic >> 1 & 1, periodic >> 2 & 1};
                grid(n, dims, periods);
            }
        }
    }
}

/* ---- graphs ---- */

static void edge(int from, int to)
{
    lists *s = &m.of[from], *r = &m.of[to];

    if (s->out == DEGREE || r->in == DEGREE)
        return;
    s->to[s->out++] = to;
    r->from[r->in++] = from;
}

static void no_edges(int size)
{
    memset(&m, 0, sizeof(m));
    m.size = size;
}

static void adjacent(const char *what)
{
    const lists *l = &m.of[ct_me];
    MPI_Comm made;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, l->in, l->from, MPI_UNWEIGHTED, l->out, l->to,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    begin(made, 0);
    run_all(what);
}

/* The process gives its outgoing edges; the library says in what order it has them. */
static void distributed(const char *what)
{
    lists mine = m.of[ct_me];
    MPI_Comm made;
    int weighted;

    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &ct_me, &mine.out, mine.to, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &made);
    MPI_Dist_graph_neighbors_count(made, &mine.in, &mine.out, &weighted);
    MPI_Dist_graph_neighbors(made, mine.in, mine.from, MPI_UNWEIGHTED, mine.out, mine.to,
                             MPI_UNWEIGHTED);
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, m.of, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
    begin(made, 0);
    run_all(what);
}

/* Random edges, some of them several times; a process in three has none in one direction. */
static void random_graph(int size, int seed)
{
    ct_rng rng = {seed};
    char what[40];

    no_edges(size);
    for (int i = ct_below(&rng, 4 * size + 1); i > 0; i--) {
        int from = ct_below(&rng, size), to = ct_below(&rng, size);

        if ((from + seed) % 3 == 0 || (to + seed) % 3 == 1)
            continue;
        for (int times = ct_below(&rng, 3); times >= 0; times--)
            edge(from, to);
    }
    for (int p = 0; p < size; p++) {
        ct_shuffle(&rng, m.of[p].to, m.of[p].out);
        ct_shuffle(&rng, m.of[p].from, m.of[p].in);
    }
    snprintf(what, sizeof(what), "random graph %d", seed);
    adjacent(what);
    distributed(what);
}

static void star(int size, int inwards)
{
    no_edges(size);
    for (int p = 1; p < size; p++) {
        if (inwards)
            edge(p, 0);
        else
            edge(0, p);
    }
    adjacent(inwards ? "star inwards" : "star outwards");
}

/* MPI_Graph_create: each edge twice, and an edge of each process to itself. */
static void general_graph(int size)
{
    int index[RANKS], edges[RANKS * DEGREE], n = 0;
    MPI_Comm made;

    no_edges(size);
    for (int p = 0; p < size; p++) {
        int around[] = {(p + 1) % size, (p + size - 1) % size, p, (p + size - 1) % size,
                        (p + 1) % size};

        m.of[p].out = m.of[p].in = 5;
        for (int i = 0; i < 5; i++)
            edges[n++] = m.of[p].to[i] = m.of[p].from[i] = around[i];
        index[p] = n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &made);
    begin(made, 0);
    run_all("general graph");
}

/* ---- what is refused ---- */

/* A communicator without neighbours. */
static void without_topology(void)
{
    arguments a;
    MPI_Request request;
    int class;

    no_edges(RANKS);
    me = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &topology);
    MPI_Comm_set_errhandler(topology, MPI_ERRORS_RETURN);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        a = arguments_of(kind);
        MPI_Error_class(blocking(&a), &class);
        CT_CHECK(class == MPI_ERR_TOPOLOGY, "%s: class %d", names[kind], class);
        MPI_Error_class(nonblocking(&a, &request), &class);
        CT_CHECK(class == MPI_ERR_TOPOLOGY, "nonblocking %s: class %d", names[kind], class);
        MPI_Error_class(persistent(&a, &request), &class);
        CT_CHECK(class == MPI_ERR_TOPOLOGY, "persistent %s: class %d", names[kind], class);
        drop(&a);
    }
    MPI_Comm_free(&topology);
}

int main(int argc, char **argv)
{
    const int blocks[] = {1, 1}, at[] = {0, STRIDED - 1};
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_indexed(2, blocks, at, MPI_INT, &strided);
    MPI_Type_commit(&strided);

    grids(size);
    star(size, 0);
    star(size, 1);
    general_graph(size);
    for (int seed = 0; seed < 25; seed++)
        random_graph(size, seed);
    without_topology();

    MPI_Type_free(&strided);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
