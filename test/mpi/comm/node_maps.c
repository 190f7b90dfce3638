/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives that go by nodes, with every root, on communicators whose ranks lie on the nodes in
 * every order.  The testlist lays one machine out as several nodes (MPIR_CVAR_NUM_CLIQUES and the
 * like): in turns, in blocks, some nodes with one process, one process a node.  A wrong rank inside
 * or between nodes shows as a wrong value, or as a message nobody waits for.  Scan with an
 * operation that does not commute needs the order of the ranks, too.
 */
#include "cmaptest.h"

static int rank, size;

/* A different number for each member and question. */
static int value(int id, int salt) { return (id + 1) * 1009 + salt * 31; }

static void check_bcast(MPI_Comm comm, const ct_list *want, int root, const char *what)
{
    int small = rank == root ? value(ct_me, 1) : -1;
    static int large[20000]; /* another algorithm */

    MPI_Bcast(&small, 1, MPI_INT, root, comm);
    CT_CHECK(small == value(want->id[root], 1), "%s: bcast from %d: %d", what, root, small);

    for (int i = 0; i < 20000; i++)
        large[i] = rank == root ? value(ct_me, i) : -1;
    MPI_Bcast(large, 20000, MPI_INT, root, comm);
    for (int i = 0; i < 20000; i += 1999)
        CT_CHECK(large[i] == value(want->id[root], i), "%s: bcast from %d: %d at %d", what, root,
                 large[i], i);
}

static void check_reduce(MPI_Comm comm, const ct_list *want, int root, const char *what)
{
    int mine = value(ct_me, root), got = -1, sum = 0;
    MPI_Request request;

    for (int i = 0; i < want->n; i++)
        sum += value(want->id[i], root);
    MPI_Reduce(&mine, &got, 1, MPI_INT, MPI_SUM, root, comm);
    CT_CHECK(rank != root || got == sum, "%s: reduce to %d: %d, not %d", what, root, got, sum);
    got = -1;
    MPI_Ireduce(&mine, &got, 1, MPI_INT, MPI_SUM, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(rank != root || got == sum, "%s: ireduce to %d: %d, not %d", what, root, got, sum);
}

static void check_ibcast(MPI_Comm comm, const ct_list *want, int root, const char *what)
{
    int got = rank == root ? value(ct_me, 2) : -1;
    MPI_Request request;

    MPI_Ibcast(&got, 1, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CT_CHECK(got == value(want->id[root], 2), "%s: ibcast from %d: %d", what, root, got);
}

/* Composition of x -> a x + b modulo 2^32: associative, not commutative. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const unsigned *f = in;
    unsigned *g = inout;

    for (int i = 0; i < *n; i++, f += 2, g += 2) {
        g[1] += g[0] * f[1];
        g[0] *= f[0];
    }
}

static void expected_prefix(const ct_list *want, int last, unsigned out[2])
{
    int one = 1;
    MPI_Datatype unused = MPI_DATATYPE_NULL;

    out[0] = 2 * want->id[0] + 3;
    out[1] = want->id[0];
    for (int i = 1; i <= last; i++) {
        unsigned next[2] = {2 * want->id[i] + 3, want->id[i]};
        compose(out, next, &one, &unused);
        out[0] = next[0];
        out[1] = next[1];
    }
}

static void check_prefixes(MPI_Comm comm, const ct_list *want, MPI_Op op, MPI_Datatype pair,
                           const char *what)
{
    unsigned mine[2] = {2 * ct_me + 3, ct_me}, got[2], right[2];
    int sum = 0, id = ct_me;

    expected_prefix(want, rank, right);
    MPI_Scan(mine, got, 1, pair, op, comm);
    CT_CHECK(got[0] == right[0] && got[1] == right[1], "%s: scan in a wrong order", what);
    expected_prefix(want, size - 1, right);
    MPI_Allreduce(mine, got, 1, pair, op, comm);
    CT_CHECK(got[0] == right[0] && got[1] == right[1], "%s: allreduce in a wrong order", what);

    MPI_Scan(&id, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i <= rank; i++)
        sum -= want->id[i];
    CT_CHECK(sum == 0, "%s: scan is off by %d", what, sum);
}

static void check_comm(MPI_Comm comm, const ct_list *want, MPI_Op op, MPI_Datatype pair,
                       const char *what)
{
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; root++) {
        check_bcast(comm, want, root, what);
        check_ibcast(comm, want, root, what);
        check_reduce(comm, want, root, what);
    }
    check_prefixes(comm, want, op, pair, what);
    MPI_Barrier(comm);
}

static void check_pattern(int kind, int salt, MPI_Op op, MPI_Datatype pair)
{
    int world_size;
    MPI_Group world, group;
    MPI_Comm comm, copy;

    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    ct_rng rng = {salt};
    ct_list want = ct_pattern_list(kind, &rng, world_size);
    MPI_Group_incl(world, want.n, want.id, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_dup(comm, &copy);
        MPI_Comm_free(&comm);
        check_comm(copy, &want, op, pair, ct_pattern_name(kind));
        MPI_Comm_free(&copy);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    ct_list_free(&want);
}

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Datatype pair;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
    MPI_Type_commit(&pair);
    for (int kind = 0; kind < CT_PATTERNS; kind++)
        check_pattern(kind, 5 + kind, op, pair);
    for (int salt = 100; salt < 110; salt++) {
        check_pattern(CT_SHUFFLED, salt, op, pair);
        check_pattern(CT_SHUFFLED_SUBSET, salt, op, pair);
    }
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
