/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A file holds a communicator.  Where no context id is left, MPI_File_open returns the error that a
 * duplicate returns, and works when there is an id again; the handler of the communicator is not
 * called.  The same holds for the first use of a shared file pointer where MPI_COMM_SELF returns
 * errors: it needs one more id.  MPI_MODE_APPEND uses it in MPI_File_open, in one process.  A limit
 * of few ids is wanted (MPIR_CVAR_CTXID_LIMIT).  NFS has functions of its own for shared pointers.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmaptest.h"

enum { MOST = 4096 };

static MPI_Comm parent, made[MOST];
static int alive, error_of_dup;

static void use_all_ids(void)
{
    int result = MPI_SUCCESS;

    while (result == MPI_SUCCESS && alive < MOST) {
        result = MPI_Comm_dup(parent, &made[alive]);
        alive += result == MPI_SUCCESS;
    }
    CT_CHECK(result != MPI_SUCCESS, "%d communicators, and no error", alive);
    error_of_dup = ct_class_of(result);
}

static void free_all(void)
{
    while (alive > 0)
        MPI_Comm_free(&made[--alive]);
}

static void expect_no_id(int result, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    CT_CHECK(ct_class_of(result) == error_of_dup, "%s: class %d, MPI_Comm_dup's is %d", what,
             ct_class_of(result), error_of_dup);
    if (result == MPI_SUCCESS)
        return;
    MPI_Error_string(result, text, &length);
    CT_CHECK(strstr(text, "No context id is free"), "%s: %s", what, text);
}

static int open_file(const char *name, int more, MPI_File *file)
{
    int mode = more | MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

    return MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, file);
}

static void expect_success(int result, const char *what)
{
    CT_CHECK(result == MPI_SUCCESS, "%s with an id: class %d", what, ct_class_of(result));
}

static void check_write_shared(MPI_File file)
{
    char byte = 7;

    CT_CHECK(MPI_File_write_shared(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS,
             "MPI_File_write_shared without an id");
    MPI_Comm_free(&made[--alive]);
    expect_success(MPI_File_write_shared(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                   "MPI_File_write_shared");
}

/* One id is left: for the file, and none for the shared pointer of one process. */
static void check_append(const char *name)
{
    MPI_File file = MPI_FILE_NULL;

    use_all_ids();
    MPI_Comm_free(&made[--alive]);
    CT_CHECK(open_file(name, MPI_MODE_APPEND, &file) != MPI_SUCCESS, "appending without an id");
    CT_CHECK(file == MPI_FILE_NULL, "an error and a file");
    MPI_Comm_free(&made[--alive]);
    expect_success(open_file(name, MPI_MODE_APPEND, &file), "MPI_File_open to append");
    free_all();
    expect_success(MPI_File_close(&file), "MPI_File_close");
}

/* The file of the shared pointer is made beside the file, in a folder that is gone: more often than
 * there are ids. */
static void check_gone_folder(void)
{
    static const char folder[] = "files_no_ids.folder", name[] = "files_no_ids.folder/data";
    MPI_File file;
    MPI_Comm comm;
    char byte = 7;

    if (ct_me == 0)
        CT_CHECK(mkdir(folder, 0755) == 0, "no folder: %s", strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    expect_success(open_file(name, 0, &file), "MPI_File_open");
    MPI_Barrier(MPI_COMM_WORLD);
    if (ct_me == 0)
        CT_CHECK(unlink(name) == 0 && rmdir(folder) == 0, "it stays: %s", strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 60; i++)
        CT_CHECK(MPI_File_write_shared(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS,
                 "MPI_File_write_shared without a folder");
    expect_success(MPI_Comm_dup(MPI_COMM_SELF, &comm), "MPI_Comm_dup");
    MPI_Comm_free(&comm);
    MPI_File_close(&file); /* it cannot remove what is gone */
}

static void check_file(const char *name)
{
    MPI_File file;
    char byte = 7;

    use_all_ids();
    expect_no_id(open_file(name, 0, &file), "MPI_File_open");
    MPI_Comm_free(&made[--alive]);
    expect_success(open_file(name, 0, &file), "MPI_File_open");
    expect_success(MPI_File_write_at(file, ct_me, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                   "MPI_File_write_at");

    check_write_shared(file);
    free_all();
    expect_success(MPI_File_close(&file), "MPI_File_close");
}

int main(int argc, char **argv)
{
    MTest_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ct_me);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_file("files_no_ids.data");
    check_file("nfs:files_no_ids.nfs.data");
    check_append("files_no_ids.append.data");
    check_gone_folder();
    MPI_Comm_free(&parent);
    MTest_Finalize(ct_errs);
    return MTestReturnValue(ct_errs);
}
