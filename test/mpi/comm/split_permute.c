/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPIX_PERMUTE from some members and another color from others is an error of class MPI_ERR_ARG on all of them, alike on
 * both sides of an intercommunicator; nothing is left behind, and the parent works.
 */
#include "cmaptest_split.h"

#ifdef MPIX_PERMUTE

static void expect_error(MPI_Comm parent, int colour, const char *what)
{
    int error, class_, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm child;

    error = MPI_Comm_split(parent, colour, ct_me, &child);
    CT_CHECK(error != MPI_SUCCESS, "%s: no error", what);
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_class(error, &class_);
    MPI_Error_string(error, text, &length);
    CT_CHECK(class_ == MPI_ERR_ARG, "%s: error class %d", what, class_);
    CT_CHECK(strstr(text, "MPIX_PERMUTE"), "%s: the text is %s", what, text);
    CT_CHECK(child == MPI_COMM_NULL, "%s: a communicator", what);
}

/* Everybody hears the same number. */
static void check_usable(MPI_Comm comm, const char *what)
{
    int inter, size, sum;
    MPI_Comm copy;

    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &size);
    else
        MPI_Comm_size(comm, &size);
    int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CT_CHECK(sum == size, "%s: %d of %d answer afterwards", what, sum, size);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&copy);
}

static void check_intra(MPI_Comm comm, int times)
{
    int size, rank;

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < times; i++) {
        int odd_one = i % size;
        expect_error(comm, rank == odd_one ? 0 : MPIX_PERMUTE, "one with a color");
        expect_error(comm, rank == odd_one ? MPI_UNDEFINED : MPIX_PERMUTE, "one stays out");
        if (size > 2)
            expect_error(comm, rank == odd_one ? MPIX_PERMUTE : rank, "one wants to permute");
    }
    check_usable(comm, "intracommunicator");
}

static void check_inter(MPI_Comm inter, int which, int times)
{
    int rank;

    MPI_Comm_rank(inter, &rank);
    for (int i = 0; i < times; i++) {
        expect_error(inter, which ? MPIX_PERMUTE : 1, "one side permutes");
        expect_error(inter, which ? MPIX_PERMUTE : MPI_UNDEFINED, "the other side stays out");
        expect_error(inter, which && rank == 0 ? 0 : MPIX_PERMUTE, "one of a side has a color");
    }
    check_usable(inter, "intercommunicator");
}

static void check_all(void)
{
    int size;
    MPI_Comm world, side, inter;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    int times = size <= 4 ? 1100 : 20; /* few ids (MPIR_CVAR_CTXID_LIMIT) would not last */
    check_intra(world, times);

    MPI_Comm_split(MPI_COMM_WORLD, ct_me % 2, ct_me, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - ct_me % 2, 9, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    check_inter(inter, ct_me % 2, times);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
    MPI_Comm_free(&world);
}

#else

static void check_all(void)
{
    MTestPrintfMsg(1, "skipped: no MPIX_PERMUTE here\n");
}

#endif

int main(int argc, char **argv)
{
    int size;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        check_all();
    else
        ct_fail("needs 2 processes at least");
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
