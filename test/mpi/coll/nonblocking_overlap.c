/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Nonblocking and persistent collectives at random, up to twelve of them at a time on communicators
 * in turn, with blocking ones between them: short and long data, roots, in place, types with gaps
 * that are freed while they are in use, and communicators that are.  Operations complete in any
 * order.  Each result is compared with what it must be.
 *
 *   nonblocking_overlap [rounds]
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { MOST_RANKS = 32, COMMS = 3, OPEN = 12, GUARD = 4, GUARD_VALUE = -77 };
enum kind {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    SCAN,
    EXSCAN,
    ALLGATHER,
    GATHER,
    SCATTER,
    ALLTOALL,
    REDUCE_SCATTER_BLOCK,
    REDUCE_SCATTER,
    ALLGATHERV,
    KINDS
};
static const char *const names[] = {"barrier",
                                    "bcast",
                                    "reduce",
                                    "allreduce",
                                    "scan",
                                    "exscan",
                                    "allgather",
                                    "gather",
                                    "scatter",
                                    "alltoall",
                                    "reduce_scatter_block",
                                    "reduce_scatter",
                                    "allgatherv"};

struct call {
    enum kind kind;
    int round, rank, size, root, n, in_place, gaps, is_persistent;
    MPI_Comm comm;
    int *in, *out, *counts, *places;
    MPI_Request request;
};

static uint64_t common_state, own_state;

static int draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((unsigned) (*state >> 33) % below);
}

static int larger(int a, int b) { return a > b ? a : b; }

static int is_reduction(const struct call *call)
{
    return call->kind == REDUCE || call->kind == ALLREDUCE || call->kind == SCAN ||
           call->kind == EXSCAN || call->kind == REDUCE_SCATTER_BLOCK ||
           call->kind == REDUCE_SCATTER;
}

static int stride(const struct call *call) { return call->gaps ? 2 : 1; }

/* Of the data for member `to`; 0 where all get the same. */
static int value(const struct call *call, int from, int to, int i)
{
    return call->round % 1000 * 100003 + from * 10007 + to * 101 + i % 97;
}

static int parts_sent(const struct call *call)
{
    switch (call->kind) {
        case BARRIER: return 0;
        case BCAST: return call->rank == call->root;
        case SCATTER: return call->rank == call->root ? call->size : 0;
        case ALLTOALL:
        case REDUCE_SCATTER:
        case REDUCE_SCATTER_BLOCK: return call->size;
        default: return 1;
    }
}

static int parts_received(const struct call *call)
{
    switch (call->kind) {
        case BARRIER: return 0;
        case BCAST: return call->rank != call->root;
        case REDUCE: return call->rank == call->root;
        case GATHER: return call->rank == call->root ? call->size : 0;
        case ALLGATHER:
        case ALLGATHERV:
        case ALLTOALL: return call->size;
        case EXSCAN: return call->rank > 0;
        default: return 1;
    }
}

static int sum(const struct call *call, int first, int last, int to, int i)
{
    int all = 0;

    for (int r = first; r <= last; r++)
        all += value(call, r, to, i);
    return all;
}

static int wanted(const struct call *call, int part, int i)
{
    switch (call->kind) {
        case BCAST: return value(call, call->root, 0, i);
        case ALLGATHER:
        case ALLGATHERV:
        case GATHER: return value(call, part, 0, i);
        case ALLTOALL: return value(call, part, call->rank, i);
        case SCATTER: return value(call, call->root, call->rank, i);
        case SCAN: return sum(call, 0, call->rank, 0, i);
        case EXSCAN: return sum(call, 0, call->rank - 1, 0, i);
        case REDUCE_SCATTER:
        case REDUCE_SCATTER_BLOCK: return sum(call, 0, call->size - 1, call->rank, i);
        default: return sum(call, 0, call->size - 1, 0, i);
    }
}

/* Parts of different lengths, some of them 0; with an element between them in a gather. */
static int count_of(const struct call *call, int part)
{
    if (call->kind != REDUCE_SCATTER && call->kind != ALLGATHERV)
        return call->n;
    return call->n * ((part + call->round) % 3) / 2;
}

static int place_of(const struct call *call, int part)
{
    int place = call->kind == ALLGATHERV ? part : 0;

    for (int p = 0; p < part; p++)
        place += count_of(call, p);
    return place;
}

/* A single part is this process's own. */
static int elements(const struct call *call, int parts)
{
    return parts == 1 ? count_of(call, call->rank) : place_of(call, parts);
}

static int length_of(const struct call *call)
{
    int received = elements(call, parts_received(call));

    return call->in_place ? larger(received, elements(call, parts_sent(call))) : received;
}

static int *buffer(const struct call *call, int length)
{
    int all = length * stride(call) + GUARD, *at = ct_ints(all);

    for (int i = 0; i < all; i++)
        at[i] = GUARD_VALUE;
    return at;
}

static void fill_part(const struct call *call, int *at, int part, int count)
{
    for (int i = 0; i < count; i++)
        at[i * stride(call)] = value(call, call->rank, part, i);
}

/* Where data that are sent lie in the buffer for what is received. */
static int own_place(const struct call *call)
{
    int is_gather = call->kind == ALLGATHER || call->kind == ALLGATHERV || call->kind == GATHER;

    return call->in_place && is_gather ? place_of(call, call->rank) : 0;
}

static void fill_in(const struct call *call)
{
    int parts = parts_sent(call), *at = call->in_place ? call->out : call->in;

    if (parts == 1)
        fill_part(call, at + own_place(call) * stride(call), 0, count_of(call, call->rank));
    for (int p = 0; p < parts && parts > 1; p++)
        fill_part(call, at + place_of(call, p) * stride(call), p, count_of(call, p));
}

static void *prepare(struct call *call)
{
    call->out = buffer(call, length_of(call));
    call->in = buffer(call, elements(call, parts_sent(call)));
    for (int p = 0; p < call->size; p++) {
        call->counts[p] = count_of(call, p);
        call->places[p] = place_of(call, p);
    }
    return call->in_place ? MPI_IN_PLACE : call->in;
}

static void make_nonblocking(struct call *call, void *in, MPI_Datatype type)
{
    MPI_Request *request = &call->request;
    MPI_Comm comm = call->comm;
    int n = call->n, root = call->root, mine = count_of(call, call->rank);
    const int *counts = call->counts, *places = call->places;
    void *out = call->out;

    switch (call->kind) {
        case BARRIER: MPI_Ibarrier(comm, request); break;
        case BCAST: MPI_Ibcast(call->rank == root ? in : out, n, type, root, comm, request); break;
        case REDUCE: MPI_Ireduce(in, out, n, type, MPI_SUM, root, comm, request); break;
        case ALLREDUCE: MPI_Iallreduce(in, out, n, type, MPI_SUM, comm, request); break;
        case SCAN: MPI_Iscan(in, out, n, type, MPI_SUM, comm, request); break;
        case EXSCAN: MPI_Iexscan(in, out, n, type, MPI_SUM, comm, request); break;
        case ALLGATHER: MPI_Iallgather(in, n, type, out, n, type, comm, request); break;
        case GATHER: MPI_Igather(in, n, type, out, n, type, root, comm, request); break;
        case SCATTER: MPI_Iscatter(in, n, type, out, n, type, root, comm, request); break;
        case ALLTOALL: MPI_Ialltoall(in, n, type, out, n, type, comm, request); break;
        case REDUCE_SCATTER_BLOCK:
            MPI_Ireduce_scatter_block(in, out, n, type, MPI_SUM, comm, request);
            break;
        case REDUCE_SCATTER:
            MPI_Ireduce_scatter(in, out, counts, type, MPI_SUM, comm, request);
            break;
        case ALLGATHERV:
            MPI_Iallgatherv(in, mine, type, out, counts, places, type, comm, request);
            break;
        case KINDS: break;
    }
}

static void make_persistent(struct call *call, void *in, MPI_Datatype type)
{
    MPI_Request *request = &call->request;
    MPI_Comm comm = call->comm;
    MPI_Info info = MPI_INFO_NULL;
    int n = call->n, root = call->root, mine = count_of(call, call->rank);
    const int *counts = call->counts, *places = call->places;
    void *out = call->out, *data = call->rank == root ? in : out;

    switch (call->kind) {
        case BARRIER: MPI_Barrier_init(comm, info, request); break;
        case BCAST: MPI_Bcast_init(data, n, type, root, comm, info, request); break;
        case REDUCE: MPI_Reduce_init(in, out, n, type, MPI_SUM, root, comm, info, request); break;
        case ALLREDUCE: MPI_Allreduce_init(in, out, n, type, MPI_SUM, comm, info, request); break;
        case SCAN: MPI_Scan_init(in, out, n, type, MPI_SUM, comm, info, request); break;
        case EXSCAN: MPI_Exscan_init(in, out, n, type, MPI_SUM, comm, info, request); break;
        case ALLGATHER: MPI_Allgather_init(in, n, type, out, n, type, comm, info, request); break;
        case GATHER: MPI_Gather_init(in, n, type, out, n, type, root, comm, info, request); break;
        case SCATTER: MPI_Scatter_init(in, n, type, out, n, type, root, comm, info, request); break;
        case ALLTOALL: MPI_Alltoall_init(in, n, type, out, n, type, comm, info, request); break;
        case REDUCE_SCATTER_BLOCK:
            MPI_Reduce_scatter_block_init(in, out, n, type, MPI_SUM, comm, info, request);
            break;
        case REDUCE_SCATTER:
            MPI_Reduce_scatter_init(in, out, counts, type, MPI_SUM, comm, info, request);
            break;
        case ALLGATHERV:
            MPI_Allgatherv_init(in, mine, type, out, counts, places, type, comm, info, request);
            break;
        case KINDS: break;
    }
}

static void check_part(const struct call *call, const int *at, int part, int count)
{
    for (int i = 0; i < count && ct_errs == 0; i++)
        CT_CHECK(
            at[i * stride(call)] == wanted(call, part, i),
            "round %d, %s %s of %d ints, root %d, rank %d of %d, in place %d, gaps %d: element "
            "%d of part %d is %d, not %d",
            call->round, call->is_persistent ? "persistent" : "nonblocking", names[call->kind],
            call->n, call->root, call->rank, call->size, call->in_place, call->gaps, i, part,
            at[i * stride(call)], wanted(call, part, i));
}

static void check(const struct call *call)
{
    int parts = parts_received(call);

    if (parts == 1)
        check_part(call, call->out, 0, count_of(call, call->rank));
    for (int p = 0; p < parts && parts > 1; p++)
        check_part(call, call->out + place_of(call, p) * stride(call), p, count_of(call, p));
    for (int i = 0; i < GUARD; i++)
        CT_CHECK(call->out[length_of(call) * stride(call) + i] == GUARD_VALUE,
                 "round %d, %s: written behind the end", call->round, names[call->kind]);
}

/* A persistent one is started several times, and the last start is waited for later. */
static void begin(struct call *call, MPI_Datatype with_gap)
{
    MPI_Datatype type = MPI_INT;
    void *in = prepare(call);

    if (call->gaps)
        MPI_Type_dup(with_gap, &type);
    if (!call->is_persistent)
        fill_in(call);
    (call->is_persistent ? make_persistent : make_nonblocking)(call, in, type);
    if (call->gaps)
        MPI_Type_free(&type);
    for (int start = 0; start < (call->is_persistent ? 6 : 0); start++) {
        if (start > 0)
            MPI_Wait(&call->request, MPI_STATUS_IGNORE);
        if (start > 0)
            check(call);
        fill_in(call);
        MPI_Start(&call->request);
    }
}

/* Only roots, and members of what all receive, may have their data in place. */
static int may_be_in_place(const struct call *call)
{
    switch (call->kind) {
        case BARRIER:
        case BCAST:
        case SCATTER: return 0;
        case REDUCE:
        case GATHER: return call->rank == call->root;
        default: return 1;
    }
}

static void finish(struct call *call)
{
    check(call);
    if (call->is_persistent)
        MPI_Request_free(&call->request);
    free(call->in);
    free(call->out);
    free(call->counts);
    free(call->places);
}

/* Most fit into a line; some into a copy buffer, some into none. */
static int draw_length(void)
{
    switch (draw(&common_state, 8)) {
        case 0: return draw(&common_state, 3000);
        case 1:
        case 2: return draw(&common_state, 300);
        default: return draw(&common_state, 16);
    }
}

static struct call draw_call(MPI_Comm comm, int round)
{
    struct call call = {.comm = comm, .round = round};

    MPI_Comm_rank(comm, &call.rank);
    MPI_Comm_size(comm, &call.size);
    call.kind = (enum kind) draw(&common_state, KINDS);
    call.root = draw(&common_state, 1000) % call.size;
    call.counts = ct_ints(call.size);
    call.places = ct_ints(call.size);
    call.n = draw_length();
    if (draw(&common_state, 3) == 0)
        call.in_place = may_be_in_place(&call);
    call.gaps = !is_reduction(&call) && draw(&own_state, 3) == 0;
    call.is_persistent = draw(&common_state, 6) == 0;
    return call;
}

/* Two collectives, from which on a communicator has lines; or none. */
static void make_comms(MPI_Comm comms[COMMS], int rank)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[2]);
    for (int i = 0; i < COMMS; i++) {
        if (draw(&common_state, 4) == 0)
            continue;
        MPI_Barrier(comms[i]);
        MPI_Barrier(comms[i]);
    }
}

static void check_blocking(MPI_Comm comm)
{
    int rank, size, all;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(all == size * (size - 1) / 2, "the sum of ranks is %d", all);
}

/* Completes one of the calls, or looks at all. */
static int complete_some(struct call open[], int n)
{
    MPI_Request requests[OPEN];
    int which = -1, flag = 1;

    for (int i = 0; i < n; i++)
        requests[i] = open[i].request;
    if (draw(&own_state, 3) == 0) {
        MPI_Testany(n, requests, &which, &flag, MPI_STATUS_IGNORE);
    } else {
        which = draw(&own_state, (unsigned) n);
        MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
    }
    if (!flag || which < 0)
        return n;
    finish(&open[which]);
    open[which] = open[n - 1];
    return n - 1;
}

int main(int argc, char **argv)
{
    MPI_Comm comms[COMMS];
    MPI_Datatype with_gap;
    struct call open[OPEN];
    int n_open = 0, rounds;

    MTest_Init(&argc, &argv);
    rounds = argc > 1 ? atoi(argv[1]) : 3000;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    common_state = 4711;
    own_state = (uint64_t) ct_me + 1;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_gap);
    MPI_Type_commit(&with_gap);
    make_comms(comms, ct_me);
    for (int round = 0; round < rounds && ct_errs == 0; round++) {
        int comm = draw(&common_state, COMMS);

        if (draw(&common_state, 8) == 0)
            check_blocking(comms[comm]);
        while (n_open == OPEN || (n_open > 0 && draw(&own_state, 2)))
            n_open = complete_some(open, n_open);
        open[n_open] = draw_call(comms[comm], round);
        begin(&open[n_open++], with_gap);
        if (round % 100 == 99) { /* the calls go on */
            for (int i = 0; i < COMMS; i++)
                MPI_Comm_free(&comms[i]);
            make_comms(comms, ct_me);
        }
    }
    while (n_open > 0)
        n_open = complete_some(open, n_open);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Type_free(&with_gap);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
