/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_INFO_ENV can be read and duplicated, but not changed or freed; the duplicate can.
 * MPI_Info_get_string with length 0 tells the length, with a buffer or without one.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

static void expect_refused(int result, const char *call)
{
    int class;

    MPI_Error_class(result, &class);
    CT_CHECK(class == MPI_ERR_INFO, "%s of MPI_INFO_ENV: class %d", call, class);
}

static void check_refusals(void)
{
    MPI_Info environment = MPI_INFO_ENV, copy;
    int before, after;

    MPI_Info_get_nkeys(MPI_INFO_ENV, &before);
    expect_refused(MPI_Info_set(MPI_INFO_ENV, "key", "value"), "MPI_Info_set");
    expect_refused(MPI_Info_delete(MPI_INFO_ENV, "command"), "MPI_Info_delete");
    expect_refused(MPI_Info_free(&environment), "MPI_Info_free");
    MPI_Info_get_nkeys(MPI_INFO_ENV, &after);
    CT_CHECK(before == after, "MPI_INFO_ENV had %d keys, and has %d", before, after);

    MPI_Info_dup(MPI_INFO_ENV, &copy);
    CT_CHECK(MPI_Info_set(copy, "key", "value") == MPI_SUCCESS, "the duplicate cannot be changed");
    CT_CHECK(MPI_Info_free(&copy) == MPI_SUCCESS, "the duplicate cannot be freed");
}

static void check_length(void)
{
    MPI_Info info;
    char value[10] = "before";
    int length = 0, found = 0;

    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    CT_CHECK(MPI_Info_get_string(info, "key", &length, NULL, &found) == MPI_SUCCESS,
             "MPI_Info_get_string without a buffer fails");
    CT_CHECK(found && length == 6, "without a buffer: found %d, length %d", found, length);
    length = 0;
    MPI_Info_get_string(info, "key", &length, value, &found);
    CT_CHECK(found && length == 6 && !strcmp(value, "before"), "with length 0: \"%s\", %d", value,
             length);
    length = 10;
    CT_CHECK(MPI_Info_get_string(info, "key", &length, NULL, &found) != MPI_SUCCESS,
             "no buffer of 10 bytes is accepted");
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_refusals();
    check_length();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
