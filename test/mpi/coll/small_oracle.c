/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random programs of small collectives on communicators that come and go, against a plain oracle:
 * operations that do not commute, every root, buffers in place and with holes, lengths around those
 * at which the library changes its way.
 *
 * Everybody draws the same numbers, so that all know what all others do.
 * small_oracle [steps] [seed]
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { COMMS = 12, LONGEST = 1200, ROOM = 2 * LONGEST * 64 };

typedef struct step {
    int number;
    MPI_Comm comm;
    int rank, size;
    int count, root;
    int in_place;
    const char *what;
} step;

static MPI_Comm comms[COMMS];
static MPI_Op compose; /* of x -> ax + b, pairs of unsigned */
static MPI_Datatype pair, holes;
static unsigned in[ROOM], out[ROOM], want[ROOM];

/* Element i of what `rank` gives in a step. */
static unsigned given(const step *s, int rank, int i)
{
    unsigned h =
        (unsigned) s->number * 2654435761u + (unsigned) rank * 40503u + (unsigned) i * 2246822519u;

    h = (h ^ h >> 15) * 0x9e3779b1u;
    return h ^ h >> 13;
}

static void check(const step *s, int n)
{
    for (int i = 0; i < n; i++) {
        CT_CHECK(out[i] == want[i],
                 "step %d, %s of %d among %d, root %d%s: element %d is %u, not %u", s->number,
                 s->what, s->count, s->size, s->root, s->in_place ? ", in place" : "", i, out[i],
                 want[i]);
        if (out[i] != want[i])
            break;
    }
}

static void give(const step *s, unsigned *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = given(s, s->rank, i);
}

static void compose_pairs(void *left, void *inout, int *n, MPI_Datatype *type)
{
    unsigned *x = left, *y = inout;

    for (int i = 0; i < 2 * *n; i += 2) {
        y[i + 1] = x[i] * y[i + 1] + x[i + 1];
        y[i] *= x[i];
    }
}

/* ---- reductions ---- */

static void want_composed(const step *s, int last)
{
    for (int i = 0; i < 2 * s->count && last >= 0; i += 2) {
        want[i] = given(s, last, i);
        want[i + 1] = given(s, last, i + 1);
        for (int m = last - 1; m >= 0; m--) {
            want[i + 1] = given(s, m, i) * want[i + 1] + given(s, m, i + 1);
            want[i] *= given(s, m, i);
        }
    }
}

static void reductions(step s, int which)
{
    const void *from = s.in_place && (which != 1 || s.rank == s.root) ? MPI_IN_PLACE : in;
    int last = which == 2 ? s.rank : which == 3 ? s.rank - 1 : s.size - 1;

    give(&s, in, 2 * s.count);
    give(&s, out, 2 * s.count);
    want_composed(&s, last);
    switch (which) {
        case 0:
            s.what = "MPI_Allreduce";
            MPI_Allreduce(from, out, s.count, pair, compose, s.comm);
            break;
        case 1:
            s.what = "MPI_Reduce";
            MPI_Reduce(from, s.rank == s.root ? out : NULL, s.count, pair, compose, s.root, s.comm);
            break;
        case 2:
            s.what = "MPI_Scan";
            MPI_Scan(from, out, s.count, pair, compose, s.comm);
            break;
        default:
            s.what = "MPI_Exscan";
            MPI_Exscan(from, out, s.count, pair, compose, s.comm);
            break;
    }
    if (last >= 0 && (which != 1 || s.rank == s.root))
        check(&s, 2 * s.count);
}

static unsigned folded(unsigned a, unsigned b, int op)
{
    switch (op) {
        case 0: return a + b;
        case 1: return a > b ? a : b;
        case 2: return a < b ? a : b;
        case 3: return a ^ b;
        case 4: return a & b;
        default: return a | b;
    }
}

static void predefined(step s, int op)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_BAND, MPI_BOR};

    give(&s, in, s.count);
    for (int i = 0; i < s.count; i++) {
        want[i] = given(&s, 0, i);
        for (int m = 1; m < s.size; m++)
            want[i] = folded(want[i], given(&s, m, i), op);
    }
    s.what = "MPI_Allreduce (predefined)";
    MPI_Allreduce(in, out, s.count, MPI_UNSIGNED, ops[op], s.comm);
    check(&s, s.count);
}

static void largest_where(step s)
{
    struct {
        double value;
        int rank;
    } mine = {given(&s, s.rank, 0) % 5, s.rank}, most, right = {-1, -1};

    for (int m = 0; m < s.size; m++)
        if (given(&s, m, 0) % 5 > right.value) {
            right.value = given(&s, m, 0) % 5;
            right.rank = m;
        }
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, s.comm);
    CT_CHECK(most.value == right.value && most.rank == right.rank,
             "step %d, MPI_MAXLOC: %g at %d, not %g at %d", s.number, most.value, most.rank,
             right.value, right.rank);
}

/* ---- data that move ---- */

static void broadcast(step s)
{
    s.what = "MPI_Bcast";
    for (int i = 0; i < s.count; i++) {
        want[i] = given(&s, s.root, i);
        out[i] = s.rank == s.root ? want[i] : ~want[i];
    }
    MPI_Bcast(out, s.count, MPI_UNSIGNED, s.root, s.comm);
    check(&s, s.count);
}

/* Every third unsigned stays as it is. */
static void broadcast_with_holes(step s)
{
    s.what = "MPI_Bcast with holes";
    s.count /= 3;
    for (int i = 0; i < 3 * s.count; i++) {
        want[i] = given(&s, i % 3 == 1 ? s.rank : s.root, i);
        out[i] = s.rank == s.root || i % 3 == 1 ? want[i] : ~want[i];
    }
    MPI_Bcast(out, s.count, holes, s.root, s.comm);
    check(&s, 3 * s.count);
}

static void gathers(step s, int all)
{
    int wanted = all || s.rank == s.root;

    s.what = all ? "MPI_Allgather" : "MPI_Gather";
    give(&s, in, s.count);
    for (int i = 0; i < s.count * s.size; i++) {
        want[i] = given(&s, i / s.count, i % s.count);
        out[i] = i / s.count == s.rank ? want[i] : ~want[i];
    }
    const void *from = s.in_place && wanted ? MPI_IN_PLACE : in;
    if (all)
        MPI_Allgather(from, s.count, MPI_UNSIGNED, out, s.count, MPI_UNSIGNED, s.comm);
    else
        MPI_Gather(from, s.count, MPI_UNSIGNED, out, s.count, MPI_UNSIGNED, s.root, s.comm);
    if (wanted)
        check(&s, s.count * s.size);
}

static void scatter(step s)
{
    int in_place = s.in_place && s.rank == s.root;

    s.what = "MPI_Scatter";
    for (int i = 0; i < s.count * s.size; i++)
        in[i] = given(&s, s.root, i);
    for (int i = 0; i < s.count; i++) {
        want[i] = given(&s, s.root, s.rank * s.count + i);
        out[i] = in_place ? want[i] : ~want[i];
    }
    MPI_Scatter(in, s.count, MPI_UNSIGNED, in_place ? MPI_IN_PLACE : out, s.count, MPI_UNSIGNED,
                s.root, s.comm);
    check(&s, s.count);
}

static void everybody_to_everybody(step s)
{
    s.what = "MPI_Alltoall";
    for (int i = 0; i < s.count * s.size; i++) {
        in[i] = out[i] = given(&s, s.rank, i);
        want[i] = given(&s, i / s.count, s.rank * s.count + i % s.count);
    }
    MPI_Alltoall(s.in_place ? MPI_IN_PLACE : in, s.count, MPI_UNSIGNED, out, s.count, MPI_UNSIGNED,
                 s.comm);
    check(&s, s.count * s.size);
}

/* ---- the program ---- */

static void replace(ct_rng *rng, MPI_Comm *comm)
{
    int kinds = 1 + ct_below(rng, 3), shift = ct_below(rng, 7), backwards = ct_below(rng, 2),
        left_out = ct_below(rng, 4);
    int kind = (ct_me + shift) % kinds;

    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
    MPI_Comm_split(MPI_COMM_WORLD, kind == left_out ? MPI_UNDEFINED : kind,
                   backwards ? -ct_me : ct_me, comm);
}

static void one_step(ct_rng *rng, int number)
{
    int what = ct_below(rng, 16), where = ct_below(rng, COMMS), root = ct_below(rng, 1 << 20),
        op = ct_below(rng, 6);
    step s = {.number = number, .comm = comms[where], .in_place = ct_below(rng, 3) == 0};
    int few = ct_below(rng, 8), many = ct_below(rng, LONGEST);

    s.count = ct_below(rng, 4) ? few : many;
    if (what == 0 && where > 0)
        replace(rng, &comms[where]);
    if (what == 0 || s.comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(s.comm, &s.rank);
    MPI_Comm_size(s.comm, &s.size);
    s.root = root % s.size;
    switch (what) {
        case 1: MPI_Barrier(s.comm); break;
        case 2: broadcast(s); break;
        case 3: broadcast_with_holes(s); break;
        case 4:
        case 5:
        case 6:
        case 7: reductions(s, what - 4); break;
        case 8:
        case 9: predefined(s, op); break;
        case 10: largest_where(s); break;
        case 11:
        case 12:
            s.count = 1 + s.count / (1 + op * op);
            gathers(s, what == 11);
            break;
        case 13:
            s.count = 1 + s.count / (1 + op * op);
            scatter(s);
            break;
        default:
            s.count = 1 + s.count / (1 + op * op);
            everybody_to_everybody(s);
            break;
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 4000;
    ct_rng rng = {argc > 2 ? strtoull(argv[2], NULL, 0) : 1};

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Op_create(compose_pairs, 0, &compose);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &holes);
    MPI_Type_commit(&holes);
    for (int i = 0; i < COMMS; i++)
        comms[i] = i == 0 ? MPI_COMM_WORLD : MPI_COMM_NULL;
    for (int number = 0; number < steps; number++)
        one_step(&rng, number);
    for (int i = 1; i < COMMS; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
    MPI_Type_free(&holes);
    MPI_Type_free(&pair);
    MPI_Op_free(&compose);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
