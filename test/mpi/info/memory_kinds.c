/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Kinds of memory: what is supported of the kinds that the process and a session ask for is in
 * MPI_INFO_ENV, the session's info, and the info of communicators, windows and files. A
 * communicator keeps what it asserts.
 */
#include "cmaptest.h"

#define KEY "mpi_memory_alloc_kinds"
#define ASSERT "mpi_assert_memory_alloc_kinds"

static char expected[200];

static void check_key(MPI_Info info, const char *key, const char *value, const char *what)
{
    char got[MPI_MAX_INFO_VAL] = "";
    int length = sizeof(got), flag = 0;

    MPI_Info_get_string(info, key, &length, got, &flag);
    CT_CHECK(flag == (value != NULL) && (!flag || strcmp(got, value) == 0), "%s: %s is %s", what,
             key, flag ? got : "missing");
}

static void check_comm(MPI_Comm comm, const char *kinds, const char *asserted, const char *what)
{
    MPI_Info info;

    MPI_Comm_get_info(comm, &info);
    check_key(info, KEY, kinds, what);
    check_key(info, ASSERT, asserted, what);
    MPI_Info_free(&info);
}

static void check_win(MPI_Comm comm, const char *kinds)
{
    MPI_Info info;
    MPI_Win win;

    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_get_info(win, &info);
    check_key(info, KEY, kinds, "window");
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

static void check_file(MPI_Comm comm, const char *kinds)
{
    MPI_Info info;
    MPI_File file;

    MPI_File_open(comm, "memory_kinds.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_get_info(file, &info);
    check_key(info, KEY, kinds, "file");
    MPI_Info_free(&info);
    MPI_File_close(&file);
}

static MPI_Info with(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void check_session(const char *asked, const char *kinds)
{
    MPI_Session session;
    MPI_Info info = with(KEY, asked), got;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    MPI_Session_get_info(session, &got);
    check_key(got, KEY, kinds, asked);
    MPI_Info_free(&got);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "kinds", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    check_comm(comm, kinds, NULL, asked);
    check_win(comm, kinds);
    check_file(comm, kinds);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static void check_asserted(void)
{
    MPI_Comm comm, copy;
    MPI_Info info = with(ASSERT, "system,mpi:alloc_mem");

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    check_comm(comm, expected, "system,mpi:alloc_mem", "asserted");
    MPI_Comm_dup(comm, &copy);
    info = with(ASSERT, "system");
    MPI_Comm_set_info(copy, info);
    MPI_Info_free(&info);
    check_comm(copy, expected, "system", "set");
    check_comm(comm, expected, "system,mpi:alloc_mem", "original");
    check_comm(MPI_COMM_WORLD, expected, NULL, "world");
    MPI_Comm_free(&comm);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Info made;

    strcpy(expected, "system,mpi");
    if (getenv("MPIR_CVAR_MEMORY_ALLOC_KINDS"))
        strcat(expected, ",mpi:win_allocate");
    MPI_Info_create_env(argc, argv, &made);
    check_key(made, KEY, expected, "before MPI_Init");
    MPI_Info_free(&made);
    MTest_Init(&argc, &argv);
    check_key(MPI_INFO_ENV, KEY, expected, "MPI_INFO_ENV");
    check_comm(MPI_COMM_SELF, expected, NULL, "self");
    check_win(MPI_COMM_WORLD, expected);
    check_file(MPI_COMM_WORLD, expected);
    check_asserted();
    check_session("system", "system,mpi");
    check_session("", "system,mpi");
    check_session("mpi:alloc_mem,cuda:device,mpi:other,mpi:alloc_mem,system:x",
                  "system,mpi,mpi:alloc_mem");
    check_session("mpi:win_allocate:win_allocate_shared,mpi",
                  "system,mpi,mpi:win_allocate:win_allocate_shared");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_delete("memory_kinds.data", MPI_INFO_NULL);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
