/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Names and hints of communicators belong to one communicator each: what is set stays, does not
 * show at another one, and is gone with its communicator, although most communicators share what
 * nobody has set.
 */
#include "cmaptest.h"

static void expect_name(MPI_Comm comm, const char *want, const char *what)
{
    char got[MPI_MAX_OBJECT_NAME];
    int length = -1;

    memset(got, 'x', sizeof(got));
    MPI_Comm_get_name(comm, got, &length);
    CT_CHECK(!strcmp(got, want) && length == (int) strlen(want), "%s: name is '%s', not '%s'", what,
             got, want);
}

static void expect_hint(MPI_Comm comm, const char *key, const char *want, const char *what)
{
    char got[MPI_MAX_INFO_VAL] = "";
    int flag;
    MPI_Info info;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, got, &flag);
    MPI_Info_free(&info);
    CT_CHECK(flag && !strcmp(got, want), "%s: %s is '%s', not '%s'", what, key, got, want);
}

static MPI_Info hint(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void set_hint(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = hint(key, value);

    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
}

static void check_predefined(void)
{
    MPI_Comm copy;

    expect_name(MPI_COMM_WORLD, "MPI_COMM_WORLD", "world");
    expect_name(MPI_COMM_SELF, "MPI_COMM_SELF", "self");
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    expect_name(MPI_COMM_WORLD, "everybody", "renamed world");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    expect_name(copy, "", "duplicate of the world");
    MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    expect_name(MPI_COMM_WORLD, "MPI_COMM_WORLD", "world again");
    expect_name(MPI_COMM_SELF, "MPI_COMM_SELF", "self after the world");
    MPI_Comm_free(&copy);
}

static void check_names(void)
{
    MPI_Comm a, b;
    char longest[MPI_MAX_OBJECT_NAME], too_long[2 * MPI_MAX_OBJECT_NAME];

    memset(longest, 'l', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    memset(too_long, 'l', sizeof(too_long));
    too_long[sizeof(too_long) - 1] = '\0';
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    expect_name(a, "", "fresh");
    MPI_Comm_set_name(a, "");
    expect_name(a, "", "with the empty name");
    MPI_Comm_set_name(a, "a");
    expect_name(a, "a", "a");
    expect_name(b, "", "the one beside a");
    MPI_Comm_set_name(b, longest);
    expect_name(b, longest, "the longest name");
    MPI_Comm_set_name(a, too_long);
    expect_name(a, longest, "a name that is too long");
    MPI_Comm_set_name(a, "short again");
    expect_name(a, "short again", "short again");
    MPI_Comm_set_name(a, "");
    expect_name(a, "", "without its name");
    MPI_Comm_free(&a);
    MPI_Comm_free(&b);
}

/* A new communicator may stand where another one was. */
static void check_gone(void)
{
    MPI_Comm comm;

    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        expect_name(comm, "", "in the place of another");
        expect_hint(comm, "mpi_assert_no_any_tag", "false", "in the place of another");
        MPI_Comm_set_name(comm, "for a while");
        set_hint(comm, "mpi_assert_no_any_tag", "true");
        MPI_Comm_free(&comm);
    }
}

static void check_hints(void)
{
    MPI_Comm a, b, c;
    MPI_Info info = hint("mpi_assert_exact_length", "true");

    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    expect_hint(a, "mpi_assert_no_any_source", "false", "fresh");
    set_hint(a, "mpi_assert_no_any_source", "true");
    expect_hint(a, "mpi_assert_no_any_source", "true", "set");
    expect_hint(a, "mpi_assert_no_any_tag", "false", "beside the one that is set");
    expect_hint(MPI_COMM_WORLD, "mpi_assert_no_any_source", "false", "world");
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    expect_hint(b, "mpi_assert_no_any_source", "false", "next to it");
    set_hint(a, "mpi_assert_no_any_source", "false");
    set_hint(a, "mpi_assert_no_any_tag", "true");
    expect_hint(a, "mpi_assert_no_any_source", "false", "taken back");
    expect_hint(a, "mpi_assert_no_any_tag", "true", "another one");
    MPI_Comm_dup_with_info(b, info, &c);
    expect_hint(c, "mpi_assert_exact_length", "true", "duplicate with hints");
    expect_hint(b, "mpi_assert_exact_length", "false", "its origin");
    MPI_Info_free(&info);
    MPI_Barrier(c);
    MPI_Comm_free(&b);
    expect_hint(c, "mpi_assert_exact_length", "true", "after its origin");
    MPI_Comm_free(&a);
    MPI_Comm_free(&c);
}

static void check_intercomm(void)
{
    int rank, size;
    MPI_Comm half, inter, merged;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
    expect_name(inter, "", "intercommunicator");
    MPI_Comm_set_name(inter, "between");
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    expect_name(merged, "", "merged");
    expect_name(inter, "between", "intercommunicator after the merge");
    expect_name(half, "half", "half after the merge");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    check_predefined();
    check_names();
    check_gone();
    check_hints();
    check_intercomm();
    check_gone();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
