/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI_ERRORS_ABORT is set and given back for communicators, windows and files, besides many
 * error handlers of the program, and can be freed as often as one likes.
 */
#include "mpitest.h"
#include "cmaptest_oracle.h"

enum { HANDLERS = 20 };

static void handle(MPI_Comm *comm, int *code, ...)
{
    ct_fail("an error handler of the program runs");
}

static void expect(MPI_Errhandler got, const char *what)
{
    CT_CHECK(got == MPI_ERRORS_ABORT, "%s: error handler %x", what, got);
    MPI_Errhandler_free(&got);
}

static void check_comm(MPI_Comm comm)
{
    MPI_Errhandler got;
    MPI_Comm copy;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ABORT);
    MPI_Comm_get_errhandler(comm, &got);
    expect(got, "communicator");
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_errhandler(copy, &got);
    expect(got, "duplicate");
    MPI_Comm_free(&copy);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static void check_others(void)
{
    MPI_Errhandler got;
    MPI_Win win;
    MPI_File file;
    char name[] = "errors_abort.tmp";

    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_ABORT);
    MPI_Win_get_errhandler(win, &got);
    expect(got, "window");
    MPI_Win_free(&win);

    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ABORT);
    MPI_File_get_errhandler(file, &got);
    expect(got, "file");
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handlers[HANDLERS];

    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    for (int i = 0; i < HANDLERS; i++)
        MPI_Comm_create_errhandler(handle, &handlers[i]);
    check_comm(MPI_COMM_WORLD);
    check_comm(MPI_COMM_SELF);
    check_others();
    for (int i = 0; i < HANDLERS; i++)
        MPI_Errhandler_free(&handlers[i]);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
