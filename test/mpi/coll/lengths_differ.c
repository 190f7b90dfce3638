/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives whose members pass different lengths, each followed by right ones.  A member that can
 * see the difference returns MPI_ERR_TRUNCATE; who returns success has the right data; buffers end
 * where they end; and the communicator goes on.  Some are the third collective of their
 * communicator: its lines are there from the second one on.
 *
 *   lengths_differ [calls [most]]      wrong calls, and elements of which they have at most so
 *                                      many; default 300, 1500
 *   lengths_differ calls most nodes    the same over all nodes; the others stay inside a node, as
 *                                      between nodes each process still chooses its algorithm by
 *                                      its own length
 *   lengths_differ calls most trees    members may go on as in trees of messages: an error is told
 *                                      to some, and no length is 0
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { RANKS = 16, GUARD = 8, GUARD_VALUE = -77, PER_COMM = 4 };
enum kind { BCAST, REDUCE, GATHER, SCATTER, ALLREDUCE, SCAN, EXSCAN, ALLGATHER, ALLTOALL, KINDS };
static const char *const names[] = {"bcast", "reduce", "gather",    "scatter", "allreduce",
                                    "scan",  "exscan", "allgather", "alltoall"};

struct call {
    enum kind kind;
    int number, root, in_place, gaps; /* gaps: this process's elements are not in a row */
    int n[RANKS];
};

static int size, trees;
static MPI_Datatype with_gap;

static int value(const struct call *call, int from, int to, int i)
{
    return call->number * 1000003 + from * 10007 + to * 101 + i;
}

/* How far apart elements are. */
static int stride(const struct call *call) { return call->gaps ? 2 : 1; }

static MPI_Datatype type_of(const struct call *call) { return call->gaps ? with_gap : MPI_INT; }

static int parts_sent(const struct call *call)
{
    return call->kind == ALLTOALL || (call->kind == SCATTER && ct_me == call->root) ? size : 1;
}

static int parts_received(const struct call *call)
{
    return call->kind == ALLTOALL || call->kind == ALLGATHER ||
                   (call->kind == GATHER && ct_me == call->root)
               ? size
               : 1;
}

static int *buffer_for(const struct call *call, int parts)
{
    int all = call->n[ct_me] * parts * stride(call) + GUARD, *buffer = ct_ints(all);

    for (int i = 0; i < all; i++)
        buffer[i] = GUARD_VALUE;
    return buffer;
}

static void fill(const struct call *call, int *buffer, int parts)
{
    int n = call->n[ct_me];

    for (int p = 0; p < parts; p++)
        for (int i = 0; i < n; i++)
            buffer[(p * n + i) * stride(call)] = value(call, ct_me, p, i);
}

/* In place: what is sent lies where it is received. */
static void fill_in_place(const struct call *call, int *buffer)
{
    int at =
        call->kind == GATHER || call->kind == ALLGATHER ? ct_me * call->n[ct_me] * stride(call) : 0;

    fill(call, buffer + at, parts_sent(call));
}

static int can_be_in_place(const struct call *call)
{
    switch (call->kind) {
        case BCAST: return 0;
        case REDUCE:
        case GATHER:
        case SCATTER: return ct_me == call->root;
        default: return 1;
    }
}

static int make(const struct call *call, const void *in, void *out, MPI_Comm comm)
{
    int n = call->n[ct_me];
    MPI_Datatype type = type_of(call);

    switch (call->kind) {
        case BCAST: return MPI_Bcast(out, n, type, call->root, comm);
        case REDUCE: return MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, call->root, comm);
        case GATHER: return MPI_Gather(in, n, type, out, n, type, call->root, comm);
        case SCATTER:
            return call->in_place && ct_me == call->root
                       ? MPI_Scatter(in, n, type, MPI_IN_PLACE, n, type, call->root, comm)
                       : MPI_Scatter(in, n, type, out, n, type, call->root, comm);
        case ALLREDUCE: return MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
        case SCAN: return MPI_Scan(in, out, n, MPI_INT, MPI_SUM, comm);
        case EXSCAN: return MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, comm);
        case ALLGATHER: return MPI_Allgather(in, n, type, out, n, type, comm);
        default: return MPI_Alltoall(in, n, type, out, n, type, comm);
    }
}

/* ---- what is right ---- */

/* The sum of what ranks first .. last have. */
static int sum(const struct call *call, int first, int last, int i)
{
    unsigned all = 0;

    for (int r = first; r <= last; r++)
        all += (unsigned) value(call, r, 0, i);
    return (int) all;
}

/* Element i of part p of what this process receives. */
static int right(const struct call *call, int p, int i)
{
    switch (call->kind) {
        case BCAST: return value(call, call->root, 0, i);
        case SCATTER: return value(call, call->root, ct_me, i);
        case GATHER:
        case ALLGATHER: return value(call, p, 0, i);
        case ALLTOALL: return value(call, p, ct_me, i);
        case SCAN: return sum(call, 0, ct_me, i);
        case EXSCAN: return sum(call, 0, ct_me - 1, i);
        default: return sum(call, 0, size - 1, i);
    }
}

static int receives(const struct call *call)
{
    int from_all = call->kind == REDUCE || call->kind == GATHER;

    if (call->kind == SCATTER && ct_me == call->root)
        return !call->in_place;
    return (!from_all || ct_me == call->root) && (call->kind != EXSCAN || ct_me > 0);
}

static int all_alike(const struct call *call, int first, int last)
{
    for (int r = first; r <= last; r++)
        if (call->n[r] != call->n[ct_me])
            return 0;
    return 1;
}

/* Does this process read a length that is not its own? */
static int sees_difference(const struct call *call)
{
    switch (call->kind) {
        case BCAST:
        case SCATTER: return call->n[call->root] != call->n[ct_me];
        case REDUCE:
        case GATHER: return ct_me == call->root && !all_alike(call, 0, size - 1);
        case SCAN:
        case EXSCAN: return !all_alike(call, 0, ct_me);
        default: return !all_alike(call, 0, size - 1);
    }
}

/* ---- calls ---- */

static void check_data(const struct call *call, const int *out)
{
    int n = call->n[ct_me], parts = parts_received(call);

    for (int p = 0; p < parts; p++)
        for (int i = 0; i < n; i++)
            if (out[(p * n + i) * stride(call)] != right(call, p, i)) {
                ct_fail("%s %d of %d from %d: element %d of part %d is %d, not %d",
                        names[call->kind], call->number, n, call->root, i, p,
                        out[(p * n + i) * stride(call)], right(call, p, i));
                return;
            }
}

static void check_guard(const struct call *call, const int *buffer, int parts)
{
    int end = call->n[ct_me] * parts * stride(call);

    for (int i = 0; i < GUARD; i++)
        CT_CHECK(buffer[end + i] == GUARD_VALUE, "%s %d of %d: written behind the buffer",
                 names[call->kind], call->number, call->n[ct_me]);
}

static void check_error(const struct call *call, int err)
{
    int class = MPI_SUCCESS;

    if (err != MPI_SUCCESS)
        MPI_Error_class(err, &class);
    if (trees || class == MPI_ERR_TRUNCATE || (class == MPI_ERR_OTHER && !sees_difference(call)))
        return;
    CT_CHECK(err == MPI_SUCCESS && !sees_difference(call),
             "%s %d of %d, root %d of %d: class %d, not MPI_ERR_TRUNCATE", names[call->kind],
             call->number, call->n[ct_me], call->root, call->n[call->root], class);
}

static int do_call(const struct call *call, MPI_Comm comm)
{
    int *out = buffer_for(call, parts_received(call) > parts_sent(call) ? parts_received(call)
                                                                        : parts_sent(call));
    int *in = buffer_for(call, parts_sent(call)),
        in_place = call->in_place && can_be_in_place(call), err;

    fill(call, in, parts_sent(call));
    if (call->kind == BCAST && ct_me == call->root)
        fill(call, out, 1);
    if (in_place && call->kind != SCATTER)
        fill_in_place(call, out);
    err = make(call, in_place && call->kind != SCATTER ? MPI_IN_PLACE : in, out, comm);
    check_guard(call, out,
                parts_received(call) > parts_sent(call) ? parts_received(call) : parts_sent(call));
    if (err == MPI_SUCCESS && receives(call) && !(trees && sees_difference(call)))
        check_data(call, out);
    free(in);
    free(out);
    return err;
}

/* The same for all but `gaps`. */
static struct call random_call(ct_rng *rng, int number, int most)
{
    struct call call = {
        .kind = ct_below(rng, KINDS), .number = number, .root = ct_below(rng, size)};
    uint32_t gaps = ct_random(rng);
    int n = ct_below(rng, 3) ? ct_below(rng, 20) : ct_below(rng, most + 1);

    call.in_place = ct_below(rng, 4) == 0;
    call.gaps = (gaps >> ct_me) % 4 == 0 && call.kind != REDUCE && call.kind != ALLREDUCE &&
                call.kind != SCAN && call.kind != EXSCAN;
    for (int r = 0; r < size; r++)
        call.n[r] = n;
    return call;
}

static void make_different(struct call *call, ct_rng *rng, int most)
{
    int other = ct_below(rng, 3) ? ct_below(rng, 20) : ct_below(rng, most + 1),
        who = ct_below(rng, size), alone = ct_below(rng, 2);

    if (other == call->n[0] || ct_below(rng, 5) == 0)
        other = call->n[0] > 0 && !trees ? 0 : call->n[0] + 1;
    for (int r = 0; r < size; r++)
        if (r == who || (!alone && ct_below(rng, 2)))
            call->n[r] = other;
}

static void right_calls(ct_rng *rng, int number, int most, MPI_Comm comm)
{
    for (int k = 0; k < 2; k++) {
        struct call call = random_call(rng, number, most);
        int err = do_call(&call, comm);
        CT_CHECK(err == MPI_SUCCESS, "%s %d of %d, all alike: error %d", names[call.kind], number,
                 call.n[0], err);
    }
}

static void wrong_call(ct_rng *rng, int number, int most, MPI_Comm comm)
{
    struct call call = random_call(rng, number, most);

    make_different(&call, rng, most);
    for (int r = 0; trees && r < size; r++)
        call.n[r] += call.n[r] == 0;
    check_error(&call, do_call(&call, comm));
}

int main(int argc, char **argv)
{
    int calls, most;
    ct_rng rng = {22};
    MPI_Comm comm = MPI_COMM_NULL, base;

    MTest_Init(&argc, &argv);
    calls = argc > 1 ? atoi(argv[1]) : 300;
    most = argc > 2 ? atoi(argv[2]) : 1500;
    trees = argc > 3;
    if (argc > 3 && !strcmp(argv[3], "nodes"))
        MPI_Comm_dup(MPI_COMM_WORLD, &base);
    else
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &base);
    MPI_Comm_rank(base, &ct_me);
    MPI_Comm_size(base, &size);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &with_gap);
    MPI_Type_commit(&with_gap);
    for (int k = 0; k < calls; k++) {
        if (k % PER_COMM == 0) {
            if (comm != MPI_COMM_NULL)
                MPI_Comm_free(&comm);
            MPI_Comm_dup(base, &comm);
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
            for (int before = 2 + ct_below(&rng, 3); before > 0; before--)
                MPI_Barrier(comm);
        }
        wrong_call(&rng, k, most, comm);
        right_calls(&rng, k, most, comm);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&base);
    MPI_Type_free(&with_gap);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
