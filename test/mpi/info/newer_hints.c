/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Info keys that MPI 4.1 added, with their defaults and with what the program sets:
 * mpi_assert_strict_persistent_collective_ordering of communicators, and
 * mpi_accumulate_granularity of windows.
 */
#include "cmaptest.h"

#define ORDER "mpi_assert_strict_persistent_collective_ordering"
#define GRANULARITY "mpi_accumulate_granularity"

static void check_key(MPI_Info info, const char *key, const char *value, const char *what)
{
    char got[MPI_MAX_INFO_VAL] = "";
    int length = sizeof(got), flag = 0;

    MPI_Info_get_string(info, key, &length, got, &flag);
    CT_CHECK(flag && strcmp(got, value) == 0, "%s: %s is %s, not %s", what, key,
             flag ? got : "missing", value);
    MPI_Info_free(&info);
}

static MPI_Info of_comm(MPI_Comm comm)
{
    MPI_Info info;

    MPI_Comm_get_info(comm, &info);
    return info;
}

static MPI_Info of_win(MPI_Win win)
{
    MPI_Info info;

    MPI_Win_get_info(win, &info);
    return info;
}

static MPI_Info with(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void check_order(void)
{
    MPI_Comm comm;
    MPI_Info info = with(ORDER, "true");

    check_key(of_comm(MPI_COMM_WORLD), ORDER, "false", "world");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    check_key(of_comm(comm), ORDER, "true", "copy");
    info = with(ORDER, "false");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    check_key(of_comm(comm), ORDER, "false", "set");
    MPI_Comm_free(&comm);
}

static void check_granularity(void)
{
    MPI_Info info = with(GRANULARITY, "4096");
    MPI_Win win;
    int *memory;

    MPI_Win_allocate(1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    check_key(of_win(win), GRANULARITY, "0", "default");
    MPI_Win_free(&win);
    MPI_Win_allocate(1000, 1, info, MPI_COMM_WORLD, &memory, &win);
    MPI_Info_free(&info);
    check_key(of_win(win), GRANULARITY, "4096", "allocated");
    MPI_Win_free(&win);
    info = with(GRANULARITY, "-8");
    MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    check_key(of_win(win), GRANULARITY, "0", "wrong");
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    check_order();
    check_granularity();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
