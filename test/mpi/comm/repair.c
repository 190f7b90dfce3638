/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPIX_Comm_shrink, MPIX_Comm_agree, MPIX_Comm_failure_ack and MPIX_Comm_failure_get_acked while no
 * process has failed: the same group in the same order with the same map and error handler, the
 * bitwise AND of all flags, and nobody to acknowledge.
 */
#include "cmaptest_mpit.h"

static ct_pvar maps;
static int counts_maps;

static long long maps_alive(void) { return counts_maps ? ct_pvar_read(&maps) : 0; }

static int flag_of(int rank) { return ~(1 << rank % 31); }

/* Of the members of a group of n, and of a smaller one. */
static int all_flags(int n)
{
    int all = ~0;

    for (int rank = 0; rank < n; rank++)
        all &= flag_of(rank);
    return all;
}

static void check_agree(MPI_Comm comm, const char *what)
{
    int rank, contributors, others = 0, is_inter, flag, code;

    MPI_Comm_test_inter(comm, &is_inter);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &contributors);
    if (is_inter)
        MPI_Comm_remote_size(comm, &others);
    contributors = others > contributors ? others : contributors;
    for (int round = 0; round < 3; round++) {
        flag = round == 1 ? ~0 : flag_of(rank);
        code = MPIX_Comm_agree(comm, &flag);
        CT_CHECK(code == MPI_SUCCESS, "%s: agree fails", what);
        CT_CHECK(flag == (round == 1 ? ~0 : all_flags(contributors)), "%s: agreed on %x, not %x",
                 what, flag, round == 1 ? ~0 : all_flags(contributors));
    }
}

static void check_failed(MPI_Comm comm, const char *what)
{
    MPI_Group failed = MPI_GROUP_NULL;
    int result = MPI_UNEQUAL;

    for (int round = 0; round < 2; round++) {
        CT_CHECK(MPIX_Comm_failure_get_acked(comm, &failed) == MPI_SUCCESS, "%s: get_acked fails",
                 what);
        MPI_Group_compare(failed, MPI_GROUP_EMPTY, &result);
        CT_CHECK(result == MPI_IDENT, "%s: some have failed", what);
        MPI_Group_free(&failed);
        CT_CHECK(MPIX_Comm_failure_ack(comm) == MPI_SUCCESS, "%s: ack fails", what);
    }
}

static void check_handler(MPI_Comm comm, const char *what)
{
    MPI_Errhandler handler;

    MPI_Comm_get_errhandler(comm, &handler);
    CT_CHECK(handler == MPI_ERRORS_RETURN, "%s: the error handler is not the parent's", what);
    MPI_Errhandler_free(&handler);
}

static void check_works(MPI_Comm comm, const char *what)
{
    int is_inter, contributors, one = 1, sum = 0;

    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        MPI_Comm_remote_size(comm, &contributors);
    else
        MPI_Comm_size(comm, &contributors);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == contributors, "%s: a sum of %d, not %d", what, sum, contributors);
}

static void check_shrink(MPI_Comm comm, const char *what)
{
    MPI_Comm small = MPI_COMM_NULL;
    long long before = maps_alive();
    int result = MPI_UNEQUAL;

    CT_CHECK(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS, "%s: shrink fails", what);
    if (small == MPI_COMM_NULL)
        return;
    CT_CHECK(maps_alive() == before, "%s: %lld maps, %lld before", what, maps_alive(), before);
    MPI_Comm_compare(comm, small, &result);
    CT_CHECK(result == MPI_CONGRUENT, "%s: another group", what);
    check_handler(small, what);
    check_works(small, what);
    MPI_Comm_free(&small);
}

static void check(MPI_Comm comm, const char *what)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check_failed(comm, what);
    check_agree(comm, what);
    check_shrink(comm, what);
    check_agree(comm, what);
    check_works(comm, what);
}

static void check_groups(int size)
{
    MPI_Comm reversed, half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -ct_me, &reversed);
    check(reversed, "reversed");
    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &half);
    check(half, "half");
    if (size > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 0, &inter);
        check(inter, "between halves");
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
}

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    ct_mpit_begin();
    counts_maps = ct_pvar_find("cmap_maps", &maps);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(MPI_COMM_WORLD, "world");
    check(MPI_COMM_SELF, "self");
    for (int round = 0; round < 3; round++)
        check_groups(size);
    ct_mpit_end();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
