/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The info key mpi_memory_alloc_kinds of MPI_Comm_spawn: MPI_INFO_ENV of the new processes tells
 * which of these kinds of memory are supported, and how many processes were asked for.
 */
#include "cmaptest.h"

static void check_key(const char *key, const char *expected)
{
    char got[MPI_MAX_INFO_VAL] = "";
    int length = sizeof(got), flag = 0;

    MPI_Info_get_string(MPI_INFO_ENV, key, &length, got, &flag);
    CT_CHECK(flag && strcmp(got, expected) == 0, "%s is %s, not %s", key, got, expected);
}

static void check_env(const char *kinds, const char *processes)
{
    check_key("mpi_memory_alloc_kinds", kinds);
    check_key("maxprocs", processes);
}

static void be_child(MPI_Comm parent)
{
    int all = 0;

    check_env("system,mpi,mpi:alloc_mem", "2");
    MPI_Reduce(&ct_errs, &all, 1, MPI_INT, MPI_SUM, 0, parent);
    MPI_Comm_disconnect(&parent);
}

static void spawn(char *program)
{
    MPI_Comm children;
    MPI_Info info;
    int errs = 0;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_memory_alloc_kinds", "mpi:alloc_mem,rocm:device");
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    MPI_Reduce(NULL, &errs, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);
    CT_CHECK(errs == 0, "the children have %d errors", errs);
    MPI_Comm_disconnect(&children);
    check_env("system,mpi", "1");
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MTest_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        be_child(parent);
    else
        spawn(argv[0]);
    if (parent != MPI_COMM_NULL)
        MPI_Finalize();
    else
        MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
