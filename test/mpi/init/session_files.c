/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * usage: session_files [-init] [-world]
 *
 * Files without MPI_Init: they are opened on communicators of a session, written and read by all
 * kinds of calls, and deleted, and a data representation is registered. All ends with the
 * program. With -init MPI_Init and MPI_Finalize come in between; with -world MPI_Init comes first,
 * and the session outlives MPI_Finalize.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmaptest_sessions.h"

static int errs, ends, in_between;

static void expect(int is_right, const char *what)
{
    if (is_right)
        return;
    errs++;
    printf("%s\n", what);
}

static void write_and_read(MPI_File file, MPI_Comm comm, int rank, int size)
{
    int mine[2] = {rank, rank + 1000}, other = (rank + 1) % size, theirs[2] = {-1, -1};
    MPI_Datatype one, strided;
    MPI_Status status;

    MPI_File_write_at_all(file, 2 * rank * sizeof(int), mine, 2, MPI_INT, &status);
    MPI_File_sync(file);
    MPI_Barrier(comm);
    MPI_File_sync(file);
    MPI_File_read_at(file, 2 * other * sizeof(int), theirs, 2, MPI_INT, &status);
    expect(theirs[0] == other && theirs[1] == other + 1000, "other data is in the file");
    MPI_Barrier(comm); /* before it is written again */

    MPI_Type_contiguous(1, MPI_INT, &one);
    MPI_Type_create_resized(one, 0, size * sizeof(int), &strided);
    MPI_Type_commit(&strided);
    MPI_File_set_view(file, rank * sizeof(int), MPI_INT, strided, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, mine, 2, MPI_INT, &status);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all(file, theirs, 2, MPI_INT, &status);
    expect(theirs[0] == rank && theirs[1] == rank + 1000, "other data is in the view");
    MPI_Barrier(comm);
    MPI_Type_free(&one);
    MPI_Type_free(&strided);

    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_ordered(file, mine, 2, MPI_INT, &status);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, theirs, 2, MPI_INT, &status);
    expect(theirs[0] == rank && theirs[1] == rank + 1000, "other data is in order");
}

static void use_file(MPI_Session session, const char *pset, int id)
{
    const char *folder = getenv("TMPDIR");
    MPI_Comm comm = ct_comm_from(session, pset);
    int rank, size, error;
    char name[300];
    MPI_File file;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Bcast(&id, 1, MPI_INT, 0, comm);
    snprintf(name, sizeof(name), "%s/session_files.%d", folder ? folder : "/tmp", id);
    error = MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    expect(!error, "MPI_File_open returned an error");
    if (!error) {
        write_and_read(file, comm, rank, size);
        MPI_File_close(&file);
    }
    if (rank == 0) {
        expect(!MPI_File_delete(name, MPI_INFO_NULL), "MPI_File_delete returned an error");
        expect(access(name, F_OK), "the file is still there");
    }
    MPI_Comm_free(&comm);
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    *extent = 4;
    return MPI_SUCCESS;
}

/* The attribute of a communicator of the session goes with it. */
static int count_end(MPI_Comm comm, int key, void *value, void *state)
{
    ends++;
    return MPI_SUCCESS;
}

static void use_world(void)
{
    int one = 1, size, total;

    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(total == size, "MPI_Allreduce has another sum than processes");
}

/* MPI has ended: it was asked later to end with the program. */
static void report(void)
{
    expect(ends == in_between, "an attribute of MPI_COMM_SELF was not deleted");
    if (errs == 0 && (!getenv("PMI_RANK") || !strcmp(getenv("PMI_RANK"), "0")))
        printf(" No Errors\n");
    fflush(stdout);
    if (errs > 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    int key, first = argc > 1 && !strcmp(argv[1], "-world");
    MPI_Session session;
    MPI_Comm self;

    in_between = argc > 1 && !strcmp(argv[1], "-init");
    atexit(report);
    if (first)
        use_world();
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    if (first)
        MPI_Finalize();
    expect(!MPI_Register_datarep("session_files", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                                 extent_of, NULL),
           "MPI_Register_datarep returned an error");
    use_file(session, "mpi://SELF", getpid());
    use_file(session, "mpi://WORLD", getpid());
    if (in_between) {
        use_world();
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_end, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
        MPI_Finalize();
        use_file(session, "mpi://WORLD", getpid());
    }
    self = ct_comm_from(session, "mpi://SELF");
    MPI_Comm_free(&self);
    MPI_Session_finalize(&session);
    return 0;
}
