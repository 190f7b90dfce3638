/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collectives of several nodes that are done by one exchange of all data: that they are, and what
 * may come in: ranks in any order of nodes, types with holes, absolute addresses, operations that
 * do not commute, floating-point numbers.
 *
 *   small_nodes           results only
 *   small_nodes counted   also that they go this way
 */
#include "cmaptest_mpit.h"

enum { TIMES = 4, INTS = 3 };

static MPI_Datatype apart; /* INTS ints, one in two */
static MPI_Op later;       /* not commutative: what is on the right, unless it is 0 */

static void take_later(void *left, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++) {
        int *x = left, *y = inout;
        y[i] = y[i] ? y[i] : x[i];
    }
}

static void allgathers(MPI_Comm comm, int rank, int size)
{
    int spread[2 * INTS], *all = ct_ints(2 * INTS * size);
    MPI_Datatype there;
    MPI_Aint at;

    for (int i = 0; i < 2 * INTS; i++)
        spread[i] = 100 * rank + i;
    for (int i = 0; i < 2 * INTS * size; i++)
        all[i] = -1;
    MPI_Get_address(spread, &at);
    MPI_Type_create_hindexed_block(1, 1, &at, apart, &there);
    MPI_Type_commit(&there);
    MPI_Allgather(MPI_BOTTOM, 1, there, all, 1, apart, comm);
    /* the last hole of a type is not part of it */
    for (int m = 0; m < size; m++)
        for (int i = 0; i < 2 * INTS - 1; i++) {
            int got = all[m * (2 * INTS - 1) + i], want = i % 2 ? -1 : 100 * m + i;
            CT_CHECK(got == want, "allgather of holes: element %d of %d is %d, not %d", i, m, got,
                     want);
        }
    MPI_Type_free(&there);
    for (int m = 0; m < size; m++)
        all[m] = m == rank ? m + 5 : -1;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
    for (int m = 0; m < size; m++)
        CT_CHECK(all[m] == m + 5, "allgather in place: %d is %d", m, all[m]);
    free(all);
}

static void alltoalls(MPI_Comm comm, int rank, int size)
{
    int *to = ct_ints(size), *from = ct_ints(size);

    for (int m = 0; m < size; m++)
        to[m] = 1000 * rank + m;
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, comm);
    for (int m = 0; m < size; m++)
        CT_CHECK(from[m] == 1000 * m + rank, "alltoall: %d from %d", from[m], m);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 1, MPI_INT, comm);
    for (int m = 0; m < size; m++)
        CT_CHECK(to[m] == 1000 * m + rank, "alltoall in place: %d from %d", to[m], m);
    free(from);
    free(to);
}

static void scans(MPI_Comm comm, int rank, int size)
{
    int in = rank + 1, out = -7;

    MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(out == (rank + 1) * (rank + 2) / 2, "scan: %d", out);
    out = -7;
    MPI_Exscan(&in, &out, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(out == (rank ? rank * (rank + 1) / 2 : -7), "exscan: %d", out);
    out = rank % 3 == 1 ? 0 : in;
    MPI_Scan(MPI_IN_PLACE, &out, 1, MPI_INT, later, comm);
    CT_CHECK(out == (rank % 3 == 1 ? rank : in), "scan of an operation that does not commute: %d",
             out);
}

/* The order of additions shows; all calls have the same. */
static void same_bits(MPI_Comm world)
{
    double in = 1.0 / (ct_me * 7 + 3) + (ct_me % 2 ? 1e9 : -1e9), first = 0, again;
    MPI_Comm comm;

    MPI_Comm_dup(world, &comm);
    for (int k = 0; k < TIMES; k++) {
        MPI_Scan(&in, &again, 1, MPI_DOUBLE, MPI_SUM, comm);
        if (k == 0)
            first = again;
        CT_CHECK(memcmp(&first, &again, sizeof first) == 0, "call %d gives %.17g, the first %.17g",
                 k, again, first);
    }
    MPI_Comm_free(&comm);
}

static void all_of(MPI_Comm comm, ct_pvar *calls)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int k = 0; k < TIMES; k++) {
        long long before = calls ? ct_pvar_read(calls) : 0, done;
        allgathers(comm, rank, size);
        alltoalls(comm, rank, size);
        scans(comm, rank, size);
        done = calls ? ct_pvar_read(calls) - before : 5;
        CT_CHECK(k == 0 || done >= 5, "round %d: %lld of 5 collectives by aggregates", k, done);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    ct_pvar var, *calls = NULL;
    int size;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    if (argc > 1 && ct_pvar_find("aggr_calls", &var))
        calls = &var;
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(INTS, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Op_create(take_later, 0, &later);
    all_of(MPI_COMM_WORLD, calls);
    same_bits(MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, k == 0 ? -ct_me : ct_me * (2 * k + 1) % size, &comm);
        all_of(comm, calls);
        MPI_Comm_free(&comm);
    }
    MPI_Op_free(&later);
    MPI_Type_free(&apart);
    if (calls)
        ct_pvar_close(calls);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
