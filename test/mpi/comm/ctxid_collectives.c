/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Creating a communicator takes one collective: counted by the MPI_T counter coll_calls, against
 * what one small MPI_Allreduce or MPI_Allgather counts itself.  Without the counter the test says
 * so and checks messages only.  For MPIR_CVAR_CTXID_BLOCK=1: with blocks, duplicates take fewer
 * (dup_silent).
 */
#include "cmaptest_mpit.h"

static ct_pvar calls;
static int counts_calls, world_size;

static long long calls_now(void) { return counts_calls ? ct_pvar_read(&calls) : 0; }

static long long calls_of_allreduce(MPI_Comm comm)
{
    int words[3] = {1, 2, 3};
    long long before = calls_now();

    MPI_Allreduce(MPI_IN_PLACE, words, 3, MPI_INT, MPI_MAX, comm);
    return calls_now() - before;
}

static long long calls_of_allgather(MPI_Comm comm)
{
    int size;
    long long before;
    double mine[2] = {0, 0};

    MPI_Comm_size(comm, &size);
    double *all = ct_alloc(2 * size, sizeof(double));
    before = calls_now();
    MPI_Allgather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, comm);
    free(all);
    return calls_now() - before;
}

static void expect(long long before, long long allowed, MPI_Comm *made, const char *what)
{
    long long took = calls_now() - before;
    int me = ct_me, most;

    CT_CHECK(!counts_calls || took == allowed, "%s took %lld collectives, not %lld", what, took,
             allowed);
    if (*made == MPI_COMM_NULL)
        return;
    MPI_Allreduce(&me, &most, 1, MPI_INT, MPI_MAX, *made);
    CT_CHECK(most >= ct_me && most < world_size, "%s: the communicator works", what);
    MPI_Comm_free(made);
}

static void check_dup(MPI_Comm parent, long long allowed)
{
    MPI_Comm made;
    MPI_Info info;
    long long before = calls_now();

    MPI_Comm_dup(parent, &made);
    expect(before, allowed, &made, "MPI_Comm_dup");
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    before = calls_now();
    MPI_Comm_dup_with_info(parent, info, &made);
    expect(before, allowed, &made, "MPI_Comm_dup_with_info");
    MPI_Info_free(&info);
}

static void check_split(MPI_Comm parent, long long allowed)
{
    MPI_Comm made;
    int rank;
    long long before = calls_now();

    MPI_Comm_rank(parent, &rank);
    MPI_Comm_split(parent, rank % 2, rank, &made);
    expect(before, allowed, &made, "MPI_Comm_split by parity");
    before = calls_now();
    MPI_Comm_split(parent, 0, -rank, &made);
    expect(before, allowed, &made, "MPI_Comm_split backward");
    before = calls_now();
    MPI_Comm_split(parent, rank ? 0 : MPI_UNDEFINED, 0, &made);
    expect(before, allowed, &made, "MPI_Comm_split without rank 0");
}

/* A reduction over the group is not one of the counted collectives: nothing else may be. */
static void check_groups(MPI_Comm parent, long long allowed)
{
    MPI_Comm made;
    MPI_Group all, some;
    int size, rank;
    long long before;

    MPI_Comm_size(parent, &size);
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_group(parent, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, size - 1, 2}}, &some);
    before = calls_now();
    MPI_Comm_create(parent, some, &made);
    expect(before, allowed, &made, "MPI_Comm_create");
    if (rank % 2 == 0) {
        before = calls_now();
        MPI_Comm_create_group(parent, some, 5, &made);
        expect(before, 0, &made, "MPI_Comm_create_group beyond its reduction");
    }
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}

static void check_cart(MPI_Comm parent, long long allowed)
{
    MPI_Comm made;
    int dims[2] = {0, 0}, periods[2] = {0, 0}, size;
    long long before;

    MPI_Comm_size(parent, &size);
    MPI_Dims_create(size, 2, dims);
    before = calls_now();
    MPI_Cart_create(parent, 2, dims, periods, 0, &made);
    expect(before, allowed, &made, "MPI_Cart_create");
}

static void check(MPI_Comm parent)
{
    long long reduce = calls_of_allreduce(parent), gather = calls_of_allgather(parent);

    for (int i = 0; i < 3; i++) {
        check_dup(parent, reduce);
        check_split(parent, gather);
        check_groups(parent, reduce);
        check_cart(parent, reduce);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm half;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    counts_calls = ct_pvar_find("coll_calls", &calls);
    if (!counts_calls)
        MTestPrintfMsg(1, "no counter coll_calls here\n");

    check(MPI_COMM_WORLD);
    check(MPI_COMM_SELF);
    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, -ct_me, &half);
    check(half);
    MPI_Comm_free(&half);

    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
