/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * With MPI_THREAD_MULTIPLE an error handler calls MPI: about its communicator, window or file, with
 * an error of its own, while another thread calls MPI, too.  A handler may free its communicator.
 */
#include "cmaptest.h"
#include "mpithreadtest.h"
#include <unistd.h>

static int handled, nested;
static volatile int ended;

static void look(MPI_Comm comm)
{
    int size, length, flag;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm duplicate;
    void *value;

    MPI_Comm_size(comm, &size);
    MPI_Comm_get_name(comm, name, &length);
    MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &flag);
    MPI_Comm_dup(comm, &duplicate);
    MPI_Comm_free(&duplicate);
}

static void handle_comm(MPI_Comm *comm, int *code, ...)
{
    int class;

    handled++;
    MPI_Error_class(*code, &class);
    CT_CHECK(class == MPI_ERR_RANK, "the class is %d, not MPI_ERR_RANK", class);
    look(*comm);
    if (!nested++) {
        MPI_Send(NULL, 0, MPI_INT, 99, 0, *comm);
        nested = 0;
    }
}

static void handle_and_free(MPI_Comm *comm, int *code, ...)
{
    (void) code;
    handled++;
    MPI_Comm_free(comm);
}

static void handle_win(MPI_Win *win, int *code, ...)
{
    MPI_Group group;

    (void) code;
    handled++;
    MPI_Win_get_group(*win, &group);
    MPI_Group_free(&group);
    look(MPI_COMM_SELF);
}

static void handle_file(MPI_File *file, int *code, ...)
{
    MPI_Offset size;

    (void) code;
    handled++;
    MPI_File_get_size(*file, &size);
    look(MPI_COMM_SELF);
}

static MTEST_THREAD_RETURN_TYPE call_mpi(void *unused)
{
    int flag;

    (void) unused;
    while (!ended)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return MTEST_THREAD_RETVAL_IGN;
}

static void check(int expected, const char *what)
{
    CT_CHECK(handled == expected, "%s: the handler ran %d times, not %d", what, handled, expected);
    handled = 0;
}

static void check_comm(void)
{
    MPI_Comm comm;
    MPI_Errhandler handler, freeing;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(handle_comm, &handler);
    MPI_Comm_create_errhandler(handle_and_free, &freeing);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Send(NULL, 0, MPI_INT, 99, 0, comm);
    check(2, "a send");
    MPI_Comm_call_errhandler(comm, MPI_ERR_RANK);
    check(2, "MPI_Comm_call_errhandler");
    MPI_Comm_set_errhandler(comm, freeing);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&freeing);
    MPI_Send(NULL, 0, MPI_INT, 99, 0, comm);
    check(1, "a handler that frees");
}

static void check_win(void)
{
    MPI_Win win;
    MPI_Errhandler handler;
    int cell = 0;

    MPI_Win_create(&cell, sizeof(cell), 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_create_errhandler(handle_win, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
    MPI_Win_fence(0, win);
    MPI_Put(&cell, 1, MPI_INT, 99, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    check(1, "a put");
    MPI_Win_free(&win);
}

static void check_file(void)
{
    MPI_File file;
    MPI_Errhandler handler;
    char name[64];
    int cell = 0;

    snprintf(name, sizeof(name), "handler_calls_mpi.%d", (int) getpid());
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_create_errhandler(handle_file, &handler);
    MPI_File_set_errhandler(file, handler);
    MPI_Errhandler_free(&handler);
    MPI_File_write(file, &cell, -1, MPI_INT, MPI_STATUS_IGNORE);
    check(1, "a write");
    MPI_File_call_errhandler(file, MPI_ERR_OTHER);
    check(1, "MPI_File_call_errhandler");
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int provided;

    MTest_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MTest_Start_thread(call_mpi, NULL);
    for (int i = 0; i < 100; i++) {
        check_comm();
        check_win();
        check_file();
    }
    ended = 1;
    MTest_Join_threads();
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
