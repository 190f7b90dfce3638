/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An error of a call without an object comes to the error handler of MPI_COMM_SELF, or, if it has
 * none, to that of MPI_COMM_WORLD.  One of a call that has a communicator or a window comes to its
 * handler, whichever argument is wrong.
 */
#include "cmaptest.h"

static int calls_of_self, calls_of_world;

static void note_self(MPI_Comm *comm, int *code, ...)
{
    calls_of_self += *comm == MPI_COMM_SELF && *code != MPI_SUCCESS;
}

static void note_world(MPI_Comm *comm, int *code, ...)
{
    calls_of_world += *comm == MPI_COMM_WORLD && *code != MPI_SUCCESS;
}

static void check(int of_self, int of_world)
{
    int n;
    MPI_Info info = MPI_INFO_NULL;

    calls_of_self = calls_of_world = 0;
    CT_CHECK(MPI_Comm_size(MPI_COMM_NULL, &n) != MPI_SUCCESS, "the size of no communicator");
    CT_CHECK(MPI_Info_free(&info) != MPI_SUCCESS, "MPI_INFO_NULL is freed");
    CT_CHECK(MPI_Group_size(MPI_GROUP_NULL, &n) != MPI_SUCCESS, "the size of no group");
    CT_CHECK(calls_of_self == 3 * of_self && calls_of_world == 3 * of_world,
             "%d errors of MPI_COMM_SELF, %d of MPI_COMM_WORLD", calls_of_self, calls_of_world);
}

static int calls_of_comm, calls_of_win;
static MPI_Comm a_comm;
static MPI_Win a_win;

static void note_comm(MPI_Comm *comm, int *code, ...)
{
    calls_of_comm += *comm == a_comm && *code != MPI_SUCCESS;
}

static void note_win(MPI_Win *win, int *code, ...)
{
    calls_of_win += *win == a_win && *code != MPI_SUCCESS;
}

static void check_objects(void)
{
    MPI_Errhandler of_comm, of_win;
    MPI_Comm none;
    int buffer;

    MPI_Comm_dup(MPI_COMM_WORLD, &a_comm);
    MPI_Win_create(&buffer, sizeof(buffer), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &a_win);
    MPI_Comm_create_errhandler(note_comm, &of_comm);
    MPI_Win_create_errhandler(note_win, &of_win);
    MPI_Comm_set_errhandler(a_comm, of_comm);
    MPI_Win_set_errhandler(a_win, of_win);
    MPI_Comm_create(a_comm, MPI_GROUP_NULL, &none);
    MPI_Comm_create_group(a_comm, MPI_GROUP_NULL, 0, &none);
    MPI_Comm_set_errhandler(a_comm, MPI_ERRHANDLER_NULL);
    MPI_Win_post(MPI_GROUP_NULL, 0, a_win);
    MPI_Win_start(MPI_GROUP_NULL, 0, a_win);
    MPI_Win_set_errhandler(a_win, MPI_ERRHANDLER_NULL);
    CT_CHECK(calls_of_comm == 3 && calls_of_win == 3,
             "%d errors of the communicator, %d of the window", calls_of_comm, calls_of_win);
    MPI_Errhandler_free(&of_comm);
    MPI_Errhandler_free(&of_win);
    MPI_Win_free(&a_win);
    MPI_Comm_free(&a_comm);
}

int main(int argc, char **argv)
{
    MPI_Errhandler self, world;

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_create_errhandler(note_self, &self);
    MPI_Comm_create_errhandler(note_world, &world);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    check(0, 1);
    check_objects();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
    check(1, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    check(1, 0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&self);
    MPI_Errhandler_free(&world);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
