/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Scatterv, gatherv, alltoallv and alltoallw at random: parts of any length, many of them empty and
 * some too long for lines; blocking, nonblocking and persistent, up to eight of them at a time;
 * roots in place; types with gaps, which are freed while they are in use, and of which only one
 * side has some.  Each element is compared with what it must be, and so are those between the
 * parts.
 *
 *   parts_random [rounds]
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { COMMS = 3, OPEN = 8, NOTHING = -77 };
enum kind { SCATTERV, GATHERV, ALLTOALLV, ALLTOALLW, KINDS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static const char *const names[] = {"scatterv", "gatherv", "alltoallv", "alltoallw"};
static const char *const forms[] = {"blocking", "nonblocking", "persistent"};

/* One side of a call: a part for each member, with an element between two parts. */
struct side {
    int *at, *counts, *places;
    MPI_Datatype *types;
    int stride, elements;
};

struct call {
    enum kind kind;
    enum form form;
    int round, rank, size, root, longest, in_place;
    MPI_Comm comm;
    struct side out, in;
    MPI_Request request;
};

static ct_rng common_rng, own_rng;
static MPI_Datatype with_gap;

/* ---- what must be ---- */

/* Elements that `from` gives to `to`: the same function on both. */
static int length(const struct call *call, int from, int to)
{
    unsigned mixed = (unsigned) (call->round * 7919 + from * 104729 + to * 1299709);

    if ((call->kind == SCATTERV && from != call->root) ||
        (call->kind == GATHERV && to != call->root))
        return 0;
    mixed = (mixed ^ mixed >> 7) * 2654435761U >> 8;
    return mixed % 3 == 0 ? 0 : (int) (mixed / 3 % (unsigned) (call->longest + 1));
}

static int value(const struct call *call, int from, int to, int i)
{
    return call->round % 1000 * 100003 + from * 10007 + to * 101 + i % 97;
}

/* ---- buffers ---- */

static void lay_out(struct side *side, const struct call *call, int is_given)
{
    int next = 1;

    side->counts = ct_ints(call->size);
    side->places = ct_ints(call->size);
    side->types = ct_alloc((size_t) call->size, sizeof(MPI_Datatype));
    side->stride = ct_below(&own_rng, 3) == 0 ? 2 : 1;
    for (int m = 0; m < call->size; m++) {
        side->counts[m] = is_given ? length(call, call->rank, m) : length(call, m, call->rank);
        side->places[m] = next;
        next += side->counts[m] + 1;
    }
    side->elements = next * side->stride;
    side->at = ct_ints(side->elements);
    for (int i = 0; i < side->elements; i++)
        side->at[i] = NOTHING;
}

static void fill(const struct side *side, const struct call *call)
{
    for (int m = 0; m < call->size; m++)
        for (int i = 0; i < side->counts[m]; i++)
            side->at[(side->places[m] + i) * side->stride] = value(call, call->rank, m, i);
}

/* The root's own part lies where it goes. */
static void fill_own(const struct side *side, const struct call *call)
{
    for (int i = 0; i < side->counts[call->rank]; i++)
        side->at[(side->places[call->rank] + i) * side->stride] =
            value(call, call->rank, call->rank, i);
}

static int wanted(const struct side *side, const struct call *call, int element)
{
    for (int m = 0; m < call->size && element % side->stride == 0; m++) {
        int i = element / side->stride - side->places[m];

        if (i >= 0 && i < side->counts[m])
            return value(call, m, call->rank, i);
    }
    return NOTHING;
}

static void check(const struct call *call)
{
    const struct side *in = &call->in;

    if (call->in_place && call->kind == SCATTERV)
        return;
    for (int i = 0; i < in->elements && ct_errs == 0; i++)
        CT_CHECK(in->at[i] == wanted(in, call, i),
                 "round %d, %s %s of at most %d ints, root %d, rank %d of %d, in place %d: element "
                 "%d is %d, not %d",
                 call->round, forms[call->form], names[call->kind], call->longest, call->root,
                 call->rank, call->size, call->in_place, i, in->at[i], wanted(in, call, i));
}

/* ---- calls ---- */

/* alltoallw counts places in bytes, and has its types in an array. */
static void set_types(struct side *side, const struct call *call)
{
    for (int m = 0; m < call->size; m++) {
        MPI_Type_dup(side->stride == 2 ? with_gap : MPI_INT, &side->types[m]);
        side->places[m] *= call->kind == ALLTOALLW ? side->stride * (int) sizeof(int) : 1;
    }
}

static void free_types(struct side *side, const struct call *call)
{
    for (int m = 0; m < call->size; m++) {
        MPI_Type_free(&side->types[m]);
        side->places[m] /= call->kind == ALLTOALLW ? side->stride * (int) sizeof(int) : 1;
    }
}

/* The part of a member that gives to one, or takes from one. */
static void *one(const struct side *side, int member)
{
    return side->at + side->places[member] * side->stride;
}

#define ALL(side) (side).at, (side).counts, (side).places
#define ONE(side) one(&(side), call->root), (side).counts[call->root], (side).types[0]

static void scatterv(struct call *call)
{
    struct side *out = &call->out, *in = &call->in;
    void *to = call->in_place ? MPI_IN_PLACE : one(in, call->root);
    int n = in->counts[call->root], root = call->root;
    MPI_Datatype sent = out->types[0], received = in->types[0];

    if (call->form == BLOCKING)
        MPI_Scatterv(ALL(*out), sent, to, n, received, root, call->comm);
    else if (call->form == NONBLOCKING)
        MPI_Iscatterv(ALL(*out), sent, to, n, received, root, call->comm, &call->request);
    else
        MPI_Scatterv_init(ALL(*out), sent, to, n, received, root, call->comm, MPI_INFO_NULL,
                          &call->request);
}

static void gatherv(struct call *call)
{
    struct side *out = &call->out, *in = &call->in;
    void *from = call->in_place ? MPI_IN_PLACE : one(out, call->root);
    int n = out->counts[call->root], root = call->root;
    MPI_Datatype sent = out->types[0], received = in->types[0];

    if (call->form == BLOCKING)
        MPI_Gatherv(from, n, sent, ALL(*in), received, root, call->comm);
    else if (call->form == NONBLOCKING)
        MPI_Igatherv(from, n, sent, ALL(*in), received, root, call->comm, &call->request);
    else
        MPI_Gatherv_init(from, n, sent, ALL(*in), received, root, call->comm, MPI_INFO_NULL,
                         &call->request);
}

static void alltoallv(struct call *call)
{
    struct side *out = &call->out, *in = &call->in;
    MPI_Datatype sent = out->types[0], received = in->types[0];

    if (call->form == BLOCKING)
        MPI_Alltoallv(ALL(*out), sent, ALL(*in), received, call->comm);
    else if (call->form == NONBLOCKING)
        MPI_Ialltoallv(ALL(*out), sent, ALL(*in), received, call->comm, &call->request);
    else
        MPI_Alltoallv_init(ALL(*out), sent, ALL(*in), received, call->comm, MPI_INFO_NULL,
                           &call->request);
}

static void alltoallw(struct call *call)
{
    struct side *out = &call->out, *in = &call->in;

    if (call->form == BLOCKING)
        MPI_Alltoallw(ALL(*out), out->types, ALL(*in), in->types, call->comm);
    else if (call->form == NONBLOCKING)
        MPI_Ialltoallw(ALL(*out), out->types, ALL(*in), in->types, call->comm, &call->request);
    else
        MPI_Alltoallw_init(ALL(*out), out->types, ALL(*in), in->types, call->comm, MPI_INFO_NULL,
                           &call->request);
}

static void refill(struct call *call)
{
    if (call->in_place && call->kind == GATHERV)
        fill_own(&call->in, call);
    fill(&call->out, call);
}

/* A persistent one is started several times, and the last start is waited for later. */
static void begin(struct call *call)
{
    static void (*const calls[])(struct call *) = {scatterv, gatherv, alltoallv, alltoallw};

    lay_out(&call->out, call, 1);
    lay_out(&call->in, call, 0);
    refill(call);
    set_types(&call->out, call);
    set_types(&call->in, call);
    calls[call->kind](call);
    free_types(&call->out, call);
    free_types(&call->in, call);
    for (int start = 0; start < (call->form == PERSISTENT ? 5 : 0); start++) {
        if (start > 0)
            MPI_Wait(&call->request, MPI_STATUS_IGNORE);
        if (start > 0)
            check(call);
        refill(call);
        MPI_Start(&call->request);
    }
}

static void free_side(struct side *side)
{
    free(side->at);
    free(side->counts);
    free(side->places);
    free(side->types);
}

static void finish(struct call *call)
{
    check(call);
    if (call->request != MPI_REQUEST_NULL)
        MPI_Request_free(&call->request);
    free_side(&call->out);
    free_side(&call->in);
}

static struct call draw_call(MPI_Comm comm, int round)
{
    static const int longest[] = {1, 5, 5, 12, 60, 300, 1500, 5000};
    struct call call = {.comm = comm, .round = round, .request = MPI_REQUEST_NULL};

    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.size);
    call.kind = (enum kind) ct_below(&common_rng, KINDS);
    call.form = (enum form) ct_below(&common_rng, FORMS);
    call.root = ct_below(&common_rng, call.size);
    call.longest = longest[ct_below(&common_rng, 8)];
    call.in_place = ct_below(&common_rng, 3) == 0 && call.kind <= GATHERV && call.rank == call.root;
    return call;
}

static void complete_one(struct call open[], int *n)
{
    int which = ct_below(&own_rng, *n);

    MPI_Wait(&open[which].request, MPI_STATUS_IGNORE);
    finish(&open[which]);
    open[which] = open[--*n];
}

/* From its second collective on, a communicator has lines. */
static void make_comms(MPI_Comm comms[COMMS], int rank)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
    for (int i = 0; i < COMMS; i++)
        for (int n = ct_below(&common_rng, 3); n > 0; n--)
            MPI_Barrier(comms[i]);
}

static void free_comms(MPI_Comm comms[COMMS])
{
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[COMMS];
    struct call open[OPEN];
    int n_open = 0, rounds;

    MTest_Init(&argc, &argv);
    rounds = argc > 1 ? atoi(argv[1]) : 2000;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    common_rng.state = 4711;
    own_rng.state = (uint64_t) ct_me + 1;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_gap);
    MPI_Type_commit(&with_gap);
    make_comms(comms, ct_me);
    for (int round = 0; round < rounds && ct_errs == 0; round++) {
        while (n_open == OPEN || (n_open > 0 && ct_below(&own_rng, 2)))
            complete_one(open, &n_open);
        open[n_open] = draw_call(comms[ct_below(&common_rng, COMMS)], round);
        begin(&open[n_open++]);
        if (round % 100 == 99) { /* the calls go on */
            free_comms(comms);
            make_comms(comms, ct_me);
        }
    }
    while (n_open > 0)
        complete_one(open, &n_open);
    free_comms(comms);
    MPI_Type_free(&with_gap);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
