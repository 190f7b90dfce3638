/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The 17 persistent collectives, started several times with other contents of the same buffers,
 * alone and all at once. A model says what each block holds: the number of the start, its sender
 * and its receiver. Groups of all sizes and all roots, in place, between groups; counts from 1
 * element to some thousands, of MPI_INT and of a type with gaps. The types and the operation are
 * freed before the first start.
 *
 * With "algorithms" all that with each algorithm: run n takes value n of every variable that
 * chooses the algorithm of a nonblocking collective.
 */
#include "cmaptest_mpit.h"

enum { STARTS = 4, GROUP = 64, UNTOUCHED = -7 };

typedef struct layout {
    MPI_Datatype type;
    int used, extent; /* in integers */
} layout;

static const layout plain = {MPI_INT, 1, 1};

/* The communicator and the arguments of a collective. */
typedef struct args {
    MPI_Comm comm;
    int inter, rank, mine, others; /* sizes of the groups; the same one within a group */
    int root;                      /* what the call gets, also MPI_ROOT and MPI_PROC_NULL */
    int has_all, has_one;          /* of a rooted one: the root, and who sends to or gets from it */
    int first;                     /* the rank of the root in its group */
    int count, in_place;
    layout element;
    MPI_Op sum;
} args;

typedef struct run run;

typedef struct collective {
    const char *name;
    int is_rooted, intra_only, no_in_place;
    int (*init)(run *r, MPI_Request *request);
    void (*fill)(run *r, int start);
    int (*wrong)(run *r, int start);
} collective;

/* A collective with its arguments and buffers. */
struct run {
    const collective *what;
    args a;
    int *send, *receive, room;
    int send_counts[GROUP], send_at[GROUP], receive_counts[GROUP], receive_at[GROUP];
    MPI_Datatype types[GROUP];
    MPI_Request request;
};

/* ---- the model ---- */

static int value(int start, int from, int to, int k)
{
    return ((start * GROUP + from) * GROUP + to) * 1009 + k;
}

static void put(int *buffer, int first, int n, layout l, int start, int from, int to)
{
    for (int i = 0; i < n * l.used; i++)
        buffer[(first + i / l.used) * l.extent + i % l.used] = value(start, from, to, i);
}

static int differs(const int *buffer, int first, int n, layout l, int start, int from, int to)
{
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        const int *element = buffer + (size_t) (first + i) * l.extent;
        for (int k = 0; k < l.used; k++)
            wrong += element[k] != value(start, from, to, i * l.used + k);
        for (int k = l.used; k < l.extent; k++)
            wrong += element[k] != UNTOUCHED;
    }
    return wrong;
}

static void clear(int *buffer, int room)
{
    for (int i = 0; i < room; i++)
        buffer[i] = UNTOUCHED;
}

/* Counts that differ between pairs, and are the same in both directions. */
static int count_of(const run *r, int from, int to) { return (from + to + 1) % 3 * r->a.count; }

/* What each of n blocks has, one behind the other with a gap of one element. */
static void places(const run *r, int n, int counts[], int at[])
{
    int next = 0;

    for (int i = 0; i < n; i++) {
        counts[i] = count_of(r, i, r->what->is_rooted ? 0 : r->a.rank);
        at[i] = next;
        next += counts[i] + 1;
    }
}

static const void *send_or_in_place(const run *r) { return r->a.in_place ? MPI_IN_PLACE : r->send; }

#define ELEMENT r->a.element.type
#define TAIL r->a.comm, MPI_INFO_NULL, request

/* ---- to and from one ---- */

static const void *gathered(const run *r)
{
    return r->a.in_place && r->a.has_all ? MPI_IN_PLACE : r->send;
}

static int gather(run *r, MPI_Request *request)
{
    return MPI_Gather_init(gathered(r), r->a.count, ELEMENT, r->receive, r->a.count, ELEMENT,
                           r->a.root, TAIL);
}

static int gatherv(run *r, MPI_Request *request)
{
    places(r, r->a.others, r->receive_counts, r->receive_at);
    return MPI_Gatherv_init(gathered(r), count_of(r, r->a.rank, 0), ELEMENT, r->receive,
                            r->receive_counts, r->receive_at, ELEMENT, r->a.root, TAIL);
}

static int has_counts(const run *r)
{
    return r->receive_counts[0] || r->receive_counts[1] || r->receive_counts[2];
}

static int block_count(const run *r, int rank)
{
    return has_counts(r) ? count_of(r, rank, 0) : r->a.count;
}

static int block_at(const run *r, int i)
{
    return has_counts(r) ? r->receive_at[i] : i * r->a.count;
}

static void fill_gather(run *r, int start)
{
    clear(r->receive, r->room);
    put(r->send, 0, block_count(r, r->a.rank), r->a.element, start, r->a.rank, 0);
    if (r->a.in_place && r->a.has_all)
        put(r->receive, block_at(r, r->a.rank), block_count(r, r->a.rank), r->a.element, start,
            r->a.rank, 0);
}

static int wrong_gather(run *r, int start)
{
    int wrong = 0;

    for (int i = 0; r->a.has_all && i < r->a.others; i++)
        wrong += differs(r->receive, block_at(r, i), block_count(r, i), r->a.element, start, i, 0);
    return wrong;
}

static int scatter(run *r, MPI_Request *request)
{
    void *to = r->a.in_place && r->a.has_all ? MPI_IN_PLACE : r->receive;
    return MPI_Scatter_init(r->send, r->a.count, ELEMENT, to, r->a.count, ELEMENT, r->a.root, TAIL);
}

static int scatterv(run *r, MPI_Request *request)
{
    void *to = r->a.in_place && r->a.has_all ? MPI_IN_PLACE : r->receive;

    places(r, r->a.others, r->receive_counts, r->receive_at);
    return MPI_Scatterv_init(r->send, r->receive_counts, r->receive_at, ELEMENT, to,
                             count_of(r, r->a.rank, 0), ELEMENT, r->a.root, TAIL);
}

static void fill_scatter(run *r, int start)
{
    clear(r->receive, r->room);
    for (int i = 0; r->a.has_all && i < r->a.others; i++)
        put(r->send, block_at(r, i), block_count(r, i), r->a.element, start, r->a.first, i);
}

static int wrong_scatter(run *r, int start)
{
    if (!r->a.has_one || (r->a.in_place && r->a.has_all))
        return 0;
    return differs(r->receive, 0, block_count(r, r->a.rank), r->a.element, start, r->a.first,
                   r->a.rank);
}

static int bcast(run *r, MPI_Request *request)
{
    return MPI_Bcast_init(r->receive, r->a.count, ELEMENT, r->a.root, TAIL);
}

static void fill_bcast(run *r, int start)
{
    clear(r->receive, r->room);
    if (r->a.has_all)
        put(r->receive, 0, r->a.count, r->a.element, start, r->a.first, 0);
}

static int wrong_bcast(run *r, int start)
{
    if (!r->a.has_one)
        return 0;
    return differs(r->receive, 0, r->a.count, r->a.element, start, r->a.first, 0);
}

/* ---- of all ---- */

static int allgather(run *r, MPI_Request *request)
{
    return MPI_Allgather_init(send_or_in_place(r), r->a.count, ELEMENT, r->receive, r->a.count,
                              ELEMENT, TAIL);
}

static int allgatherv(run *r, MPI_Request *request)
{
    for (int i = 0, next = 0; i < r->a.others; i++) {
        r->receive_counts[i] = count_of(r, i, 0);
        r->receive_at[i] = next;
        next += r->receive_counts[i] + 1;
    }
    return MPI_Allgatherv_init(send_or_in_place(r), count_of(r, r->a.rank, 0), ELEMENT, r->receive,
                               r->receive_counts, r->receive_at, ELEMENT, TAIL);
}

static void fill_allgather(run *r, int start)
{
    int count = block_count(r, r->a.rank);

    clear(r->receive, r->room);
    put(r->send, 0, count, r->a.element, start, r->a.rank, 0);
    if (r->a.in_place)
        put(r->receive, block_at(r, r->a.rank), count, r->a.element, start, r->a.rank, 0);
}

static int wrong_allgather(run *r, int start)
{
    int wrong = 0;

    for (int i = 0; i < r->a.others; i++)
        wrong += differs(r->receive, block_at(r, i), block_count(r, i), r->a.element, start, i, 0);
    return wrong;
}

static int alltoall(run *r, MPI_Request *request)
{
    for (int i = 0; i < r->a.others; i++) {
        r->receive_counts[i] = r->a.count;
        r->receive_at[i] = i * r->a.count;
    }
    return MPI_Alltoall_init(send_or_in_place(r), r->a.count, ELEMENT, r->receive, r->a.count,
                             ELEMENT, TAIL);
}

static int alltoallv(run *r, MPI_Request *request)
{
    places(r, r->a.others, r->receive_counts, r->receive_at);
    return MPI_Alltoallv_init(send_or_in_place(r), r->receive_counts, r->receive_at, ELEMENT,
                              r->receive, r->receive_counts, r->receive_at, ELEMENT, TAIL);
}

static void fill_alltoall(run *r, int start)
{
    clear(r->receive, r->room);
    for (int i = 0; i < r->a.others; i++)
        put(r->a.in_place ? r->receive : r->send, r->receive_at[i], r->receive_counts[i],
            r->a.element, start, r->a.rank, i);
}

static int wrong_alltoall(run *r, int start)
{
    int wrong = 0;

    for (int i = 0; i < r->a.others; i++)
        wrong += differs(r->receive, r->receive_at[i], r->receive_counts[i], r->a.element, start, i,
                         r->a.rank);
    return wrong;
}

/* Every other pair exchanges plain integers. */
static layout layout_of(const run *r, int i) { return (r->a.rank + i) % 2 ? r->a.element : plain; }

static int alltoallw(run *r, MPI_Request *request)
{
    places(r, r->a.others, r->receive_counts, r->send_at);
    for (int i = 0; i < r->a.others; i++) {
        r->types[i] = layout_of(r, i).type;
        r->receive_at[i] = r->send_at[i] * r->a.element.extent * (int) sizeof(int);
    }
    return MPI_Alltoallw_init(send_or_in_place(r), r->receive_counts, r->receive_at, r->types,
                              r->receive, r->receive_counts, r->receive_at, r->types, TAIL);
}

static void fill_alltoallw(run *r, int start)
{
    clear(r->receive, r->room);
    for (int i = 0; i < r->a.others; i++)
        put((r->a.in_place ? r->receive : r->send) + r->receive_at[i] / sizeof(int), 0,
            r->receive_counts[i], layout_of(r, i), start, r->a.rank, i);
}

static int wrong_alltoallw(run *r, int start)
{
    int wrong = 0;

    for (int i = 0; i < r->a.others; i++)
        wrong += differs(r->receive + r->receive_at[i] / sizeof(int), 0, r->receive_counts[i],
                         layout_of(r, i), start, i, r->a.rank);
    return wrong;
}

static int barrier(run *r, MPI_Request *request) { return MPI_Barrier_init(TAIL); }

static void fill_nothing(run *r, int start) {}

static int wrong_nothing(run *r, int start) { return 0; }

/* ---- reductions, of integers ---- */

/* As many numbers as can be divided among each of the groups. */
static int numbers(const run *r) { return r->a.count * r->a.mine * (r->a.inter ? r->a.others : 1); }

static int sum_of(int start, int from, int to, int k)
{
    int sum = 0;

    for (int i = from; i < to; i++)
        sum += value(start, i, 0, k);
    return sum;
}

static void fill_reduce(run *r, int start)
{
    int here = r->a.in_place && (r->a.has_all || !r->what->is_rooted);

    clear(r->receive, r->room);
    put(here ? r->receive : r->send, 0, numbers(r), plain, start, r->a.rank, 0);
}

/* `n` sums from number `first` on, of the ranks below `below`. */
static int wrong_sums(const run *r, int start, int first, int n, int below)
{
    int wrong = 0;

    for (int i = 0; i < n; i++)
        wrong += r->receive[i] != sum_of(start, 0, below, first + i);
    return wrong;
}

static int reduce(run *r, MPI_Request *request)
{
    return MPI_Reduce_init(gathered(r), r->receive, numbers(r), MPI_INT, r->a.sum, r->a.root, TAIL);
}

static int wrong_reduce(run *r, int start)
{
    return r->a.has_all ? wrong_sums(r, start, 0, numbers(r), r->a.others) : 0;
}

static int allreduce(run *r, MPI_Request *request)
{
    return MPI_Allreduce_init(send_or_in_place(r), r->receive, numbers(r), MPI_INT, r->a.sum, TAIL);
}

static int wrong_allreduce(run *r, int start)
{
    return wrong_sums(r, start, 0, numbers(r), r->a.others);
}

static int reduce_scatter_block(run *r, MPI_Request *request)
{
    return MPI_Reduce_scatter_block_init(send_or_in_place(r), r->receive, numbers(r) / r->a.mine,
                                         MPI_INT, r->a.sum, TAIL);
}

static int wrong_reduce_scatter_block(run *r, int start)
{
    int n = numbers(r) / r->a.mine;
    return wrong_sums(r, start, r->a.rank * n, n, r->a.others);
}

/* The first takes all of the last one's numbers too. */
static int reduce_scatter(run *r, MPI_Request *request)
{
    int n = numbers(r) / r->a.mine, last = r->a.mine - 1;

    for (int i = 0; i <= last; i++)
        r->receive_counts[i] = n;
    if (last > 0) {
        r->receive_counts[0] += n;
        r->receive_counts[last] = 0;
    }
    return MPI_Reduce_scatter_init(send_or_in_place(r), r->receive, r->receive_counts, MPI_INT,
                                   r->a.sum, TAIL);
}

static int wrong_reduce_scatter(run *r, int start)
{
    int first = 0;

    for (int i = 0; i < r->a.rank; i++)
        first += r->receive_counts[i];
    return wrong_sums(r, start, first, r->receive_counts[r->a.rank], r->a.others);
}

static int scan(run *r, MPI_Request *request)
{
    return MPI_Scan_init(send_or_in_place(r), r->receive, numbers(r), MPI_INT, r->a.sum, TAIL);
}

static int wrong_scan(run *r, int start)
{
    return wrong_sums(r, start, 0, numbers(r), r->a.rank + 1);
}

static int exscan(run *r, MPI_Request *request)
{
    return MPI_Exscan_init(send_or_in_place(r), r->receive, numbers(r), MPI_INT, r->a.sum, TAIL);
}

static int wrong_exscan(run *r, int start)
{
    return r->a.rank ? wrong_sums(r, start, 0, numbers(r), r->a.rank) : 0;
}

enum { ROOTED = 1, ANY = 0, INTRA = 1, ALWAYS_TWO = 1 };

static const collective all[] = {
    {"gather", ROOTED, 0, 0, gather, fill_gather, wrong_gather},
    {"gatherv", ROOTED, 0, 0, gatherv, fill_gather, wrong_gather},
    {"scatter", ROOTED, 0, 0, scatter, fill_scatter, wrong_scatter},
    {"scatterv", ROOTED, 0, 0, scatterv, fill_scatter, wrong_scatter},
    {"bcast", ROOTED, 0, ALWAYS_TWO, bcast, fill_bcast, wrong_bcast},
    {"reduce", ROOTED, 0, 0, reduce, fill_reduce, wrong_reduce},
    {"allgather", ANY, 0, 0, allgather, fill_allgather, wrong_allgather},
    {"allgatherv", ANY, 0, 0, allgatherv, fill_allgather, wrong_allgather},
    {"alltoall", ANY, 0, 0, alltoall, fill_alltoall, wrong_alltoall},
    {"alltoallv", ANY, 0, 0, alltoallv, fill_alltoall, wrong_alltoall},
    {"alltoallw", ANY, 0, 0, alltoallw, fill_alltoallw, wrong_alltoallw},
    {"barrier", ANY, 0, ALWAYS_TWO, barrier, fill_nothing, wrong_nothing},
    {"allreduce", ANY, 0, 0, allreduce, fill_reduce, wrong_allreduce},
    {"reduce_scatter_block", ANY, 0, 0, reduce_scatter_block, fill_reduce,
     wrong_reduce_scatter_block},
    {"reduce_scatter", ANY, 0, 0, reduce_scatter, fill_reduce, wrong_reduce_scatter},
    {"scan", ANY, INTRA, 0, scan, fill_reduce, wrong_scan},
    {"exscan", ANY, INTRA, 0, exscan, fill_reduce, wrong_exscan},
};

enum { KINDS = sizeof(all) / sizeof(all[0]) };

/* ---- the runs ---- */

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static layout with_gap(void)
{
    layout gap = {MPI_DATATYPE_NULL, 2, 3};
    MPI_Datatype pair;

    MPI_Type_contiguous(gap.used, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, gap.extent * sizeof(int), &gap.type);
    MPI_Type_commit(&gap.type);
    MPI_Type_free(&pair);
    return gap;
}

/* With a type and an operation that this collective alone has. */
static void begin(run *r, const collective *what, const args *a, int has_gap)
{
    int own_op = a->in_place;

    *r = (run){.what = what, .a = *a};
    r->a.element = has_gap ? with_gap() : plain;
    r->a.sum = MPI_SUM;
    if (own_op)
        MPI_Op_create(add, 1, &r->a.sum);
    r->room = (a->mine + a->others) * (2 * a->count + 1) * r->a.element.extent;
    if (r->room < numbers(r))
        r->room = numbers(r);
    r->send = malloc(r->room * sizeof(int));
    r->receive = malloc(r->room * sizeof(int));
    clear(r->send, r->room);
    clear(r->receive, r->room);
    CT_CHECK(what->init(r, &r->request) == MPI_SUCCESS, "%s: init fails", what->name);
    if (has_gap)
        MPI_Type_free(&r->a.element.type);
    if (own_op)
        MPI_Op_free(&r->a.sum);
}

static void end(run *r)
{
    MPI_Request_free(&r->request);
    free(r->send);
    free(r->receive);
}

static void check(run *r, int start)
{
    int wrong = r->what->wrong(r, start);

    CT_CHECK(!wrong, "%s%s%s of %d and %d, root %d, %d elements, start %d: %d wrong", r->what->name,
             r->a.in_place ? " in place" : "", r->a.inter ? " between groups" : "", r->a.mine,
             r->a.others, r->a.root, r->a.count, start, wrong);
}

/* Inactive: nothing to wait for, and not one of several that may complete. */
static void check_inactive(run *r)
{
    int flag = 0, index = 0, n = 0;

    MPI_Test(&r->request, &flag, MPI_STATUS_IGNORE);
    CT_CHECK(flag, "%s: MPI_Test of an inactive request is false", r->what->name);
    if (!flag)
        return;
    MPI_Wait(&r->request, MPI_STATUS_IGNORE);
    MPI_Waitany(1, &r->request, &index, MPI_STATUS_IGNORE);
    CT_CHECK(index == MPI_UNDEFINED, "%s: MPI_Waitany of an inactive one: %d", r->what->name,
             index);
    MPI_Testany(1, &r->request, &index, &flag, MPI_STATUS_IGNORE);
    CT_CHECK(flag && index == MPI_UNDEFINED, "%s: MPI_Testany of an inactive one", r->what->name);
    MPI_Waitsome(1, &r->request, &n, &index, MPI_STATUSES_IGNORE);
    CT_CHECK(n == MPI_UNDEFINED, "%s: MPI_Waitsome of an inactive one: %d", r->what->name, n);
    MPI_Testsome(1, &r->request, &n, &index, MPI_STATUSES_IGNORE);
    CT_CHECK(n == MPI_UNDEFINED, "%s: MPI_Testsome of an inactive one: %d", r->what->name, n);
}

static void wait_in_turn(run *r, int start)
{
    int flag = 0, index = -1, n = 0;

    switch (start % 4) {
        case 0: MPI_Wait(&r->request, MPI_STATUS_IGNORE); break;
        case 1:
            while (!flag)
                MPI_Test(&r->request, &flag, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Waitany(1, &r->request, &index, MPI_STATUS_IGNORE);
            CT_CHECK(index == 0, "%s: MPI_Waitany: %d", r->what->name, index);
            break;
        default:
            MPI_Waitsome(1, &r->request, &n, &index, MPI_STATUSES_IGNORE);
            CT_CHECK(n == 1 && index == 0, "%s: MPI_Waitsome", r->what->name);
    }
}

static int applies(const collective *what, const args *a)
{
    return !(a->inter && (what->intra_only || a->in_place)) && !(a->in_place && what->no_in_place);
}

static void alone(const args *a, int has_gap)
{
    for (int i = 0; i < KINDS; i++) {
        run r;

        if (!applies(&all[i], a))
            continue;
        begin(&r, &all[i], a, has_gap);
        check_inactive(&r);
        for (int start = 0; start < STARTS; start++) {
            all[i].fill(&r, start);
            MPI_Start(&r.request);
            wait_in_turn(&r, start);
            check(&r, start);
            check_inactive(&r);
        }
        end(&r);
    }
}

static void at_once(const args *a, int has_gap)
{
    run runs[KINDS];
    MPI_Request requests[KINDS];
    int n = 0;

    for (int i = 0; i < KINDS; i++) {
        if (applies(&all[i], a))
            begin(&runs[n++], &all[i], a, has_gap);
    }
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < n; i++) {
            runs[i].what->fill(&runs[i], start);
            requests[i] = runs[i].request;
        }
        MPI_Startall(n, requests);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++)
            check(&runs[i], start);
    }
    for (int i = 0; i < n; i++)
        end(&runs[i]);
}

static void with_counts(args *a)
{
    static const int counts[] = {1, 3, 700, 5000};

    for (int i = 0; i < 4; i++) {
        if (counts[i] * a->mine * a->others > 30000)
            break;
        a->count = counts[i];
        for (a->in_place = 0; a->in_place <= !a->inter; a->in_place++) {
            alone(a, i % 2);
            at_once(a, (i + 1) % 2);
        }
    }
}

/* All roots of a small group; of others the first, the second and the last. Also for cuts. */
static int next_root(int root, int n) { return n > 4 && root == 1 ? n - 1 : root + 1; }

static void within(MPI_Comm comm)
{
    args a = {.comm = comm, .has_one = 1};

    MPI_Comm_rank(comm, &a.rank);
    MPI_Comm_size(comm, &a.mine);
    a.others = a.mine;
    for (a.root = 0; a.root < a.mine; a.root = next_root(a.root, a.mine)) {
        a.first = a.root;
        a.has_all = a.rank == a.root;
        with_counts(&a);
    }
}

/* The root is in the group whose number is `side`. */
static void between(MPI_Comm comm, int my_side)
{
    args a = {.comm = comm, .inter = 1};

    MPI_Comm_rank(comm, &a.rank);
    MPI_Comm_size(comm, &a.mine);
    MPI_Comm_remote_size(comm, &a.others);
    for (int side = 0; side < 2; side++) {
        int mine = side == my_side, n = mine ? a.mine : a.others;

        for (a.first = 0; a.first < n; a.first = next_root(a.first, n)) {
            a.has_all = mine && a.rank == a.first;
            a.has_one = !mine;
            a.root = !mine ? a.first : a.has_all ? MPI_ROOT : MPI_PROC_NULL;
            with_counts(&a);
        }
    }
}

/* The first `size` processes, and their division after the first `cut`. */
static void groups_of(int size)
{
    MPI_Comm comm, half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, ct_me < size ? 0 : MPI_UNDEFINED, ct_me, &comm);
    if (comm == MPI_COMM_NULL)
        return;
    within(comm);
    for (int cut = 1; cut < size; cut = next_root(cut, size)) {
        int side = ct_me >= cut;

        MPI_Comm_split(comm, side, ct_me, &half);
        MPI_Intercomm_create(half, 0, comm, side ? 0 : cut, 1, &inter);
        between(inter, side);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    MPI_Comm_free(&comm);
}

/* ---- algorithms ---- */

static int is_choice(const char *name)
{
    size_t n = strlen(name), end = strlen("_ALGORITHM");

    return !strncmp(name, "MPIR_CVAR_I", 11) && n > end && !strcmp(name + n - end, "_ALGORITHM");
}

/* The number of values that a variable has at most */
static int choose_all(int nth)
{
    static char name[200], description[5000];
    int variables, most = 0;

    MPI_T_cvar_get_num(&variables);
    for (int i = 0; i < variables; i++) {
        int name_length = sizeof(name), length = sizeof(description), level, binding, scope, n;
        MPI_Datatype type;
        MPI_T_enum values;

        MPI_T_cvar_get_info(i, name, &name_length, &level, &type, &values, description, &length,
                            &binding, &scope);
        n = ct_cvar_values(description);
        if (!is_choice(name) || n < 2)
            continue;
        ct_cvar_set(i, nth % n);
        most = n > most ? n : most;
    }
    return most;
}

static void with_algorithms(int size)
{
    int provided, most;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    most = choose_all(0);
    CT_CHECK(most > 2, "no algorithms to choose from");
    for (int nth = 0; nth < most; nth++) {
        choose_all(nth);
        groups_of(size);
    }
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && !strcmp(argv[1], "algorithms"))
        with_algorithms(size);
    else if (argc > 1)
        groups_of(size);
    for (int n = 1; argc == 1 && n <= size; n++)
        groups_of(n);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
