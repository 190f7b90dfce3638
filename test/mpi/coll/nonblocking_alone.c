/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators whose collectives are all nonblocking get lines, too, though no member waits for
 * another one.  Members are late, or have no memory; communicators are freed while operations are
 * under way, overlap, are duplicated meanwhile, or revoked, and their context ids come again.  All
 * results are right, the same floating-point numbers have the same sum, and memory does not grow.
 *
 *   nonblocking_alone [lines | poor]    with "lines": they must be used; with "poor", rank 0 has no
 *                                       memory when it first looks for them
 */
#include "cmaptest_poor.h"
#include <unistd.h>

enum { OPS = 40, ROUNDS = 150, MANY = 2000, GROWTH = 1 << 16 };

static int size, has_pvars;
static ct_rng alike, own; /* the same numbers on all ranks; others on each */
static ct_pvar calls, arena;

/* An operation under way. */
typedef struct op {
    int kind, number, rank, size, root;
    int in[4], out[4 * 64];
    MPI_Request request;
} op;

enum { BARRIER, BCAST, ALLREDUCE, SCAN, GATHER, ALLTOALLV, KINDS };

static int value(const op *o, int from, int i) { return o->number * 1000 + from * 10 + i; }

static void begin(op *o, MPI_Comm comm, int kind, int number)
{
    static int counts[64], places[64];

    MPI_Comm_rank(comm, &o->rank);
    MPI_Comm_size(comm, &o->size);
    o->kind = kind;
    o->number = number;
    o->root = number % o->size;
    for (int i = 0; i < 4; i++)
        o->in[i] = value(o, o->rank, i);
    for (int m = 0; m < o->size; m++) {
        counts[m] = 2;
        places[m] = 2 * m;
    }
    memset(o->out, -1, sizeof(o->out));
    if (kind == BARRIER)
        MPI_Ibarrier(comm, &o->request);
    else if (kind == BCAST)
        MPI_Ibcast(o->rank == o->root ? o->in : o->out, 4, MPI_INT, o->root, comm, &o->request);
    else if (kind == ALLREDUCE)
        MPI_Iallreduce(o->in, o->out, 4, MPI_INT, MPI_MAX, comm, &o->request);
    else if (kind == SCAN)
        MPI_Iscan(o->in, o->out, 4, MPI_INT, MPI_MAX, comm, &o->request);
    else if (kind == GATHER)
        MPI_Igather(o->in, 4, MPI_INT, o->out, 4, MPI_INT, o->root, comm, &o->request);
    else
        MPI_Iscatterv(o->out + 128, counts, places, MPI_INT, o->out, 2, MPI_INT, o->root, comm,
                      &o->request);
}

static int wanted(const op *o, int i)
{
    switch (o->kind) {
        case BCAST: return o->rank == o->root ? -1 : value(o, o->root, i);
        case ALLREDUCE: return value(o, o->size - 1, i);
        case SCAN: return value(o, o->rank, i);
        case GATHER: return o->rank == o->root ? value(o, i / 4, i % 4) : -1;
        default: return -1;
    }
}

static void end(op *o, const char *what)
{
    int n = o->kind == GATHER ? 4 * o->size : 4;

    MPI_Wait(&o->request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        CT_CHECK(o->out[i] == wanted(o, i), "%s: operation %d of kind %d, rank %d of %d: %d is %d",
                 what, o->number, o->kind, o->rank, o->size, i, o->out[i]);
}

static void be_late(void)
{
    if (ct_below(&own, 40) == 0)
        usleep(ct_below(&own, 2000));
}

/* `n` operations, of which some overlap; *comm is freed before they have ended. */
static void work(MPI_Comm *comm, int n, const char *what)
{
    static op ops[OPS];
    int first = 0;

    for (int i = 0; i < n; i++) {
        be_late();
        begin(&ops[i], *comm, ct_below(&alike, KINDS), i);
        while (first <= i && ct_below(&own, 3) == 0)
            end(&ops[first++], what);
    }
    MPI_Comm_free(comm);
    for (; first < n; first++)
        end(&ops[first], what);
}

static void have_lines(int wants_lines)
{
    long long before = ct_pvar_read(&calls), all = 0, mine;
    MPI_Comm comm;

    wants_lines &= ct_is_one_node(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < OPS; i++) {
        op o;

        begin(&o, comm, ct_below(&alike, KINDS), i);
        end(&o, "alone");
    }
    mine = ct_pvar_read(&calls) - before;
    MPI_Comm_free(&comm);
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    CT_CHECK(!wants_lines || all >= OPS / 2, "%lld operations went by lines", mine);
}

/* One member begins no more before all others have begun theirs, and freed the communicator. */
static void much_later(void)
{
    enum { FEW = 10 };

    for (int late = 0; late < size; late++) {
        for (int before = 0; before < FEW; before++) {
            op ops[FEW];
            MPI_Comm comm;
            int any;

            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            for (int i = 0; i < before; i++) {
                begin(&ops[i], comm, (late + i) % KINDS, i);
                end(&ops[i], "before it is late");
            }
            for (int m = 0; m < size && ct_me == late; m++)
                if (m != ct_me)
                    MPI_Recv(&any, 1, MPI_INT, m, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = before; i < FEW; i++)
                begin(&ops[i], comm, (late + i) % KINDS, i);
            MPI_Comm_free(&comm);
            if (ct_me != late)
                MPI_Send(&ct_me, 1, MPI_INT, late, 0, MPI_COMM_WORLD);
            for (int i = before; i < FEW; i++)
                end(&ops[i], "much later");
        }
    }
}

static double sum_now(MPI_Comm comm)
{
    double mine = 0.1 * (ct_me + 1), all = -1;
    MPI_Request request;

    MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return all;
}

/* Nobody knows in which collective a communicator gets its lines. */
static void same_sums(void)
{
    MPI_Comm comm;
    double first;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    first = sum_now(comm);
    for (int i = 0; i < OPS && ct_errs == 0; i++) {
        double again;
        op o;

        begin(&o, comm, BCAST, i);
        end(&o, "between sums");
        again = sum_now(comm);
        CT_CHECK(again == first, "sum %d is %.17g, and the first was %.17g", i, again, first);
    }
    MPI_Comm_free(&comm);
}

/* All, the lower ranks, or those with neighbours: the same ids come again with other members. */
static void overlapping(void)
{
    for (int round = 0; round < ROUNDS && ct_errs == 0; round++) {
        int kind = ct_below(&alike, 3), n = 1 + ct_below(&alike, OPS), part = 1;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Group all, some;

        if (kind == 0) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        } else {
            part = 1 + ct_below(&alike, size);
            MPI_Comm_group(MPI_COMM_WORLD, &all);
            MPI_Group_range_incl(all, 1, (int[][3]){{0, part - 1, 1}}, &some);
            if (ct_me < part)
                MPI_Comm_create_group(MPI_COMM_WORLD, some, round, &comm);
            MPI_Group_free(&some);
            MPI_Group_free(&all);
        }
        if (comm != MPI_COMM_NULL)
            work(&comm, n, "overlapping");
        else
            for (int i = 0; i < n; i++)
                ct_below(&alike, KINDS);
    }
}

/* Duplicates are made while operations are under way. */
static void duplicated(void)
{
    MPI_Comm comm, copy;
    MPI_Request made;
    op ops[8];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int round = 0; round < 20 && ct_errs == 0; round++) {
        for (int i = 0; i < 4; i++)
            begin(&ops[i], comm, (round + i) % KINDS, 10 * round + i);
        MPI_Comm_idup(comm, &copy, &made);
        for (int i = 4; i < 8; i++)
            begin(&ops[i], comm, (round + i) % KINDS, 10 * round + i);
        be_late();
        MPI_Wait(&made, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
        comm = copy;
        for (int i = 0; i < 8; i++)
            end(&ops[i], "duplicated");
    }
    MPI_Comm_free(&comm);
}

/* Blocking and persistent collectives come in between. */
static void mixed(void)
{
    for (int round = 0; round < ROUNDS && ct_errs == 0; round++) {
        MPI_Comm comm;
        op ops[OPS];
        int n = 1 + ct_below(&alike, OPS);

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < n; i++) {
            int kind = ct_below(&alike, 12), sum = -1;

            be_late();
            begin(&ops[i], comm, ct_below(&alike, KINDS), i);
            if (kind == 0)
                ct_check_sum(comm, "mixed", -1, i);
            if (kind == 1) {
                MPI_Request request;

                MPI_Allreduce_init(&ct_me, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                   &request);
                MPI_Start(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
                CT_CHECK(sum == size * (size - 1) / 2, "a persistent sum is %d", sum);
            }
        }
        for (int i = 0; i < n; i++)
            end(&ops[i], "mixed");
        MPI_Comm_free(&comm);
    }
}

/* Some members have made more operations than others when it is revoked. */
static void revoked(void)
{
    for (int round = 0; round < ROUNDS && ct_errs == 0; round++) {
        MPI_Comm comm, again;
        int n = ct_below(&own, 6);
        op ops[6];

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (ct_me == round % size)
            MPIX_Comm_revoke(comm);
        for (int i = 0; i < n; i++) {
            ops[i].request = MPI_REQUEST_NULL;
            begin(&ops[i], comm, ALLREDUCE, i);
        }
        for (int i = 0; i < n; i++)
            MPI_Wait(&ops[i].request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
        MPI_Comm_dup(MPI_COMM_WORLD, &again);
        work(&again, 1 + ct_below(&alike, 9), "after a revocation");
    }
}

/* Rank 0 can never take part: in no communicator do the members agree. */
static void first_without_memory(void)
{
    MPI_Comm comm;
    op first, second;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    begin(&first, comm, ALLREDUCE, 0);
    end(&first, "the first");
    ct_poor_begin(ct_me == 0 ? CT_ALL_FAIL : 0);
    begin(&second, comm, ALLREDUCE, 1);
    CT_CHECK(ct_poor_end() > 0 || ct_me > 0 || size == 1, "there was memory");
    end(&second, "the second, without memory");
    MPI_Comm_free(&comm);
}

/* One member's n-th allocation fails, or all from that on. */
static void without_memory(int from_on)
{
    ct_from_on = from_on;
    for (int n = 1; n < 30 && ct_errs == 0; n++) {
        for (int victim = 0; victim < size; victim++) {
            op ops[OPS];
            MPI_Comm comm;

            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            begin(&ops[0], comm, ALLREDUCE, 0); /* its schedule would have no memory */
            ct_poor_begin(ct_me == victim ? n : 0);
            for (int i = 1; i < OPS; i++)
                begin(&ops[i], comm, ALLREDUCE, i);
            for (int i = 0; i < OPS; i++)
                end(&ops[i], "without memory");
            ct_poor_end();
            MPI_Comm_free(&comm);
        }
    }
}

static void many(void)
{
    long long before, after;
    MPI_Comm comm;

    MPI_Barrier(MPI_COMM_WORLD);
    before = ct_pvar_read(&arena);
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        work(&comm, 1 + i % 9, "many");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    after = ct_pvar_read(&arena);
    CT_CHECK(after - before < GROWTH, "%d communicators leave %lld bytes of the arena", MANY,
             after - before);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    alike.state = 1;
    own.state = 100 + ct_me;
    ct_mpit_begin();
    has_pvars = ct_pvar_find("aggr_calls", &calls) && ct_pvar_find("aggr_arena_bytes", &arena);
    if (argc > 1 && !strcmp(argv[1], "poor") && ct_can_be_poor())
        first_without_memory();
    if (has_pvars)
        have_lines(argc > 1 && !strcmp(argv[1], "lines"));
    much_later();
    same_sums();
    overlapping();
    duplicated();
    mixed();
    revoked();
    if (has_pvars)
        many();
    if (ct_can_be_poor()) {
        without_memory(0);
        without_memory(1);
    }
    if (has_pvars) {
        ct_pvar_close(&calls);
        ct_pvar_close(&arena);
    }
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
